// The first error of the tasks of a probe, which run inside the sampling loop and return nothing.
#pragma once

#include <optional>

#include "base/result.hpp"

namespace groma::survey {

/// Keeps the first error. Not for use from several threads at once.
class TaskStatus {
 public:
  void note(const Status& status) {
    if (!status && !first_) first_ = status.error();
  }
  [[nodiscard]] Status status() const {
    if (first_) return *first_;
    return Done{};
  }

 private:
  std::optional<Error> first_;
};

}  // namespace groma::survey
