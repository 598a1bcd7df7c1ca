// What the actions of a time-independent trace mean: steps of a program. messages/trace_text.hpp lists them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/torus/messages/collectives.hpp"
#include "sim/torus/messages/program.hpp"
#include "sim/torus/messages/trace_lines.hpp"
#include "sim/torus/messages/trace_text.hpp"

namespace groma::sim::torus {

using Groups = std::map<std::uint32_t, Group>;

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
  [[nodiscard]] std::uint64_t sendrecvs() const { return sendrecvs_; }

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
  Rank peer(std::size_t index);
  Rank any_or_peer(std::size_t index);
  std::int32_t tag(std::size_t index) {
    const double value = whole(index, INT32_MIN, INT32_MAX);
    return value < 0.0 ? kAnyTag : static_cast<std::int32_t>(value);
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
  void bsend() { start_send(); }
  void isend();
  void ibsend();
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
  [[nodiscard]] std::int32_t apart(std::uint64_t collective) const;
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
    bool is_buffered = false;  ///< complete once it is begun
  };
  void wait_for(const Open& open) {
    if (!open.is_buffered) program_.wait(open.request);
  }

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
  std::uint64_t sendrecvs_ = 0;
  std::string why_;
};

}  // namespace groma::sim::torus
