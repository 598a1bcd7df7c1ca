#include "trace/paraver/text_source.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>
#ifdef GROMA_WITH_ZLIB
#include <zlib.h>
#endif

namespace groma::trace {
namespace {

constexpr std::size_t kMaxAtOnce = std::size_t{1} << 30U;

Error unreadable(const std::string& path, const std::string& why) {
  return {"unreadable", path + " cannot be read: " + why, "name a file that you may read"};
}

/// A pipe may be: zlib, which passes on what is not, does not go back.
bool may_be_compressed(int file) {
  std::array<unsigned char, 2> magic{};
  const auto got = ::pread(file, magic.data(), magic.size(), 0);
  if (got < 0) return errno == ESPIPE;
  return got == 2 && magic[0] == 0x1F && magic[1] == 0x8B;
}

}  // namespace

struct TextSource::Handle {
  explicit Handle(int number) : file(number) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  Handle(Handle&&) = delete;
  Handle& operator=(Handle&&) = delete;
  ~Handle() {
#ifdef GROMA_WITH_ZLIB
    if (packed != nullptr) {
      gzclose(packed);
      return;
    }
#endif
    ::close(file);
  }
  int file;
  bool is_pipe = false;
#ifdef GROMA_WITH_ZLIB
  gzFile packed = nullptr;
#endif
};

TextSource::TextSource(std::unique_ptr<Handle> handle) : handle_(std::move(handle)) {}
TextSource::TextSource(TextSource&& other) noexcept = default;
TextSource::~TextSource() = default;

Result<TextSource> TextSource::open(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return unreadable(path, std::strerror(errno));
  auto handle = std::make_unique<Handle>(file);
  struct stat facts {};
  if (::fstat(file, &facts) == 0 && S_ISDIR(facts.st_mode)) return unreadable(path, "it is a folder");
  handle->is_pipe = S_ISFIFO(facts.st_mode) || S_ISSOCK(facts.st_mode) || S_ISCHR(facts.st_mode);
  if (may_be_compressed(file)) {
#ifdef GROMA_WITH_ZLIB
    handle->packed = gzdopen(file, "rb");
    if (handle->packed == nullptr) return unreadable(path, "no memory to unpack it");
    gzbuffer(handle->packed, 1U << 18U);
#else
    if (!handle->is_pipe) {
      return Error{"usage", path + " is compressed, and this build cannot unpack it",
                   "unpack it: gzip -dk " + path};
    }
#endif
  }
  return TextSource(std::move(handle));
}

bool TextSource::is_pipe() const {
  return handle_->is_pipe;
}

std::size_t TextSource::read(char* into, std::size_t room) {
  const std::size_t wanted = std::min(room, kMaxAtOnce);
  if (damaged_) return 0;
#ifdef GROMA_WITH_ZLIB
  if (handle_->packed != nullptr) {
    const int got = gzread(handle_->packed, into, static_cast<unsigned>(wanted));
    int state = Z_OK;
    gzerror(handle_->packed, &state);
    damaged_ = got < 0 || (state != Z_OK && state != Z_STREAM_END);
    return got > 0 ? static_cast<std::size_t>(got) : 0;
  }
#endif
  for (;;) {
    const auto got = ::read(handle_->file, into, wanted);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno == EINTR) continue;
    damaged_ = true;
    return 0;
  }
}

}  // namespace groma::trace
