// The C face of Profile. An exception (only lack of memory can raise one) ends here as a status.
#include <exception>
#include <optional>
#include <string>

#include "groma/groma.h"
#include "profile/profile.hpp"

struct groma_profile {
  groma::profile::Profile content;
};

namespace {

using groma::Error;
using groma::JsonValue;
using groma::Result;
using groma::profile::Profile;

std::string& last_error() {
  thread_local std::string line;
  return line;
}

groma_status fail(groma_status status, std::string_view line) {
  last_error() = line;
  return status;
}

groma_status fail(const Error& error) {
  groma_status status = GROMA_NOT_A_PROFILE;
  if (error.code == "profile.unreadable") status = GROMA_CANNOT_READ;
  if (error.code == "profile.not_found") status = GROMA_NOT_FOUND;
  return fail(status, error.what + " (" + error.next + ")");
}

groma_status wrong_kind(std::string_view path, std::string_view wanted) {
  return fail(GROMA_WRONG_KIND, "'" + std::string(path) + "' is not a " + std::string(wanted));
}

template <class Body>
groma_status guarded(Body body) noexcept {
  try {
    return body();
  } catch (const std::exception& problem) {
    last_error().clear();
    try {
      return fail(GROMA_CANNOT_READ, problem.what());
    } catch (const std::exception&) {
      return GROMA_CANNOT_READ;
    }
  }
}

groma_status hand_over(Result<Profile> profile, groma_profile** out) {
  if (!profile) return fail(profile.error());
  *out = new groma_profile{std::move(profile).value()};
  return GROMA_OK;
}

/// Runs `use` on the value at `path`; it returns whether the value was of the kind called `wanted`.
template <class Use>
groma_status look_up(const groma_profile* profile, const char* path, bool has_place, std::string_view wanted,
                     Use use) noexcept {
  return guarded([&] {
    if (profile == nullptr || path == nullptr || !has_place) {
      return fail(GROMA_BAD_ARGUMENT, "an argument is a null pointer");
    }
    const Result<const JsonValue*> found = profile->content.at(path);
    if (!found) return fail(found.error());
    return use(*found.value()) ? GROMA_OK : wrong_kind(path, wanted);
  });
}

std::optional<double> number_of(const JsonValue& object, std::string_view key) {
  const JsonValue* member = object.find(key);
  if (member == nullptr || member->number() == nullptr) return std::nullopt;
  return *member->number();
}

const char* text_of(const JsonValue& object, std::string_view key) {
  const JsonValue* member = object.find(key);
  return member == nullptr || member->text() == nullptr ? nullptr : member->text()->c_str();
}

bool read_quantity(const JsonValue& value, groma_quantity& out) {
  const auto middle = number_of(value, "value");
  const auto low = number_of(value, "low");
  const auto high = number_of(value, "high");
  const auto confidence = number_of(value, "confidence");
  const char* unit = text_of(value, "unit");
  const char* method = text_of(value, "method");
  if (!middle || !low || !high || !confidence || unit == nullptr || method == nullptr) return false;
  out = {*middle, *low, *high, *confidence, unit, method};
  return true;
}

/// Entry `number`, counted from 1, of a list of quantities.
groma_status entry(const groma_profile* profile, std::string_view list, std::size_t number,
                   groma_quantity* out) noexcept {
  return guarded([&] {
    if (number == 0) return fail(GROMA_BAD_ARGUMENT, "distances and processes start at 1");
    const std::string path = std::string(list) + '.' + std::to_string(number - 1);
    return groma_profile_quantity(profile, path.c_str(), out);
  });
}

}  // namespace

const char* groma_version(void) {
  return GROMA_VERSION;
}

const char* groma_last_error(void) {
  return last_error().c_str();
}

groma_status groma_profile_open(const char* file, groma_profile** profile) {
  if (file == nullptr || profile == nullptr)
    return fail(GROMA_BAD_ARGUMENT, "the path or the place for the profile is null");
  return guarded([&] { return hand_over(Profile::open(file), profile); });
}

groma_status groma_profile_parse(const char* json, size_t length, groma_profile** profile) {
  if (json == nullptr || profile == nullptr)
    return fail(GROMA_BAD_ARGUMENT, "the text or the place for the profile is null");
  return guarded([&] { return hand_over(Profile::parse({json, length}), profile); });
}

void groma_profile_close(groma_profile* profile) {
  delete profile;
}

groma_status groma_profile_quantity(const groma_profile* profile, const char* path,
                                    groma_quantity* quantity) {
  return look_up(profile, path, quantity != nullptr, "quantity",
                 [&](const JsonValue& value) { return read_quantity(value, *quantity); });
}

groma_status groma_profile_number(const groma_profile* profile, const char* path, double* number) {
  return look_up(profile, path, number != nullptr, "plain number", [&](const JsonValue& value) {
    if (value.number() != nullptr) *number = *value.number();
    return value.number() != nullptr;
  });
}

groma_status groma_profile_text(const groma_profile* profile, const char* path, const char** text) {
  return look_up(profile, path, text != nullptr, "text", [&](const JsonValue& value) {
    if (value.text() != nullptr) *text = value.text()->c_str();
    return value.text() != nullptr;
  });
}

groma_status groma_profile_count(const groma_profile* profile, const char* path, size_t* count) {
  return look_up(profile, path, count != nullptr, "list or table", [&](const JsonValue& value) {
    if (value.items() != nullptr) *count = value.items()->size();
    if (value.members() != nullptr) *count = value.members()->size();
    return value.items() != nullptr || value.members() != nullptr;
  });
}

groma_status groma_profile_key(const groma_profile* profile, const char* path, size_t index,
                               const char** key) {
  return look_up(profile, path, key != nullptr, "table with that many keys", [&](const JsonValue& value) {
    const bool there = value.members() != nullptr && index < value.members()->size();
    if (there) *key = (*value.members())[index].first.c_str();
    return there;
  });
}

groma_status groma_network_distance_ratio(const groma_profile* profile, size_t distance,
                                          groma_quantity* ratio) {
  return entry(profile, "network.distance.ratio", distance, ratio);
}

groma_status groma_network_access_ratio(const groma_profile* profile, size_t per_node,
                                        groma_quantity* ratio) {
  return entry(profile, "network.access.ratio", per_node, ratio);
}
