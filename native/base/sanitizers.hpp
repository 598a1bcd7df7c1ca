// Which sanitizers see this code: GCC says so by macros, Clang before version 21 only by features.
#pragma once

#ifdef __has_feature
#if __has_feature(thread_sanitizer)
#define GROMA_THREAD_SANITIZER
#endif
#if __has_feature(address_sanitizer)
#define GROMA_ADDRESS_SANITIZER
#endif
#endif

#if defined(__SANITIZE_THREAD__) && !defined(GROMA_THREAD_SANITIZER)
#define GROMA_THREAD_SANITIZER
#endif
#if defined(__SANITIZE_ADDRESS__) && !defined(GROMA_ADDRESS_SANITIZER)
#define GROMA_ADDRESS_SANITIZER
#endif
