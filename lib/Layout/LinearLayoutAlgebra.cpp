// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Algebra of linear layouts: product, composition, inverses, quotients, restriction, and the
// renaming, reordering and resizing of dimensions.

#include "tilec/Layout/LinearLayout.h"

#include "F2Span.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace tilec {

//===----------------------------------------------------------------------===//
// Product, composition, inverses
//===----------------------------------------------------------------------===//

LinearLayout LinearLayout::operator*(const LinearLayout &outer) const {
  LinearLayout result;
  result.outDims = outDims;
  for (const Out &dim : outer.outDims) {
    if (int index = result.findOut(dim.name); index >= 0)
      result.outDims[index].log2Size += dim.log2Size;
    else
      result.outDims.push_back(dim);
  }
  assert(result.getTotalOutDimSizeLog2() <= 62 && "product with too many output bits");

  // `outer`'s coordinate of each dimension goes above this layout's bits of that dimension.
  auto liftOuter = [&](uint64_t flat) {
    uint64_t lifted = 0;
    for (size_t i = 0; i < outer.outDims.size(); ++i) {
      int index = result.findOut(outer.outDims[i].name);
      lifted |= outer.outField(flat, i)
                << (result.outShift(index) + getOutDimSizeLog2(outer.outDims[i].name));
    }
    return lifted;
  };

  for (const In &dim : inDims) {
    In in{dim.name, {}};
    for (uint64_t basis : dim.bases)
      in.bases.push_back(remapOut(basis, result.outDims));
    result.inDims.push_back(std::move(in));
  }
  for (const In &dim : outer.inDims) {
    int index = result.findIn(dim.name);
    if (index < 0) {
      index = int(result.inDims.size());
      result.inDims.push_back({dim.name, {}});
    }
    for (uint64_t basis : dim.bases)
      result.inDims[index].bases.push_back(liftOuter(basis));
  }
  assert(result.getTotalInDimSizeLog2() <= 64 && "product with too many input bits");
  return result;
}

LinearLayout LinearLayout::compose(const LinearLayout &outer) const {
  LinearLayout result;
  result.outDims = outer.outDims;
  std::vector<Out> middle;
  for (const In &dim : outer.inDims)
    middle.push_back({dim.name, int32_t(dim.bases.size())});
  for (const Out &dim : outDims) {
    (void)dim;
    assert(outer.getInDimSizeLog2(dim.name) >= dim.log2Size && "outer layout is too small");
  }
  for (const In &dim : inDims) {
    In in{dim.name, {}};
    for (uint64_t basis : dim.bases)
      in.bases.push_back(outer.applyFlat(remapOut(basis, middle)));
    result.inDims.push_back(std::move(in));
  }
  return result;
}

std::optional<LinearLayout> LinearLayout::tryInvertAndCompose(const LinearLayout &dst) const {
  for (const Out &dim : outDims)
    if (dim.log2Size > dst.getOutDimSizeLog2(dim.name))
      return std::nullopt;

  F2Span span(dst.getFlatMatrix());
  LinearLayout result;
  for (const In &dim : dst.inDims)
    result.outDims.push_back({dim.name, int32_t(dim.bases.size())});
  for (const In &dim : inDims) {
    In in{dim.name, {}};
    int same = dst.findIn(dim.name);
    for (size_t i = 0; i < dim.bases.size(); ++i) {
      uint64_t image = remapOut(dim.bases[i], dst.outDims);
      if (same >= 0 && i < dst.inDims[same].bases.size() && dst.inDims[same].bases[i] == image) {
        in.bases.push_back(uint64_t(1) << (result.outShift(same) + i));
        continue;
      }
      // The span's combination lists dst's columns in order, which is dst's flattened input.
      std::optional<uint64_t> solution = span.solve(image);
      if (!solution)
        return std::nullopt;
      in.bases.push_back(*solution);
    }
    result.inDims.push_back(std::move(in));
  }
  return result;
}

LinearLayout LinearLayout::invertAndCompose(const LinearLayout &dst) const {
  std::optional<LinearLayout> result = tryInvertAndCompose(dst);
  assert(result && "dst does not reach every element of this layout");
  return *result;
}

LinearLayout LinearLayout::pseudoinvert() const {
  assert(isSurjective() && "pseudoinverse of a layout that is not surjective");
  F2Span span(getFlatMatrix());
  LinearLayout result;
  for (const In &dim : inDims)
    result.outDims.push_back({dim.name, int32_t(dim.bases.size())});
  unsigned bit = 0;
  for (const Out &dim : outDims) {
    In in{dim.name, {}};
    for (int32_t i = 0; i < dim.log2Size; ++i)
      in.bases.push_back(*span.solve(uint64_t(1) << bit++));
    result.inDims.push_back(std::move(in));
  }
  return result;
}

LinearLayout LinearLayout::invert() const {
  assert(isInvertible() && "inverse of a layout that is not invertible");
  return pseudoinvert();
}

//===----------------------------------------------------------------------===//
// Quotients
//===----------------------------------------------------------------------===//

//===----------------------------------------------------------------------===//
// Restriction
//===----------------------------------------------------------------------===//

