#include "trace/paraver/prv_header.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace groma::trace {
namespace {

/// A header may name any number of threads; more than these are not believed.
constexpr std::size_t kMaxObjects = std::size_t{1} << 22U;
/// The same for nodes that only their number tells of.
constexpr std::size_t kMaxNodes = std::size_t{1} << 20U;
/// The same for tasks of all communicators.
constexpr std::size_t kMaxMembers = std::size_t{1} << 26U;

Error not_a_header(const std::string& why) {
  return {"damaged", "line 1 is not a Paraver header: " + why,
          "name a .prv file, whose first line reads #Paraver (date):duration:nodes:applications"};
}

/// Reads a line from its front.
class Scan {
 public:
  explicit Scan(std::string_view text) : text_(text) {}

  [[nodiscard]] bool at_end() const { return text_.empty(); }
  [[nodiscard]] bool sees(char letter) const { return !text_.empty() && text_.front() == letter; }
  bool take(char letter) {
    if (!sees(letter)) return false;
    text_.remove_prefix(1);
    return true;
  }
  bool take(std::string_view word) {
    if (!text_.starts_with(word)) return false;
    text_.remove_prefix(word.size());
    return true;
  }
  /// The largest number where digits say more. Spaces may stand before it.
  std::optional<std::uint64_t> number() {
    std::uint64_t value = 0;
    text_.remove_prefix(std::min(text_.find_first_not_of(' '), text_.size()));
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (end == text_.data()) return std::nullopt;
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    if (error == std::errc::result_out_of_range) return std::numeric_limits<std::uint64_t>::max();
    return value;
  }
  /// Up to `letter`, which is taken too.
  std::optional<std::string_view> until(char letter) {
    const auto end = text_.find(letter);
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view found = text_.substr(0, end);
    text_.remove_prefix(end + 1);
    return found;
  }

 private:
  std::string_view text_;
};

class HeaderParser {
 public:
  explicit HeaderParser(std::string_view line) : scan_(line) {}

  Result<PrvHeader> parse() {
    if (!scan_.take("#Paraver")) return not_a_header("it does not begin with #Paraver");
    if (!take_date()) return not_a_header("it has no date in brackets");
    if (!take_duration()) return not_a_header("it has no duration after the date");
    if (!take_nodes()) return not_a_header("the nodes are missing");
    const auto applications = scan_.number();
    if (!applications) return not_a_header("the number of applications is missing");
    made_.layout.counts_communicators = false;
    std::uint64_t found = 0;
    for (; found < *applications && (scan_.take(':') || scan_.take(',')); ++found) {
      if (!take_application(static_cast<std::uint32_t>(found))) return not_a_header(failure_);
    }
    if (found != *applications) made_.is_consistent = false;
    if (made_.layout.objects.empty()) return not_a_header("it names no threads");
    settle_places();
    return std::move(made_);
  }

 private:
  bool take_date() {
    if (!scan_.until('(')) return false;
    const auto date = scan_.until(')');
    if (!date || !scan_.take(':')) return false;
    made_.layout.created = std::string(*date);
    return true;
  }

  /// "2000_ns", up to the colon. Paraver takes a time with another unit, or without one, as microseconds.
  bool take_duration() {
    const auto word = scan_.until(':');
    if (!word) return false;
    const std::string_view digits = word->substr(0, word->find('_'));
    const std::string_view unit = word->substr(digits.size());
    made_.has_unit = unit == "_ns" || unit == "_us" || unit == "_ms";
    made_.unit = unit == "_ns" ? 1 : unit == "_ms" ? 1000000 : 1000;
    const auto duration = whole_part(digits);
    if (!duration) return false;
    const bool fits = *duration <= std::numeric_limits<std::uint64_t>::max() / made_.unit;
    made_.layout.duration = fits ? *duration * made_.unit : std::numeric_limits<std::uint64_t>::max();
    return true;
  }

