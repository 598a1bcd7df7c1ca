// The functions of the MPI library behind the wrappers. They are looked up by name at run time, so that the
// tracer loads into any program, and into one that loads MPI later.
#pragma once

namespace groma::trace {

/// The address of a symbol in the MPI library of the program; null if it has none.
void* find_real(const char* name);
/// The address of the symbol that a wrapper of this name hides.
void* find_next(const char* name);
/// The next function MPI_X behind that of the tracer, else PMPI_X: an MPI need not have both names.
void* find_wrapped(const char* name);

/// Tells whether what was not found of Fortran may be found now: it changes where a library of the program
/// brings the Fortran of MPI for itself alone.
const void* place_of_fortran();

/// A function that is looked up once. Two threads that look it up at the same time find the same.
template <class Function, void* (*find)(const char*)>
class LazySymbol {
 public:
  explicit constexpr LazySymbol(const char* name) : name_(name) {}
  Function get() {
    if (function_ == nullptr) [[unlikely]] {
      function_ = reinterpret_cast<Function>(find(name_));
    }
    return function_;
  }

 private:
  const char* name_;
  Function function_ = nullptr;
};

}  // namespace groma::trace

/// What a wrapper calls: the function of MPI, or that of another library that wraps it (PMPI).
#define WRAPPED(name, type)                                                                    \
  ([]() -> type {                                                                              \
    static constinit groma::trace::LazySymbol<type, groma::trace::find_wrapped> wrapped(name); \
    return wrapped.get();                                                                      \
  }())
/// The function of MPI with this name, whatever wraps it: for the tracer's own calls.
#define REAL(name)                                                                                     \
  ([]() -> decltype(&(name)) {                                                                         \
    static constinit groma::trace::LazySymbol<decltype(&(name)), groma::trace::find_real> real(#name); \
    return real.get();                                                                                 \
  }())
/// The address of a constant of MPI.
#define GROMA_REAL_SYMBOL(name)                                                           \
  ([]() -> void* {                                                                        \
    static constinit groma::trace::LazySymbol<void*, groma::trace::find_real> real(name); \
    return real.get();                                                                    \
  }())
// NOLINTBEGIN(bugprone-macro-parentheses): a type
/// The function of Fortran that a wrapper of this name hides.
#define FORTRAN_REAL(name, type)                                                         \
  ([]() -> type {                                                                        \
    static constinit groma::trace::LazySymbol<type, groma::trace::find_next> next(name); \
    return next.get();                                                                   \
  }())
// NOLINTEND(bugprone-macro-parentheses)
