// What the program of a job uses of its process: streams, cancellation, exit codes.
#pragma once

#include <atomic>
#include <fstream>
#include <functional>
#include <optional>
#include <ostream>
#include <streambuf>
#include <string>

#include "base/exit_code.hpp"
#include "base/result.hpp"
#include "mpi/communicator.hpp"

namespace groma::job {

/// Two lines: "PROGRAM: WHAT", then, indented, what to do next.
std::string error_text(std::string_view program, const Error& error);

/// "PROGRAM: note: TEXT", for what is no error.
std::string note_text(std::string_view program, std::string_view text);

struct Process {
  std::ostream& out;      ///< for the table, or for events where --events is "-"
  std::ostream& errors;   ///< for expected failures
  bool progress = false;  ///< a line on `errors` before each test
  std::atomic<bool>& cancelled;
  std::function<void()> give_up;  ///< ends the process at once, when it hangs after a signal
};

/// Prints the error on the root. Returns its exit code on all ranks.
int fail(const mpi::Communicator& world, const Process& process, std::string_view program,
         const Error& error);

/// The exit code, the same on all ranks, of a run that came to `code` on the root and whose results were then
/// written there or not: a run without a fault of its own ends with that of the writing. Collective.
int code_when_written(const mpi::Communicator& world, const Process& process, std::string_view program,
                      int code, const Status& written);

/// Discards what is written to it.
class NullBuffer : public std::streambuf {
  int overflow(int character) override { return character; }
};

/// Where events go: a file, standard output ("-"), or nowhere.
class EventStream {
 public:
  EventStream(const std::optional<std::string>& where, bool enabled, std::ostream& out);
  [[nodiscard]] std::ostream& out() { return *out_; }
  [[nodiscard]] Status status() const;

 private:
  NullBuffer null_buffer_;
  std::ostream none_;
  std::ofstream file_;
  std::ostream* out_ = &none_;
  std::string name_;
};

}  // namespace groma::job
