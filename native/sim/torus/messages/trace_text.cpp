#include "sim/torus/messages/trace_text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <deque>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <sstream>
#include <utility>

#include "sim/torus/messages/collectives.hpp"

namespace groma::sim::torus {
namespace {

constexpr double kMostCommunicators = 4294967295.0;
constexpr double kMostBytes = 1e15;
constexpr std::string_view kCommunicator = "communicator";
/// By the numbers that SMPI gives to MPI's types (SimGrid 3.32 to 4.0): those of C from double to long double
/// complex, then others of MPI, pairs, Fortran's, C++'s, bounds, packed and SMPI's own. Sizes of 64-bit
/// Linux.
constexpr std::array<std::uint64_t, 60> kTypeBytes = {
    8, 4,  1,  2, 8, 4, 1,  8,  1, 1, 2, 4,  8, 8,  16, 4, 1, 1, 2, 4,  8,  1, 2, 4,  8,  8, 16, 32, 8, 8,
    8, 16, 16, 8, 8, 8, 16, 16, 4, 4, 8, 16, 8, 16, 16, 4, 2, 4, 8, 16, 32, 1, 8, 16, 32, 0, 0,  1,  8, 8};

struct Line {
  Rank rank = 0;
  std::string action;
  std::vector<double> arguments;
  std::optional<std::uint32_t> communicator = std::nullopt;
  std::string_view no_number;  ///< the first argument that is none
};
using Words = std::vector<std::string_view>;
using Groups = std::map<std::uint32_t, Group>;

/// Who takes part in a trace.
struct Participants {
  Group all;
  Groups groups;
};

Error wrong(const TracePart& part, std::size_t line, const std::string& why) {
  const std::string where = part.name.empty() ? "the trace" : part.name;
  return {"usage", "line " + std::to_string(line) + " of " + where + ": " + why,
          "write `rank action arguments` as SMPI's time-independent traces have it"};
}

Words words_of(std::string_view line) {
  Words words;
  while (true) {
    const std::size_t begin = line.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos) return words;
    const std::size_t end = std::min(line.find_first_of(" \t\r", begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    line.remove_prefix(end);
  }
}

/// Calls `use` with the words of each line but remarks, until it answers what is wrong with one.
template <class Use>
Status for_each_line(const TracePart& part, Use use) {
  std::string_view text = part.text;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const Words words = words_of(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (words.empty() || words[0].front() == '#') continue;
    if (const std::string why = use(words); !why.empty()) return wrong(part, number, why);
  }
  return Done{};
}

std::optional<double> number_of(std::string_view word) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

bool is_whole(double value, double end) {
  return value >= 0.0 && value < end && value == static_cast<double>(static_cast<std::uint32_t>(value));
}

std::string quoted(std::string_view word) {
  return "\"" + std::string(word) + "\"";
}

/// What is wrong with the words, or nothing; that an argument is no number is left to who needs it.
std::string read_line(const Words& words, Line& line) {
  line = {};
  if (words.size() < 2) return "the action is missing";
  line.rank = static_cast<Rank>(*number_of(words[0]));
  for (const char letter : words[1])
    line.action += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  for (std::size_t i = 2; i < words.size() && line.no_number.empty(); ++i) {
    const bool names_group = i + 1 == words.size() && words[i].front() == '@';
    const auto value = number_of(names_group ? words[i].substr(1) : words[i]);
    if (!value) {
      line.no_number = words[i];
    } else if (names_group && is_whole(*value, kMostCommunicators)) {
      line.communicator = static_cast<std::uint32_t>(*value);
    } else {
      line.arguments.push_back(*value);
    }
  }
  return "";
}

/// "3" or "0-7": what is wrong with it, or nothing.
std::string add_members(std::string_view word, std::uint64_t places, Group& group) {
  const std::size_t dash = std::min(word.find('-', 1), word.size());
  const auto first = number_of(word.substr(0, dash));
  const auto last = dash == word.size() ? first : number_of(word.substr(dash + 1));
  constexpr auto kMost = static_cast<double>(kMostRanks);
  if (!first || !last || !is_whole(*first, kMost) || !is_whole(*last, kMost) || *last < *first) {
    return quoted(word) + " is no rank and no range of ranks";
  }
  if (*last >= static_cast<double>(places))
    return "there are only " + std::to_string(places) + " places for ranks";
  for (auto rank = static_cast<Rank>(*first); rank <= static_cast<Rank>(*last); ++rank) {
    group.members.push_back(rank);
  }
  group.size = static_cast<Rank>(group.members.size());
  return group.members.size() > places ? "a rank is there twice" : "";
}

std::string read_communicator(const Words& words, std::uint64_t places, Groups& groups) {
  const auto name = words.size() > 2 ? number_of(words[1]) : std::nullopt;
  if (!name || !is_whole(*name, kMostCommunicators)) return "a communicator needs a number and ranks";
  Group group;
  for (std::size_t i = 2; i < words.size(); ++i) {
    if (std::string why = add_members(words[i], places, group); !why.empty()) return why;
  }
  std::vector<Rank> sorted = group.members;
  std::ranges::sort(sorted);
  if (std::ranges::adjacent_find(sorted) != sorted.end()) return "a rank is there twice";
  groups[static_cast<std::uint32_t>(*name)] = std::move(group);
  return "";
}

/// What is wrong with the first word of a line, or with a communicator.
std::string add_participants(const Words& words, std::uint64_t places, Participants& found) {
  if (words[0] == kCommunicator) return read_communicator(words, places, found.groups);
  const auto rank = number_of(words[0]);
  if (!rank || !is_whole(*rank, static_cast<double>(kMostRanks))) return quoted(words[0]) + " is no rank";
  found.all.size = std::max(found.all.size, static_cast<Rank>(*rank) + 1);
  return "";
}

Status check(const Participants& found, std::uint64_t places) {
  const Rank ranks = found.all.size;
  if (ranks == 0)
    return Error{"usage", "the trace has no calls", "write a line `rank action arguments` for each of them"};
  if (ranks > places) {
    return Error{"usage",
                 std::to_string(ranks) + " ranks do not fit on " + std::to_string(places) + " places",
                 "choose a larger shape, or more cores for each node"};
  }
  for (const auto& [number, group] : found.groups) {
    if (std::ranges::max(group.members) < ranks) continue;
    return Error{"usage",
                 "communicator " + std::to_string(number) + " of the trace has ranks that do nothing",
                 "give each of its ranks a line, such as `0 init`"};
  }
  return Done{};
}

Result<Participants> participants_of(const std::vector<TracePart>& parts, std::uint64_t places) {
  Participants found;
  for (const TracePart& part : parts) {
    const Status status =
        for_each_line(part, [&](const Words& words) { return add_participants(words, places, found); });
    if (!status) return status.error();
  }
  if (const Status status = check(found, places); !status) return status.error();
  return found;
}

/// Turns the lines of one rank into its program.
class Translation {
 public:
  /// `all` is the group of all ranks.
  Translation(Rank rank, const Group& all, const Groups& groups, const ReplayTarget& target)
      : rank_(rank), all_(&all), groups_(&groups), target_(target) {}

  /// What is wrong with the line, or nothing.
  std::string add(const Line& line);
  [[nodiscard]] Program finish() {
    program_.wait_all();
    return std::move(program_);
  }
  /// Lines with sizes in elements of a type that is not MPI's own.
  [[nodiscard]] std::uint64_t unsized() const { return unsized_; }

 private:
  using Handler = void (Translation::*)();
  struct Rule {
    std::size_t least_arguments;
    Handler handle;
    bool is_collective = false;
  };
  static const std::map<std::string_view, Rule>& rules();

  // Readers of arguments; they note what is wrong in why_.
  [[nodiscard]] double argument(std::size_t index, double otherwise) const {
    return index < line_->arguments.size() ? line_->arguments[index] : otherwise;
  }
  Rank peer(std::size_t index, double otherwise = 0.0);
  std::int32_t tag(std::size_t index) {
    return whole(index, INT32_MIN, INT32_MAX) < 0.0 ? kAnyTag : static_cast<std::int32_t>(argument(index, 0));
  }
  std::uint64_t bytes(std::size_t size, std::size_t type);
  double units(std::size_t index);
  double whole(std::size_t index, double least, double most, double otherwise = 0.0);
  double in_range(std::size_t index, double least, double most, double otherwise = 0.0);
  double refuse(std::size_t index, double least);

  RequestId start_send();
  RequestId start_receive();

  void init() { default_bytes_ = line_->arguments.empty() ? 1 : 8; }
  void ignore() {}
  void compute() { program_.compute(units(0)); }
  void sleep() { program_.compute(cycles(0, target_.cycles_per_second)); }
  double cycles(std::size_t index, double each);
  void send() { program_.wait(start_send()); }
  void receive() { program_.wait(start_receive()); }
  void isend();
  void ireceive();
  void send_receive();
  void wait();
  void wait_oldest();
  void wait_all();
  void wait_collective();

  std::string translate(const Line& line);

  // Collectives, in the group of the line.
  std::string add_collective(const Line& line, const Rule& rule, bool blocks);
  std::string enter_group(const Line& line);
  std::int32_t apart();
  [[nodiscard]] Collectives made() const { return {own_, *group_, apart_}; }
  Rank root(std::size_t index) { return static_cast<Rank>(whole(index, 0.0, group_->size - 1.0)); }
  Collectives::Sizes uniform(std::size_t size, std::size_t type) {
    return Collectives::Sizes(group_->size, bytes(size, type));
  }
  Collectives::Sizes counts(std::size_t first, std::size_t type);

  void barrier() { made().barrier(program_); }
  void bcast() { made().bcast(program_, root(1), bytes(0, 2)); }
  void reduce() { made().reduce(program_, root(2), bytes(0, 3), units(1)); }
  void allreduce() { made().allreduce(program_, bytes(0, 2), units(1)); }
  void scan() { made().scan(program_, bytes(0, 2), units(1)); }
  // MPI ignores what the root of a gather sends in place, and what others would send in a scatter.
  void gather() { gather_to(root(2), 3); }
  void gatherv() { gather_to(root(group_->size + 1), group_->size + 2); }
  void gather_to(Rank root, std::size_t type) {
    made().gather(program_, root, own_ == root ? 0 : bytes(0, type));
  }
  void scatter() {
    made().scatterv(program_, root(2), own_ == root(2) ? uniform(0, 3) : Collectives::Sizes{});
  }
  void scatterv() {
    const Rank from = root(group_->size + 1);
    made().scatterv(program_, from, own_ == from ? counts(0, group_->size + 2) : Collectives::Sizes{});
  }
  void allgather() { made().allgatherv(program_, uniform(0, 2)); }
  void allgatherv();
  void alltoall() { made().alltoallv(program_, uniform(0, 2)); }
  void alltoallv() { made().alltoallv(program_, counts(1, (2 * std::size_t{group_->size}) + 2)); }
  void reduce_scatter();

  struct Open {
    Rank from;
    Rank to;
    std::int32_t tag;
    RequestId request;
  };

  Rank rank_;
  const Group* all_;
  const Groups* groups_;
  ReplayTarget target_;
  Program program_;
  const Group* group_ = nullptr;                 ///< of the collective that is being read,
  Rank own_ = 0;                                 ///< the rank in it,
  std::int32_t apart_ = 0;                       ///< and what keeps its messages apart
  std::map<const Group*, std::uint64_t> begun_;  ///< collectives that did not block, of each group
  std::deque<RequestId> open_collectives_;
  std::uint64_t default_bytes_ = 1;
  std::vector<Open> open_;
  const Line* line_ = nullptr;
  bool is_unsized_ = false;  ///< the line
  std::uint64_t unsized_ = 0;
  std::string why_;
};

const std::map<std::string_view, Translation::Rule>& Translation::rules() {
  static const std::map<std::string_view, Rule> rules = {
      {"init", {0, &Translation::init}},
      {"finalize", {0, &Translation::ignore}},
      {"location", {0, &Translation::ignore}},
      {"test", {0, &Translation::ignore}},
      {"testany", {0, &Translation::ignore}},
      {"testall", {0, &Translation::ignore}},
      {"testsome", {0, &Translation::ignore}},
      {"comm_size", {0, &Translation::ignore}},
      {"comm_split", {0, &Translation::ignore}},
      {"comm_dup", {0, &Translation::ignore}},
      {"compute", {1, &Translation::compute}},
      {"sleep", {1, &Translation::sleep}},
      {"send", {3, &Translation::send}},
      {"bsend", {3, &Translation::send}},
      {"ssend", {3, &Translation::send}},
      {"isend", {3, &Translation::isend}},
      {"ibsend", {3, &Translation::isend}},
      {"issend", {3, &Translation::isend}},
      {"recv", {3, &Translation::receive}},
      {"irecv", {3, &Translation::ireceive}},
      {"sendrecv", {4, &Translation::send_receive}},
      {"wait", {3, &Translation::wait}},
      {"waitany", {0, &Translation::wait_oldest}},
      {"waitall", {0, &Translation::wait_all}},
      {"waitcollective", {0, &Translation::wait_collective}},
      {"barrier", {0, &Translation::barrier, true}},
      {"bcast", {1, &Translation::bcast, true}},
      {"reduce", {2, &Translation::reduce, true}},
      {"allreduce", {2, &Translation::allreduce, true}},
      {"scan", {2, &Translation::scan, true}},
      {"exscan", {2, &Translation::scan, true}},
      {"gather", {2, &Translation::gather, true}},
      {"gatherv", {2, &Translation::gatherv, true}},
      {"scatter", {2, &Translation::scatter, true}},
      {"scatterv", {2, &Translation::scatterv, true}},
      {"allgather", {2, &Translation::allgather, true}},
      {"allgatherv", {2, &Translation::allgatherv, true}},
      {"alltoall", {2, &Translation::alltoall, true}},
      {"alltoallv", {2, &Translation::alltoallv, true}},
      {"reducescatter", {2, &Translation::reduce_scatter, true}},
  };
  return rules;
}

/// SMPI waits for a collective as for a message with a tag of its own below 0. -444 is its MPI_ANY_TAG.
bool is_tag_of_collective(double tag) {
  constexpr double kAnyOfSmpi = -444.0;
  return tag < kAnyTag && tag != kAnyOfSmpi;
}

std::string no_number(const Line& line) {
  return quoted(line.no_number) + " is no number";
}

/// Counts are arguments beside those that a rule knows; where some are missing, what comes last is.
std::size_t counts_in(std::string_view action, std::size_t ranks) {
  if (action == "alltoallv") return 2 * ranks;
  return action.ends_with('v') || action == "reducescatter" ? ranks : 1;
}

std::string Translation::add(const Line& line) {
  line_ = &line;
  is_unsized_ = false;
  why_.clear();
  std::string why = translate(line);
  unsized_ += is_unsized_ ? 1 : 0;
  return why;
}

std::string Translation::translate(const Line& line) {
  const auto rule = rules().find(line.action);
  if (rule != rules().end() && rule->second.is_collective) return add_collective(line, rule->second, true);
  if (rule == rules().end() && line.action.starts_with('i')) {
    const auto beside = rules().find(std::string_view(line.action).substr(1));
    if (beside != rules().end() && beside->second.is_collective) {
      return add_collective(line, beside->second, false);
    }
  }
  if (rule == rules().end()) return "there is no action " + line.action;
  if (rule->second.handle == &Translation::ignore) return "";
  if (!line.no_number.empty()) return no_number(line);
  if (line.communicator) return line.action + " has no communicator";
  if (line.arguments.size() < rule->second.least_arguments) {
    return line.action + " needs " + std::to_string(rule->second.least_arguments) + " arguments";
  }
  (this->*rule->second.handle)();
  return why_;
}

std::string Translation::add_collective(const Line& line, const Rule& rule, bool blocks) {
  if (!line.no_number.empty()) return no_number(line);
  if (const std::string why = enter_group(line); !why.empty()) return why;
  const std::string_view name = std::string_view(line.action).substr(blocks ? 0 : 1);
  const std::size_t least = rule.least_arguments + counts_in(name, group_->size) - 1;
  if (line.arguments.size() < least) return line.action + " needs " + std::to_string(least) + " arguments";
  apart_ = 0;
  if (!blocks) {
    apart_ = apart();
    open_collectives_.push_back(program_.begin_strand());
  }
  (this->*rule.handle)();
  if (!blocks) program_.end_strand();
  return why_;
}

/// Each collective that does not block has tags of its own: ranks may go on with several in different orders.
std::int32_t Translation::apart() {
  constexpr std::uint64_t kTags = 16;
  constexpr std::uint64_t kMost = std::uint64_t{1} << 26U;
  const std::uint64_t groups = groups_->size() + 1;
  const auto place =
      line_->communicator
          ? static_cast<std::uint64_t>(std::distance(groups_->begin(), groups_->find(*line_->communicator))) +
                1
          : 0;
  const std::uint64_t number = (begun_[group_]++ * groups) + place;
  return static_cast<std::int32_t>(kTags * (1 + (number % kMost)));
}

/// What is wrong with the communicator of the line, or nothing.
std::string Translation::enter_group(const Line& line) {
  group_ = all_;
  own_ = rank_;
  if (!line.communicator) return "";
  const std::string name = "communicator " + std::to_string(*line.communicator);
  const auto found = groups_->find(*line.communicator);
  if (found == groups_->end()) return "there is no " + name;
  group_ = &found->second;
  const auto place = std::ranges::find(group_->members, rank_);
  if (place == group_->members.end()) return "rank " + std::to_string(rank_) + " is not in " + name;
  own_ = static_cast<Rank>(place - group_->members.begin());
  return "";
}

Collectives::Sizes Translation::counts(std::size_t first, std::size_t type) {
  Collectives::Sizes sizes;
  for (Rank rank = 0; rank < group_->size; ++rank) sizes.push_back(bytes(first + rank, type));
  return sizes;
}

/// Displacements may come last. As SMPI has it, the types before them are missing where too few arguments are
/// left for both.
void Translation::allgatherv() {
  constexpr std::size_t kNone = SIZE_MAX;
  const std::size_t ranks = group_->size;
  const std::size_t arguments = line_->arguments.size();
  const bool untyped = arguments > ranks + 3 && arguments <= (2 * ranks) + 1;
  made().allgatherv(program_, counts(1, untyped ? kNone : ranks + 2));
}

void Translation::reduce_scatter() {
  made().reduce_scatter(program_, counts(0, group_->size + 1), units(group_->size));
}

void Translation::wait_collective() {
  if (open_collectives_.empty()) return;
  program_.wait(open_collectives_.front());
  open_collectives_.pop_front();
}

double Translation::whole(std::size_t index, double least, double most, double otherwise) {
  const double value = in_range(index, least, most, otherwise);
  if (value == static_cast<double>(static_cast<std::int64_t>(value))) return value;
  return refuse(index, least);
}

double Translation::in_range(std::size_t index, double least, double most, double otherwise) {
  const double value = argument(index, otherwise);
  return value >= least && value <= most ? value : refuse(index, least);
}

/// A number to go on with.
double Translation::refuse(std::size_t index, double least) {
  if (why_.empty()) why_ = "argument " + std::to_string(index + 1) + " is out of range";
  return std::max(least, 0.0);
}

/// Days of a processor, so that no sum of them overflows.
double Translation::cycles(std::size_t index, double each) {
  const double value = argument(index, 0.0);
  const double cycles = value * each;
  if (value >= 0.0 && cycles <= 1e15) return cycles;
  if (why_.empty()) why_ = "argument " + std::to_string(index + 1) + " is not from 0 to 1e15 cycles";
  return 0.0;
}

Rank Translation::peer(std::size_t index, double otherwise) {
  return static_cast<Rank>(whole(index, 0.0, all_->size - 1.0, otherwise));
}

std::uint64_t Translation::bytes(std::size_t size, std::size_t type) {
  std::uint64_t each = default_bytes_;
  if (argument(type, 0.0) < 0.0) {  // a type of the program's own
    is_unsized_ = true;
  } else if (type < line_->arguments.size()) {
    each = kTypeBytes[static_cast<std::size_t>(whole(type, 0.0, kTypeBytes.size() - 1.0))];
  }
  return static_cast<std::uint64_t>(in_range(size, 0.0, kMostBytes)) * each;  // the whole part, as in SMPI
}

double Translation::units(std::size_t index) {
  return cycles(index, target_.cycles_per_unit);
}

RequestId Translation::start_send() {
  return program_.send(peer(0), bytes(2, 3), std::max(tag(1), 0));
}

RequestId Translation::start_receive() {
  const Rank from = argument(0, 0.0) < 0.0 ? kAnyRank : peer(0);
  return program_.receive(from, tag(1));
}

void Translation::isend() {
  open_.push_back({rank_, peer(0), std::max(tag(1), 0), start_send()});
}

void Translation::ireceive() {
  const Rank from = argument(0, 0.0) < 0.0 ? kAnyRank : peer(0);
  open_.push_back({from, rank_, tag(1), start_receive()});
}

void Translation::send_receive() {
  const RequestId receive = program_.receive(peer(3), 0);
  const RequestId send = program_.send(peer(1), bytes(0, 4), 0);
  program_.wait(receive);
  program_.wait(send);
}

/// The first open request of these ranks and this tag; one that a test has completed may be missing.
void Translation::wait() {
  if (is_tag_of_collective(argument(2, 0.0)) && !open_collectives_.empty()) return wait_collective();
  const auto from = argument(0, 0.0) < 0.0 ? kAnyRank : peer(0);
  const auto to = argument(1, 0.0) < 0.0 ? kAnyRank : peer(1);
  const std::int32_t wanted = tag(2);
  const auto found = std::ranges::find_if(open_, [&](const Open& open) {
    return (open.to == to || to == kAnyRank) && (open.from == from || open.from == kAnyRank) &&
           (open.tag == wanted || open.tag == kAnyTag || wanted == kAnyTag);
  });
  if (found == open_.end()) return;
  program_.wait(found->request);
  open_.erase(found);
}

void Translation::wait_oldest() {
  if (open_.empty()) return wait_collective();
  program_.wait(open_.front().request);
  open_.erase(open_.begin());
}

void Translation::wait_all() {
  for (const Open& open : open_) program_.wait(open.request);
  open_.clear();
  while (!open_collectives_.empty()) wait_collective();
}

}  // namespace

/// Twice over the lines: collectives need to know all ranks before.
Result<TracePrograms> read_trace(const std::vector<TracePart>& parts, const ReplayTarget& target) {
  const auto found = participants_of(parts, target.places);
  if (!found) return found.error();
  const auto& [all, groups] = found.value();
  std::vector<Translation> translations;
  for (Rank rank = 0; rank < all.size; ++rank) translations.emplace_back(rank, all, groups, target);
  Line line;
  for (const TracePart& part : parts) {
    const Status status = for_each_line(part, [&](const Words& words) -> std::string {
      if (words[0] == kCommunicator) return "";
      if (std::string why = read_line(words, line); !why.empty()) return why;
      return translations[line.rank].add(line);
    });
    if (!status) return status.error();
  }
  TracePrograms programs;
  for (Translation& translation : translations) {
    programs.of_ranks.push_back(translation.finish());
    programs.unsized += translation.unsized();
  }
  return programs;
}

namespace {

std::optional<std::string> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(file), {});
  return file ? std::optional(std::move(text)) : std::nullopt;
}

/// A trace begins with the number of a rank, or with a communicator.
bool is_list_of_files(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const Words words = words_of(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (words.empty() || words[0].front() == '#') continue;
    return !number_of(words[0]) && (words[0] != kCommunicator || words.size() == 1);
  }
  return false;
}

Error no_part(const std::string& name, const std::string& list) {
  return {"usage", "cannot read " + name + ", which is listed in " + list,
          "name the files as seen from the folder of the list, or from this one"};
}

}  // namespace

Result<std::vector<TracePart>> read_trace_files(const std::string& path) {
  auto text = read_file(path);
  if (!text) return Error{"usage", "cannot read the trace " + path, "give the name of a trace"};
  if (!is_list_of_files(*text)) return std::vector<TracePart>{{"", std::move(*text)}};
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "" : path.substr(0, slash + 1);
  std::istringstream names(*text);
  std::vector<TracePart> parts;
  for (std::string name; std::getline(names, name);) {
    while (!name.empty() && std::isspace(static_cast<unsigned char>(name.back())) != 0) name.pop_back();
    if (name.empty() || name.front() == '#') continue;
    auto part = read_file(name.front() == '/' ? name : folder + name);
    if (!part) part = read_file(name);  // SMPI lists them as seen from where it ran
    if (!part) return no_part(name, path);
    parts.push_back({name, std::move(*part)});
  }
  return parts;
}

}  // namespace groma::sim::torus
