// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shape operations on register layouts and queries about them. Every shape operation relabels
// output bits; register r of the result holds what a known register of the operand held, so no data
// moves.

#include "tilec/Layout/TensorLayouts.h"

#include "F2Span.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace tilec {

namespace {

using FlatIns = std::vector<std::pair<std::string, std::vector<uint64_t>>>;

FlatIns flatIns(const LinearLayout &layout) {
  FlatIns ins;
  for (const std::string &name : layout.getInDimNames())
    ins.emplace_back(name, layout.getFlatBases(name).vec());
  return ins;
}

/// The layout with its output dimensions, as they are ordered, renamed to dim0, dim1, ...
LinearLayout renumberOutDims(const LinearLayout &layout) {
  std::vector<LinearLayout::OutDim> outs = layout.getOutDims();
  for (size_t i = 0; i < outs.size(); ++i)
    outs[i].first = dimName(i);
  return LinearLayout::fromFlatBases(flatIns(layout), std::move(outs));
}

} // namespace

//===----------------------------------------------------------------------===//
// Shape operations
//===----------------------------------------------------------------------===//

LinearLayout dropDim(const LinearLayout &layout, unsigned axis) {
  assert(axis < layout.getNumOutDims() && "axis beyond the rank");
  std::vector<std::string> ins = layout.getInDimNames(), outs = layout.getOutDimNames();
  outs.erase(outs.begin() + axis);
  std::vector<llvm::StringRef> inRefs(ins.begin(), ins.end()), outRefs(outs.begin(), outs.end());
  return renumberOutDims(layout.sublayout(inRefs, outRefs));
}

LinearLayout sliceLayout(const LinearLayout &layout, unsigned axis) {
  return removeRegisterReplication(dropDim(layout, axis));
}

std::optional<LinearLayout> extractSliceLayout(const LinearLayout &layout, unsigned axis,
                                               int32_t elements,
                                               std::vector<int32_t> *registerMap) {
  assert(axis < layout.getNumOutDims() && "axis beyond the rank");
  for (const std::string &in : layout.getInDimNames())
    for (int bit = 0; bit < layout.getInDimSizeLog2(in); ++bit) {
      LinearLayout::Basis basis = layout.getBasis(in, unsigned(bit));
      bool isOther = false;
      for (size_t dim = 0; dim < basis.size(); ++dim)
        isOther |= dim == axis ? basis[dim] % elements != 0 : basis[dim] != 0;
      if (basis[axis] >= elements && (in != kRegister || isOther))
        return std::nullopt;
    }
  return removeRegisterReplication(layout.resizeOutDim(dimName(axis), elements), registerMap);
}

LinearLayout expandDimsLayout(const LinearLayout &layout, unsigned axis) {
  assert(axis <= layout.getNumOutDims() && "axis beyond the rank");
  std::vector<LinearLayout::OutDim> outs = layout.getOutDims();
  outs.insert(outs.begin() + axis, {"new", 1});
  // A dimension of one position has no bits, so the flat bases stay as they are.
  return renumberOutDims(LinearLayout::fromFlatBases(flatIns(layout), std::move(outs)));
}

LinearLayout permuteLayout(const LinearLayout &layout, llvm::ArrayRef<int32_t> order) {
  std::vector<std::string> names;
  for (int32_t dim : order)
    names.push_back(dimName(dim));
  return renumberOutDims(layout.transposeOuts(names));
}

LinearLayout reshapeLayout(const LinearLayout &layout, Shape newShape) {
  assert(isLayoutShape(newShape) && "sizes are powers of two");
  // The last dimension is the fastest of the tensor's linear order, hence the first when flattened.
  std::vector<std::string> names = layout.getOutDimNames();
  std::reverse(names.begin(), names.end());
  std::vector<LinearLayout::OutDim> outs;
  for (size_t i = newShape.size(); i-- > 0;)
    outs.emplace_back(dimName(i), int32_t(newShape[i]));
  return layout.transposeOuts(names).reshapeOuts(outs).transposeOuts(dimNames(newShape.size()));
}

