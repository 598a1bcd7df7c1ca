#include "trace/merge/addr2line.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <string>

namespace groma::trace {
namespace {

/// A file that was made again since says wrong lines.
bool is_unchanged(const Module& module) {
  struct stat file {};
  return module.path.front() == '/' && stat(module.path.c_str(), &file) == 0 && S_ISREG(file.st_mode) &&
         static_cast<std::uint64_t>(file.st_size) == module.bytes &&
         static_cast<std::uint64_t>(file.st_mtim.tv_sec) == module.modified;
}

/// Whether it ran to its end.
bool run(const char* const* words, const std::string& input, const std::string& output) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, input.c_str(), O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t program = 0;
  const int failed =
      posix_spawnp(&program, words[0], &files, nullptr, const_cast<char* const*>(words), environ);
  posix_spawn_file_actions_destroy(&files);
  if (failed != 0) return false;
  int status = 0;
  while (waitpid(program, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

std::vector<Symbol> read_symbols(std::istream& said) {
  std::vector<Symbol> found;
  std::string place;
  for (Symbol one; std::getline(said, one.function) && std::getline(said, place); one = {}) {
    if (one.function == "??") one.function.clear();
    place = place.substr(0, place.find(" (discriminator"));
    const std::size_t colon = place.find_last_of(':');
    one.file = place.substr(0, colon);
    if (one.file == "??") one.file.clear();
    if (colon != std::string::npos) {
      std::from_chars(place.data() + colon + 1, place.data() + place.size(), one.line);
    }
    found.push_back(one);
  }
  return found;
}

SymbolSource addr2line(const std::filesystem::path& scratch) {
  return [scratch](const Module& module, std::span<const std::uint64_t> addresses) -> std::vector<Symbol> {
    if (!is_unchanged(module)) return {};
    // Files, not pipes: neither side waits for the other.
    const std::string stem = (scratch / ("." + std::to_string(getpid()))).string();
    const std::string input = stem + ".addresses";
    const std::string output = stem + ".symbols";
    std::ofstream asked(input);
    for (const std::uint64_t address : addresses) asked << std::hex << address << '\n';
    asked.close();
    const std::array<const char*, 6> words{"addr2line", "-f", "-C", "-e", module.path.c_str(), nullptr};
    std::vector<Symbol> found;
    if (asked && run(words.data(), input, output)) {
      std::ifstream said(output);
      found = read_symbols(said);
    }
    std::error_code ignored;
    std::filesystem::remove(input, ignored);
    std::filesystem::remove(output, ignored);
    return found.size() == addresses.size() ? found : std::vector<Symbol>();
  };
}

}  // namespace groma::trace
