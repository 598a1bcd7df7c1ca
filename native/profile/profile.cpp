#include "profile/profile.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

namespace groma::profile {
namespace {

Error unreadable(const std::string& file, int number) {
  return {"profile.unreadable", file + ": " + std::strerror(number),
          "write one with: groma survey -o " + file};
}

Error foreign(const std::string& why) {
  return {"profile.foreign", why, "a profile is what groma survey writes"};
}

std::string text_or(const JsonValue* value, const std::string& otherwise) {
  return value != nullptr && value->text() != nullptr ? *value->text() : otherwise;
}

Status check_envelope(const JsonValue& record) {
  const std::string schema = text_or(record.find("schema"), "no schema");
  if (schema != kSchema) return foreign("not a groma record (" + schema + ")");
  const std::string kind = text_or(record.find("kind"), "no kind");
  if (kind != kKind) return foreign("a groma record of kind " + kind + ", not " + std::string(kKind));
  const JsonValue* facts = record.find("facts");
  if (facts == nullptr || facts->members() == nullptr) return foreign("a groma record without facts");
  return Done{};
}

Error with_file(const std::string& file, const Error& error) {
  return {error.code, file + ": " + error.what, error.next};
}

}  // namespace

Result<Profile> Profile::parse(std::string_view json) {
  Result<JsonValue> record = read_json(json);
  if (!record) return record.error();
  if (const Status status = check_envelope(record.value()); !status) return status.error();
  return Profile(std::move(record).value());
}

Result<Profile> Profile::open(const std::string& file) {
  errno = 0;
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return unreadable(file, errno);
  const std::string json{std::istreambuf_iterator<char>(stream), {}};
  if (stream.bad() || (json.empty() && errno != 0))
    return unreadable(file, errno);  // a folder opens, then fails
  Result<Profile> profile = parse(json);
  if (!profile) return with_file(file, profile.error());
  return profile;
}

Result<const JsonValue*> Profile::at(std::string_view path) const {
  const bool from_record = path.starts_with('.');
  const JsonValue* value = from_record ? record_.at(path.substr(1)) : record_.find("facts")->at(path);
  if (value == nullptr || value->is_null()) {
    return Error{"profile.not_found", "nothing was measured at '" + std::string(path) + "'",
                 "groma show names what a profile holds"};
  }
  return value;
}

}  // namespace groma::profile
