// A profile in memory: the record that `groma survey` wrote, read only.
#pragma once

#include <string>
#include <string_view>

#include "base/json_reader.hpp"
#include "base/result.hpp"

namespace groma::profile {

inline constexpr std::string_view kSchema = "groma.record/1";
inline constexpr std::string_view kKind = "survey";

class Profile {
 public:
  /// Errors: "json.malformed", "profile.foreign" (another schema or kind, or no facts).
  static Result<Profile> parse(std::string_view json);

  /// Errors: "profile.unreadable" and those of parse.
  static Result<Profile> open(const std::string& file);

  /// The value at a path as groma.h defines it. Errors: "profile.not_found", also for null: not measured.
  [[nodiscard]] Result<const JsonValue*> at(std::string_view path) const;

 private:
  explicit Profile(JsonValue record) : record_(std::move(record)) {}
  JsonValue record_;
};

}  // namespace groma::profile
