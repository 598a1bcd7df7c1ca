// The interface of the Servet 3.0 paper.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <string>

#include "groma/servet.h"
#include "profile/api.hpp"
#include "profile/default_path.hpp"
#include "profile/servet_text.hpp"

namespace groma::profile {
namespace {

std::vector<double> values_of(const std::vector<MaybeQuantity>& ratios) {
  std::vector<double> values;
  for (const MaybeQuantity& ratio : ratios) values.push_back(ratio ? ratio->value : std::nan(""));
  return values;
}

DegradationRatios ratios_of(const Profile& profile) {
  const Network& network = profile.facts().network;
  return {values_of(network.distance_ratios), values_of(network.access_ratios)};
}

std::string servet_path() {
  const char* named = std::getenv("SERVET_FILE");
  return named != nullptr && *named != '\0' ? named : default_path();
}

bool is_profile(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '{';
}

Result<DegradationRatios> ratios_in(const std::string& file) {
  const Result<JsonText> bytes = read_file(file);
  if (!bytes) return bytes.error();
  const std::string_view text(bytes.value().data(), bytes.value().size());
  Result<DegradationRatios> read = [&]() -> Result<DegradationRatios> {
    if (!is_profile(text)) return read_servet_text(text);
    const Result<Profile> profile = Profile::parse(text);
    if (!profile) return profile.error();
    return ratios_of(profile.value());
  }();
  if (!read) return Error{read.error().code, file + ": " + read.error().what, read.error().next};
  return read;
}

struct FreeDeleter {
  void operator()(double* values) const { std::free(values); }
};
using Values = std::unique_ptr<double, FreeDeleter>;

/// As release_degr_info() frees it.
Values copy_of(const std::vector<double>& values) {
  if (values.empty()) return nullptr;
  Values copy(static_cast<double*>(std::malloc(values.size() * sizeof(double))));
  if (!copy) throw std::bad_alloc();
  std::ranges::copy(values, copy.get());
  return copy;
}

groma_status load(degr_desc& out) {
  const std::string file = servet_path();
  const Result<DegradationRatios> read = ratios_in(file);
  if (!read) return fail(read.error());
  const auto& [distance, access] = read.value();
  if (distance.empty() && access.empty()) {
    return fail(GROMA_NOT_FOUND,
                "%s: neither ratDist nor ratNC is there (measure them: groma survey --network)",
                file.c_str());
  }
  Values distances = copy_of(distance);
  Values accesses = copy_of(access);
  out = {distances.release(), distance.size(), accesses.release(), access.size()};
  return GROMA_OK;
}

double ratio_at(const double* ratios, std::size_t count, int number) {
  if (ratios == nullptr || number < 1 || static_cast<std::size_t>(number) > count) return std::nan("");
  return ratios[number - 1];
}

}  // namespace
}  // namespace groma::profile

int load_degr_info(degr_desc* degr_info) {
  if (degr_info == nullptr) return groma::profile::null_argument();
  *degr_info = {nullptr, 0, nullptr, 0};
  return groma::profile::guarded([&] { return groma::profile::load(*degr_info); });
}

void release_degr_info(degr_desc* degr_info) {
  if (degr_info == nullptr) return;
  std::free(degr_info->ratDist);
  std::free(degr_info->ratNC);
  *degr_info = {nullptr, 0, nullptr, 0};
}

double get_network_dist_ratio(degr_desc* degr_info, int dist) {
  if (degr_info == nullptr) return std::nan("");
  return groma::profile::ratio_at(degr_info->ratDist, degr_info->numDist, dist);
}

double get_network_access_ratio(degr_desc* degr_info, int nprocs_per_node) {
  if (degr_info == nullptr) return std::nan("");
  return groma::profile::ratio_at(degr_info->ratNC, degr_info->numNC, nprocs_per_node);
}
