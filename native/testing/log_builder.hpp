// Logs of the tracer, made by hand, with known content.
#pragma once

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "trace/log/calls.hpp"
#include "trace/log/format.hpp"

namespace groma::test {

using trace::log::CallIndex;

/// One log in one or more chunks. A tick is a nanosecond unless the clock pairs are changed.
class LogBuilder {
 public:
  LogBuilder(std::uint32_t rank, std::uint32_t ranks) {
    header.magic = trace::log::kMagic;
    header.version = trace::log::kVersion;
    header.chunk_bytes = trace::log::kChunkBytes;
    header.calls = trace::log::calls_hash();
    header.run = 7;
    header.world = 99;
    header.rank = rank;
    header.ranks = ranks;
    header.progress = trace::log::Progress::finished;
    header.begin_ticks = 1000;
    header.begin = {1000, 5'000'000'000, 1000};
    header.latest = {1'001'000, 5'001'000'000, 1'001'000};
    std::strcpy(header.host.data(), "host");  // NOLINT
    last_ = header.begin_ticks;
  }

  /// A record of these numbers. Signed ones are to be given through zigzag().
  LogBuilder& record(const std::vector<std::uint64_t>& numbers) {
    std::vector<std::uint8_t> bytes(10 * numbers.size() + 1);
    std::uint8_t* at = bytes.data() + 1;
    for (const std::uint64_t number : numbers) at = trace::log::put_number(at, number);
    bytes.resize(static_cast<std::size_t>(at - bytes.data()));
    bytes[0] = static_cast<std::uint8_t>(bytes.size());
    records_.insert(records_.end(), bytes.begin(), bytes.end());
    return *this;
  }

  /// A call at these ticks; `fields` in the order of log::Field.
  LogBuilder& call(CallIndex index, std::uint64_t entered, std::uint64_t left,
                   const std::vector<std::uint64_t>& fields) {
    std::vector<std::uint64_t> numbers{trace::log::kFirstCall + 2 * static_cast<std::uint64_t>(index),
                                       entered - last_, left - entered};
    numbers.insert(numbers.end(), fields.begin(), fields.end());
    last_ = left;
    return record(numbers);
  }

  /// MPI_COMM_WORLD as communicator 1.
  LogBuilder& world() {
    using trace::log::Head;
    using trace::log::zigzag;
    record({static_cast<std::uint64_t>(Head::communicator), 1, 0});
    return record({static_cast<std::uint64_t>(Head::members), 0, zigzag(0), zigzag(1), header.ranks});
  }

  [[nodiscard]] std::vector<char> bytes() const {
    std::vector<char> all(trace::log::kHeaderBytes);
    std::memcpy(all.data(), &header, sizeof header);
    const trace::log::ChunkHeader chunk{1, header.begin_ticks};
    const auto* const head = reinterpret_cast<const char*>(&chunk);
    all.insert(all.end(), head, head + sizeof chunk);
    all.insert(all.end(), records_.begin(), records_.end());
    return all;
  }
  void write(const std::filesystem::path& folder) const {
    const auto content = bytes();
    std::ofstream(folder / (std::to_string(header.rank) + ".log"), std::ios::binary)
        .write(content.data(), static_cast<std::streamsize>(content.size()));
  }

  trace::log::Header header{};

 private:
  std::uint64_t last_;
  std::vector<std::uint8_t> records_;
};

}  // namespace groma::test
