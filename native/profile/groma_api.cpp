// The C face of Profile: opening, errors, values by path.
#include <cstdarg>
#include <cstring>
#include <string>

#include "base/last_error.hpp"
#include "profile/api.hpp"
#include "profile/default_path.hpp"

namespace groma::profile {
namespace {

groma_status status_of(const Error& error) {
  if (error.code == "profile.unreadable") return GROMA_CANNOT_READ;
  return GROMA_NOT_A_PROFILE;
}

groma_status keep(Result<Profile> profile, groma_profile** out) {
  if (!profile) return fail(profile.error());
  *out = new groma_profile{std::move(profile).value()};
  return GROMA_OK;
}

/// Runs `use` on the value at `path`; it returns whether the value was of the kind called `wanted`.
template <class Use>
groma_status look_up(const groma_profile* profile, const char* path, bool has_place, const char* wanted,
                     Use use) noexcept {
  if (profile == nullptr || path == nullptr || !has_place) return null_argument();
  return guarded([&] {
    const Result<JsonValue> at_path = profile->content.at(path);
    if (!at_path) return fail(at_path.error());
    const JsonValue found = at_path.value();
    if (!found) {
      return fail(GROMA_NOT_FOUND, "nothing was measured at '%s' (groma show names what a profile holds)",
                  path);
    }
    return use(found) ? GROMA_OK : fail(GROMA_WRONG_KIND, "'%s' is not a %s", path, wanted);
  });
}

/// Writes what was found, if anything was.
template <class From, class To>
bool write(const std::optional<From>& found, To* out) {
  if (found) *out = *found;
  return found.has_value();
}

}  // namespace

groma_status fail(groma_status status, const char* format, ...) noexcept {
  std::va_list arguments;
  va_start(arguments, format);
  set_last_error(format, arguments);
  va_end(arguments);
  return status;
}

groma_status fail(const Error& error) noexcept {
  return fail(status_of(error), "%s (%s)", error.what.c_str(), error.next.c_str());
}

groma_status null_argument() noexcept {
  return fail(GROMA_BAD_ARGUMENT, "an argument is a null pointer");
}

groma_status not_measured(const char* what) noexcept {
  return fail(GROMA_NOT_FOUND, "the profile does not know %s (groma show names what a profile holds)", what);
}

groma_status hand_over_group(const Groups& groups, std::size_t index, groma_core_list* out,
                             const char* what) noexcept {
  if (!groups) return not_measured(what);
  if (index >= groups->size())
    return fail(GROMA_BAD_ARGUMENT, "group %zu of %zu groups", index, groups->size());
  *out = as_list((*groups)[index]);
  return GROMA_OK;
}

}  // namespace groma::profile

using groma::JsonValue;
using groma::profile::fail;
using groma::profile::guarded;
using groma::profile::look_up;
using groma::profile::Profile;

const char* groma_version(void) {
  return GROMA_VERSION;
}

const char* groma_last_error(void) {
  return groma::last_error();
}

groma_status groma_profile_open(const char* file, groma_profile** profile) {
  if (file == nullptr || profile == nullptr) return groma::profile::null_argument();
  return guarded([&] { return groma::profile::keep(Profile::open(file), profile); });
}

groma_status groma_profile_open_default(groma_profile** profile) {
  if (profile == nullptr) return groma::profile::null_argument();
  return guarded([&] { return groma::profile::keep(groma::profile::open_default(), profile); });
}

groma_status groma_profile_default_path(char* path, size_t capacity) {
  if (path == nullptr) return groma::profile::null_argument();
  return guarded([&] {
    const std::string found = groma::profile::default_path();
    if (found.size() >= capacity) {
      return fail(GROMA_BAD_ARGUMENT, "the path needs %zu bytes, not %zu", found.size() + 1, capacity);
    }
    std::memcpy(path, found.c_str(), found.size() + 1);
    return GROMA_OK;
  });
}

groma_status groma_profile_parse(const char* json, size_t length, groma_profile** profile) {
  if (json == nullptr || profile == nullptr) return groma::profile::null_argument();
  return guarded([&] { return groma::profile::keep(Profile::parse({json, length}), profile); });
}

void groma_profile_close(groma_profile* profile) {
  delete profile;
}

groma_status groma_profile_quantity(const groma_profile* profile, const char* path,
                                    groma_quantity* quantity) {
  return look_up(profile, path, quantity != nullptr, "quantity", [&](JsonValue value) {
    return groma::profile::write(groma::profile::quantity_of(value), quantity);
  });
}

groma_status groma_profile_number(const groma_profile* profile, const char* path, double* number) {
  return look_up(profile, path, number != nullptr, "plain number",
                 [&](JsonValue value) { return groma::profile::write(value.number(), number); });
}

groma_status groma_profile_text(const groma_profile* profile, const char* path, const char** text) {
  return look_up(profile, path, text != nullptr, "text", [&](JsonValue value) {
    if (value.text()) *text = value.text()->data();
    return value.text().has_value();
  });
}

groma_status groma_profile_count(const groma_profile* profile, const char* path, size_t* count) {
  return look_up(profile, path, count != nullptr, "list or table", [&](JsonValue value) {
    if (value.is_list() || value.is_table()) *count = value.size();
    return value.is_list() || value.is_table();
  });
}

groma_status groma_profile_key(const groma_profile* profile, const char* path, size_t index,
                               const char** key) {
  std::size_t keys = 0;
  const groma_status status = look_up(profile, path, key != nullptr, "table", [&](JsonValue value) {
    keys = value.size();
    if (value.key(index)) *key = value.key(index)->data();
    return value.is_table();
  });
  if (status != GROMA_OK || index < keys) return status;
  return fail(GROMA_BAD_ARGUMENT, "key %zu of %zu keys at '%s'", index, keys, path);
}
