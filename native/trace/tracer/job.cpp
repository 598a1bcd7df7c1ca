#include "trace/tracer/job.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include "trace/tracer/mpi.hpp"
#include "trace/tracer/text_hash.hpp"

namespace groma::trace {
namespace {

#if !defined(OPEN_MPI)
using Text = std::array<char, 4096>;

/// The begin of a file that the system keeps of a process; it ends with a zero.
std::size_t read_file_of(pid_t process, const char* name, Text& text) {
  std::array<char, 64> path{};
  std::snprintf(path.data(), path.size(), "/proc/%d/%s", static_cast<int>(process), name);
  text[0] = '\0';
  const int file = open(path.data(), O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    return 0;
  }
  const ssize_t bytes = read(file, text.data(), text.size() - 1);
  close(file);
  const std::size_t length = bytes > 0 ? static_cast<std::size_t>(bytes) : 0;
  text[length] = '\0';
  return length;
}

/// 0 if it is not known.
pid_t parent_of(pid_t process) {
  Text text;
  read_file_of(process, "stat", text);
  const char* const name_end = std::strrchr(text.data(), ')');
  constexpr std::size_t to_parent = 4;  // the state is between them
  return name_end != nullptr && std::strlen(name_end) > to_parent
             ? static_cast<pid_t>(std::strtol(name_end + to_parent, nullptr, 10))
             : 0;
}

/// MPICH's launcher sets no variable that names the job. On each host, it starts the processes by a proxy,
/// whose arguments have the launcher's port and the number of the world among those of MPI_Comm_spawn.
/// False for a process that is no proxy.
bool add_proxy(pid_t process, TextHash& hash) {
  Text words;
  const std::size_t length = read_file_of(process, "cmdline", words);
  if (std::strstr(words.data(), "hydra_pmi_proxy") == nullptr) {
    return false;
  }
  const char* const end = words.data() + length;
  for (const char* word = words.data(); word < end; word += std::strlen(word) + 1) {
    if (std::strcmp(word, "--control-port") == 0 || std::strcmp(word, "--pgid") == 0) {
      hash.add(word + std::strlen(word) + 1);
    }
  }
  return true;
}

void add_launcher(TextHash& hash) {
  for (pid_t process = getppid(); process > 1 && !add_proxy(process, hash);) {
    process = parent_of(process);
  }
}
#else
void add_launcher(TextHash& /*hash*/) {}
#endif

}  // namespace

std::uint64_t id_of_job() {
  TextHash hash;
  for (const char* name :
       {"GROMA_TRACE_RUN", "PMIX_NAMESPACE", "PMI_JOBID", "SLURM_JOB_ID", "SLURM_STEP_ID"}) {
    hash.add(std::getenv(name));  // NOLINT(concurrency-mt-unsafe)
  }
  add_launcher(hash);
  return hash.value();
}

}  // namespace groma::trace
