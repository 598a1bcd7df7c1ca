// Reads JSON as RFC 8259 has it and nothing beyond. Small on purpose: libgroma must build with nothing
// installed. The text is read once and kept; texts in it end with a zero, numbers are converted when asked
// for. A number too small for a double is 0, one too large is an error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json_memory.hpp"
#include "base/result.hpp"

namespace groma {

enum class JsonKind : std::uint8_t { kNull, kFalse, kTrue, kNumber, kText, kList, kTable, kFolded };

/// A value as the document stores it: its place in the text, or the number of its items or members. `extent`
/// counts the nodes of the value and of all in it. A member is the node of its key, then those of its value.
struct JsonNode {
  std::uint32_t begin = 0;
  std::uint32_t length = 0;
  std::uint32_t extent = 1;
  JsonKind kind = JsonKind::kNull;
};

/// One value of a document, or none: the accessors then give nothing, as where the value is of another kind.
/// As cheap as a pointer, and valid as long as the document, wherever that was moved. Nothing here allocates.
class JsonValue {
 public:
  JsonValue() = default;
  JsonValue(const JsonNode* node, const char* text) : node_(node), text_(text) {}

  explicit operator bool() const { return node_ != nullptr; }
  [[nodiscard]] bool is_null() const { return is(JsonKind::kNull); }
  [[nodiscard]] bool is_list() const { return is(JsonKind::kList); }
  [[nodiscard]] bool is_table() const { return is(JsonKind::kTable); }
  [[nodiscard]] std::optional<bool> truth() const;
  [[nodiscard]] std::optional<double> number() const;

  /// A zero follows the text.
  [[nodiscard]] std::optional<std::string_view> text() const;

  /// The JSON of a list or table that was not read: read it as a document of its own.
  [[nodiscard]] std::optional<std::string_view> folded() const;

  /// The number of items or members.
  [[nodiscard]] std::size_t size() const { return is_list() || is_table() ? node_->length : 0; }

  /// Item or member `index`, from 0.
  [[nodiscard]] JsonValue item(std::size_t index) const;
  [[nodiscard]] std::optional<std::string_view> key(std::size_t index) const;

  /// The member called `key`, or the item of that number. The last of equal keys counts, as in groma's other
  /// readers.
  [[nodiscard]] JsonValue find(std::string_view key) const;

  /// Follows keys and item numbers that are joined by dots; the empty path is the value itself.
  [[nodiscard]] JsonValue at(std::string_view path) const;

  /// Calls `use(item)` for each item of a list, `use(key, value)` for each member of a table.
  template <class Use>
  void for_each_item(Use use) const {
    if (!is_list()) return;
    const JsonNode* node = node_ + 1;
    for (std::uint32_t i = 0; i < node_->length; ++i, node += node->extent) use(JsonValue(node, text_));
  }
  template <class Use>
  void for_each_member(Use use) const {
    if (!is_table()) return;
    const JsonNode* node = node_ + 1;
    for (std::uint32_t i = 0; i < node_->length; ++i) {
      const JsonNode* value = node + 1;
      use(text_of(*node), JsonValue(value, text_));
      node = value + value->extent;
    }
  }

  friend bool operator==(const JsonValue&, const JsonValue&) = default;

 private:
  [[nodiscard]] bool is(JsonKind kind) const { return node_ != nullptr && node_->kind == kind; }
  [[nodiscard]] std::string_view text_of(const JsonNode& node) const {
    return {text_ + node.begin, node.length};
  }
  [[nodiscard]] const JsonNode* entry(std::size_t index) const;

  const JsonNode* node_ = nullptr;
  const char* text_ = nullptr;
};

using JsonText = std::vector<char, JsonMemory<char>>;
using JsonNodes = std::vector<JsonNode, JsonMemory<JsonNode>>;

class JsonDocument {
 public:
  JsonDocument(JsonText text, JsonNodes nodes) : text_(std::move(text)), nodes_(std::move(nodes)) {}

  [[nodiscard]] JsonValue root() const { return {nodes_.data(), text_.data()}; }

 private:
  JsonText text_;
  JsonNodes nodes_;
};

/// Deeper nesting is refused, so that no document can exhaust the stack.
inline constexpr int kJsonDepth = 200;

/// Longer texts are refused: places in them have 32 bits.
inline constexpr std::size_t kLongestJson = 0xFFFFFFF0;

/// What the reader adds behind a text. Reserve it, and the text is not moved.
inline constexpr std::size_t kJsonPadding = 64;

/// What some editors put before the text of a file. It is no JSON: take it off before reading.
inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// The one value that `text` holds. Of a member of the outermost table that is called `folded`, only the end
/// is looked for if it is a list or table: what stands in it is not checked. The error says line and column
/// (both from 1, the column in bytes).
Result<JsonDocument> read_json(JsonText text, std::string_view folded = {});
Result<JsonDocument> read_json(std::string_view text, std::string_view folded = {});

}  // namespace groma
