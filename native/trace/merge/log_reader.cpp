#include "trace/merge/log_reader.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "base/varint.hpp"

namespace groma::trace {

/// Reads the numbers of one record; fails at its end.
class LogReader::Cursor {
 public:
  Cursor(const std::uint8_t* at, const std::uint8_t* end) : numbers_({at, end}) {}

  [[nodiscard]] bool good() const { return numbers_.good(); }
  [[nodiscard]] bool empty() const { return numbers_.left() == 0; }
  std::uint64_t number() { return numbers_.next(); }
  std::int64_t signed_number() { return unzigzag(number()); }
  std::string rest() {
    const auto bytes = numbers_.next_bytes(numbers_.left());
    return {bytes.begin(), bytes.end()};
  }

 private:
  VarintReader numbers_;
};

namespace {

template <std::size_t size>
void end_text(std::array<char, size>& text) {
  text.back() = '\0';
}

std::optional<Error> refusal(const log::Header& header, std::size_t bytes, const std::string& path) {
  if (bytes < log::kHeaderBytes || header.magic != log::kMagic) {
    return Error{"damaged", path + " is not a log of groma's tracer, or was cut within its first 4096 bytes",
                 "remove it, or trace the program again"};
  }
  if (header.version != log::kVersion || header.calls != log::calls_hash() ||
      header.chunk_bytes != log::kChunkBytes) {
    return Error{"other-version", path + " was written by another version of groma's tracer",
                 "merge with the groma that traced"};
  }
  if (header.ranks == 0 || header.rank >= header.ranks || header.syncs > log::kMaxSyncs ||
      header.counters > log::kMaxCounters) {
    return Error{"damaged", path + " has a damaged header", "remove it, or trace the program again"};
  }
  return std::nullopt;
}

}  // namespace

Result<LogReader> LogReader::open(const std::filesystem::path& path) {
  auto file = MappedFile::open(path);
  if (!file) return file.error();
  LogReader reader(std::move(file).value(), path.string());
  if (auto error = refusal(reader.header_, reader.bytes(), reader.path_)) return *error;
  return reader;
}

LogReader::LogReader(MappedFile file, std::string path) : file_(std::move(file)), path_(std::move(path)) {
  const auto bytes = file_.bytes();
  if (bytes.size() < log::kHeaderBytes) return;
  std::memcpy(&header_, bytes.data(), sizeof header_);
  end_text(header_.host);
  end_text(header_.library);
  end_text(header_.program);
  for (auto& name : header_.counter_names) end_text(name);
  end_text(header_.no_counters);

  find_chunks();
  rewind();
}

std::uint64_t LogReader::ticks_at(std::size_t chunk) const {
  log::ChunkHeader head{};
  std::memcpy(&head, file_.bytes().data() + chunk, sizeof head);
  return std::max<std::uint64_t>(head.ticks, 1);
}

TickGap LogReader::find_gap() {
  rewind();
  while (gap_.from > gap_.to && next() != LogItem::kEnd) {
  }
  rewind();
  return gap_;
}

void LogReader::find_chunks() {
  const auto bytes = file_.bytes();
  std::vector<std::pair<std::uint64_t, std::size_t>> numbered;
  for (std::size_t at = log::kHeaderBytes; at + sizeof(log::ChunkHeader) <= bytes.size();
       at += log::kChunkBytes) {
    log::ChunkHeader chunk{};
    std::memcpy(&chunk, bytes.data() + at, sizeof chunk);
    if (chunk.number != 0) numbered.emplace_back(chunk.number, at);
  }
  std::sort(numbered.begin(), numbered.end());
  std::uint64_t expected = 1;
  std::uint64_t gaps = 0;
  for (const auto& [number, at] : numbered) {
    if (number > expected) {
      missing_ += number - expected;
      ++gaps;
      gap_.to = ticks_at(at);
    }
    expected = number + 1;
    chunks_.push_back(at);
  }
  if (header_.when_full == log::WhenFull::newest) return;
  missing_ = 0;
  const std::size_t end = chunks_.empty() ? log::kHeaderBytes : chunks_.back() + log::kChunkBytes;
  const bool is_empty = chunks_.empty() && header_.progress == log::Progress::finished && header_.lost == 0;
  holes_ = gaps + (header_.bytes > end || is_empty ? 1 : 0);
}

std::vector<std::string> LogReader::counters() const {
  const auto end = header_.counter_names.begin() + static_cast<std::ptrdiff_t>(header_.counters);
  std::vector<std::string> names;
  for (auto at = header_.counter_names.begin(); at != end; ++at) names.emplace_back(at->data());
  return names;
}

void LogReader::forget_pending() {
  requests_.clear();
  counters_.clear();
  has_misses_ = false;
}

void LogReader::rewind() {
  next_chunk_ = at_ = end_ = must_reach_ = 0;
  last_ = header_.begin_ticks;
  damaged_ = number_ = 0;
  names_.clear();
  definitions_.clear();
  forget_pending();
  forget_sites();
}

bool LogReader::next_chunk() {
  if (next_chunk_ == chunks_.size()) return false;
  const std::size_t begin = chunks_[next_chunk_++];
  file_.forget_before(begin);
  log::ChunkHeader chunk{};
  std::memcpy(&chunk, file_.bytes().data() + begin, sizeof chunk);
  if (chunk.number != number_ + 1) {
    gap_.from = std::min(gap_.from, last_);
    forget_pending();  // what it belonged to was written over
  }
  last_ = std::max(last_, chunk.ticks);
  number_ = chunk.number;
  handle_ = 0;
  forget_sites();
  at_ = begin + sizeof chunk;
  end_ = std::min({begin + log::kChunkBytes, bytes(), header_.bytes == 0 ? bytes() : header_.bytes});
  must_reach_ = must_reach(begin);
  return true;
}

std::size_t LogReader::must_reach(std::size_t begin) const {
  const std::size_t end = begin + log::kChunkBytes;
  const bool has_successor = next_chunk_ < chunks_.size() || header_.bytes > end;
  return has_successor ? end - log::kLongestRecord : header_.bytes;
}

void LogReader::give_up_chunk() {
  ++damaged_;
  at_ = end_;
  must_reach_ = 0;
  forget_pending();
}

std::uint64_t LogReader::read_handle(Cursor& record) {
  handle_ += static_cast<std::uint64_t>(record.signed_number());
  return handle_;
}

// Once for each call, so read_call() and read() become parts of next().

[[gnu::always_inline]] inline std::optional<LogItem> LogReader::read_call(Cursor record, std::uint64_t head) {
  if (head / 2 >= log::kCalls.size()) return std::nullopt;
  call_.call = &log::kCalls[head / 2];
  call_.failed = head % 2 != 0;
  last_ += record.number();
  call_.entered = last_;
  last_ += record.number();
  call_.left = last_;
  call_.requests.clear();
  call_.counters.clear();
  if (!requests_.empty()) call_.requests.swap(requests_);  // most calls have neither
  if (!counters_.empty()) call_.counters.swap(counters_);
  if (call_.counters.size() != 2 * header_.counters) call_.counters.clear();
  call_.has_misses = has_misses_;
  if (has_misses_) call_.misses = misses_;
  forget_pending();
  for (log::FieldSet rest = call_.failed ? 0 : call_.call->fields; rest != 0; rest &= rest - 1) {
    const auto field = static_cast<log::Field>(std::countr_zero(rest));
    std::uint64_t& value = call_.fields[static_cast<std::size_t>(field)];
    if (field == log::Field::request || field == log::Field::message) {
      value = read_handle(record);
    } else {
      value = log::is_signed(field) ? static_cast<std::uint64_t>(record.signed_number()) : record.number();
    }
  }
  const std::uint64_t site = record.empty() ? 0 : record.number();
  call_.site = site < chunk_sites_.size() ? chunk_sites_[site] : 0;
  return record.good() ? std::optional(LogItem::kCall) : std::nullopt;
}

/// kEnd: a record that belongs to the next one. Nothing: the record is damaged.
[[gnu::always_inline]] inline std::optional<LogItem> LogReader::read(Cursor record) {
  const std::uint64_t head = record.number();
  if (!record.good()) return std::nullopt;
  if (head >= log::kFirstCall) return read_call(record, head - log::kFirstCall);
  switch (static_cast<log::Head>(head)) {
    case log::Head::requests:
      return read_requests(record);
    case log::Head::communicator:
      return read_communicator(record);
    case log::Head::members:
      return read_members(record);
    case log::Head::name:
      return read_name(record);
    case log::Head::region:
      return read_user(record, true);
    case log::Head::value:
      return read_user(record, false);
    case log::Head::counters:
      return read_counters(record);
    case log::Head::misses:
      return read_misses(record);
    case log::Head::module:
      return read_module(record);
    case log::Head::module_path:
      return read_module_path(record);
    case log::Head::site:
      return read_site(record);
  }
  return std::nullopt;
}

LogItem LogReader::next() {
  while (true) {
    const std::uint8_t* const bytes = file_.bytes().data();
    if (at_ >= end_ || bytes[at_] == 0) {
      if (at_ < must_reach_) give_up_chunk();
      at_ = end_;
      if (!next_chunk()) return LogItem::kEnd;
      continue;
    }
    const std::size_t length = bytes[at_];
    const std::size_t begin = at_ + 1;
    at_ += length;
    if (at_ <= end_) {
      if (const auto item = read(Cursor(bytes + begin, bytes + at_))) {
        if (*item != LogItem::kEnd) return *item;
        continue;
      }
    }
    give_up_chunk();
  }
}

std::optional<LogItem> LogReader::read_requests(Cursor& record) {
  while (!record.empty() && record.good()) {
    RequestMark mark;
    mark.handle = read_handle(record);
    mark.how = static_cast<log::Completion>(record.number());
    if (mark.how == log::Completion::with_status) {
      mark.source = record.signed_number();
      mark.tag = record.signed_number();
    }
    requests_.push_back(mark);
  }
  return record.good() ? std::optional(LogItem::kEnd) : std::nullopt;
}

std::optional<LogItem> LogReader::read_counters(Cursor& record) {
  counters_.clear();
  while (!record.empty() && record.good()) counters_.push_back(record.number());
  return record.good() ? std::optional(LogItem::kEnd) : std::nullopt;
}

std::optional<LogItem> LogReader::read_misses(Cursor& record) {
  for (MissSum& sum : misses_) {
    sum.count = record.number();
    sum.ticks = record.number();
  }
  has_misses_ = record.good();
  return record.good() ? std::optional(LogItem::kEnd) : std::nullopt;
}

std::optional<LogItem> LogReader::read_communicator(Cursor& record) {
  CommunicatorDefinition made;
  made.id = record.number();
  made.inter = record.number() != 0;
  definitions_.push_back(std::move(made));
  return record.good() ? std::optional(LogItem::kEnd) : std::nullopt;
}

std::optional<LogItem> LogReader::read_members(Cursor& record) {
  const bool remote = record.number() != 0;
  while (!record.empty() && record.good() && !definitions_.empty()) {
    Run run;
    run.first = record.signed_number();
    run.step = record.signed_number();
    run.length = record.number();
    auto& members = remote ? definitions_.back().remote : definitions_.back().members;
    members.push_back(run);
  }
  return record.good() && !definitions_.empty() ? std::optional(LogItem::kEnd) : std::nullopt;
}

std::optional<LogItem> LogReader::read_name(Cursor& record) {
  const std::uint64_t number = record.number();
  if (!record.good() || number >= log::kMaxNames) return std::nullopt;
  names_.resize(std::max<std::size_t>(names_.size(), number + 1));  // those between were in missing chunks
  names_[number] = record.rest();
  return LogItem::kEnd;
}

std::optional<LogItem> LogReader::read_user(Cursor& record, bool is_region) {
  last_ += record.number();
  user_.ticks = last_;
  user_.name = record.number();
  user_.is_region = is_region;
  user_.value = record.number();
  user_.counters.swap(counters_);
  if (user_.counters.size() != header_.counters) user_.counters.clear();
  counters_.clear();
  return record.good() && user_.name < names_.size() ? std::optional(LogItem::kUser) : std::nullopt;
}

void LogReader::forget_sites() {
  chunk_modules_.assign(1, {});  // number 0
  chunk_sites_.assign(1, 0);
}

// A chunk that ended between a module and its site says both again in the next: what it lacks is unknown.

std::optional<LogItem> LogReader::read_module(Cursor& record) {
  const std::uint64_t number = record.number();
  Module module;
  module.bytes = record.number();
  module.modified = record.number();
  if (!record.good() || number == 0 || number > log::kMaxModules) return std::nullopt;
  module.path = record.rest();
  chunk_modules_.resize(number);
  chunk_modules_.push_back(std::move(module));
  return LogItem::kEnd;
}

std::optional<LogItem> LogReader::read_module_path(Cursor& record) {
  if (chunk_modules_.size() > 1) chunk_modules_.back().path += record.rest();
  return LogItem::kEnd;
}

std::optional<LogItem> LogReader::read_site(Cursor& record) {
  const std::uint64_t number = record.number();
  const std::uint64_t module = record.number();
  const std::uint64_t address = record.number();
  if (!record.good() || number == 0 || number > log::kMaxSites) return std::nullopt;
  chunk_sites_.resize(number);
  chunk_sites_.push_back(0);
  if (module >= chunk_modules_.size()) return LogItem::kEnd;
  const auto [place, is_new] =
      site_numbers_.try_emplace({chunk_modules_[module], address}, sites_.size() + 1);
  if (is_new) sites_.push_back(place->first);
  chunk_sites_.back() = place->second;
  return LogItem::kEnd;
}

}  // namespace groma::trace