LinearLayout broadcastTo(const LinearLayout &layout, Shape shape) {
  assert(shape.size() == layout.getNumOutDims() && "broadcast keeps the rank");
  std::vector<int64_t> oldShape = layoutShape(layout);
  LinearLayout result = toRegisterLayout(layout);
  for (size_t d = 0; d < shape.size(); ++d) {
    assert((oldShape[d] == shape[d] || oldShape[d] == 1) && "only size 1 can be broadcast");
    result = result.resizeOutDim(dimName(d), int32_t(shape[d]));
  }

  FlatIns ins = flatIns(result);
  std::vector<uint64_t> wanted;
  for (size_t d = shape.size(); d-- > 0;)
    for (int64_t coord = oldShape[d]; coord < shape[d]; coord *= 2) {
      std::vector<int32_t> coords(shape.size(), 0);
      coords[d] = int32_t(coord);
      wanted.push_back(result.flattenOut(coords));
    }
  size_t next = 0;
  for (auto &[name, bases] : ins) {
    if (name != kRegister && name != kLane && name != kWarp)
      continue;
    for (uint64_t &basis : bases)
      if (basis == 0 && next < wanted.size())
        basis = wanted[next++];
  }
  auto &registers = ins.front().second;
  registers.insert(registers.end(), wanted.begin() + next, wanted.end());
  return LinearLayout::fromFlatBases(std::move(ins), result.getOutDims());
}

LinearLayout broadcastOperandLayout(const LinearLayout &result, Shape operandShape) {
  LinearLayout operand = result;
  for (size_t d = 0; d < operandShape.size(); ++d)
    if (operandShape[d] == 1)
      operand = operand.resizeOutDim(dimName(d), 1);
  return removeRegisterReplication(operand);
}

//===----------------------------------------------------------------------===//
// Queries and register order
//===----------------------------------------------------------------------===//

LinearLayout toRegisterLayout(const LinearLayout &layout) {
  FlatIns ins;
  for (llvm::StringRef name : {kRegister, kLane, kWarp, kBlock})
    ins.emplace_back(name.str(), layout.getFlatBases(name).vec());
  for (const std::string &name : layout.getInDimNames()) {
    (void)name;
    assert((name == kRegister || name == kLane || name == kWarp || name == kBlock) &&
           "not a register layout");
  }
  return LinearLayout::fromFlatBases(std::move(ins), layout.getOutDims());
}

LinearLayout removeRegisterReplication(const LinearLayout &layout,
                                       std::vector<int32_t> *registerMap) {
  LinearLayout result = toRegisterLayout(layout);
  FlatIns ins = flatIns(result);
  std::vector<uint64_t> kept;
  std::vector<int32_t> images; // of each register bit, in the new registers
  F2Span span;
  for (uint64_t basis : ins.front().second) {
    if (std::optional<uint64_t> solution = span.solve(basis)) {
      images.push_back(int32_t(*solution));
      continue;
    }
    span.insert(basis);
    images.push_back(1 << kept.size());
    kept.push_back(basis);
  }
  if (registerMap) {
    registerMap->clear();
    for (uint64_t r = 0; r < uint64_t(1) << images.size(); ++r)
      registerMap->push_back(applyColumns<int32_t>(images, r));
  }
  ins.front().second = std::move(kept);
  return LinearLayout::fromFlatBases(std::move(ins), result.getOutDims());
}

int32_t elementsPerThread(const LinearLayout &layout) { return layout.getInDimSize(kRegister); }

std::vector<int64_t> layoutShape(const LinearLayout &layout) { return layout.getOutShape(); }

int32_t maskAlongAxis(const LinearLayout &layout, llvm::StringRef inDim, unsigned axis) {
  int32_t mask = 0;
  std::string name = dimName(axis);
  for (int32_t i = 0; i < layout.getInDimSizeLog2(inDim); ++i)
    if (layout.getBasis(inDim, i, name))
      mask |= 1 << i;
  return mask;
}

bool axisIsWithinWarp(const LinearLayout &layout, unsigned axis) {
  return !maskAlongAxis(layout, kWarp, axis) && !maskAlongAxis(layout, kBlock, axis);
}

std::vector<unsigned> contiguousRegisterBits(const LinearLayout &layout, unsigned axis) {
  std::vector<unsigned> bits;
  llvm::ArrayRef<uint64_t> registers = layout.getFlatBases(kRegister);
  std::vector<int32_t> coords(layout.getNumOutDims(), 0);
  for (int32_t i = 0; i < layout.getOutDimSizeLog2(dimName(axis)); ++i) {
    coords[axis] = 1 << i;
    uint64_t unit = layout.flattenOut(coords);
    // Exactly one basis may touch this coordinate bit: a register bit with nothing else in it.
    unsigned touching = 0;
    for (uint64_t basis : layout.getFlatMatrix())
      touching += (basis & unit) != 0;
    auto it = llvm::find(registers, unit);
    if (touching != 1 || it == registers.end())
      break;
    bits.push_back(unsigned(it - registers.begin()));
  }
  return bits;
}

} // namespace tilec
