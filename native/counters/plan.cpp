#include "counters/plan.hpp"

#include <algorithm>

namespace groma::counters {
namespace {

std::string joined(const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
  return all;
}

/// Those that found no room are the hard ones: runs that begin with them are sometimes fewer.
std::vector<Event> hard_first(const std::vector<Event>& events, const std::vector<Collision>& collisions) {
  std::vector<Event> hard;
  std::vector<Event> others;
  for (const Event& event : events) {
    const bool collided = std::ranges::find(collisions, event.name, &Collision::event) != collisions.end();
    (collided ? hard : others).push_back(event);
  }
  hard.insert(hard.end(), others.begin(), others.end());
  return hard;
}

Error error_of(const Collision& found) {
  if (found.with.empty()) {
    return {"counters.collision", found.event + " does not fit beside the events before it",
            "groma counters check gives a schedule over several runs"};
  }
  return {"counters.collision",
          found.event + " collides with " + joined(found.with) + (found.alone ? "" : " (any of them)"),
          "remove one of them, or count in several runs (groma counters check gives a schedule)"};
}

}  // namespace

std::optional<Error> first_defect(const Checked& checked) {
  if (!checked.unavailable.empty()) {
    const Unavailable& first = checked.unavailable.front();
    return Error{"counters.unavailable", first.event + ": " + first.reason,
                 "groma counters lists what can be counted"};
  }
  if (!checked.collisions.empty()) return error_of(checked.collisions.front());
  return std::nullopt;
}

Status Plan::add(std::string_view name) {
  if (std::ranges::find(events_, name, &Event::name) != events_.end()) {
    return Error{"counters.twice", std::string(name) + " is registered already", "name each event once"};
  }
  std::string reason;
  std::optional<Event> event = find_event(name, system_, reason);
  if (!event)
    return Error{"counters.event", std::string(name) + ": " + reason,
                 "groma counters lists what can be counted"};
  events_.push_back(std::move(*event));
  return Done{};
}

bool Plan::fits(const Events& events) const {
  std::string reason;
  return CounterSet::open(events, system_, reason).has_value();
}

Plan::Events Plan::available(Checked& checked) const {
  Events found;
  for (const Event& event : events_) {
    std::string reason;
    const std::optional<CounterSet> alone = CounterSet::open({&event, 1}, system_, reason);
    if (!alone) {
      const std::string_view why(reason);
      checked.unavailable.push_back(
          {event.name, std::string(why.starts_with(event.name) ? why.substr(event.name.size() + 2) : why)});
      continue;
    }
    if (!alone->remark(0).empty())
      checked.remarks.push_back(event.name + ": " + std::string(alone->remark(0)));
    found.push_back(event);
  }
  return found;
}

/// `before` fits. First the events beside which it can never stand, then those any one of which makes room.
Collision Plan::collision(const Events& before, const Event& event) const {
  Collision found{event.name, {}, true};
  for (const Event& other : before) {
    if (!fits({other, event})) found.with.push_back(other.name);
  }
  if (!found.with.empty()) return found;
  found.alone = false;
  for (std::size_t out = 0; out < before.size(); ++out) {
    Events rest = before;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(out));
    rest.push_back(event);
    if (fits(rest)) found.with.push_back(before[out].name);
  }
  return found;
}

/// First fit: each event goes to the first run that has room for it.
std::vector<Plan::Events> Plan::schedule(const Events& events) const {
  std::vector<Events> runs;
  for (const Event& event : events) {
    const auto place = std::ranges::find_if(runs, [&](const Events& run) {
      Events more = run;
      more.push_back(event);
      return fits(more);
    });
    if (place != runs.end()) {
      place->push_back(event);
    } else {
      runs.push_back({event});
    }
  }
  return runs;
}

Checked Plan::check() const {
  Checked checked;
  const Events events = available(checked);
  Events together;
  for (const Event& event : events) {
    together.push_back(event);
    if (fits(together)) continue;
    together.pop_back();
    checked.collisions.push_back(collision(together, event));
  }
  std::vector<Events> runs = schedule(events);
  if (runs.size() > 1) {
    std::vector<Events> others = schedule(hard_first(events, checked.collisions));
    if (others.size() < runs.size()) runs = std::move(others);
  }
  for (const Events& run : runs) {
    checked.runs.emplace_back();
    for (const Event& event : run) checked.runs.back().push_back(event.name);
  }
  return checked;
}

Result<CounterSet> Plan::commit() const {
  if (events_.empty())
    return Error{"counters.empty", "no event is registered", "register one, such as page-faults"};
  std::string reason;
  std::optional<CounterSet> all = CounterSet::open(events_, system_, reason);
  if (all) return std::move(*all);
  const Checked checked = check();
  if (const auto defect = first_defect(checked)) return *defect;
  return Error{"counters.start", reason, "try again: the counters were held by something else"};
}

}  // namespace groma::counters
