// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions that compiled kernels may call, by name. They are listed one by one rather than
// looked up in the process: a static build drops what nobody names, and a kernel must not reach
// anything else.

#ifndef TILEC_LIB_TARGET_HOST_HOSTSYMBOLS_H
#define TILEC_LIB_TARGET_HOST_HOSTSYMBOLS_H

#include <cstdint>
#include <vector>

namespace tilec {

struct HostSymbol {
  const char *name;
  void *address;
};

/// The C library's mathematics and memory functions.
const std::vector<HostSymbol> &librarySymbols();

/// Conversions of 16-bit floats that LLVM calls where the processor has no instruction.
const std::vector<HostSymbol> &float16Symbols();

/// Conversions to 8-bit floats, `tilec_host_f32_to_e4m3` and `..._e5m2`: f32 in, the bits out; and
/// back, `tilec_host_e4m3_to_f32` and `..._e5m2_...`.
const std::vector<HostSymbol> &float8Symbols();

} // namespace tilec

extern "C" {

/// Prints one value of a thread: "pid (x, y, z) idx (i, j)", `prefix`, and the payload as the
/// simulator's runtime prints it. `coordinates` has `count` numbers, and behind them the characters
/// that each is padded to; a negative `count` is a line without a value, which has no "idx".
void tilec_host_print(const char *prefix, const int32_t *coordinates, int32_t count, int32_t kind,
                      uint64_t payload, int32_t site);
}

#endif // TILEC_LIB_TARGET_HOST_HOSTSYMBOLS_H
