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

    void set(std::uint64_t number);
  };
  static constexpr unsigned kNumberBits = 7;
  /// ":cpu:application:task:thread:", with its usual CPU.
  struct PlaceText {
    std::array<char, 48> text{};
    std::uint64_t length = 0;
    std::uint64_t cpu_length = 0;  ///< up to the second colon
  };

  PrvWriter(std::string path, TempFile prv);
  void room(std::size_t bytes);
  void flush();
  /// Where the next record is to be written. What these functions get and return is a place in the buffer: a
  /// member would be read and stored again with each letter.
  char* begin_record();
  void end_record(const char* at) { used_ = static_cast<std::size_t>(at - buffer_.data()); }
  char* end_line(char* at);
  char* put_number(char* at, std::uint64_t value);
  char* put_value(char* at, std::uint64_t value, bool is_negative);
  char* put_object(char* at, ObjectIndex object, std::uint32_t cpu);
  void put_text(const std::string& text);
  void put_header(const Layout& layout);
  void write_names(const Names& names);

  std::string path_;
  TempFile prv_;
  std::string buffer_;
  std::size_t used_ = 0;
  std::vector<PlaceText> places_;                        ///< of each object
  std::array<NumberText, 1U << kNumberBits> numbers_{};  ///< written before
  bool in_event_ = false;  ///< an event line is open, of this object, time and CPU:
  ObjectIndex object_ = 0;
  Nanoseconds time_ = 0;
  std::uint32_t cpu_ = 0;
  Status status_ = Done{};
};

}  // namespace groma::trace
