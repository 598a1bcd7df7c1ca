// A C++ program of somebody else: the headers suit C++, and every getter can be called from it.
#include <groma/groma.h>
#include <groma/servet.h>

#include <cstdio>
#include <memory>

int main(int, char** arguments) {
  groma_profile* opened = nullptr;
  if (groma_profile_open(arguments[1], &opened) != GROMA_OK) return 1;
  const std::unique_ptr<groma_profile, decltype(&groma_profile_close)> profile(opened, &groma_profile_close);
  std::size_t caches = 0;
  groma_quantity size{};
  if (groma_cache_count(profile.get(), &caches) != GROMA_OK) return 1;
  if (groma_cache_size(profile.get(), 1, &size) != GROMA_OK) return 1;
  std::printf("%zu caches, first %.0f %s\n", caches, size.value, size.unit);
}
