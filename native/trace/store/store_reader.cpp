#include "trace/store/store_reader.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <utility>

#include "base/merge_heap.hpp"

namespace groma::trace {

using store::Block;
using store::Kind;

/// The marks of the records of a block, one after the other.
class StoreReader::Marks {
 public:
  void begin(VarintReader changes) {
    changes_ = changes;
    mark_ = 0;
    read_distance();
  }
  std::uint64_t next() {
    if (left_ == 0) change();
    --left_;
    return mark_;
  }
  [[nodiscard]] bool good() const { return changes_.good(); }

 private:
  /// The first change may be at the first record; the others follow one record at least.
  void change() {
    mark_ = changes_.next();
    read_distance();
  }
  void read_distance() {
    left_ = changes_.left() > 0 ? changes_.next() : std::numeric_limits<std::uint64_t>::max();
  }

  VarintReader changes_;
  std::uint64_t left_ = 0;  ///< records before the next change
  std::uint64_t mark_ = 0;
};

/// Goes through the blocks of one kind of one thread.
class StoreReader::Cursor {
 public:
  explicit Cursor(const StoreReader& store) : store_(&store) {}
  void add(const Block* block) { blocks_.push_back(block); }

  /// Its first record, if there is one. False where it is damaged.
  bool start() { return next_block(); }
  [[nodiscard]] bool done() const { return left_ == 0; }
  [[nodiscard]] std::uint64_t number() const { return number_; }
  [[nodiscard]] const Block& block() const { return *blocks_[next_ - 1]; }

  /// Hands its record on and goes to the next. False where that is damaged.
  bool take(Sink& sink) {
    if (!hand_on(sink)) return false;
    if (--left_ == 0) return next_block();
    number_ += columns_[0].next();
    return columns_[0].good();
  }

 private:
  bool next_block() {
    left_ = 0;
    if (next_ == blocks_.size()) return true;
    const Block& block = *blocks_[next_++];
    const auto content = store_->file_.bytes().subspan(block.offset, block.bytes);
    if (store::checksum_of(content) != block.checksum) return false;
    VarintReader lengths(content);
    std::array<std::uint64_t, store::kMaxColumns> sizes{};
    const auto kind = static_cast<std::size_t>(block.kind);
    const std::size_t columns = store::columns_of(block.kind, store_->version_);
    for (std::size_t i = 0; i < columns; ++i) sizes[i] = lengths.next();
    for (std::size_t i = 0; i < columns; ++i) columns_[i] = VarintReader(lengths.next_bytes(sizes[i]));
    number_ = block.first_number;
    time_ = block.base;
    left_ = block.records;
    for (std::size_t i = 0; i < marks_.size(); ++i) {
      const std::size_t column = store::kFields[kind] + i;
      marks_[i].begin(column < columns ? columns_[column] : VarintReader());
    }
    return lengths.good() && marks_[0].good() && marks_[1].good();
  }

  Nanoseconds relative(std::size_t column, Nanoseconds to) {
    return to + static_cast<std::uint64_t>(unzigzag(columns_[column].next()));
  }

  bool hand_on(Sink& sink) {
    const Block& of = block();
    const store::Footer& about = store_->footer_;
    switch (of.kind) {
      case Kind::states: {
        State state{of.object, relative(1, time_), 0, 0, store::cpu_of(marks_[0].next())};
        state.end = relative(2, state.begin);
        state.state = static_cast<std::uint32_t>(columns_[3].next());
        time_ = state.end;
        if (columns_[1].good() && columns_[2].good() && columns_[3].good()) sink.state(state);
        break;
      }
      case Kind::events: {
        time_ = relative(1, time_);
        const std::uint64_t type = columns_[2].next();
        const std::uint64_t value = columns_[3].next();
        if (type >= about.types.size()) return false;
        const std::uint64_t mark = marks_[0].next();
        sink.event(
            {of.object, time_, about.types[type], value, store::cpu_of(mark), store::is_negative(mark)});
        break;
      }
      case Kind::communications: {
        time_ = relative(1, time_);
        Communication message;
        message.sender = of.object;
        message.physical_send = time_;
        message.logical_send = relative(2, time_);
        const std::uint64_t receiver = columns_[3].next();
        if (receiver >= about.layout.objects.size()) return false;
        message.receiver = static_cast<ObjectIndex>(receiver);
        message.logical_receive = relative(4, time_);
        message.physical_receive = relative(5, time_);
        message.bytes = columns_[6].next();
        message.tag = columns_[7].next();
        const std::uint64_t mark = marks_[0].next();
        message.sender_cpu = store::cpu_of(mark);
        message.has_negative_tag = store::is_negative(mark);
        message.receiver_cpu = store::cpu_of(marks_[1].next());
        sink.communication(message);
        break;
      }
    }
    return columns_[1].good() && columns_[2].good() && columns_[3].good() && marks_[0].good() &&
           marks_[1].good();
  }

