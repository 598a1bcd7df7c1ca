// What the thread sanitizer, under which a test takes ten times as long, need not see: tests of what runs on
// one thread, in which it would find nothing, and many rounds of the same, of which it sees a race in the
// first ones.
#pragma once

#include <gtest/gtest.h>

#include "base/sanitizers.hpp"

/// In a file: none of its tests is built under the thread sanitizer (tools/tests_with_threads.py). That they
/// start no thread is tested (tests/integration/test_on_one_thread.py).
#define ALL_ON_ONE_THREAD static_assert(true)

/// TEST, but left out under the thread sanitizer, in a file of which other tests have several threads.
#ifdef GROMA_THREAD_SANITIZER
#define TEST_ON_ONE_THREAD(suite, name) TEST(suite, DISABLED_##name)
#define TEST_F_ON_ONE_THREAD(suite, name) TEST_F(suite, DISABLED_##name)
#else
#define TEST_ON_ONE_THREAD(suite, name) TEST(suite, name)
#define TEST_F_ON_ONE_THREAD(suite, name) TEST_F(suite, name)
#endif

namespace groma {

/// How many of the same a test takes.
template <class Count>
constexpr Count rounds([[maybe_unused]] Count usual, [[maybe_unused]] Count under_thread_sanitizer) {
#ifdef GROMA_THREAD_SANITIZER
  return under_thread_sanitizer;
#else
  return usual;
#endif
}

}  // namespace groma
