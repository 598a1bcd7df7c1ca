// Reads a store. Whatever the file holds, nothing outside of it is read.
#pragma once

#include <string>
#include <vector>

#include "base/mapped_file.hpp"
#include "base/result.hpp"
#include "trace/store/footer.hpp"

namespace groma::trace {

class StoreReader {
 public:
  /// Whether a file begins as a store does.
  static bool is_store(const std::string& path);
  /// Refuses what is no store of a version that it knows, and one that was cut or damaged where all of it was
  /// asked for.
  static Result<StoreReader> open(const std::string& path);

  [[nodiscard]] const store::Footer& about() const { return footer_; }
  [[nodiscard]] std::uint64_t bytes() const { return file_.bytes().size(); }

  /// All records in the order in which they were written, between begin() and end(). After an error the sink
  /// got only a part.
  Status replay(Sink& sink) const;

  /// The records of one kind of one thread whose blocks touch [from, to]; without begin() and end().
  Status read(ObjectIndex object, store::Kind kind, Nanoseconds from, Nanoseconds to, Sink& sink) const;

 private:
  class Marks;
  class Cursor;
  StoreReader(MappedFile file, std::string path) : file_(std::move(file)), path_(std::move(path)) {}
  [[nodiscard]] Error damaged(const std::string& what) const;
  [[nodiscard]] bool is_sound() const;

  MappedFile file_;
  std::string path_;
  std::uint32_t version_ = store::kVersion;
  store::Footer footer_;
};

}  // namespace groma::trace
