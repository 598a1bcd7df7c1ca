// A trace as rows of numbers, for programs that make tables of it.
//
// A frame is a Head, then `rows` rows of 64-bit numbers. The first frame is text: JSON of the objects and
// names. Frames of one kind are in the order of the trace, and rows have the fields of State, Event,
// Communication and Step in their order.
#pragma once

#include <array>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "trace/model/trace.hpp"

namespace groma::trace {

class RowsWriter final : public Sink {
 public:
  enum class Kind : std::uint32_t { kText = 0, kStates = 1, kEvents = 2, kCommunications = 3, kSteps = 4 };
  struct Head {
    Kind kind;
    std::uint32_t columns;  ///< of a text 1
    std::uint64_t rows;     ///< of a text its bytes
  };

  /// A slice of a thread begins or ends (trace/export/nesting.hpp).
  struct Step {
    ObjectIndex object;
    Nanoseconds time;
    std::uint64_t ends;  ///< 0 or 1
    std::uint32_t type;
    std::uint64_t value;
  };

  RowsWriter(std::ostream& out, const Names& names) : out_(out), names_(names) {}

  void begin(const Layout& layout) override;
  void state(const State& state) override;
  void event(const Event& event) override;
  void communication(const Communication& message) override;
  void step(const Step& step);
  void text(const std::string& text);
  void end(const Names& names) override;

 private:
  static constexpr std::size_t kMaxRows = std::size_t{1} << 16U;

  template <std::size_t columns>
  struct Rows {
    Kind kind;
    std::vector<std::array<std::uint64_t, columns>> rows = {};
  };
  template <std::size_t columns>
  void add(Rows<columns>& rows, const std::array<std::uint64_t, columns>& row);
  template <std::size_t columns>
  void write(Rows<columns>& rows);

  std::ostream& out_;
  const Names& names_;
  Rows<4> states_{Kind::kStates};
  Rows<4> events_{Kind::kEvents};
  Rows<8> communications_{Kind::kCommunications};
  Rows<5> steps_{Kind::kSteps};
};

}  // namespace groma::trace
