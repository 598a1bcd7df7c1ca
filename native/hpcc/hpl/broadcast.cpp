#include "hpcc/hpl/broadcast.hpp"

#include <algorithm>

namespace groma::hpcc::hpl {
namespace {

/// The root, then positions first ... last - 1 one after the other.
Hop chain(int first, int last, int position) {
  Hop hop;
  if (position == 0 && first < last) hop.children = {first};
  if (position < first || position >= last) return hop;
  hop.parent = position == first ? 0 : position - 1;
  if (position + 1 < last) hop.children = {position + 1};
  return hop;
}

/// Both ways of a rank that has a part in one of them, or is the root of both.
Hop joined(Hop a, const Hop& b) {
  a.parent = std::max(a.parent, b.parent);
  a.children.insert(a.children.end(), b.children.begin(), b.children.end());
  return a;
}

Hop two_chains(int first, int size, int position) {
  const int middle = first + (size - first + 1) / 2;
  return joined(chain(first, middle, position), chain(middle, size, position));
}

/// Piece `piece` of those for positions first ... size - 1: to its own position first, then around.
Hop circle(int first, int size, int piece, int position) {
  const int others = size - first;
  const auto at = [&](int step) { return first + (piece + step) % others; };
  Hop hop;
  if (position == 0) hop.children = {at(0)};
  if (position < first) return hop;
  const int step = (position - first - piece + others) % others;
  hop.parent = step == 0 ? 0 : at(step - 1);
  if (step + 1 < others) hop.children = {at(step + 1)};
  return hop;
}

/// The neighbour gets all pieces first; the others, from position 2 on, have `rest`.
Hop after_neighbour(const Hop& rest, int position) {
  if (position == 1) return {.parent = 0, .children = {}};
  return position == 0 ? joined({.parent = -1, .children = {1}}, rest) : rest;
}

Route circles(int first, int size, int position) {
  Route route;
  for (int piece = 0; piece < std::max(1, size - first); ++piece) {
    route.pieces.push_back(size > first ? circle(first, size, piece, position) : Hop{});
  }
  return route;
}

bool is_modified(PanelBroadcast kind) {
  return kind == PanelBroadcast::kRingModified || kind == PanelBroadcast::kTwoRingModified ||
         kind == PanelBroadcast::kLongModified;
}

Route route_from(PanelBroadcast kind, int first, int size, int position) {
  switch (kind) {
    case PanelBroadcast::kRing:
    case PanelBroadcast::kRingModified:
      return {{chain(first, size, position)}};
    case PanelBroadcast::kTwoRing:
    case PanelBroadcast::kTwoRingModified:
      return {{two_chains(first, size, position)}};
    default:
      return circles(first, size, position);
  }
}

/// Part `which` of `count` of about equal length.
std::span<double> cut(std::span<double> message, std::size_t which, std::size_t count) {
  const std::size_t begin = message.size() * which / count;
  return message.subspan(begin, message.size() * (which + 1) / count - begin);
}

}  // namespace

Route route_of(PanelBroadcast kind, int size, int position) {
  if (size == 1) return {{Hop{}}};
  if (!is_modified(kind)) return route_from(kind, 1, size, position);
  Route route = route_from(kind, 2, size, position);
  for (Hop& hop : route.pieces) hop = after_neighbour(hop, position);
  return route;
}

Broadcast::Broadcast(const mpi::Communicator& along, PanelBroadcast kind, int root, std::span<double> message,
                     BroadcastTag tag)
    : along_(&along), root_(root), tag_(tag) {
  const Route route = route_of(kind, along.size(), (along.rank() - root + along.size()) % along.size());
  for (std::size_t i = 0; i < route.pieces.size(); ++i) {
    const Hop& hop = route.pieces[i];
    Piece& piece = pieces_.emplace_back();
    piece.data = cut(message, i, route.pieces.size());
    piece.children = hop.children;
    if (hop.parent >= 0) {
      piece.receiving = along.start_receive(piece.data, rank_at(hop.parent), tag_of(i));
    }
  }
  progress();
}

int Broadcast::rank_at(int position) const {
  return (root_ + position) % along_->size();
}

int Broadcast::tag_of(std::size_t piece) const {
  return tag_.which + tag_.of * static_cast<int>(piece);
}

void Broadcast::forward(std::size_t piece) {
  for (const int child : pieces_[piece].children) {
    const std::span<const double> data = pieces_[piece].data;
    sending_.push_back(along_->start_send(data, rank_at(child), tag_of(piece)));
  }
}

bool Broadcast::progress() {
  bool all = true;
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    Piece& piece = pieces_[i];
    if (!piece.here && piece.receiving.test()) {
      piece.here = true;
      forward(i);
    }
    all = all && piece.here;
  }
  return all;
}

void Broadcast::receive() {
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    if (pieces_[i].here) continue;
    pieces_[i].receiving.wait();
    pieces_[i].here = true;
    forward(i);
  }
}

void Broadcast::finish() {
  receive();
  sending_.clear();  // each waits as it goes
}

}  // namespace groma::hpcc::hpl
