// Sums over a trace: what its tables are made of. One pass, in memory that grows with the number of threads,
// calls and pairs, not with that of records.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <queue>
#include <unordered_map>
#include <utility>
#include <vector>

#include "trace/model/call_pairing.hpp"
#include "trace/model/event_types.hpp"
#include "trace/model/moment.hpp"
#include "trace/model/trace.hpp"
#include "trace/sums/call_key.hpp"
#include "trace/sums/readings.hpp"
#include "trace/sums/timeline.hpp"

namespace groma::trace {

struct TimeSum {
  std::uint64_t count = 0;
  std::uint64_t time = 0;
};

/// All calls of one number on one object.
struct CallSum {
  std::uint64_t count = 0;
  std::uint64_t time = 0;
  std::uint64_t longest = 0;
  std::uint64_t received = 0;        ///< bytes of messages that arrived within the calls
  std::uint64_t messages = 0;        ///< their number
  std::uint64_t receiving_time = 0;  ///< of the calls within which any arrived
  std::uint64_t receiving_calls = 0;
  std::uint64_t collective_sent = 0;
  std::uint64_t collective_received = 0;
  /// Bin b: calls that received between 10 b and 10 (b + 1) MB/s, by message or as a collective that blocks;
  /// the last bin all above.
  std::map<std::uint32_t, TimeSum> bandwidths;
};

/// All stays of one object in a region. Calls belong to the innermost region in which they begin.
struct RegionSum {
  std::uint64_t count = 0;
  std::uint64_t time = 0;
  std::uint64_t calling_time = 0;  ///< in calls
  std::uint64_t messages = 0;      ///< that arrived within these calls
  std::uint64_t received = 0;      ///< their bytes
};

/// Where a call is made: values of the events of callers.
struct SiteKey {
  CallKey call;
  std::uint64_t function = 0;
  std::uint64_t line = 0;
  friend auto operator<=>(const SiteKey&, const SiteKey&) = default;
};

/// Collective calls of one number in one communicator of an application.
struct CollectiveKey {
  std::uint32_t application = 0;
  std::uint64_t communicator = 0;
  CallKey call;
  friend auto operator<=>(const CollectiveKey&, const CollectiveKey&) = default;
};

/// All calls of one site, or of one communicator, on all objects. Bytes are those of collectives, and at a
/// site those of messages that are sent or arrive within the calls as well.
struct CallTotals {
  std::uint64_t count = 0;
  std::uint64_t time = 0;
  std::uint64_t longest = 0;
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
};

struct MessageSum {
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
};

/// Values of a counter are differences to the reading before.
struct CounterSum {
  std::uint64_t count = 0;
  std::int64_t sum = 0;
};

/// Where a counter counted: in a call, or outside of calls (type 0), and in a region (0: in none).
struct CounterKey {
  std::uint32_t counter = 0;
  CallKey call;
  CallKey region;
  friend auto operator<=>(const CounterKey&, const CounterKey&) = default;
};

/// From the first to the last state or event of a thread.
struct Span {
  Nanoseconds begin = ~Nanoseconds{0};
  Nanoseconds end = 0;

  void hold(Nanoseconds from, Nanoseconds to) {
    begin = std::min(begin, from);
    end = std::max(end, to);
  }
  [[nodiscard]] Nanoseconds length() const { return end > begin ? end - begin : 0; }
};

/// What one thread did.
struct ObjectSums {
  Span span;
  std::map<std::uint32_t, TimeSum> states;
  std::map<CallKey, CallSum> calls;
  std::map<CallKey, RegionSum> regions;  ///< at each value of a type of regions
  std::map<std::uint32_t, CounterSum> counters;
};

/// The calls of a thread that are kept for messages whose lines follow later calls: a sender may leave
/// MPI_Send long after the message arrived.
constexpr std::size_t kEarlierCalls = 64;

/// Takes a trace whose records of each thread are in order, or nearly so.
class Sums final : public Sink {
 public:
  void begin(const Layout& layout) override;
  void state(const State& state) override;
  void event(const Event& event) override;
  void communication(const Communication& message) override;
  void end(const Names& names) override;

