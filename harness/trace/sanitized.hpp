// PETRI_SANITIZED: the address sanitizer is compiled in, and wants address space without limits. Compilers have no
// macro in common for it: GCC defines one, clang has a feature.
#pragma once

#if defined(__SANITIZE_ADDRESS__)
#define PETRI_SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PETRI_SANITIZED
#endif
#endif
