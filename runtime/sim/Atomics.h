// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomic read-modify-writes on host memory with the operations and types of a GPU.
#ifndef TILEC_RUNTIME_SIM_ATOMICS_H
#define TILEC_RUNTIME_SIM_ATOMICS_H

#include <cstdint>

namespace tilecrt::sim {

/// Size of the values of an abi::AtomicType; 0 for a number that is none.
uint32_t atomicBytes(int32_t type);

/// Whether it is a type of floats, or of pairs of them.
bool isFloatAtomic(int32_t type);

/// Whether the operation exists for the type.
bool atomicSupported(int32_t op, int32_t type);

/// Performs a supported operation at an aligned address, sequentially consistent, and stores the
/// old value at `old`. False if the operation was a compare-and-swap that did not write.
bool performAtomic(int32_t op, int32_t type, void *address, const void *operand,
                   const void *compare, void *old);

} // namespace tilecrt::sim

#endif // TILEC_RUNTIME_SIM_ATOMICS_H
