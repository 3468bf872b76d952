// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads and stores, element by element in row-major order: of several stores to one address the
// last one stays.

#include "Evaluator.h"

#include <cstring>

using namespace mlir;

namespace tilec::interpreter {

uint64_t readElement(const char *memory, Type element) {
  uint64_t word = 0;
  std::memcpy(&word, memory, tile::bytesOf(element));
  return element.isInteger(1) ? uint64_t(word != 0) : word;
}

void Evaluator::write(char *memory, Type element, uint64_t bits) {
  unsigned bytes = tile::bytesOf(element);
  changes += std::memcmp(memory, &bits, bytes) != 0;
  std::memcpy(memory, &bits, bytes);
}

static LogicalResult runLoad(Evaluator &e, Operation *op) {
  auto load = cast<tile::LoadOp>(op);
  Type element = elementOf(load.getType());
  const Bits &pointers = e.get(load.getPointer());
  const Bits *mask = load.getMask() ? &e.get(load.getMask()) : nullptr;
  const Bits *other = load.getOther() ? &e.get(load.getOther()) : nullptr;
  Bits bits(pointers.size());
  for (size_t i = 0; i < bits.size(); ++i) {
    if (mask && !(*mask)[i]) {
      bits[i] = other ? (*other)[i] : 0;
      continue;
    }
    const char *memory = e.memoryAt(op, "load", pointers[i], tile::bytesOf(element),
                                    /*isWrite=*/false, load.getType(), i);
    if (!memory)
      return failure();
    bits[i] = readElement(memory, element);
  }
  e.set(load, std::move(bits));
  return success();
}

static LogicalResult runStore(Evaluator &e, Operation *op) {
  auto store = cast<tile::StoreOp>(op);
  Type type = store.getValue().getType(), element = elementOf(type);
  const Bits &pointers = e.get(store.getPointer()), &values = e.get(store.getValue());
  const Bits *mask = store.getMask() ? &e.get(store.getMask()) : nullptr;
  for (size_t i = 0; i < values.size(); ++i) {
    if (mask && !(*mask)[i])
      continue;
    char *memory =
        e.memoryAt(op, "store", pointers[i], tile::bytesOf(element), /*isWrite=*/true, type, i);
    if (!memory)
      return failure();
    e.write(memory, element, values[i]);
  }
  return success();
}

void addMemoryOps(HandlerTable &table) {
  table.add<tile::LoadOp>(runLoad);
  table.add<tile::StoreOp>(runStore);
}

} // namespace tilec::interpreter
