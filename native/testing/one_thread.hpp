// Tests of what runs on one thread. The thread sanitizer would find nothing, and take ten times as long.
#pragma once

#include <gtest/gtest.h>

/// In a file: none of its tests is built under the thread sanitizer (tools/tests_with_threads.py).
#define ALL_ON_ONE_THREAD static_assert(true)

/// TEST, but left out under the thread sanitizer, in a file of which other tests have several threads.
#ifdef __SANITIZE_THREAD__
#define TEST_ON_ONE_THREAD(suite, name) TEST(suite, DISABLED_##name)
#else
#define TEST_ON_ONE_THREAD(suite, name) TEST(suite, name)
#endif
