// A trace as Paraver sees it: objects on which states, events and communications happen. What writes one
// (the merge, an import, a simulator) and what receives one (a .prv file, the store) meet here.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace groma::trace {

using Nanoseconds = std::uint64_t;  ///< since the begin of the trace

/// A thread of a task (rank) of an application, and where it runs. All numbers count from 0 (a .prv counts
/// from 1).
struct Object {
  std::uint32_t application = 0;
  std::uint32_t task = 0;
  std::uint32_t thread = 0;
  std::uint32_t cpu = 0;
  std::uint32_t node = 0;
  friend bool operator==(const Object&, const Object&) = default;
};
using ObjectIndex = std::uint32_t;  ///< into Layout::objects

/// The ranks of a communicator, as tasks of the application.
struct Communicator {
  std::uint32_t application = 0;
  std::uint64_t id = 0;
  std::vector<std::uint32_t> tasks;
};

/// Two communicators of an application, each with the task that leads it.
struct Intercommunicator {
  std::uint32_t application = 0;
  std::uint64_t id = 0;
  std::uint64_t first = 0;
  std::uint32_t first_leader = 0;
  std::uint64_t second = 0;
  std::uint32_t second_leader = 0;
};

struct Node {
  std::string name;
  std::uint32_t cpus = 1;
};

/// What is known before the first record.
struct Layout {
  std::string created;  ///< "dd/mm/yyyy at hh:mm"
  Nanoseconds duration = 0;
  std::vector<Node> nodes;
  std::vector<Object> objects;  ///< in order of application, task, thread
  std::vector<Communicator> communicators;
  std::vector<Intercommunicator> intercommunicators;
  std::vector<std::string> comments;  ///< how the trace came about; one line each, without "#"
  bool counts_communicators = true;   ///< also where there are none
  bool lists_cpus = true;             ///< of each node; else those here are made up
  bool names_nodes = true;            ///< of each task; else all of them are on the first

  /// Of an object, as a .prv counts them: from 1; 0 where it is not known.
  [[nodiscard]] std::uint32_t usual_cpu(ObjectIndex object) const {
    return lists_cpus ? objects[object].cpu + 1 : 0;
  }
};

/// Of a record: on that of its object. Else it is a number of a .prv: from 1; 0 where it is not known.
constexpr std::uint32_t kUsualCpu = 0xffffffff;

struct State {
  ObjectIndex object = 0;
  Nanoseconds begin = 0;
  Nanoseconds end = 0;
  std::uint32_t state = 0;
  std::uint32_t cpu = kUsualCpu;
};

struct Event {
  ObjectIndex object = 0;
  Nanoseconds time = 0;
  std::uint32_t type = 0;
  std::uint64_t value = 0;  ///< of a negative number its two's complement
  std::uint32_t cpu = kUsualCpu;
  bool is_negative = false;  ///< as the value is written: programs write such numbers in either way
};

/// A message. Logical times are those of the calls, physical ones those of the data.
struct Communication {
  ObjectIndex sender = 0;
  Nanoseconds logical_send = 0;
  Nanoseconds physical_send = 0;
  ObjectIndex receiver = 0;
  Nanoseconds logical_receive = 0;
  Nanoseconds physical_receive = 0;
  std::uint64_t bytes = 0;
  std::uint64_t tag = 0;  ///< as a value of an event
  std::uint32_t sender_cpu = kUsualCpu;
  std::uint32_t receiver_cpu = kUsualCpu;
  bool has_negative_tag = false;
};

/// Names of what occurs (.pcf) and of the rows (.row).
struct EventType {
  std::uint32_t gradient = 6;
  std::string label;
  std::map<std::uint64_t, std::string> values;
};
/// Rows of a level of Paraver other than those below, such as TASK.
struct Level {
  std::string name;
  std::vector<std::string> rows;
};
struct Names {
  std::map<std::uint32_t, std::string> states;
  std::map<std::uint32_t, std::string> colours;  ///< of states that have one: "{red,green,blue}"
  std::map<std::uint32_t, EventType> events;
  std::vector<std::string> cpus;
  std::vector<std::string> nodes;
  std::vector<std::string> threads;  ///< one per object
  std::vector<Level> other_levels;
};

/// Receives a trace: begin, then records in the order of a .prv (by time; communications by physical send),
/// then end. Not thread-safe.
class Sink {
 public:
  Sink() = default;
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
  Sink(Sink&&) = delete;
  Sink& operator=(Sink&&) = delete;
  virtual ~Sink() = default;

  virtual void begin(const Layout& layout) = 0;
  virtual void state(const State& state) = 0;
  virtual void event(const Event& event) = 0;
  virtual void communication(const Communication& message) = 0;
  virtual void end(const Names& names) = 0;
};

/// Hands on to two.
class Tee final : public Sink {
 public:
  Tee(Sink& one, Sink& other) : one_(one), other_(other) {}
  void begin(const Layout& layout) override {
    one_.begin(layout);
    other_.begin(layout);
  }
  void state(const State& state) override {
    one_.state(state);
    other_.state(state);
  }
  void event(const Event& event) override {
    one_.event(event);
    other_.event(event);
  }
  void communication(const Communication& message) override {
    one_.communication(message);
    other_.communication(message);
  }
  void end(const Names& names) override {
    one_.end(names);
    other_.end(names);
  }

 private:
  Sink& one_;
  Sink& other_;
};

}  // namespace groma::trace