  const StoreReader* store_;
  std::vector<const Block*> blocks_;
  std::size_t next_ = 0;
  std::uint64_t left_ = 0;
  std::uint64_t number_ = 0;
  Nanoseconds time_ = 0;
  std::array<VarintReader, store::kMaxColumns> columns_;
  std::array<Marks, store::kMaxMarks> marks_;
};

bool StoreReader::is_store(const std::string& path) {
  // What was read of a pipe is gone.
  std::error_code none;
  if (!std::filesystem::is_regular_file(path, none)) return false;
  std::array<char, 8> begin{};
  std::ifstream(path, std::ios::binary).read(begin.data(), begin.size());
  return begin == store::kMagic;
}

Error StoreReader::damaged(const std::string& what) const {
  return {"damaged", path_ + " is damaged: " + what, "make it again, from the .prv or the logs"};
}

Result<StoreReader> StoreReader::open(const std::string& path) {
  auto file = MappedFile::open(path);
  if (!file) return file.error();
  StoreReader reader(std::move(file).value(), path);
  const auto bytes = reader.file_.bytes();
  store::Head head{};
  store::Tail tail{};
  if (bytes.size() >= sizeof head) std::memcpy(&head, bytes.data(), sizeof head);
  if (head.magic != store::kMagic) {
    return Error{"no-store", path + " is no store of groma", "name a .groma file, or a .prv"};
  }
  if (head.version < store::kOldestVersion || head.version > store::kVersion) {
    return Error{"other-version",
                 path + " has version " + std::to_string(head.version) +
                     " of the store, which this groma does not know",
                 "make it again with this groma, from the .prv or the logs"};
  }
  if (bytes.size() < sizeof head + sizeof tail) return reader.damaged("it was cut");
  std::memcpy(&tail, bytes.data() + bytes.size() - sizeof tail, sizeof tail);
  if (tail.magic != store::kEndMagic) return reader.damaged("it was cut");
  const std::uint64_t before_tail = bytes.size() - sizeof tail;
  if (tail.footer > before_tail || tail.bytes != before_tail - tail.footer) {
    return reader.damaged("its end does not fit its size");
  }
  reader.version_ = head.version;
  const auto footer = bytes.subspan(tail.footer, tail.bytes);
  if (store::checksum_of(footer) != tail.checksum || !store::decode(footer, head.version, reader.footer_) ||
      !reader.is_sound()) {
    return reader.damaged("its index cannot be read");
  }
  return reader;
}

bool StoreReader::is_sound() const {
  const std::uint64_t size = file_.bytes().size();
  return std::ranges::all_of(footer_.blocks, [&](const Block& one) {
    return one.object < footer_.layout.objects.size() && static_cast<std::size_t>(one.kind) < store::kKinds &&
           one.offset <= size && one.bytes <= size - one.offset && one.records > 0 &&
           one.records <= one.bytes + 1;
  });
}

Status StoreReader::replay(Sink& sink) const {
  std::map<std::pair<ObjectIndex, Kind>, Cursor> cursors;
  for (const Block& block : footer_.blocks) {
    cursors.try_emplace({block.object, block.kind}, *this).first->second.add(&block);
  }
  MergeHeap<std::uint64_t, Cursor> order;
  for (auto& [key, cursor] : cursors) {
    if (!cursor.start()) return damaged("a block does not fit its checksum");
    order.add(cursor.number(), &cursor);
  }
  sink.begin(footer_.layout);
  while (!order.empty()) {
    Cursor& cursor = order.front();
    const std::uint64_t number = cursor.number();
    if (!cursor.take(sink)) return damaged("a block does not fit its checksum");
    if (cursor.done()) {
      order.pop();
    } else if (cursor.number() != number + 1) {
      order.update(cursor.number());
    }
  }
  sink.end(footer_.names);
  return Done{};
}

Status StoreReader::read(ObjectIndex object, Kind kind, Nanoseconds from, Nanoseconds to, Sink& sink) const {
  Cursor cursor(*this);
  for (const Block& block : footer_.blocks) {
    if (block.object == object && block.kind == kind && block.first <= to && block.last >= from) {
      cursor.add(&block);
    }
  }
  bool good = cursor.start();
  while (good && !cursor.done()) good = cursor.take(sink);
  if (good) return Done{};
  return damaged("a block does not fit its checksum");
}

}  // namespace groma::trace
