#include "trace/export/rows_writer.hpp"

#include <algorithm>
#include <string>

#include "base/json.hpp"

namespace groma::trace {
namespace {

template <class Items, class Make>
Json array(const Items& items, Make make) {
  std::string text = "[";
  for (const auto& item : items) {
    if (text.size() > 1) text += ',';
    text += make(item).text();
  }
  return Json::verbatim(text + "]");
}

Json numbers(std::initializer_list<std::uint64_t> values) {
  return Json(std::vector<std::uint64_t>(values));
}

/// Paraver's numbers have a sign.
Json label(std::uint64_t number, const std::string& text) {
  return Json::verbatim('[' + std::to_string(static_cast<std::int64_t>(number)) + ',' + Json(text).text() +
                        ']');
}

Json type_json(const std::pair<const std::uint32_t, EventType>& type) {
  return JsonObject()
      .add("type", type.first)
      .add("label", type.second.label)
      .add("values",
           array(type.second.values, [](const auto& value) { return label(value.first, value.second); }))
      .json();
}

/// The rows of the nodes have their names; the header of a .prv has none.
std::vector<Node> named_nodes(const Layout& layout, const Names& names) {
  std::vector<Node> made = layout.nodes;
  for (std::size_t i = 0; i < std::min(made.size(), names.nodes.size()); ++i) {
    if (!names.nodes[i].empty()) made[i].name = names.nodes[i];
  }
  return made;
}

std::string head_of(const Layout& layout, const Names& names) {
  return JsonObject()
      .add("created", layout.created)
      .add("duration", layout.duration)
      .add("nodes", array(named_nodes(layout, names), [](const Node& one) { return Json(one.name); }))
      .add("objects", array(layout.objects,
                            [](const Object& one) {
                              return numbers({one.application, one.task, one.thread, one.node});
                            }))
      .add("states", array(names.states, [](const auto& one) { return label(one.first, one.second); }))
      .add("types", array(names.events, type_json))
      .json()
      .text();
}

}  // namespace

void RowsWriter::begin(const Layout& layout) {
  text(head_of(layout, names_));
}

void RowsWriter::text(const std::string& text) {
  const Head head{Kind::kText, 1, text.size()};
  out_.write(reinterpret_cast<const char*>(&head), sizeof head);
  out_ << text;
}

template <std::size_t columns>
void RowsWriter::add(Rows<columns>& rows, const std::array<std::uint64_t, columns>& row) {
  rows.rows.push_back(row);
  if (rows.rows.size() == kMaxRows) write(rows);
}

template <std::size_t columns>
void RowsWriter::write(Rows<columns>& rows) {
  if (rows.rows.empty()) return;
  const Head head{rows.kind, columns, rows.rows.size()};
  out_.write(reinterpret_cast<const char*>(&head), sizeof head);
  out_.write(reinterpret_cast<const char*>(rows.rows.data()),
             static_cast<std::streamsize>(rows.rows.size() * sizeof rows.rows[0]));
  rows.rows.clear();
}

void RowsWriter::state(const State& state) {
  add(states_, {state.object, state.begin, state.end, state.state});
}

void RowsWriter::event(const Event& event) {
  add(events_, {event.object, event.time, event.type, event.value});
}

void RowsWriter::communication(const Communication& message) {
  add(communications_, {message.sender, message.logical_send, message.physical_send, message.receiver,
                        message.logical_receive, message.physical_receive, message.bytes, message.tag});
}

void RowsWriter::step(const Step& step) {
  add(steps_, {step.object, step.time, step.ends, step.type, step.value});
}

void RowsWriter::end(const Names& /*names*/) {
  write(states_);
  write(events_);
  write(communications_);
  write(steps_);
}

}  // namespace groma::trace
