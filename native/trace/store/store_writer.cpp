#include "trace/store/store_writer.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "trace/store/footer.hpp"

namespace groma::trace {

using store::Block;
using store::difference;
using store::Kind;

namespace {

/// Of all blocks that are being filled.
constexpr std::size_t kMaxMemory = std::size_t{48} << 20U;
constexpr std::size_t kMinBlock = std::size_t{2} << 10U;
constexpr std::size_t kMaxBlock = std::size_t{64} << 10U;
constexpr std::uint64_t kMaxRecords = 8192;

}  // namespace

Result<StoreWriter> StoreWriter::create(const std::string& path) {
  auto file = TempFile::create(path);
  if (!file) return file.error();
  return StoreWriter(std::move(file).value());
}

void StoreWriter::write(const void* data, std::size_t bytes) {
  offset_ += bytes;
  file_.write(data, bytes);
}

void StoreWriter::begin(const Layout& layout) {
  layout_ = layout;
  streams_.resize(store::kKinds * layout.objects.size());
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    streams_[i].block.object = static_cast<ObjectIndex>(i / store::kKinds);
    streams_[i].block.kind = static_cast<Kind>(i % store::kKinds);
  }
  block_bytes_ = std::clamp(kMaxMemory / std::max<std::size_t>(1, streams_.size()), kMinBlock, kMaxBlock);
  const store::Head head{store::kMagic, store::kVersion, 0};
  write(&head, sizeof head);
}

StoreWriter::Stream& StoreWriter::stream_of(ObjectIndex object, Kind kind) {
  return streams_[store::kKinds * object + static_cast<std::size_t>(kind)];
}

StoreWriter::Stream& StoreWriter::add(ObjectIndex object, Kind kind, Nanoseconds time) {
  Stream& stream = stream_of(object, kind);
  Block& block = stream.block;
  const std::uint64_t number = next_number_++;
  ++records_[static_cast<std::size_t>(kind)];
  if (block.records++ == 0) {
    block.first_number = number;
    block.base = block.first = block.last = stream.time = time;
  } else {
    stream.columns[0].put(number - stream.number);
  }
  stream.number = number;
  block.first = std::min(block.first, time);
  block.last = std::max(block.last, time);
  return stream;
}

/// Nothing where it is that of the record before; of the first one the usual one.
void StoreWriter::put_mark(Stream& stream, std::size_t which, std::uint64_t mark) {
  Mark& last = stream.marks[which];
  if (mark == last.mark) return;
  const std::uint64_t record = stream.block.records - 1;
  VarintWriter& column = stream.columns[store::kFields[static_cast<std::size_t>(stream.block.kind)] + which];
  column.put(record - last.since);
  column.put(mark);
  last = {mark, record};
}

void StoreWriter::state(const State& state) {
  Stream& stream = add(state.object, Kind::states, state.begin);
  stream.columns[1].put(difference(stream.time, state.begin));
  stream.columns[2].put(difference(state.begin, state.end));
  stream.columns[3].put(state.state);
  put_mark(stream, 0, store::mark_of(state.cpu, false));
  stream.time = state.end;
  stream.block.last = std::max(stream.block.last, state.end);
  stream.block.times[static_cast<std::size_t>(store::class_of(state.state))] += state.end - state.begin;
  last_time_ = std::max(last_time_, state.end);
  finish_record(stream);
}

std::uint64_t StoreWriter::number_of_type(std::uint32_t type) {
  constexpr std::uint32_t golden = 0x9e3779b9;
  KnownType& known = known_types_[(type * golden) >> (32U - kTypeBits)];
  if (known.is_set && known.type == type) return known.number;
  const auto [place, is_new] = type_numbers_.try_emplace(type, types_.size());
  if (is_new) types_.push_back(type);
  known = {true, type, place->second};
  return place->second;
}

void StoreWriter::event(const Event& event) {
  Stream& stream = add(event.object, Kind::events, event.time);
  stream.columns[1].put(difference(stream.time, event.time));
  stream.columns[2].put(number_of_type(event.type));
  stream.columns[3].put(event.value);
  put_mark(stream, 0, store::mark_of(event.cpu, event.is_negative));
  stream.time = event.time;
  last_time_ = std::max(last_time_, event.time);
  finish_record(stream);
}

void StoreWriter::communication(const Communication& message) {
  Stream& stream = add(message.sender, Kind::communications, message.physical_send);
  stream.columns[1].put(difference(stream.time, message.physical_send));
  stream.columns[2].put(difference(message.physical_send, message.logical_send));
  stream.columns[3].put(message.receiver);
  stream.columns[4].put(difference(message.physical_send, message.logical_receive));
  stream.columns[5].put(difference(message.physical_send, message.physical_receive));
  stream.columns[6].put(message.bytes);
  stream.columns[7].put(message.tag);
  put_mark(stream, 0, store::mark_of(message.sender_cpu, message.has_negative_tag));
  put_mark(stream, 1, store::mark_of(message.receiver_cpu, false));
  stream.time = message.physical_send;
  last_time_ = std::max({last_time_, message.physical_send, message.physical_receive});
  finish_record(stream);
}

void StoreWriter::finish_record(Stream& stream) {
  constexpr std::uint64_t seldom = 32;
  if (stream.block.records % seldom != 0) return;
  std::size_t bytes = 0;
  for (const VarintWriter& column : stream.columns) bytes += column.bytes().size();
  if (bytes >= block_bytes_ || stream.block.records == kMaxRecords) finish_block(stream);
}

/// A block is the length of each column, then the columns.
void StoreWriter::finish_block(Stream& stream) {
  Block& block = stream.block;
  if (block.records == 0) return;
  const std::size_t columns = store::columns_of(block.kind, store::kVersion);
  VarintWriter lengths;
  for (std::size_t i = 0; i < columns; ++i) lengths.put(stream.columns[i].bytes().size());
  std::vector<std::uint8_t> content(lengths.bytes().begin(), lengths.bytes().end());
  for (std::size_t i = 0; i < columns; ++i) {
    const auto bytes = stream.columns[i].bytes();
    content.insert(content.end(), bytes.begin(), bytes.end());
    stream.columns[i].clear();
  }
  block.offset = offset_;
  block.bytes = content.size();
  block.checksum = store::checksum_of(content);
  write(content.data(), content.size());
  blocks_.push_back(block);
  block.records = 0;
  block.times = {};
  stream.marks = {};
}

void StoreWriter::end(const Names& names) {
  for (Stream& stream : streams_) finish_block(stream);
  if (ends_at_last_record_ && next_number_ > 0) layout_.duration = last_time_;
  const store::Footer footer{layout_, names, last_time_, records_, types_, blocks_};
  const auto bytes = store::encode(footer);
  const store::Tail tail{offset_, bytes.size(), store::checksum_of(bytes), store::kEndMagic};
  write(bytes.data(), bytes.size());
  write(&tail, sizeof tail);
  file_.keep();
}

}  // namespace groma::trace
