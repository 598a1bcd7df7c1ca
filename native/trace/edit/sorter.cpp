#include "trace/edit/sorter.hpp"

namespace groma::trace {

void Sorter::end(const Names& names) {
  if (!runs_.finish()) return;
  for (; runs_.front() != nullptr; runs_.pop()) runs_.front()->record.hand_to(next_);
  if (runs_.status()) next_.end(names);  // else what is next stays without its end
}

}  // namespace groma::trace
