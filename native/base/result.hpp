// A value or the reason why there is none. Libraries here never exit, abort or print.
#pragma once

#include <string>
#include <utility>
#include <variant>

namespace groma {

/// An expected failure. `code` is stable and greppable, `what` is one clear line, `next` what to do.
struct Error {
  std::string code;
  std::string what;
  std::string next;
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : content_(std::move(value)) {}      // NOLINT(google-explicit-constructor)
  Result(Error error) : content_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  explicit operator bool() const { return std::holds_alternative<T>(content_); }
  [[nodiscard]] const T& value() const& { return std::get<T>(content_); }
  [[nodiscard]] T& value() & { return std::get<T>(content_); }
  [[nodiscard]] T&& value() && { return std::get<T>(std::move(content_)); }
  [[nodiscard]] const Error& error() const { return std::get<Error>(content_); }

 private:
  std::variant<T, Error> content_;
};

struct Done {};
using Status = Result<Done>;

}  // namespace groma