  /// Of "2000", "2000.5" or "2e3".
  static std::optional<std::uint64_t> whole_part(std::string_view digits) {
    Scan scan(digits);
    const auto whole = scan.number();
    if (!whole || scan.at_end()) return whole;
    double real = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), real);
    constexpr double most = 1e19;
    if (end != digits.data() + digits.size() || error != std::errc() || real >= most) return std::nullopt;
    return static_cast<std::uint64_t>(real);
  }

  /// "2(4,4)", "2" where each has a CPU, or 0 where nothing is known.
  bool take_nodes() {
    const auto count = scan_.number();
    if (!count) return false;
    made_.layout.lists_cpus = *count > 0;
    if (scan_.take('(')) {
      do {
        const auto cpus = scan_.number();
        if (!cpus) break;
        made_.layout.nodes.push_back(
            {"", static_cast<std::uint32_t>(std::min<std::uint64_t>(*cpus, 1U << 20U))});
      } while (scan_.take(','));
      if (!scan_.take(')')) return false;
      made_.is_consistent = made_.is_consistent && made_.layout.nodes.size() == *count;
    } else if (*count <= kMaxNodes) {
      made_.layout.nodes.resize(*count);
    }
    return scan_.take(':');
  }

  /// "2(1:1,1:2)": threads and node of each task. Some programs write a colon before the bracket. After the
  /// last one, or before a comma, the number of lines of communicators may stand.
  bool take_application(std::uint32_t application) {
    const auto tasks = scan_.number();
    failure_ = "the tasks of an application are not a list in brackets";
    if (!tasks) return false;
    scan_.take(':');
    if (!scan_.take('(')) return false;
    std::uint32_t task = 0;
    while (!scan_.sees(')')) {
      if (!take_task(application, task++)) return false;
      if (!scan_.take(',')) break;
    }
    made_.is_consistent = made_.is_consistent && task == *tasks;
    return scan_.take(')') && take_communicator_count();
  }

  /// ",7", but not ",7(" or ",7:(": that is the next application.
  bool take_communicator_count() {
    Scan after = scan_;
    if (!after.take(',') || !after.number()) return true;
    Scan next = after;
    next.take(':');
    if (next.sees('(')) return true;
    scan_ = after;
    made_.layout.counts_communicators = true;
    return true;
  }

  bool take_task(std::uint32_t application, std::uint32_t task) {
    const auto threads = scan_.number();
    if (!threads || !scan_.take(':')) return false;
    const auto node = scan_.number();
    if (!node) return false;
    auto& objects = made_.layout.objects;
    if (*threads > kMaxObjects - objects.size()) {
      // GCC 14 sees a temporary overflow where these are added.
      failure_.assign("it names more than ").append(std::to_string(kMaxObjects)).append(" threads");
      return false;
    }
    const bool is_known = *node > 0 && *node <= (1U << 24U);
    has_node_ = has_node_ || *node > 0;
    const auto place = is_known ? static_cast<std::uint32_t>(*node - 1) : 0U;
    for (std::uint32_t thread = 0; thread < *threads; ++thread) {
      objects.push_back({application, task, thread, 0, place});
    }
    return true;
  }

  /// Nodes that only the tasks name; CPUs in turn over those of the node.
  void settle_places() {
    Layout& layout = made_.layout;
    layout.names_nodes = has_node_;
    std::uint32_t last = 0;
    for (const Object& one : layout.objects) last = std::max(last, one.node);
    const std::size_t most = std::max(layout.nodes.size(), layout.objects.size());
    if (last >= most) made_.is_consistent = false;
    if (layout.nodes.empty()) layout.nodes.resize(1);
    for (Object& one : layout.objects) one.node = std::min(one.node, static_cast<std::uint32_t>(most - 1));
    if (last >= layout.nodes.size()) layout.nodes.resize(std::min<std::size_t>(last + std::size_t{1}, most));
    std::vector<std::uint32_t> first(layout.nodes.size() + 1, 0);
    for (std::size_t i = 0; i < layout.nodes.size(); ++i) {
      first[i + 1] = first[i] + std::max(1U, layout.nodes[i].cpus);
    }
    std::vector<std::uint32_t> used(layout.nodes.size(), 0);
    for (Object& one : layout.objects) {
      const std::uint32_t cpus = first[one.node + 1] - first[one.node];
      one.cpu = first[one.node] + used[one.node]++ % cpus;
    }
  }

  Scan scan_;
  PrvHeader made_;
  std::string failure_;
  bool has_node_ = false;  ///< of any task
};

bool has_application(const Layout& layout, std::uint64_t application) {
  return application > 0 && !layout.objects.empty() &&
         application <= layout.objects.back().application + 1ULL;
}

std::uint64_t tasks_of(const Layout& layout, std::uint64_t application) {
  const auto after = std::ranges::partition_point(
      layout.objects, [&](const Object& one) { return one.application + 1ULL <= application; });
  return after == layout.objects.begin() ? 0 : std::prev(after)->task + 1ULL;
}

bool add_group(Scan scan, Layout& layout) {
  const auto application = scan.number();
  if (!application || !has_application(layout, *application) || !scan.take(':')) return false;
  const auto id = scan.number();
  if (!id || !scan.take(':') || !scan.number()) return false;
  const std::uint64_t tasks = tasks_of(layout, *application);
  Communicator made{static_cast<std::uint32_t>(*application - 1), *id, {}};
  while (scan.take(':')) {
    const auto task = scan.number();
    if (!task || *task == 0 || *task > tasks || made.tasks.size() == kMaxMembers) return false;
    made.tasks.push_back(static_cast<std::uint32_t>(*task - 1));
  }
  layout.communicators.push_back(std::move(made));
  return true;
}

bool add_pair_of_groups(Scan scan, Layout& layout) {
  std::array<std::uint64_t, 6> values{};
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto value = (i == 0 || scan.take(':')) ? scan.number() : std::nullopt;
    if (!value) return false;
    values[i] = *value;
  }
  if (!has_application(layout, values[0]) || values[3] == 0 || values[5] == 0) return false;
  const std::uint64_t most = std::max(values[3], values[5]);
  if (most > std::numeric_limits<std::uint32_t>::max()) return false;
  layout.intercommunicators.push_back({static_cast<std::uint32_t>(values[0] - 1), values[1], values[2],
                                       static_cast<std::uint32_t>(values[3] - 1), values[4],
                                       static_cast<std::uint32_t>(values[5] - 1)});
  return true;
}

}  // namespace

Result<PrvHeader> parse_prv_header(std::string_view line) {
  return HeaderParser(line).parse();
}

bool add_communicator(std::string_view line, Layout& layout) {
  Scan scan(line);
  if (scan.take("c:") || scan.take("C:")) return add_group(scan, layout);
  return (scan.take("i:") || scan.take("I:")) && add_pair_of_groups(scan, layout);
}

}  // namespace groma::trace
