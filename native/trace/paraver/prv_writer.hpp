// Writes a trace as Paraver reads it: NAME.prv, NAME.pcf and NAME.row.
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "base/temp_file.hpp"
#include "trace/model/trace.hpp"

namespace groma::trace {

/// Records have to come in the order of a .prv. The files have their names once end() was called and all of
/// them are written. A failure to write is kept, and status() returns it.
class PrvWriter final : public Sink {
 public:
  /// `path` is that of the files without their endings.
  static Result<PrvWriter> create(const std::string& path);
  /// Before begin() only.
  PrvWriter(PrvWriter&& other) noexcept : PrvWriter(std::move(other.path_), std::move(other.prv_)) {}
  PrvWriter(const PrvWriter&) = delete;
  PrvWriter& operator=(const PrvWriter&) = delete;
  PrvWriter& operator=(PrvWriter&&) = delete;
  ~PrvWriter() override = default;

  void begin(const Layout& layout) override;
  void state(const State& state) override;
  void event(const Event& event) override;
  void communication(const Communication& message) override;
  void end(const Names& names) override;

  [[nodiscard]] Status status() const { return status_; }

 private:
  struct NumberText {
    std::uint64_t value = 0;
    std::uint64_t length = 0;
    std::array<char, 20> text{};
  };
  static constexpr unsigned kNumberBits = 7;
  struct Place {
    std::uint32_t cpu = 0;
    std::string rest;  ///< ":application:task:thread:"
  };

  PrvWriter(std::string path, TempFile prv);
  void room(std::size_t bytes);
  void end_line();
  void flush();
  void put_number(std::uint64_t value);
  void put(char letter) { buffer_[used_++] = letter; }
  void put_value(std::uint64_t value, bool is_negative);
  void put_object(ObjectIndex object, std::uint32_t cpu);
  void put_text(const std::string& text);
  void put_header(const Layout& layout);
  void write_names(const Names& names);

  std::string path_;
  TempFile prv_;
  std::string buffer_;
  std::size_t used_ = 0;
  std::vector<Place> places_;                            ///< of each object
  std::array<NumberText, 1U << kNumberBits> numbers_{};  ///< written before
  bool in_event_ = false;  ///< an event line is open, of this object, time and CPU:
  ObjectIndex object_ = 0;
  Nanoseconds time_ = 0;
  std::uint32_t cpu_ = 0;
  Status status_ = Done{};
};

}  // namespace groma::trace
