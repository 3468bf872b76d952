// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomics. There is one thread, so each element is simply read, combined and written, in row-major
// order; ordering and scope mean nothing.

#include "Evaluator.h"

using namespace mlir;

namespace tilec::interpreter {

/// Orders floats by their bits: -0 below +0, a NaN beyond the infinity of its sign.
static int64_t orderOf(uint64_t bits, unsigned width) {
  int64_t number = asSigned(bits, width);
  return number < 0 ? number ^ std::numeric_limits<int64_t>::max() : number;
}

uint64_t combineAtomically(tile::AtomicKind kind, Type element, uint64_t old, uint64_t value) {
  unsigned width = tile::bitWidthOf(element);
  auto order = [&](uint64_t bits) {
    return isa<FloatType>(element) ? orderOf(bits, width) : asSigned(bits, width);
  };
  switch (kind) {
  case tile::AtomicKind::add:
    if (isa<FloatType>(element)) {
      FloatFormat format(element);
      return format.encode(format.decode(old) + format.decode(value));
    }
    return lowBits(old + value, width);
  case tile::AtomicKind::min:
    return order(value) < order(old) ? value : old;
  case tile::AtomicKind::max:
    return order(value) > order(old) ? value : old;
  case tile::AtomicKind::umin:
    return std::min(old, value);
  case tile::AtomicKind::umax:
    return std::max(old, value);
  case tile::AtomicKind::bit_and:
    return old & value;
  case tile::AtomicKind::bit_or:
    return old | value;
  case tile::AtomicKind::bit_xor:
    return old ^ value;
  case tile::AtomicKind::load:
    return old;
  case tile::AtomicKind::xchg:
  case tile::AtomicKind::store:
    return value;
  }
  return old;
}

/// Replaces each element in memory by `replace(old, index)`; the result is the old ones.
static LogicalResult update(Evaluator &e, Operation *op, Value pointer, const Bits *mask,
                            llvm::function_ref<uint64_t(uint64_t, size_t)> replace,
                            bool isWrite = true) {
  Type type = op->getResult(0).getType(), element = elementOf(type);
  const Bits &pointers = e.get(pointer);
  Bits bits(pointers.size(), 0);
  for (size_t i = 0; i < bits.size(); ++i) {
    if (mask && !(*mask)[i])
      continue;
    char *memory = e.memoryAt(op, "atomic", pointers[i], tile::bytesOf(element), isWrite, type, i);
    if (!memory)
      return failure();
    bits[i] = readElement(memory, element);
    if (isWrite)
      e.write(memory, element, replace(bits[i], i));
  }
  e.set(op->getResult(0), std::move(bits));
  return success();
}

static LogicalResult runRMW(Evaluator &e, Operation *op) {
  auto atomic = cast<tile::AtomicRMWOp>(op);
  Type element = elementOf(atomic.getType());
  const Bits &values = e.get(atomic.getValue());
  return update(
      e, op, atomic.getPointer(), atomic.getMask() ? &e.get(atomic.getMask()) : nullptr,
      [&](uint64_t old, size_t i) {
        return combineAtomically(atomic.getKind(), element, old, values[i]);
      },
      atomic.getKind() != tile::AtomicKind::load);
}

static LogicalResult runCas(Evaluator &e, Operation *op) {
  auto atomic = cast<tile::AtomicCasOp>(op);
  const Bits &compare = e.get(atomic.getCompare()), &values = e.get(atomic.getValue());
  return update(e, op, atomic.getPointer(), atomic.getMask() ? &e.get(atomic.getMask()) : nullptr,
                [&](uint64_t old, size_t i) { return old == compare[i] ? values[i] : old; });
}

void addAtomicOps(HandlerTable &table) {
  table.add<tile::AtomicRMWOp>(runRMW);
  table.add<tile::AtomicCasOp>(runCas);
}

} // namespace tilec::interpreter
