// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors in global memory, block by block. A descriptor's value is: base address, sizes, strides
// (the last one, 1, included).

#include "Evaluator.h"

using namespace mlir;

namespace tilec::interpreter {
namespace {

LogicalResult runMake(Evaluator &e, Operation *op) {
  auto make = cast<tile::MakeTensorDescriptorOp>(op);
  Bits bits{e.getScalar(make.getBase())};
  for (Value size : make.getShape())
    bits.push_back(uint64_t(asSigned(e.getScalar(size), 32)));
  for (Value stride : make.getStrides())
    bits.push_back(e.getScalar(stride));
  bits.push_back(1);
  e.set(make, std::move(bits));
  return success();
}

/// Calls `visit(index, memory)` for every element of the block in row-major order, with null
/// outside of the tensor. False after an error.
bool visitBlock(Evaluator &e, Operation *op, StringRef what, bool isWrite, Value descriptor,
                ValueRange offsets, llvm::function_ref<void(size_t, char *)> visit) {
  auto type = cast<tile::DescType>(descriptor.getType());
  ArrayRef<int64_t> block = type.getBlockShape();
  size_t rank = block.size();
  const Bits &bits = e.get(descriptor);
  unsigned bytes = tile::bytesOf(type.getElementType());
  auto blockType = RankedTensorType::get(block, type.getElementType());
  for (size_t i = 0, count = product(block); i < count; ++i) {
    size_t rest = i;
    bool isInside = true;
    uint64_t address = bits[0];
    for (size_t d = rank; d-- > 0; rest /= size_t(block[d])) {
      int64_t place = asSigned(e.getScalar(offsets[d]), 32) + int64_t(rest % size_t(block[d]));
      isInside &= place >= 0 && place < int64_t(bits[1 + d]);
      address += uint64_t(place) * bits[1 + rank + d] * bytes;
    }
    char *memory = nullptr;
    if (isInside) {
      memory = e.memoryAt(op, what, address, bytes, isWrite, blockType, i);
      if (!memory)
        return false;
    }
    visit(i, memory);
  }
  return true;
}

LogicalResult runDescriptorLoad(Evaluator &e, Operation *op) {
  auto load = cast<tile::DescriptorLoadOp>(op);
  auto type = cast<tile::DescType>(load.getDesc().getType());
  Type element = type.getElementType();
  uint64_t outside = type.getPadsWithNan() ? FloatFormat(element).encode(std::nan("")) : 0;
  Bits bits(e.sizeOf(load.getType()));
  bool ok = visitBlock(
      e, op, "load", /*isWrite=*/false, load.getDesc(), load.getOffsets(),
      [&](size_t i, char *memory) { bits[i] = memory ? readElement(memory, element) : outside; });
  e.set(load, std::move(bits));
  return success(ok);
}

LogicalResult runDescriptorStore(Evaluator &e, Operation *op) {
  auto store = cast<tile::DescriptorStoreOp>(op);
  Type element = elementOf(store.getValue().getType());
  const Bits &values = e.get(store.getValue());
  return success(visitBlock(e, op, "store", /*isWrite=*/true, store.getDesc(), store.getOffsets(),
                            [&](size_t i, char *memory) {
                              if (memory)
                                e.write(memory, element, values[i]);
                            }));
}

LogicalResult runDescriptorReduce(Evaluator &e, Operation *op) {
  auto reduce = cast<tile::DescriptorReduceOp>(op);
  Type element = elementOf(reduce.getValue().getType());
  const Bits &values = e.get(reduce.getValue());
  return success(visitBlock(e, op, "atomic", /*isWrite=*/true, reduce.getDesc(),
                            reduce.getOffsets(), [&](size_t i, char *memory) {
                              if (memory)
                                e.write(memory, element,
                                        combineAtomically(reduce.getKind(), element,
                                                          readElement(memory, element), values[i]));
                            }));
}

} // namespace

void addDescriptorOps(HandlerTable &table) {
  table.add<tile::MakeTensorDescriptorOp>(runMake);
  table.add<tile::DescriptorLoadOp>(runDescriptorLoad);
  table.add<tile::DescriptorStoreOp>(runDescriptorStore);
  table.add<tile::DescriptorReduceOp>(runDescriptorReduce);
}

} // namespace tilec::interpreter
