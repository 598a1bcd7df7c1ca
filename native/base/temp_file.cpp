#include "base/temp_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

namespace groma {
namespace {

std::string reason_for(const std::string& path) {
  return path + " cannot be written: " + std::strerror(errno);  // NOLINT(concurrency-mt-unsafe)
}

std::string target_of(const std::string& path) {
  std::error_code problem;
  const auto target = std::filesystem::canonical(path, problem);
  return problem ? path : target.string();
}

}  // namespace

Result<TempFile> TempFile::create(const std::string& path) {
  Place place{{}, target_of(path)};
  std::error_code problem;
  const auto kind = std::filesystem::status(place.target, problem).type();
  const bool is_new = kind == std::filesystem::file_type::not_found;
  place.part = place.target + (is_new || kind == std::filesystem::file_type::regular ? ".part" : "");
  // A file that is read-only is meant to stay, even where its folder would let it be replaced.
  const bool stays = !is_new && ::access(place.target.c_str(), W_OK) != 0;
  const int file = stays ? -1 : ::open(place.part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
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
  if (!place_.is_direct()) ::unlink(place_.part.c_str());
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
  // Some file systems say only here that data got lost.
  if (::close(std::exchange(file_, -1)) != 0) fail();
  if (place_.is_direct()) return;
  if (failure_.empty() && std::rename(place_.part.c_str(), place_.target.c_str()) != 0) fail();
  if (!failure_.empty()) ::unlink(place_.part.c_str());
}

Status TempFile::status() const {
  if (failure_.empty()) return Done{};
  return Error{"unwritable", failure_, "free space there, or name another place"};
}

}  // namespace groma
