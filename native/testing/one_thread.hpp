// Tests of what runs on one thread, in files of which other tests have several.
#pragma once

#include <gtest/gtest.h>

/// TEST, but left out under the thread sanitizer: it would find nothing, and take ten times as long.
#ifdef __SANITIZE_THREAD__
#define TEST_ON_ONE_THREAD(suite, name) TEST(suite, DISABLED_##name)
#else
#define TEST_ON_ONE_THREAD(suite, name) TEST(suite, name)
#endif
