#include "trace/store/footer.hpp"

#include <string>

#include "base/utf8.hpp"

namespace groma::trace::store {
namespace {

/// Writes what it is given, or reads it: one description serves both.
class Encoder {
 public:
  [[nodiscard]] static bool has(std::uint32_t version) { return version <= kVersion; }
  template <class Number>
  void number(Number& value) {
    out_.put(static_cast<std::uint64_t>(value));
  }
  void text(std::string& value) {
    out_.put(value.size());
    for (const char letter : value) bytes_of_text_.push_back(static_cast<std::uint8_t>(letter));
  }
  template <class Items, class Each>
  void items(Items& values, Each each) {
    out_.put(values.size());
    for (auto& value : values) each(value);
  }
  template <class Map, class Each>
  void map(Map& values, Each each) {
    out_.put(values.size());
    for (auto& [key, value] : values) {
      auto copy = key;
      number(copy);
      each(value);
    }
  }
  /// Numbers, after their length, then all letters.
  std::vector<std::uint8_t> take() {
    VarintWriter length;
    length.put(out_.bytes().size());
    std::vector<std::uint8_t> all(length.bytes().begin(), length.bytes().end());
    all.insert(all.end(), out_.bytes().begin(), out_.bytes().end());
    all.insert(all.end(), bytes_of_text_.begin(), bytes_of_text_.end());
    return all;
  }

 private:
  VarintWriter out_;
  std::vector<std::uint8_t> bytes_of_text_;
};

class Decoder {
 public:
  Decoder(std::span<const std::uint8_t> bytes, std::uint32_t version) : texts_(bytes), version_(version) {
    const std::uint64_t length = texts_.next();
    numbers_ = VarintReader(texts_.next_bytes(length));
  }
  [[nodiscard]] bool good() const { return numbers_.good() && texts_.good() && fits_; }
  /// What that version of the store brought.
  [[nodiscard]] bool has(std::uint32_t version) const { return version <= version_; }

  template <class Number>
  void number(Number& value) {
    const std::uint64_t read = numbers_.next();
    value = static_cast<Number>(read);
    fits_ = fits_ && static_cast<std::uint64_t>(value) == read;
  }
  void text(std::string& value) {
    const auto bytes = texts_.next_bytes(numbers_.next());
    value.assign(bytes.begin(), bytes.end());
    make_utf8(value);  // that of older stores may be none
  }
  template <class Items, class Each>
  void items(Items& values, Each each) {
    const std::uint64_t size = count();
    for (std::uint64_t i = 0; i < size && good(); ++i) each(values.emplace_back());
  }
  template <class Map, class Each>
  void map(Map& values, Each each) {
    const std::uint64_t size = count();
    for (std::uint64_t i = 0; i < size && good(); ++i) {
      typename Map::key_type key{};
      number(key);
      each(values[key]);
    }
  }

 private:
  /// An item takes a byte at least: a damaged length asks for no memory.
  std::uint64_t count() {
    const std::uint64_t size = numbers_.next();
    fits_ = fits_ && size <= numbers_.left();
    return size;
  }

  VarintReader texts_;
  VarintReader numbers_;
  std::uint32_t version_;
  bool fits_ = true;
};

template <class Coder>
void describe(Coder& coder, Layout& layout) {
  coder.text(layout.created);
  coder.number(layout.duration);
  coder.items(layout.nodes, [&](Node& one) {
    coder.number(one.cpus);
    coder.text(one.name);
  });
  coder.items(layout.objects, [&](Object& one) {
    for (std::uint32_t* part : {&one.application, &one.task, &one.thread, &one.cpu, &one.node}) {
      coder.number(*part);
    }
  });
  coder.items(layout.communicators, [&](Communicator& one) {
    coder.number(one.application);
    coder.number(one.id);
    coder.items(one.tasks, [&](std::uint32_t& task) { coder.number(task); });
  });
  coder.items(layout.intercommunicators, [&](Intercommunicator& one) {
    coder.number(one.application);
    coder.number(one.id);
    coder.number(one.first);
    coder.number(one.first_leader);
    coder.number(one.second);
    coder.number(one.second_leader);
  });
  coder.items(layout.comments, [&](std::string& one) { coder.text(one); });
  if (!coder.has(2)) return;
  coder.number(layout.counts_communicators);
  coder.number(layout.lists_cpus);
  coder.number(layout.names_nodes);
}

template <class Coder>
void describe(Coder& coder, Names& names) {
  coder.map(names.states, [&](std::string& one) { coder.text(one); });
  coder.map(names.events, [&](EventType& one) {
    coder.number(one.gradient);
    coder.text(one.label);
    coder.map(one.values, [&](std::string& label) { coder.text(label); });
  });
  for (auto* rows : {&names.cpus, &names.nodes, &names.threads}) {
    coder.items(*rows, [&](std::string& one) { coder.text(one); });
  }
  if (!coder.has(2)) return;
  coder.map(names.colours, [&](std::string& one) { coder.text(one); });
  coder.items(names.other_levels, [&](Level& one) {
    coder.text(one.name);
    coder.items(one.rows, [&](std::string& row) { coder.text(row); });
  });
}

template <class Coder>
void describe(Coder& coder, Block& block) {
  coder.number(block.object);
  coder.number(block.kind);
  coder.number(block.offset);
  coder.number(block.bytes);
  coder.number(block.records);
  coder.number(block.first_number);
  coder.number(block.base);
  coder.number(block.first);
  coder.number(block.last);
  coder.number(block.checksum);
  if (block.kind != Kind::states) return;
  for (std::uint64_t& time : block.times) coder.number(time);
}

template <class Coder>
void describe(Coder& coder, Footer& footer) {
  describe(coder, footer.layout);
  describe(coder, footer.names);
  coder.number(footer.last_time);
  for (std::uint64_t& count : footer.records) coder.number(count);
  coder.items(footer.types, [&](std::uint32_t& type) { coder.number(type); });
  coder.items(footer.blocks, [&](Block& block) { describe(coder, block); });
}

}  // namespace

std::vector<std::uint8_t> encode(const Footer& footer) {
  Encoder encoder;
  describe(encoder, const_cast<Footer&>(footer));  // NOLINT(cppcoreguidelines-pro-type-const-cast): only read
  return encoder.take();
}

bool decode(std::span<const std::uint8_t> bytes, std::uint32_t version, Footer& footer) {
  Decoder decoder(bytes, version);
  describe(decoder, footer);
  return decoder.good();
}

}  // namespace groma::trace::store
