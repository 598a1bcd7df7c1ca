#include "survey/network/layers.hpp"

#include <charconv>
#include <optional>
#include <set>

namespace groma::survey::network {
namespace {

std::vector<std::string_view> cut(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto end = text.find(at);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::optional<std::uint32_t> rank_in(std::string_view text, int ranks) {
  std::uint32_t rank = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rank);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && rank < static_cast<std::uint32_t>(ranks) ? std::optional(rank) : std::nullopt;
}

std::optional<Pair> pair_in(std::string_view text, int ranks) {
  const auto ends = cut(text, '-');
  if (ends.size() != 2) return std::nullopt;
  const auto first = rank_in(ends[0], ranks);
  const auto second = rank_in(ends[1], ranks);
  return first && second && *first != *second ? std::optional(Pair{*first, *second}) : std::nullopt;
}

std::optional<LayerPairs> layer_in(std::string_view text, int ranks) {
  const auto parts = cut(text, ':');
  if (parts.size() != 2 || parts[0].empty()) return std::nullopt;
  LayerPairs layer{.name = std::string(parts[0]), .pairs = {}};
  std::set<std::uint32_t> taken;
  for (const std::string_view one : cut(parts[1], ',')) {
    const auto pair = pair_in(one, ranks);
    if (!pair || !taken.insert(pair->first).second || !taken.insert(pair->second).second) return std::nullopt;
    layer.pairs.push_back(*pair);
  }
  return layer;
}

}  // namespace

Result<std::vector<LayerPairs>> parse_layers(std::string_view text, int ranks) {
  std::vector<LayerPairs> layers;
  for (const std::string_view one : cut(text, ';')) {
    const auto layer = layer_in(one, ranks);
    if (!layer) {
      return Error{"usage",
                   "'" + std::string(one) + "' is not a layer with disjoint pairs of " +
                       std::to_string(ranks) + " ranks",
                   "write for example layers=near:0-1,2-3;far:0-4"};
    }
    layers.push_back(*layer);
  }
  return layers;
}

mpi::RankGroup group_of(const Pair& pair) {
  return {static_cast<int>(pair.first), static_cast<int>(pair.second)};
}

Case layer_case(const LayerPairs& layer, const Pair& pair, std::uint64_t bytes) {
  return Case("s")
      .with("layer", layer.name)
      .with("from", pair.first)
      .with("to", pair.second)
      .with("bytes", bytes);
}

}  // namespace groma::survey::network