LinearLayout LinearLayout::sublayout(llvm::ArrayRef<llvm::StringRef> ins,
                                     llvm::ArrayRef<llvm::StringRef> outs) const {
  LinearLayout result;
  for (const Out &dim : outDims)
    if (llvm::is_contained(outs, dim.name))
      result.outDims.push_back(dim);
  for (const In &dim : inDims) {
    if (!llvm::is_contained(ins, dim.name))
      continue;
    In in{dim.name, {}};
    for (uint64_t basis : dim.bases)
      in.bases.push_back(remapOut(basis, result.outDims));
    result.inDims.push_back(std::move(in));
  }
  return result;
}

bool LinearLayout::sublayoutIsZero(llvm::ArrayRef<llvm::StringRef> ins,
                                   llvm::ArrayRef<llvm::StringRef> outs) const {
  return llvm::all_of(sublayout(ins, outs).getFlatMatrix(), [](uint64_t b) { return b == 0; });
}

bool LinearLayout::sublayoutIsIdentity(llvm::StringRef in, llvm::StringRef out) const {
  if (getInDimSizeLog2(in) != getOutDimSizeLog2(out))
    return false;
  std::vector<uint64_t> columns = sublayout({in}, {out}).getFlatMatrix();
  for (size_t i = 0; i < columns.size(); ++i)
    if (columns[i] != uint64_t(1) << i)
      return false;
  return true;
}

LinearLayout LinearLayout::removeZeroBasesAlongDim(llvm::StringRef inDim) const {
  LinearLayout result = *this;
  if (int index = findIn(inDim); index >= 0)
    llvm::erase(result.inDims[index].bases, uint64_t(0));
  return result;
}

//===----------------------------------------------------------------------===//
// Dimensions: reshape, reorder, join, resize, rename
//===----------------------------------------------------------------------===//

LinearLayout LinearLayout::reshapeOuts(llvm::ArrayRef<OutDim> newDims) const {
  LinearLayout result = *this;
  result.outDims.clear();
  for (const OutDim &dim : newDims) {
    assert(llvm::isPowerOf2_32(dim.second) && "sizes are powers of two");
    result.outDims.push_back({dim.first, int32_t(llvm::Log2_32(dim.second))});
  }
  assert(result.getTotalOutDimSizeLog2() == getTotalOutDimSizeLog2() &&
         "reshape changes the total size");
  return result;
}

LinearLayout LinearLayout::transposeIns(llvm::ArrayRef<std::string> newOrder) const {
  assert(newOrder.size() == inDims.size() && "not a permutation of the input dimensions");
  LinearLayout result;
  result.outDims = outDims;
  for (const std::string &name : newOrder) {
    assert(hasInDim(name) && !result.hasInDim(name) && "not a permutation");
    result.inDims.push_back(inDims[findIn(name)]);
  }
  return result;
}

LinearLayout LinearLayout::transposeOuts(llvm::ArrayRef<std::string> newOrder) const {
  assert(newOrder.size() == outDims.size() && "not a permutation of the output dimensions");
  LinearLayout result = *this;
  result.outDims.clear();
  for (const std::string &name : newOrder) {
    assert(hasOutDim(name) && !result.hasOutDim(name) && "not a permutation");
    result.outDims.push_back(outDims[findOut(name)]);
  }
  for (In &dim : result.inDims)
    for (uint64_t &basis : dim.bases)
      basis = remapOut(basis, result.outDims);
  return result;
}

LinearLayout LinearLayout::resizeInDim(llvm::StringRef inDim, int32_t newSize) const {
  assert(llvm::isPowerOf2_32(newSize) && "sizes are powers of two");
  int index = findIn(inDim);
  assert(index >= 0 && "no such input dimension");
  LinearLayout result = *this;
  result.inDims[index].bases.resize(llvm::Log2_32(newSize), 0);
  return result;
}

LinearLayout LinearLayout::resizeOutDim(llvm::StringRef outDim, int32_t newSize) const {
  assert(llvm::isPowerOf2_32(newSize) && "sizes are powers of two");
  int index = findOut(outDim);
  assert(index >= 0 && "no such output dimension");
  LinearLayout result = *this;
  result.outDims[index].log2Size = int32_t(llvm::Log2_32(newSize));
  for (In &dim : result.inDims)
    for (uint64_t &basis : dim.bases)
      basis = remapOut(basis, result.outDims);
  return result;
}

LinearLayout LinearLayout::unsqueezeIn(llvm::StringRef name) const {
  assert(!hasInDim(name) && "input dimension exists");
  LinearLayout result = *this;
  result.inDims.push_back({name.str(), {}});
  return result;
}

LinearLayout LinearLayout::unsqueezeOut(llvm::StringRef name) const {
  assert(!hasOutDim(name) && "output dimension exists");
  LinearLayout result = *this;
  result.outDims.push_back({name.str(), 0});
  return result;
}

LinearLayout LinearLayout::squeezeIn(llvm::StringRef name) const {
  int index = findIn(name);
  assert(index >= 0 && inDims[index].bases.empty() && "dimension is absent or has positions");
  LinearLayout result = *this;
  result.inDims.erase(result.inDims.begin() + index);
  return result;
}

} // namespace tilec
