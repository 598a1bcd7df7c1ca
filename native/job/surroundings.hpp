// What the program of a job is given by the process that it runs in, and how it tells how it ended.
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

/// "PROGRAM: WHAT" and in a second line, indented, what to do.
std::string told(std::string_view program, const Error& error);

/// "PROGRAM: note: TEXT": what is no error and must not be taken for one.
std::string noted(std::string_view program, std::string_view text);

struct Surroundings {
  std::ostream& out;      ///< the table, or events where they are asked for there
  std::ostream& errors;   ///< one line for an expected failure
  bool progress = false;  ///< a line on `errors` before each test
  std::atomic<bool>& cancelled;
  std::function<void()> give_up;  ///< ends the process: it was told to stop and something hangs
};

/// The root tells the error. Returns its exit code.
int fail(const mpi::Communicator& world, const Surroundings& around, std::string_view program,
         const Error& error);

/// Swallows what is written; for ranks that have nothing to tell.
class Silence : public std::streambuf {
  int overflow(int character) override { return character; }
};

/// Where events go: a file, standard output ("-"), or nowhere.
class EventStream {
 public:
  EventStream(const std::optional<std::string>& where, bool speaks, std::ostream& out);
  [[nodiscard]] std::ostream& out() { return *out_; }
  [[nodiscard]] Status status() const;

 private:
  Silence silence_;
  std::ostream none_;
  std::ofstream file_;
  std::ostream* out_ = &none_;
  std::string name_;
};

}  // namespace groma::job
