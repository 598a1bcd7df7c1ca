#include "sim/torus/messages/trace_text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <sstream>
#include <utility>

#include "sim/torus/messages/collectives.hpp"

namespace groma::sim::torus {
namespace {

constexpr double kMostRanks = 4194304.0;
constexpr double kMostBytes = 1e15;
constexpr std::array<std::uint64_t, 7> kTypeBytes = {8, 4, 1, 2, 8, 4, 1};

/// A line with its numbers read; `why` says what is wrong with it.
struct Line {
  std::size_t number = 0;
  Rank rank = 0;
  std::string action;
  std::vector<double> arguments;
};

Error wrong(std::size_t line, const std::string& why) {
  return {"usage", "line " + std::to_string(line) + " of the trace: " + why,
          "write `rank action arguments` as SMPI's time-independent traces have it"};
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t begin = line.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos) return words;
    const std::size_t end = std::min(line.find_first_of(" \t\r", begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    line.remove_prefix(end);
  }
}

std::optional<double> number_of(std::string_view word) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

/// `location` and others that are not replayed may have texts as arguments.
bool is_ignored(const std::string& action) {
  return action == "location" || action == "test" || action == "finalize";
}

Result<Line> read_line(const std::vector<std::string_view>& words, std::size_t number) {
  Line line{number, 0, {}, {}};
  const auto rank = number_of(words[0]);
  if (!rank || *rank < 0.0 || *rank >= kMostRanks || *rank != static_cast<double>(static_cast<Rank>(*rank))) {
    return wrong(number, "\"" + std::string(words[0]) + "\" is no rank");
  }
  if (words.size() < 2) return wrong(number, "the action is missing");
  line.rank = static_cast<Rank>(*rank);
  for (const char letter : words[1])
    line.action += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  if (is_ignored(line.action)) return line;
  for (std::size_t i = 2; i < words.size(); ++i) {
    const auto value = number_of(words[i]);
    if (!value) return wrong(number, "\"" + std::string(words[i]) + "\" is no number");
    line.arguments.push_back(*value);
  }
  return line;
}

Result<std::vector<Line>> read_lines(std::string_view text) {
  std::vector<Line> lines;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::vector<std::string_view> words = words_of(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (words.empty() || words[0].front() == '#') continue;
    auto line = read_line(words, number);
    if (!line) return line.error();
    lines.push_back(std::move(line).value());
  }
  return lines;
}

/// Turns the lines of one rank into its program.
class Translation {
 public:
  Translation(Rank rank, Rank ranks, const TraceScale& scale)
      : rank_(rank), ranks_(ranks), scale_(scale), collectives_(rank, ranks) {}

  /// What is wrong with the line, or nothing.
  std::string add(const Line& line);
  [[nodiscard]] Program finish() {
    program_.wait_all();
    return std::move(program_);
  }

 private:
  using Handler = void (Translation::*)();
  struct Rule {
    std::size_t least_arguments;
    Handler handle;
  };
  static const std::map<std::string_view, Rule>& rules();

  // Readers of arguments; they note what is wrong in why_.
  [[nodiscard]] double argument(std::size_t index, double otherwise) const {
    return index < line_->arguments.size() ? line_->arguments[index] : otherwise;
  }
  Rank peer(std::size_t index, double otherwise = 0.0);
  std::int32_t tag(std::size_t index) {
    return whole(index, -1e9, 1e9) < 0.0 ? kAnyTag : static_cast<std::int32_t>(argument(index, 0));
  }
  std::uint64_t bytes(std::size_t size, std::size_t type);
  double units(std::size_t index);
  double whole(std::size_t index, double least, double most, double otherwise = 0.0);

  RequestId start_send();
  RequestId start_receive();

  void init() { default_bytes_ = line_->arguments.empty() ? 1 : 8; }
  void ignore() {}
  void compute() { program_.compute(units(0)); }
  void sleep() { program_.compute(whole_or_not(0) * scale_.cycles_per_second); }
  double whole_or_not(std::size_t index);
  void send() { program_.wait(start_send()); }
  void receive() { program_.wait(start_receive()); }
  void isend();
  void ireceive();
  void send_receive();
  void wait();
  void wait_all();
  void barrier() { collectives_.barrier(program_); }
  void bcast() { collectives_.bcast(program_, peer(1), bytes(0, 2)); }
  void reduce() { collectives_.reduce(program_, peer(2), bytes(0, 3), units(1)); }
  void allreduce() { collectives_.allreduce(program_, bytes(0, 2), units(1)); }
  void gather() { collectives_.gather(program_, peer(2), bytes(0, 3)); }
  void scatter() { collectives_.scatter(program_, peer(2), bytes(0, 3)); }
  void allgather() { collectives_.allgather(program_, bytes(0, 2)); }
  void alltoall() { collectives_.alltoall(program_, bytes(0, 2)); }
  void alltoallv();

  struct Open {
    Rank from;
    Rank to;
    std::int32_t tag;
    RequestId request;
  };

