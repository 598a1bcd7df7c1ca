#include "mpi/placement.hpp"

#include <unistd.h>

#include <array>
#include <cstdint>
#include <fstream>

#include "base/affinity.hpp"

namespace groma::mpi {
namespace {

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? std::string(name.data()) : std::string();
}

std::string boot_id() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  std::getline(file, id);
  return id;
}

Json cpus_json() {
  std::vector<std::uint32_t> cpus;
  for (const PhysicalCore cpu : allowed_cpus()) cpus.push_back(cpu.number());
  return cpus;
}

}  // namespace

std::string machine_name() {
  return host_name() + "/" + boot_id();
}

std::vector<Json> gather_placement(const Communicator& all) {
  const Json own = JsonObject()
                       .add("rank", all.rank())
                       .add("host", host_name())
                       .add("boot_id", boot_id())
                       .add("cpus", cpus_json())
                       .add("pid", static_cast<std::int64_t>(getpid()))
                       .json();
  std::vector<Json> placement;
  for (const std::string& text : all.gather_texts(own.text())) placement.push_back(Json::verbatim(text));
  return placement;
}

}  // namespace groma::mpi
