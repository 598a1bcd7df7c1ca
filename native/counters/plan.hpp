// Which events can be counted together. As BGLperfctr does it: register what is intended, check, commit once.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "counters/counter_set.hpp"

namespace groma::counters {

struct Unavailable {
  std::string event;
  std::string reason;
};

/// `event` finds no counter beside those before it. Without any one of `with` it would; `alone` tells that it
/// cannot stand beside this one even if nothing else is counted.
struct Collision {
  std::string event;
  std::vector<std::string> with;
  bool alone = false;
};

struct Checked {
  std::vector<Unavailable> unavailable;
  std::vector<Collision> collisions;
  /// All events that can be counted, in sets that fit: one set means that they fit together.
  std::vector<std::vector<std::string>> runs;
  std::vector<std::string> remarks;  // "EVENT: user mode only" and such
};

/// Why not all events are counted at once: the first event that cannot be, else the first collision.
std::optional<Error> first_defect(const Checked& checked);

class Plan {
 public:
  explicit Plan(const System& system = this_system()) : system_(system) {}

  /// Registers an event; nothing is opened yet. Adding it twice is an error, as is a name that is not known.
  Status add(std::string_view event);
  [[nodiscard]] bool is_empty() const { return events_.empty(); }
  /// Opens and starts events together, closes them again, and tells what came of it.
  [[nodiscard]] Checked check() const;
  /// Starts all events in the calling thread, or none. Where they do not fit, the error names the collision.
  [[nodiscard]] Result<CounterSet> commit() const;

 private:
  using Events = std::vector<Event>;
  [[nodiscard]] bool fits(const Events& events) const;
  [[nodiscard]] Events available(Checked& checked) const;
  [[nodiscard]] Collision collision(const Events& before, const Event& event) const;
  [[nodiscard]] std::vector<Events> schedule(const Events& events) const;

  const System& system_;
  Events events_;
};

}  // namespace groma::counters
