// A profile in memory: the record that `groma survey` wrote, read only.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/json_reader.hpp"
#include "base/result.hpp"
#include "profile/facts.hpp"

namespace groma::profile {

inline constexpr std::string_view kSchema = "groma.record/1";
inline constexpr std::string_view kKind = "survey";
inline constexpr std::string_view kSamples = "samples";

/// Bytes of the largest file that is read, as in groma's other readers.
inline constexpr std::size_t kMaxFile = std::size_t{256} << 20U;

class Profile {
 public:
  /// Errors: "json.malformed", "profile.foreign" (another schema or kind, or no facts).
  static Result<Profile> parse(std::string_view json);

  /// Errors: "profile.unreadable" and those of parse.
  static Result<Profile> open(const std::string& file);

  /// The value at a path as groma.h defines it; none if there is none, and for null: not measured. Errors:
  /// "json.malformed" for paths into samples that are no JSON. Throws std::bad_alloc where the first path
  /// into samples finds too little memory.
  [[nodiscard]] Result<JsonValue> at(std::string_view path) const;

  [[nodiscard]] const Facts& facts() const { return facts_; }

 private:
  explicit Profile(JsonDocument record);
  static Result<Profile> checked(Result<JsonDocument> record);

  /// Samples are most of a profile, and few programs ask for them: they are read, and checked, when a path
  /// first leads there.
  struct Samples {
    std::once_flag read;
    std::optional<Result<JsonDocument>> document;
  };
  [[nodiscard]] Result<JsonValue> samples() const;

  JsonDocument record_;
  Facts facts_;
  std::unique_ptr<Samples> samples_ = std::make_unique<Samples>();
};

/// The bytes of a file without a byte order mark. The first that is not blank is one of `first`, if given.
/// Errors: "profile.unreadable", "profile.foreign".
Result<JsonText> read_file(const std::string& file, std::string_view first = {});

}  // namespace groma::profile
