// groma-merge: makes one trace of the logs of a traced run.
//   groma-merge FOLDER NAME     groma-merge build | help
#include <iostream>

#include "base/build_info.hpp"
#include "base/exit_code.hpp"
#include "base/standard_output.hpp"
#include "trace/edit/async_sink.hpp"
#include "trace/merge/addr2line.hpp"
#include "trace/merge/merge.hpp"
#include "trace/merge/summary_json.hpp"
#include "trace/paraver/prv_writer.hpp"
#include "trace/store/store_writer.hpp"

namespace {

using namespace groma;

int refuse(const Error& error) {
  std::cerr << "groma-merge: " << error.what << "\n  " << error.next << '\n';
  return code_of(error);
}

int merge(const std::string& folder, const std::string& name) {
  auto merge = trace::Merge::open(folder);
  if (!merge) return refuse(merge.error());
  auto writer = trace::PrvWriter::create(name);
  if (!writer) return refuse(writer.error());
  auto store = trace::StoreWriter::create(name + ".groma");
  if (!store) return refuse(store.error());
  trace::AsyncSink text(writer.value());
  trace::Tee both(text, store.value());
  const auto parent = std::filesystem::path(name).parent_path();
  const auto place = parent.empty() ? "." : parent;
  const auto summary = merge.value().run(both, place, trace::addr2line(place));
  if (!summary) return refuse(summary.error());
  if (const auto written = writer.value().status(); !written) return refuse(written.error());
  if (const auto written = store.value().status(); !written) return refuse(written.error());
  std::cout << to_json(summary.value()).text() << '\n';
  return kOk;
}

int help() {
  std::cout << "usage: groma-merge FOLDER NAME\n"
               "       groma-merge build | help\n\n"
               "FOLDER has the logs that libgroma-trace.so wrote. NAME.prv, NAME.pcf, NAME.row and "
               "NAME.groma\n"
               "are written, and a summary as JSON goes to standard output.\n";
  return kOk;
}

int dispatch(const std::vector<std::string>& words) {
  if (words.size() == 2) return merge(words[0], words[1]);
  const std::string verb = words.empty() ? "help" : words[0];
  if (verb == "help" || verb == "--help") return help();
  if (verb != "build") return refuse({"usage", "unknown word " + verb, "groma-merge help lists them"});
  std::cout << build_info().text() << '\n';
  return kOk;
}

}  // namespace

int main(int argc, char** argv) {  // NOLINT(bugprone-exception-escape): only the report of one could throw
  try {
    return delivered(dispatch({argv + 1, argv + argc}), "groma-merge");
  } catch (const std::exception& problem) {
    return refuse({"memory", problem.what(), "merge fewer logs at once"});
  }
}
