#include "job/process.hpp"

namespace groma::job {

std::string error_text(std::string_view program, const Error& error) {
  return std::string(program) + ": " + error.what + "\n  " + error.next + "\n";
}

std::string note_text(std::string_view program, std::string_view text) {
  return std::string(program) + ": note: " + std::string(text) + "\n";
}

int fail(const mpi::Communicator& world, const Process& process, std::string_view program,
         const Error& error) {
  if (world.is_root()) process.errors << error_text(program, error) << std::flush;
  return code_of(error);
}

int code_when_written(const mpi::Communicator& world, const Process& process, std::string_view program,
                      int code, const Status& written) {
  code = world.broadcast_value(std::int32_t{code});
  const Status everywhere = world.agree(written);
  if (everywhere) return code;
  const int environment = fail(world, process, program, everywhere.error());
  return code == kOk ? environment : code;
}

EventStream::EventStream(const std::optional<std::string>& where, bool enabled, std::ostream& out)
    : none_(&null_buffer_) {
  if (!enabled || !where) return;
  if (*where != "-") file_.open(*where);
  out_ = *where == "-" ? &out : &file_;
  name_ = *where;
}

Status EventStream::status() const {
  if (out_->good()) return Done{};
  return Error{"environment", "the events cannot be written to " + name_, "choose another --events"};
}

}  // namespace groma::job
