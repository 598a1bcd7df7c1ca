#include "base/temp_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <random>
#include <system_error>
#include <utility>

#include "base/link_target.hpp"

namespace groma {
namespace {

std::string reason_for(const std::string& path) {
  return path + " cannot be written: " + std::strerror(errno);  // NOLINT(concurrency-mt-unsafe)
}

std::string folder_of(const std::string& target) {
  const std::string folder = std::filesystem::path(target).parent_path().string();
  return folder.empty() ? "." : folder;
}

std::string name_beside(const std::string& target) {
  std::random_device random;
  const std::uint64_t number = std::uint64_t{random()} << 32U | random();
  return folder_of(target) + "/.groma-" + std::to_string(number) + ".tmp";
}

std::string path_of(int file) {
  return "/proc/self/fd/" + std::to_string(file);
}

/// -1 where the file system has no files without a name, or none could be given one later.
int open_unnamed(const std::string& folder) {
  const int file = ::open(folder.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
  if (file < 0 || ::access(path_of(file).c_str(), F_OK) == 0) return file;
  ::close(file);
  return -1;
}

/// Calls `make` with names until one is not taken.
template <class Make>
auto with_new_name(const std::string& target, std::string& name, Make make) {
  while (true) {
    name = name_beside(target);
    const auto made = make(name.c_str());
    if (made >= 0 || errno != EEXIST) return made;
  }
}

/// Makes a rename durable, unless the file system cannot sync a folder.
void sync_folder(const std::string& folder) {
  const int file = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return;
  ::fsync(file);
  ::close(file);
}

}  // namespace

int TempFile::open(Place& place) {
  if (place.is_direct) return ::open(place.target.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (const int file = open_unnamed(folder_of(place.target)); file >= 0) return file;
  const int file = with_new_name(place.target, place.part, [](const char* name) {
    return ::open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  });
  if (file < 0) place.part.clear();
  return file;
}

Result<TempFile> TempFile::create(const std::string& path) {
  Place place{link_target(path)};
  std::error_code problem;
  const auto kind = std::filesystem::status(place.target, problem).type();
  const bool is_new = kind == std::filesystem::file_type::not_found;
  place.is_direct = !is_new && kind != std::filesystem::file_type::regular;
  // A file that is read-only is meant to stay, even where its folder would let it be replaced.
  const bool stays = !is_new && ::access(place.target.c_str(), W_OK) != 0;
  const int file = stays ? -1 : open(place);
  if (file < 0) return Error{"unwritable", reason_for(path), "name another place"};
  return TempFile(path, std::move(place), file);
}

TempFile::TempFile(std::string path, Place place, int file)
    : path_(std::move(path)), place_(std::move(place)), file_(file) {}

TempFile::TempFile(TempFile&& other) noexcept
    : path_(std::move(other.path_)),
      place_(std::move(other.place_)),
      file_(std::exchange(other.file_, -1)),
      failure_(std::move(other.failure_)) {}

TempFile::~TempFile() {
  if (file_ < 0) return;
  ::close(file_);
  if (!place_.part.empty()) ::unlink(place_.part.c_str());
}

void TempFile::fail() {
  if (failure_.empty()) failure_ = reason_for(path_);
}

void TempFile::write(const void* data, std::size_t bytes) {
  const char* at = static_cast<const char*>(data);
  while (bytes > 0 && failure_.empty()) {
    const auto written = ::write(file_, at, bytes);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return fail();
    at += written;
    bytes -= static_cast<std::size_t>(written);
  }
}

void TempFile::keep() {
  if (!place_.is_direct && failure_.empty()) {
    if (::fsync(file_) != 0) fail();
    if (place_.part.empty()) give_name();
  }
  // Some file systems say only here that data got lost.
  if (::close(std::exchange(file_, -1)) != 0) fail();
  if (!place_.is_direct) replace_target();
}

void TempFile::give_name() {
  const std::string from = path_of(file_);
  const int given = with_new_name(place_.target, place_.part, [&](const char* name) {
    return ::linkat(AT_FDCWD, from.c_str(), AT_FDCWD, name, AT_SYMLINK_FOLLOW);
  });
  if (given == 0) return;
  fail();
  place_.part.clear();
}

void TempFile::replace_target() {
  if (failure_.empty() && std::rename(place_.part.c_str(), place_.target.c_str()) != 0) fail();
  if (failure_.empty()) {
    sync_folder(folder_of(place_.target));
  } else if (!place_.part.empty()) {
    ::unlink(place_.part.c_str());
  }
}

Status TempFile::status() const {
  if (failure_.empty()) return Done{};
  return Error{"unwritable", failure_, "free space there, or name another place"};
}

}  // namespace groma