  [[nodiscard]] const Layout& layout() const { return layout_; }
  [[nodiscard]] const Names& names() const { return names_; }
  [[nodiscard]] const std::vector<ObjectSums>& objects() const { return objects_; }
  /// By sender and receiver.
  [[nodiscard]] const std::map<std::pair<ObjectIndex, ObjectIndex>, MessageSum>& pairs() const {
    return pairs_;
  }
  /// Bin b holds sizes below 2^b that bin b-1 does not hold; bin 0 messages without data.
  [[nodiscard]] const std::array<MessageSum, 65>& sizes() const { return sizes_; }
  /// Number of records of each type.
  [[nodiscard]] const std::map<std::uint32_t, std::uint64_t>& types() const { return types_; }
  [[nodiscard]] const std::map<CounterKey, CounterSum>& counters() const { return counters_; }
  [[nodiscard]] const std::map<SiteKey, CallTotals>& sites() const { return sites_; }
  [[nodiscard]] const std::map<CollectiveKey, CallTotals>& collectives() const { return collectives_; }
  [[nodiscard]] const Timeline& timeline() const { return timeline_; }
  /// The time of the first record.
  [[nodiscard]] Nanoseconds first_time() const { return has_records_ ? first_time_ : 0; }
  /// The time of the last record; without records, only the header says where the trace ends.
  [[nodiscard]] Nanoseconds duration() const { return has_records_ ? last_time_ : layout_.duration; }
  /// Messages that arrived outside of calls, or more than kEarlierCalls calls before their lines.
  [[nodiscard]] const MessageSum& outside_calls() const { return outside_calls_; }
  /// Calls that do not end, or end as another type of call, and ends without a call.
  [[nodiscard]] std::uint64_t unpaired_calls() const;
  /// Values of counters for which a sum had no room; it stays at its limit.
  [[nodiscard]] std::uint64_t clipped_counts() const { return clipped_counts_; }
  /// Kinds of things that did not fit the tables.
  [[nodiscard]] std::uint64_t left_out() const { return left_out_; }

 private:
  /// An end of a message.
  struct Arrival {
    Nanoseconds time;
    std::uint64_t bytes;
    friend bool operator>(const Arrival& one, const Arrival& other) { return one.time > other.time; }
  };
  using Arrivals = std::priority_queue<Arrival, std::vector<Arrival>, std::greater<>>;
  struct Call {
    CallKey key;
    Nanoseconds begin = 0;
    Nanoseconds end = 0;
    CallSum* sum = nullptr;
    RegionSum* region = nullptr;         ///< none outside of regions
    CallTotals* site = nullptr;          ///< none where callers are not recorded
    CallTotals* communicator = nullptr;  ///< none but of collectives
    std::uint64_t sent = 0;              ///< by a collective
    std::uint64_t received = 0;
    std::uint64_t messages = 0;  ///< that arrived, and are not in its bandwidth yet
    std::uint64_t arrived = 0;   ///< bytes within the call, of messages and of a collective that blocks
  };
  /// The value of a type of regions, and since when.
  struct Region {
    std::uint64_t value = 0;
    Nanoseconds since = 0;
    std::deque<std::uint64_t> around;  ///< those that go on after it, the innermost last
  };
  /// The state of a thread at the place in the trace that was reached.
  struct Track {
    Moment moment;  ///< its last events
    CallPairing pairing;
    Call call;                 ///< the open one
    Call last;                 ///< the call before
    std::deque<Call> earlier;  ///< those before it, the newest last: some messages are told late
    CallKey region;
    std::map<std::uint32_t, Region> regions;  ///< of each type
    Arrivals arrivals;
    Arrivals departures;  ///< of messages that are sent later, where callers are recorded
  };

  void settle(Track& track);
  void note_times(const Event& event);
  void take_calls(Track& track, const CallKey& region);
  void take_call(Track& track, const Event& event, Events beside, Readings& readings);
  void enter(Track& track, const Event& event, Events beside);
  void finish_call(Track& track, Nanoseconds time);
  static void take_collective(Call& call);
  void take_arrivals(Track& track, Call& call);
  static Call* call_at(Track& track, Nanoseconds time);
  static void keep_last(Track& track);
  static void settle_arrivals(const Call& call);
  void take_region(Track& track, const Event& event);
  void add_stay(const Event& event, const Region& open, bool is_over);
  void enter_region(Region& open, const Event& event);
  static bool sends(const Call& call, Nanoseconds time);
  void take_arguments(Call& call, Events beside);
  static void take_departures(Track& track, const Call& call);
  void depart(const Communication& message);
  CallTotals* site_of(const CallKey& call, Events beside);
  RegionSum* region_of(const Track& track, ObjectIndex object);
  static void arrive(Call& call, std::uint64_t bytes);
  void take_counter(const Event& event, const CallKey& call, const CallKey& region);
  void close(ObjectIndex object);

  Layout layout_;
  Names names_;
  std::vector<ObjectSums> objects_;
  Timeline timeline_;
  std::vector<Track> tracks_;
  std::map<std::pair<ObjectIndex, ObjectIndex>, MessageSum> pairs_;
  std::unordered_map<std::uint64_t, MessageSum*> pair_index_;
  std::array<MessageSum, 65> sizes_{};
  std::map<std::uint32_t, std::uint64_t> types_;
  std::map<CounterKey, CounterSum> counters_;
  std::map<SiteKey, CallTotals> sites_;
  std::map<CollectiveKey, CallTotals> collectives_;
  bool has_callers_ = false;
  MessageSum outside_calls_;
  Nanoseconds first_time_ = ~Nanoseconds{0};
  Nanoseconds last_time_ = 0;
  bool has_records_ = false;
  std::uint64_t clipped_counts_ = 0;
  std::uint64_t left_out_ = 0;
};

}  // namespace groma::trace
