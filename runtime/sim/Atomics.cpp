// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One compare-exchange loop over the bits, and for each type the function from old value and
// operand to new value.
#include "runtime/sim/Atomics.h"
#include "runtime/sim/Float16.h"
#include "tilecrt/sim/SimAbi.h"

#include <algorithm>

namespace tilecrt::sim {
namespace {

using namespace abi;

template <typename Bits> Bits loadBits(const void *from) {
  Bits bits;
  std::memcpy(&bits, from, sizeof(Bits));
  return bits;
}

template <typename Bits> Bits combineInteger(int32_t op, Bits old, Bits value) {
  using Signed = std::make_signed_t<Bits>;
  switch (op) {
  case AtomicAdd:
    return old + value;
  case AtomicMax:
    return Bits(std::max(Signed(old), Signed(value)));
  case AtomicMin:
    return Bits(std::min(Signed(old), Signed(value)));
  case AtomicUMax:
    return std::max(old, value);
  case AtomicUMin:
    return std::min(old, value);
  case AtomicAnd:
    return old & value;
  case AtomicOr:
    return old | value;
  default:
    return old ^ value;
  }
}

template <typename Float> Float combineFloat(int32_t op, Float old, Float value) {
  switch (op) {
  case AtomicAdd:
    return old + value;
  case AtomicMax:
    return std::fmax(old, value);
  default:
    return std::fmin(old, value);
  }
}

uint16_t combineHalf(int32_t op, uint16_t old, uint16_t value) {
  return halfFromFloat(combineFloat(op, floatFromHalf(old), floatFromHalf(value)));
}

uint16_t combineBFloat(int32_t op, uint16_t old, uint16_t value) {
  return bfloatFromFloat(combineFloat(op, floatFromBFloat(old), floatFromBFloat(value)));
}

uint32_t combinePair(int32_t op, uint32_t old, uint32_t value,
                     uint16_t (*combineOne)(int32_t, uint16_t, uint16_t)) {
  uint32_t low = combineOne(op, uint16_t(old), uint16_t(value));
  uint32_t high = combineOne(op, uint16_t(old >> 16), uint16_t(value >> 16));
  return low | high << 16;
}

/// Bytes are only exchanged, loaded and stored.
uint8_t combine(int32_t, int32_t, uint8_t, uint8_t value) { return value; }

uint16_t combine(int32_t op, int32_t type, uint16_t old, uint16_t value) {
  return type == AtomicF16 ? combineHalf(op, old, value) : combineBFloat(op, old, value);
}

uint32_t combine(int32_t op, int32_t type, uint32_t old, uint32_t value) {
  switch (type) {
  case AtomicF32:
    return bitsFromFloat(combineFloat(op, floatFromBits(old), floatFromBits(value)));
  case AtomicF16x2:
    return combinePair(op, old, value, combineHalf);
  case AtomicBF16x2:
    return combinePair(op, old, value, combineBFloat);
  default:
    return combineInteger(op, old, value);
  }
}

uint64_t combine(int32_t op, int32_t type, uint64_t old, uint64_t value) {
  if (type != AtomicF64)
    return combineInteger(op, old, value);
  double sum = combineFloat(op, loadBits<double>(&old), loadBits<double>(&value));
  return loadBits<uint64_t>(&sum);
}

template <typename Bits>
bool performBits(int32_t op, int32_t type, void *address, const void *operand, const void *compare,
                 void *old) {
  Bits *memory = static_cast<Bits *>(address);
  Bits value = op == AtomicLoad ? Bits() : loadBits<Bits>(operand);
  Bits before = __atomic_load_n(memory, __ATOMIC_SEQ_CST);
  bool written = op != AtomicLoad;
  switch (op) {
  case AtomicLoad:
    break;
  case AtomicStore:
    __atomic_store_n(memory, value, __ATOMIC_SEQ_CST);
    break;
  case AtomicXchg:
    before = __atomic_exchange_n(memory, value, __ATOMIC_SEQ_CST);
    break;
  case AtomicCas:
    before = loadBits<Bits>(compare);
    written = __atomic_compare_exchange_n(memory, &before, value, false, __ATOMIC_SEQ_CST,
                                          __ATOMIC_SEQ_CST);
    break;
  default:
    while (!__atomic_compare_exchange_n(memory, &before, combine(op, type, before, value), false,
                                        __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
    }
  }
  std::memcpy(old, &before, sizeof(Bits));
  return written;
}

} // namespace

uint32_t atomicBytes(int32_t type) {
  switch (type) {
  case AtomicI32:
  case AtomicF32:
  case AtomicF16x2:
  case AtomicBF16x2:
    return 4;
  case AtomicI64:
  case AtomicF64:
    return 8;
  case AtomicF16:
  case AtomicBF16:
  case AtomicBits16:
    return 2;
  case AtomicBits8:
    return 1;
  default:
    return 0;
  }
}

bool isFloatAtomic(int32_t type) { return type >= AtomicF32 && type <= AtomicBF16x2; }

bool atomicSupported(int32_t op, int32_t type) {
  if (op < AtomicAdd || op > AtomicStore || atomicBytes(type) == 0)
    return false;
  if (op >= AtomicXchg)
    return true;
  if (type == AtomicI32 || type == AtomicI64)
    return true;
  return type != AtomicBits16 && type != AtomicBits8 &&
         (op == AtomicAdd || op == AtomicMax || op == AtomicMin);
}

bool performAtomic(int32_t op, int32_t type, void *address, const void *operand,
                   const void *compare, void *old) {
  switch (atomicBytes(type)) {
  case 1:
    return performBits<uint8_t>(op, type, address, operand, compare, old);
  case 2:
    return performBits<uint16_t>(op, type, address, operand, compare, old);
  case 4:
    return performBits<uint32_t>(op, type, address, operand, compare, old);
  default:
    return performBits<uint64_t>(op, type, address, operand, compare, old);
  }
}

} // namespace tilecrt::sim