  Rank rank_;
  Rank ranks_;
  TraceScale scale_;
  Collectives collectives_;
  Program program_;
  std::uint64_t default_bytes_ = 1;
  std::vector<Open> open_;
  const Line* line_ = nullptr;
  std::string why_;
};

const std::map<std::string_view, Translation::Rule>& Translation::rules() {
  static const std::map<std::string_view, Rule> rules = {
      {"init", {0, &Translation::init}},
      {"finalize", {0, &Translation::ignore}},
      {"location", {0, &Translation::ignore}},
      {"test", {0, &Translation::ignore}},
      {"compute", {1, &Translation::compute}},
      {"sleep", {1, &Translation::sleep}},
      {"send", {3, &Translation::send}},
      {"isend", {3, &Translation::isend}},
      {"recv", {3, &Translation::receive}},
      {"irecv", {3, &Translation::ireceive}},
      {"sendrecv", {4, &Translation::send_receive}},
      {"wait", {3, &Translation::wait}},
      {"waitall", {0, &Translation::wait_all}},
      {"barrier", {0, &Translation::barrier}},
      {"bcast", {1, &Translation::bcast}},
      {"reduce", {2, &Translation::reduce}},
      {"allreduce", {2, &Translation::allreduce}},
      {"gather", {2, &Translation::gather}},
      {"scatter", {2, &Translation::scatter}},
      {"allgather", {2, &Translation::allgather}},
      {"alltoall", {2, &Translation::alltoall}},
      {"alltoallv", {2, &Translation::alltoallv}},
  };
  return rules;
}

std::string Translation::add(const Line& line) {
  line_ = &line;
  why_.clear();
  const auto rule = rules().find(line.action);
  if (rule == rules().end()) return "there is no action " + line.action;
  if (line.arguments.size() < rule->second.least_arguments) {
    return line.action + " needs " + std::to_string(rule->second.least_arguments) + " arguments";
  }
  (this->*rule->second.handle)();
  return why_;
}

double Translation::whole(std::size_t index, double least, double most, double otherwise) {
  const double value = argument(index, otherwise);
  if (value >= least && value <= most && value == static_cast<double>(static_cast<std::int64_t>(value)))
    return value;
  if (why_.empty()) why_ = "argument " + std::to_string(index + 1) + " is out of range";
  return std::max(least, 0.0);
}

double Translation::whole_or_not(std::size_t index) {
  const double value = argument(index, 0.0);
  if (value >= 0.0 && value <= 1e15) return value;
  if (why_.empty()) why_ = "argument " + std::to_string(index + 1) + " is out of range";
  return 0.0;
}

Rank Translation::peer(std::size_t index, double otherwise) {
  return static_cast<Rank>(whole(index, 0.0, ranks_ - 1.0, otherwise));
}

std::uint64_t Translation::bytes(std::size_t size, std::size_t type) {
  std::uint64_t each = default_bytes_;
  if (type < line_->arguments.size()) {
    each = kTypeBytes[static_cast<std::size_t>(whole(type, 0.0, kTypeBytes.size() - 1.0))];
  }
  return static_cast<std::uint64_t>(whole(size, 0.0, kMostBytes)) * each;
}

double Translation::units(std::size_t index) {
  return whole_or_not(index) * scale_.cycles_per_unit;
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
  const auto from = argument(0, 0.0) < 0.0 ? kAnyRank : peer(0);
  const Rank to = peer(1);
  const std::int32_t wanted = tag(2);
  const auto found = std::ranges::find_if(open_, [&](const Open& open) {
    return open.to == to && (open.from == from || open.from == kAnyRank) &&
           (open.tag == wanted || open.tag == kAnyTag || wanted == kAnyTag);
  });
  if (found == open_.end()) return;
  program_.wait(found->request);
  open_.erase(found);
}

void Translation::wait_all() {
  for (const Open& open : open_) program_.wait(open.request);
  open_.clear();
}

void Translation::alltoallv() {
  if (line_->arguments.size() < (2 * std::size_t{ranks_}) + 2) {
    why_ = "alltoallv needs two sizes and two counts for each rank";
    return;
  }
  std::vector<std::uint64_t> sizes;
  for (Rank rank = 0; rank < ranks_; ++rank) sizes.push_back(bytes(rank + 1, (2 * std::size_t{ranks_}) + 2));
  collectives_.alltoallv(program_, sizes);
}

}  // namespace

Result<std::vector<Program>> read_trace(std::string_view text, const TraceScale& scale) {
  const auto lines = read_lines(text);
  if (!lines) return lines.error();
  Rank ranks = 0;
  for (const Line& line : lines.value()) ranks = std::max(ranks, line.rank + 1);
  if (ranks == 0) return Error{"usage", "the trace is empty", "give it as workload.trace or workload.file"};
  std::vector<Translation> translations;
  for (Rank rank = 0; rank < ranks; ++rank) translations.emplace_back(rank, ranks, scale);
  for (const Line& line : lines.value()) {
    const std::string why = translations[line.rank].add(line);
    if (!why.empty()) return wrong(line.number, why);
  }
  std::vector<Program> programs;
  for (Translation& translation : translations) programs.push_back(translation.finish());
  return programs;
}

namespace {

Result<std::string> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(file), {});
  if (!file)
    return Error{"usage", "cannot read the trace " + path, "give the name of a trace as workload.file"};
  return text;
}

/// A trace begins with the number of a rank.
bool is_list_of_files(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] != '#' &&
         std::isdigit(static_cast<unsigned char>(text[first])) == 0;
}

}  // namespace

Result<std::string> read_trace_files(const std::string& path) {
  auto text = read_file(path);
  if (!text || !is_list_of_files(text.value())) return text;
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "" : path.substr(0, slash + 1);
  std::istringstream names(text.value());
  std::string all;
  for (std::string name; std::getline(names, name);) {
    while (!name.empty() && std::isspace(static_cast<unsigned char>(name.back())) != 0) name.pop_back();
    if (name.empty()) continue;
    auto part = read_file(name.front() == '/' ? name : folder + name);
    if (!part) return part;
    all += part.value() + "\n";
  }
  return all;
}

}  // namespace groma::sim::torus
