// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The version of the C interface, and how its calls end. A part of tilec.h, whose rules hold here
// too.

#ifndef TILEC_STATUS_H
#define TILEC_STATUS_H

#include <stddef.h>
#include <stdint.h>

/// The version of this header; tilec_version is the library's.
#define TILEC_VERSION_MAJOR 0
#define TILEC_VERSION_MINOR 1
#define TILEC_VERSION_PATCH 0

#if defined(__GNUC__) || defined(__clang__)
#define TILEC_API __attribute__((visibility("default")))
/// A function that has another name now.
#define TILEC_DEPRECATED(text) __attribute__((deprecated(text)))
#else
#define TILEC_API
#define TILEC_DEPRECATED(text)
#endif

/// An enum that programs pass, in C++ too one of any 32 bits: the library refuses what it does not
/// know.
#ifdef __cplusplus
#define TILEC_ENUM(name) enum name : uint32_t
#else
#define TILEC_ENUM(name) enum name
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// Status of a call.
typedef enum tilec_status {
  TILEC_OK = 0,
  /// The kernel or its options are wrong, or the simulator found a fault in it; diagnostics or the
  /// report say where.
  TILEC_INPUT_ERROR = 1,
  /// This machine lacks something: ptxas, a math library, a driver, a device, host memory.
  TILEC_UNAVAILABLE = 2,
  /// A bug in tilec.
  TILEC_INTERNAL = 3,
  /// The call itself is wrong: a bad handle, a null pointer, wrong counts or sizes, unknown flags.
  /// Nothing was done.
  TILEC_INVALID_ARGUMENT = 4,
  /// The device or its driver refused or failed.
  TILEC_DEVICE_ERROR = 5,
  /// The device's memory, or another thing that it has a number of, has run out.
  TILEC_OUT_OF_RESOURCES = 6
} tilec_status;

/// The library's version, "MAJOR.MINOR.PATCH".
TILEC_API const char *tilec_version(void);
/// Identifies this build of the library, in digits: a key for caches outside of it.
TILEC_API const char *tilec_build_id(void);
/// "ok", "input error", ...; "unknown status" for other numbers.
TILEC_API const char *tilec_status_name(int status);
/// Why the last failing call of this thread failed; empty when none did. Lives until this thread's
/// next failing call.
TILEC_API const char *tilec_last_error(void);

#ifdef __cplusplus
}
#endif

#endif // TILEC_STATUS_H
