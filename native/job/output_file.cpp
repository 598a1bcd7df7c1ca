#include "job/output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/link_target.hpp"

namespace groma::job {
namespace {

Error failed(const std::string& path, const std::string& reason) {
  return {"environment", path + " cannot be written: " + reason, "choose another --output"};
}

Error failed(const std::string& path) {
  return failed(path, std::strerror(errno));  // NOLINT(concurrency-mt-unsafe): one thread at a time
}

/// A descriptor that closes itself; close() returns whether the data arrived (NFS reports it only then).
class Descriptor {
 public:
  Descriptor(const std::string& path, int flags) : number_(open(path.c_str(), flags | O_CLOEXEC, 0666)) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] bool good() const { return number_ >= 0; }
  [[nodiscard]] int number() const { return number_; }
  bool close() { return ::close(std::exchange(number_, -1)) == 0; }

 private:
  int number_;
};

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

std::string temporary_beside(const std::string& target) {
  return target + ".groma-" + std::to_string(getpid());
}

/// A device or pipe, to be written as it is.
bool is_special(const std::string& path) {
  std::error_code problem;
  const auto kind = std::filesystem::status(path, problem).type();
  return kind != std::filesystem::file_type::regular && kind != std::filesystem::file_type::not_found &&
         kind != std::filesystem::file_type::directory && !problem;
}

Status write_directly(const std::string& path, const std::string& text) {
  const Descriptor file(path, O_WRONLY);
  if (!file.good() || !write_all(file.number(), text)) return failed(path);
  return Done{};
}

bool store(Descriptor& file, std::string_view text) {
  return file.good() && write_all(file.number(), text) && fsync(file.number()) == 0;
}

/// Where the file system has files without a name: a process that is killed as it writes then leaves nothing.
bool store_then_name(const std::string& path, std::string_view text) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  Descriptor file(folder.empty() ? "." : folder, O_WRONLY | O_TMPFILE);
  const std::string unnamed = "/proc/self/fd/" + std::to_string(file.number());
  return store(file, text) &&
         linkat(AT_FDCWD, unnamed.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) == 0 && file.close();
}

bool store_under_name(const std::string& path, std::string_view text) {
  Descriptor file(path, O_WRONLY | O_CREAT | O_TRUNC);
  return store(file, text) && file.close();
}

Status replace(const std::string& path, const std::string& text) {
  const std::string target = link_target(path);
  const std::string temporary = temporary_beside(target);
  const bool stored = store_then_name(temporary, text) || store_under_name(temporary, text);
  if (stored && std::rename(temporary.c_str(), target.c_str()) == 0) return Done{};
  const Error error = failed(path);
  unlink(temporary.c_str());
  return error;
}

bool write_at(const std::string& path, std::int64_t begin, std::string_view text) {
  const Descriptor file(path, O_WRONLY);
  return file.good() && lseek(file.number(), begin, SEEK_SET) == begin && write_all(file.number(), text) &&
         fsync(file.number()) == 0;
}

/// Writes `text` where the file ends with `former`, from `begin` on. What makes the file longer comes first:
/// a full disk then has changed nothing of what was there. `appending` is open with O_APPEND.
bool replace_end(const std::string& path, int appending, std::int64_t begin, std::string_view former,
                 std::string_view text) {
  const std::size_t shared = std::min(former.size(), text.size());
  if (!write_all(appending, text.substr(shared)) || fsync(appending) != 0) return false;
  if (former.empty()) return true;
  const bool is_shorter = text.size() < former.size();
  return write_at(path, begin, text.substr(0, shared)) &&
         (!is_shorter || truncate(path.c_str(), begin + static_cast<std::int64_t>(text.size())) == 0);
}

bool restore_end(const std::string& path, std::int64_t begin, std::string_view former) {
  return truncate(path.c_str(), begin + static_cast<std::int64_t>(former.size())) == 0 &&
         write_at(path, begin, former);
}

}  // namespace

Status OutputFile::check() const {
  std::error_code problem;
  if (std::filesystem::is_directory(path_, problem)) return failed(path_, "it is a directory");
  const bool exists = access(path_.c_str(), F_OK) == 0;
  // A file that is read-only is meant to stay, even where its folder would let it be replaced.
  if (exists && access(path_.c_str(), W_OK) != 0) return failed(path_);
  if (exists && (append_ || is_special(path_))) return Done{};
  const std::string temporary = temporary_beside(link_target(path_));
  const Descriptor probe(temporary, O_WRONLY | O_CREAT | O_TRUNC);
  if (!probe.good()) return failed(path_);
  unlink(temporary.c_str());
  return Done{};
}

Status OutputFile::write(const std::string& text) {
  const std::lock_guard lock(mutex_);
  if (is_special(path_)) return write_directly(path_, text);
  return append_ ? append(text) : replace(path_, text);
}

Status OutputFile::append(const std::string& text) {
  const Descriptor file(path_, O_WRONLY | O_CREAT | O_APPEND);
  if (!file.good()) return failed(path_);
  struct stat before {};
  if (fstat(file.number(), &before) != 0) return failed(path_);
  const bool is_last = appended_ && appended_->end() == before.st_size;  // nobody else has appended since
  const std::string former = is_last ? appended_->text : "";
  const std::int64_t begin = before.st_size - static_cast<std::int64_t>(former.size());
  if (replace_end(path_, file.number(), begin, former, text)) {
    appended_ = Appended{begin, text};
    return Done{};
  }
  const Error error = failed(path_);
  if (!restore_end(path_, begin, former)) return failed(path_);
  return error;
}

}  // namespace groma::job
