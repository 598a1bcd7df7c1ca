#include "trace/sums/timeline.hpp"

#include <algorithm>

namespace groma::trace {

void Timeline::begin(std::size_t objects) {
  objects_ = objects;
  threads_of_row_ = std::max(1U, static_cast<ObjectIndex>((objects + kMostRows - 1) / kMostRows));
  rows_.resize((objects + threads_of_row_ - 1) / threads_of_row_);
}

bool Timeline::add(const State& state) {
  if (state.end <= state.begin) return true;
  hold(state.begin, state.end - 1);
  auto* const times = times_of(state.object / threads_of_row_, state.state);
  if (times == nullptr) return false;
  const std::uint64_t width = std::uint64_t{1} << shift_;
  for (Nanoseconds at = state.begin; at < state.end;) {
    const std::uint64_t part = std::min(state.end - at, width - (at & (width - 1)));
    (*times)[bin_of(at) - first_bin_] += part;
    at += part;
  }
  return true;
}

std::vector<std::uint64_t>* Timeline::times_of(std::size_t row, std::uint32_t state) {
  auto& lines = rows_[row];
  const auto found = std::ranges::find(lines, state, &Line::state);
  if (found != lines.end()) return &found->times;
  if (lines.size() == kMostStates) return nullptr;
  lines.push_back({state, std::vector<std::uint64_t>(kBins)});
  return &lines.back().times;
}

/// Makes room for the times from one to another.
void Timeline::hold(Nanoseconds begin, Nanoseconds last) {
  if (first_time_ > last_time_) first_bin_ = bin_of(begin);
  first_time_ = std::min(first_time_, begin);
  last_time_ = std::max(last_time_, last);
  while (bin_of(last_time_) - bin_of(first_time_) >= kBins) double_width();
  if (bin_of(first_time_) < first_bin_) begin_earlier();
}

void Timeline::double_width() {
  const std::uint64_t odd = first_bin_ % 2;
  for (auto& lines : rows_) {
    for (Line& line : lines) {
      for (std::size_t i = 0; i < kBins; ++i) {
        const std::uint64_t time = line.times[i];
        line.times[i] = 0;
        line.times[(odd + i) / 2] += time;
      }
    }
  }
  first_bin_ /= 2;
  ++shift_;
}

/// What leaves at the end has no time, and enters at the begin.
void Timeline::begin_earlier() {
  const auto by = static_cast<std::ptrdiff_t>(first_bin_ - bin_of(first_time_));
  for (auto& lines : rows_) {
    for (Line& line : lines) std::rotate(line.times.begin(), line.times.end() - by, line.times.end());
  }
  first_bin_ = bin_of(first_time_);
}

Timeline::Picture Timeline::picture(std::size_t bins) const {
  if (first_time_ > last_time_) return {};
  const std::size_t used = bin_of(last_time_) - first_bin_ + 1;
  const std::size_t joined = (used + bins - 1) / bins;
  Picture made{first_bin_ << shift_, joined << shift_, {}};
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const std::size_t from = i * threads_of_row_;
    const std::size_t to = std::min(from + threads_of_row_, objects_) - 1;
    Row row{static_cast<ObjectIndex>(from), static_cast<ObjectIndex>(to), {}};
    for (const Line& line : rows_[i]) {
      row.lines.push_back({line.state, std::vector<std::uint64_t>((used + joined - 1) / joined)});
      for (std::size_t bin = 0; bin < used; ++bin) row.lines.back().times[bin / joined] += line.times[bin];
    }
    made.rows.push_back(std::move(row));
  }
  return made;
}

}  // namespace groma::trace
