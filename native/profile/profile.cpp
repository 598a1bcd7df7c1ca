#include "profile/profile.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace groma::profile {
namespace {

Error unreadable(const std::string& file, const std::string& why) {
  return {"profile.unreadable", file + ": " + why, "write one with: groma survey -o " + file};
}

Error foreign(const std::string& why) {
  return {"profile.foreign", why, "a profile is what groma survey writes"};
}

std::string text_or(JsonValue value, const std::string& otherwise) {
  return std::string(value.text().value_or(otherwise));
}

Status check_envelope(JsonValue record) {
  const std::string schema = text_or(record.find("schema"), "no schema");
  if (schema != kSchema) return foreign("not a groma record (" + schema + ")");
  const std::string kind = text_or(record.find("kind"), "no kind");
  if (kind != kKind) return foreign("a groma record of kind " + kind + ", not " + std::string(kKind));
  if (!record.find("facts").is_table()) return foreign("a groma record without facts");
  return Done{};
}

Error of_part(const std::string& part, const Error& error) {
  return {error.code, part + ": " + error.what, error.next};
}

struct FileCloser {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, FileCloser>;

/// Whether the first character that is not blank is one of `wanted`; blanks alone are not decided yet.
bool may_begin_with(std::string_view bytes, std::string_view wanted) {
  if (bytes.starts_with(kByteOrderMark)) bytes.remove_prefix(kByteOrderMark.size());
  const std::size_t first = bytes.find_first_not_of(" \t\r\n");
  return first == std::string_view::npos || wanted.find(bytes[first]) != std::string_view::npos;
}

constexpr std::size_t kFirstLook = 64U << 10U;

/// 0 for what is not a regular file.
std::size_t size_of(std::FILE* file) {
  struct stat about {};
  const bool is_regular = fstat(fileno(file), &about) == 0 && S_ISREG(about.st_mode);
  return is_regular ? static_cast<std::size_t>(about.st_size) : 0;
}

}  // namespace

Profile::Profile(JsonDocument record)
    : record_(std::move(record)), facts_(facts_of(record_.root().find("facts"))) {}

Result<Profile> Profile::checked(Result<JsonDocument> record) {
  if (!record) return record.error();
  if (const Status status = check_envelope(record.value().root()); !status) return status.error();
  return Profile(std::move(record).value());
}

Result<Profile> Profile::parse(std::string_view json) {
  if (json.starts_with(kByteOrderMark)) json.remove_prefix(kByteOrderMark.size());
  return checked(read_json(json, kSamples));
}

/// Grows as it reads what is not a regular file and has no size.
Result<JsonText> read_file(const std::string& file, std::string_view first) {
  errno = 0;
  const File stream(std::fopen(file.c_str(), "rbe"));
  if (!stream) return unreadable(file, std::strerror(errno));
  std::setvbuf(stream.get(), nullptr, _IONBF, 0);
  JsonText bytes;
  std::size_t length = 0;
  std::size_t room = std::max(kFirstLook, size_of(stream.get()) + kJsonPadding);
  do {
    if (room > kMaxFile + kJsonPadding) return unreadable(file, "larger than 256 MiB, which no profile is");
    bytes.resize(room);
    length += std::fread(bytes.data() + length, 1, room - length, stream.get());
    if (std::ferror(stream.get()) != 0) return unreadable(file, std::strerror(errno));
    const std::string_view start(bytes.data(), std::min(length, kFirstLook));
    if (!first.empty() && !may_begin_with(start, first)) {
      return foreign(file + ": not a groma record (no JSON object)");
    }
    room = 2 * length;
  } while (length == bytes.size());
  bytes.resize(length);
  if (std::string_view(bytes.data(), length).starts_with(kByteOrderMark)) {
    bytes.erase(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(kByteOrderMark.size()));
  }
  return bytes;
}

Result<Profile> Profile::open(const std::string& file) {
  Result<JsonText> bytes = read_file(file, "{");
  if (!bytes) return bytes.error();
  Result<Profile> profile = checked(read_json(std::move(bytes).value(), kSamples));
  if (!profile) return of_part(file, profile.error());
  return profile;
}

Result<JsonValue> Profile::samples() const {
  const JsonValue samples = record_.root().find(kSamples);
  const auto folded = samples.folded();
  if (!folded) return samples;
  std::call_once(samples_->read, [&] { samples_->document = read_json(*folded); });
  if (*samples_->document) return samples_->document->value().root();
  return of_part("samples", samples_->document->error());
}

Result<JsonValue> Profile::at(std::string_view path) const {
  const auto found = [&]() -> Result<JsonValue> {
    if (!path.starts_with('.')) return record_.root().find("facts").at(path);
    const std::string_view name = path.substr(1, path.find('.', 1) - 1);
    if (name != kSamples) return record_.root().at(path.substr(1));
    Result<JsonValue> all = samples();
    if (!all) return all;
    return all.value().at(path.substr(std::min(path.size(), 2 + name.size())));
  }();
  return found && found.value().is_null() ? JsonValue() : found;
}

}  // namespace groma::profile
