#include "sim/torus/messages/trace_translation.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace groma::sim::torus {
namespace {

constexpr double kMaxBytes = 1e15;
/// By the numbers that SMPI gives to MPI's types (SimGrid 3.32 to 4.0): those of C from double to long double
/// complex, then others of MPI, pairs, Fortran's, C++'s, bounds, packed and SMPI's own. Sizes of 64-bit
/// Linux.
constexpr std::array<std::uint64_t, 60> kTypeBytes = {
    8, 4,  1,  2, 8, 4, 1,  8,  1, 1, 2, 4,  8, 8,  16, 4, 1, 1, 2, 4,  8,  1, 2, 4,  8,  8, 16, 32, 8, 8,
    8, 16, 16, 8, 8, 8, 16, 16, 4, 4, 8, 16, 8, 16, 16, 4, 2, 4, 8, 16, 32, 1, 8, 16, 32, 0, 0,  1,  8, 8};

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

}  // namespace

const std::map<std::string_view, Translation::Rule>& Translation::rules() {
  static const std::map<std::string_view, Rule> rules = {
      {"init", {0, &Translation::init}},
      {"finalize", {0, &Translation::ignore}},
      {"location", {0, &Translation::ignore}},
      {"iteration_in", {0, &Translation::ignore}},
      {"iteration_out", {0, &Translation::ignore}},
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
      {"bsend", {3, &Translation::bsend}},
      {"ssend", {3, &Translation::send}},
      {"isend", {3, &Translation::isend}},
      {"ibsend", {3, &Translation::ibsend}},
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
  apart_ = apart(blocks ? 0 : ++begun_[group_]);
  if (!blocks) open_collectives_.push_back(program_.begin_strand());
  (this->*rule.handle)();
  if (!blocks) program_.end_strand();
  return why_;
}

/// Communicators have tags of their own. So has each collective that does not block, which counts from 1:
/// ranks may go on with several in different orders.
std::int32_t Translation::apart(std::uint64_t collective) const {
  constexpr std::uint64_t kTags = 16;
  constexpr std::uint64_t kMost = std::uint64_t{1} << 26U;
  const std::uint64_t groups = groups_->size() + 1;
  const auto place =
      line_->communicator
          ? static_cast<std::uint64_t>(std::distance(groups_->begin(), groups_->find(*line_->communicator))) +
                1
          : 0;
  return static_cast<std::int32_t>(kTags * (((collective * groups) + place) % kMost));
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

Rank Translation::peer(std::size_t index) {
  return static_cast<Rank>(whole(index, 0.0, all_->size - 1.0));
}

Rank Translation::any_or_peer(std::size_t index) {
  return argument(index, 0.0) < 0.0 ? kAnyRank : peer(index);
}

std::uint64_t Translation::bytes(std::size_t size, std::size_t type) {
  std::uint64_t each = default_bytes_;
  if (argument(type, 0.0) < 0.0) {  // a type of the program's own
    is_unsized_ = true;
  } else if (type < line_->arguments.size()) {
    each = kTypeBytes[static_cast<std::size_t>(whole(type, 0.0, kTypeBytes.size() - 1.0))];
  }
  return static_cast<std::uint64_t>(in_range(size, 0.0, kMaxBytes)) * each;  // the whole part, as in SMPI
}

double Translation::units(std::size_t index) {
  return cycles(index, target_.cycles_per_unit);
}

RequestId Translation::start_send() {
  return program_.send(peer(0), bytes(2, 3), std::max(tag(1), 0));
}

RequestId Translation::start_receive() {
  return program_.receive(any_or_peer(0), tag(1));
}

void Translation::isend() {
  open_.push_back({rank_, peer(0), std::max(tag(1), 0), start_send()});
}

void Translation::ibsend() {
  isend();
  open_.back().is_buffered = true;
}

void Translation::ireceive() {
  open_.push_back({any_or_peer(0), rank_, tag(1), start_receive()});
}

void Translation::send_receive() {
  ++sendrecvs_;
  const RequestId receive = program_.receive(any_or_peer(3), 0);
  const RequestId send = program_.send(peer(1), bytes(0, 4), 0);
  program_.wait(receive);
  program_.wait(send);
}

/// The first open request of these ranks and this tag; one that a test has completed may be missing.
void Translation::wait() {
  if (is_tag_of_collective(argument(2, 0.0)) && !open_collectives_.empty()) return wait_collective();
  const Rank from = any_or_peer(0);
  const Rank to = any_or_peer(1);
  const std::int32_t wanted = tag(2);
  const auto found = std::ranges::find_if(open_, [&](const Open& open) {
    return (open.to == to || to == kAnyRank) && (open.from == from || open.from == kAnyRank) &&
           (open.tag == wanted || open.tag == kAnyTag || wanted == kAnyTag);
  });
  if (found == open_.end()) return;
  wait_for(*found);
  open_.erase(found);
}

void Translation::wait_oldest() {
  if (open_.empty()) return wait_collective();
  wait_for(open_.front());
  open_.erase(open_.begin());
}

void Translation::wait_all() {
  for (const Open& open : open_) wait_for(open);
  open_.clear();
  while (!open_collectives_.empty()) wait_collective();
}

}  // namespace groma::sim::torus
