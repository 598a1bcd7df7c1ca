// Writes a trace into a store, record by record, in memory that grows with the number of threads only.
#pragma once

#include <array>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "base/temp_file.hpp"
#include "trace/model/trace.hpp"
#include "trace/store/format.hpp"

namespace groma::trace {

/// Records may come in any order; the store keeps it. The file has its name once end() was called and all of
/// it is written. A failure to write is kept, and status() returns it.
class StoreWriter final : public Sink {
 public:
  /// `path` is that of the file.
  static Result<StoreWriter> create(const std::string& path);
  /// Before begin() only.
  StoreWriter(StoreWriter&& other) noexcept
      : file_(std::move(other.file_)), ends_at_last_record_(other.ends_at_last_record_) {}
  StoreWriter(const StoreWriter&) = delete;
  StoreWriter& operator=(const StoreWriter&) = delete;
  StoreWriter& operator=(StoreWriter&&) = delete;
  ~StoreWriter() override = default;

  void begin(const Layout& layout) override;
  void state(const State& state) override;
  void event(const Event& event) override;
  void communication(const Communication& message) override;
  void end(const Names& names) override;

  /// The length of the trace becomes the time of its last record, if it has one, whatever begin() says.
  void end_at_last_record() { ends_at_last_record_ = true; }

  [[nodiscard]] Status status() const { return file_.status(); }
  [[nodiscard]] std::uint64_t bytes() const { return offset_; }

 private:
  /// That of the records of a block, and since which of them.
  struct Mark {
    std::uint64_t mark = 0;
    std::uint64_t since = 0;
  };
  /// The block of one kind of one thread that is being filled.
  struct Stream {
    store::Block block;
    std::array<VarintWriter, store::kMaxColumns> columns;
    std::uint64_t number = 0;  ///< of the last record
    Nanoseconds time = 0;      ///< what the next time is a difference to
    std::array<Mark, store::kMaxMarks> marks;
  };

  struct KnownType {
    bool is_set = false;
    std::uint32_t type = 0;
    std::uint64_t number = 0;
  };

  explicit StoreWriter(TempFile file) : file_(std::move(file)) {}
  Stream& stream_of(ObjectIndex object, store::Kind kind);
  /// Begins a record: its number is put into the first column.
  Stream& add(ObjectIndex object, store::Kind kind, Nanoseconds time);
  static void put_mark(Stream& stream, std::size_t which, std::uint64_t mark);
  void finish_record(Stream& stream);
  void finish_block(Stream& stream);
  std::uint64_t number_of_type(std::uint32_t type);
  void write(const void* data, std::size_t bytes);

  TempFile file_;
  std::uint64_t offset_ = 0;
  Layout layout_;
  std::vector<Stream> streams_;  ///< kKinds for each object
  std::vector<store::Block> blocks_;
  std::vector<std::uint32_t> types_;
  std::unordered_map<std::uint32_t, std::uint64_t> type_numbers_;
  static constexpr unsigned kTypeBits = 6;
  std::array<KnownType, 1U << kTypeBits> known_types_{};  ///< found without a search
  std::array<std::uint64_t, store::kKinds> records_{};
  std::uint64_t next_number_ = 0;
  std::size_t block_bytes_ = 0;
  bool ends_at_last_record_ = false;
  Nanoseconds last_time_ = 0;
};

}  // namespace groma::trace
