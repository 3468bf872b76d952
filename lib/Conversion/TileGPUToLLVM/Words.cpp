// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Register values to and from the words that memory instructions move.

#include "Patterns.h"

using namespace mlir;
using namespace tilec;

SmallVector<SmallVector<int64_t>> tilec::groupRegisters(int64_t numRegisters,
                                                        ArrayRef<unsigned> bits) {
  int64_t mask = 0;
  for (unsigned bit : bits)
    mask |= int64_t(1) << bit;
  SmallVector<SmallVector<int64_t>> groups;
  for (int64_t first = 0; first < numRegisters; ++first) {
    if (first & mask)
      continue;
    SmallVector<int64_t> group;
    for (int64_t i = 0; i < int64_t(1) << bits.size(); ++i) {
      int64_t reg = first;
      for (auto [k, bit] : llvm::enumerate(bits))
        reg |= ((i >> k) & 1) << bit;
      group.push_back(reg);
    }
    groups.push_back(std::move(group));
  }
  return groups;
}

Type tilec::accessWordType(MLIRContext *context, unsigned bytes) {
  if (bytes <= 4)
    return IntegerType::get(context, bytes * 8);
  return VectorType::get({int64_t(bytes / 4)}, IntegerType::get(context, 32));
}

/// Booleans are bytes and pointers 64-bit integers in memory.
static Type memoryType(Type scalar) {
  if (scalar.isInteger(1))
    return IntegerType::get(scalar.getContext(), 8);
  if (isa<LLVM::LLVMPointerType>(scalar))
    return IntegerType::get(scalar.getContext(), 64);
  return scalar;
}

static Value toMemory(OpBuilder &builder, Location loc, Value value) {
  Type type = memoryType(value.getType());
  if (type == value.getType())
    return value;
  if (value.getType().isInteger(1))
    return LLVM::ZExtOp::create(builder, loc, type, value);
  return LLVM::PtrToIntOp::create(builder, loc, type, value);
}

static Value fromMemory(OpBuilder &builder, Location loc, Value value, Type scalar) {
  if (value.getType() == scalar)
    return value;
  if (scalar.isInteger(1)) {
    Value zero = LLVM::ConstantOp::create(builder, loc, value.getType(),
                                          builder.getIntegerAttr(value.getType(), 0));
    return LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ne, value, zero);
  }
  return LLVM::IntToPtrOp::create(builder, loc, scalar, value);
}

Value tilec::packWord(OpBuilder &builder, Location loc, ValueRange values) {
  Type type = memoryType(values[0].getType());
  unsigned bytes = type.getIntOrFloatBitWidth() / 8 * values.size();
  if (type.getIntOrFloatBitWidth() == 8 && bytes > 4) {
    // The back end takes vectors of more than four bytes apart.
    SmallVector<Value> words;
    for (; !values.empty(); values = values.drop_front(4))
      words.push_back(packWord(builder, loc, values.take_front(4)));
    return packWord(builder, loc, words);
  }
  Type word = accessWordType(builder.getContext(), bytes);
  Value packed;
  if (values.size() == 1) {
    packed = toMemory(builder, loc, values[0]);
  } else {
    auto vector = VectorType::get({int64_t(values.size())}, type);
    packed = LLVM::PoisonOp::create(builder, loc, vector);
    for (auto [i, value] : llvm::enumerate(values))
      packed = LLVM::InsertElementOp::create(builder, loc, packed, toMemory(builder, loc, value),
                                             constantI32(builder, loc, i));
  }
  if (packed.getType() == word)
    return packed;
  return LLVM::BitcastOp::create(builder, loc, word, packed);
}

SmallVector<Value> tilec::unpackWord(OpBuilder &builder, Location loc, Value word, Type scalar,
                                     unsigned count) {
  Type type = memoryType(scalar);
  if (count == 1) {
    if (word.getType() != type)
      word = LLVM::BitcastOp::create(builder, loc, type, word);
    return {fromMemory(builder, loc, word, scalar)};
  }
  if (type.getIntOrFloatBitWidth() == 8 && count > 4) {
    SmallVector<Value> values;
    for (Value part : unpackWord(builder, loc, word, builder.getI32Type(), count / 4))
      llvm::append_range(values, unpackWord(builder, loc, part, scalar, 4));
    return values;
  }
  auto vector = VectorType::get({int64_t(count)}, type);
  if (word.getType() != vector)
    word = LLVM::BitcastOp::create(builder, loc, vector, word);
  SmallVector<Value> values;
  for (unsigned i = 0; i < count; ++i) {
    Value element =
        LLVM::ExtractElementOp::create(builder, loc, word, constantI32(builder, loc, i));
    values.push_back(fromMemory(builder, loc, element, scalar));
  }
  return values;
}
