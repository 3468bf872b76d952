// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Construction, queries, evaluation and comparison of linear layouts. A basis is stored flattened
// over the output dimensions, so a layout is a GF(2) matrix whose columns are 64-bit integers.

#include "tilec/Layout/LinearLayout.h"

#include "F2Span.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <set>

namespace tilec {

namespace {
constexpr int kMaxDimBits = 30;
constexpr int kMaxInBits = 64;
constexpr int kMaxOutBits = 62;

llvm::Error layoutError(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

int32_t exactLog2(int64_t size) {
  assert(llvm::isPowerOf2_64(size) && "sizes are powers of two");
  return llvm::Log2_64(size);
}
} // namespace

std::string dimName(unsigned i) { return "dim" + std::to_string(i); }

std::vector<std::string> dimNames(unsigned rank) {
  std::vector<std::string> names;
  for (unsigned i = 0; i < rank; ++i)
    names.push_back(dimName(i));
  return names;
}

//===----------------------------------------------------------------------===//
// Construction
//===----------------------------------------------------------------------===//

LinearLayout LinearLayout::identity1D(int32_t size, llvm::StringRef inDim, llvm::StringRef outDim) {
  return strided1D(size, 1, inDim, outDim);
}

LinearLayout LinearLayout::strided1D(int32_t size, int32_t stride, llvm::StringRef inDim,
                                     llvm::StringRef outDim) {
  int32_t bits = exactLog2(size), shift = exactLog2(stride);
  In in{inDim.str(), {}};
  for (int32_t i = 0; i < bits; ++i)
    in.bases.push_back(uint64_t(1) << (i + shift));
  LinearLayout result;
  result.inDims.push_back(std::move(in));
  result.outDims.push_back({outDim.str(), bits + shift});
  return result;
}

LinearLayout LinearLayout::zeros1D(int32_t size, llvm::StringRef inDim, llvm::StringRef outDim,
                                   int32_t outSize) {
  LinearLayout result;
  result.inDims.push_back({inDim.str(), std::vector<uint64_t>(exactLog2(size), 0)});
  result.outDims.push_back({outDim.str(), exactLog2(outSize)});
  return result;
}

llvm::Expected<LinearLayout> LinearLayout::create(std::vector<InDimBases> inDimBases,
                                                  std::vector<OutDim> outDimSizes,
                                                  bool requireSurjective) {
  LinearLayout result;
  int32_t outBits = 0;
  std::set<std::string> seen;
  for (OutDim &dim : outDimSizes) {
    if (dim.first.empty())
      return layoutError("an output dimension has no name");
    if (!seen.insert(dim.first).second)
      return layoutError("output dimension '" + dim.first + "' is given twice");
    if (dim.second <= 0 || !llvm::isPowerOf2_32(dim.second))
      return layoutError("expected a power of two as the size of '" + dim.first + "', got " +
                         llvm::Twine(dim.second));
    outBits += llvm::Log2_32(dim.second);
    result.outDims.push_back({std::move(dim.first), int32_t(llvm::Log2_32(dim.second))});
  }
  if (outBits > kMaxOutBits)
    return layoutError("expected at most 2^" + llvm::Twine(kMaxOutBits) +
                       " output positions, got 2^" + llvm::Twine(outBits));

  seen.clear();
  size_t inBits = 0;
  for (InDimBases &dim : inDimBases) {
    if (dim.name.empty())
      return layoutError("an input dimension has no name");
    if (!seen.insert(dim.name).second)
      return layoutError("input dimension '" + dim.name + "' is given twice");
    if (dim.bases.size() > size_t(kMaxDimBits))
      return layoutError("expected at most " + llvm::Twine(kMaxDimBits) + " bases for '" +
                         dim.name + "', got " + llvm::Twine(dim.bases.size()));
    inBits += dim.bases.size();
    In in{std::move(dim.name), {}};
    for (size_t i = 0; i < dim.bases.size(); ++i) {
      const Basis &basis = dim.bases[i];
      if (basis.size() != result.outDims.size())
        return layoutError("expected " + llvm::Twine(result.outDims.size()) +
                           " coordinates in basis " + llvm::Twine(i) + " of '" + in.name +
                           "', got " + llvm::Twine(basis.size()));
      for (size_t d = 0; d < basis.size(); ++d) {
        int64_t size = int64_t(1) << result.outDims[d].log2Size;
        if (basis[d] < 0 || basis[d] >= size)
          return layoutError("basis " + llvm::Twine(i) + " of '" + in.name + "' has coordinate " +
                             llvm::Twine(basis[d]) + " along '" + result.outDims[d].name +
                             "', which has size " + llvm::Twine(size));
      }
      in.bases.push_back(result.flattenOut(basis));
    }
    result.inDims.push_back(std::move(in));
  }
  if (inBits > size_t(kMaxInBits))
    return layoutError("expected at most 2^" + llvm::Twine(kMaxInBits) +
                       " input positions, got 2^" + llvm::Twine(inBits));
  if (requireSurjective && !result.isSurjective())
    return layoutError("the layout does not reach every element: expected rank " +
                       llvm::Twine(outBits) + ", got " + llvm::Twine(result.getRank()));
  return result;
}

LinearLayout
LinearLayout::fromFlatBases(std::vector<std::pair<std::string, std::vector<uint64_t>>> inDimBases,
                            std::vector<OutDim> outDimSizes) {
  LinearLayout result;
  for (OutDim &dim : outDimSizes)
    result.outDims.push_back({std::move(dim.first), exactLog2(dim.second)});
  for (auto &[name, bases] : inDimBases)
    result.inDims.push_back({std::move(name), std::move(bases)});
  assert(result.getTotalOutDimSizeLog2() <= kMaxOutBits && "too many output bits");
  assert(result.getTotalInDimSizeLog2() <= kMaxInBits && "too many input bits");
  assert(llvm::all_of(result.getFlatMatrix(),
                      [&](uint64_t b) { return b >> result.getTotalOutDimSizeLog2() == 0; }) &&
         "basis beyond the output");
  return result;
}

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

int LinearLayout::findIn(llvm::StringRef name) const {
  for (size_t i = 0; i < inDims.size(); ++i)
    if (inDims[i].name == name)
      return int(i);
  return -1;
}

int LinearLayout::findOut(llvm::StringRef name) const {
  for (size_t i = 0; i < outDims.size(); ++i)
    if (outDims[i].name == name)
      return int(i);
  return -1;
}

unsigned LinearLayout::outShift(unsigned index) const {
  unsigned shift = 0;
  for (unsigned i = 0; i < index; ++i)
    shift += outDims[i].log2Size;
  return shift;
}

uint64_t LinearLayout::outField(uint64_t flat, unsigned index) const {
  return (flat >> outShift(index)) & ((uint64_t(1) << outDims[index].log2Size) - 1);
}

uint64_t LinearLayout::remapOut(uint64_t flat, llvm::ArrayRef<Out> to) const {
  uint64_t result = 0;
  unsigned shift = 0;
  for (const Out &dim : to) {
    if (int index = findOut(dim.name); index >= 0)
      result |= (outField(flat, index) & ((uint64_t(1) << dim.log2Size) - 1)) << shift;
    shift += dim.log2Size;
  }
  return result;
}

std::vector<std::string> LinearLayout::getInDimNames() const {
  std::vector<std::string> names;
  for (const In &dim : inDims)
    names.push_back(dim.name);
  return names;
}

std::vector<std::string> LinearLayout::getOutDimNames() const {
  std::vector<std::string> names;
  for (const Out &dim : outDims)
    names.push_back(dim.name);
  return names;
}

std::vector<LinearLayout::OutDim> LinearLayout::getOutDims() const {
  std::vector<OutDim> result;
  for (const Out &dim : outDims)
    result.emplace_back(dim.name, int32_t(1) << dim.log2Size);
  return result;
}

int32_t LinearLayout::getInDimSizeLog2(llvm::StringRef inDim) const {
  int index = findIn(inDim);
  return index < 0 ? 0 : int32_t(inDims[index].bases.size());
}

int32_t LinearLayout::getOutDimSizeLog2(llvm::StringRef outDim) const {
  int index = findOut(outDim);
  return index < 0 ? 0 : outDims[index].log2Size;
}

std::vector<int64_t> LinearLayout::getOutShape() const {
  std::vector<int64_t> shape;
  for (const Out &dim : outDims)
    shape.push_back(int64_t(1) << dim.log2Size);
  return shape;
}

int32_t LinearLayout::getTotalInDimSizeLog2() const {
  int32_t bits = 0;
  for (const In &dim : inDims)
    bits += int32_t(dim.bases.size());
  return bits;
}

int32_t LinearLayout::getTotalOutDimSizeLog2() const { return outShift(outDims.size()); }

LinearLayout::Basis LinearLayout::getBasis(llvm::StringRef inDim, unsigned i) const {
  return unflattenOut(getFlatBasis(inDim, i));
}

int32_t LinearLayout::getBasis(llvm::StringRef inDim, unsigned i, llvm::StringRef outDim) const {
  int index = findOut(outDim);
  return index < 0 ? 0 : int32_t(outField(getFlatBasis(inDim, i), index));
}

uint64_t LinearLayout::getFlatBasis(llvm::StringRef inDim, unsigned i) const {
  llvm::ArrayRef<uint64_t> bases = getFlatBases(inDim);
  assert(i < bases.size() && "no such basis");
  return bases[i];
}

llvm::ArrayRef<uint64_t> LinearLayout::getFlatBases(llvm::StringRef inDim) const {
  int index = findIn(inDim);
  return index < 0 ? llvm::ArrayRef<uint64_t>() : llvm::ArrayRef<uint64_t>(inDims[index].bases);
}

std::vector<uint64_t> LinearLayout::getFlatMatrix() const {
  std::vector<uint64_t> columns;
  for (const In &dim : inDims)
    columns.insert(columns.end(), dim.bases.begin(), dim.bases.end());
  return columns;
}

unsigned LinearLayout::getRank() const { return F2Span(getFlatMatrix()).rank(); }

bool LinearLayout::isSurjective() const { return int32_t(getRank()) == getTotalOutDimSizeLog2(); }

bool LinearLayout::isInjective() const { return int32_t(getRank()) == getTotalInDimSizeLog2(); }

std::map<std::string, int32_t> LinearLayout::getFreeVariableMasks() const {
  std::map<std::string, int32_t> masks;
  F2Span span;
  for (const In &dim : inDims) {
    int32_t mask = 0;
    for (size_t i = 0; i < dim.bases.size(); ++i)
      if (!span.insert(dim.bases[i]))
        mask |= 1 << i;
    masks[dim.name] = mask;
  }
  return masks;
}

int32_t LinearLayout::getFreeVariableMask(llvm::StringRef inDim) const {
  auto masks = getFreeVariableMasks();
  auto it = masks.find(inDim.str());
  return it == masks.end() ? 0 : it->second;
}

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

uint64_t LinearLayout::applyToFlat(llvm::ArrayRef<std::pair<llvm::StringRef, int32_t>> ins) const {
  uint64_t result = 0;
  for (const auto &[name, value] : ins) {
    llvm::ArrayRef<uint64_t> bases = getFlatBases(name);
    assert(value >= 0 && uint64_t(value) >> bases.size() == 0 && "position beyond the dimension");
    result ^= applyColumns(bases, uint32_t(value));
  }
  return result;
}

LinearLayout::NamedCoords
LinearLayout::apply(llvm::ArrayRef<std::pair<llvm::StringRef, int32_t>> ins) const {
  uint64_t flat = applyToFlat(ins);
  NamedCoords result;
  for (size_t i = 0; i < outDims.size(); ++i)
    result.emplace_back(outDims[i].name, int32_t(outField(flat, i)));
  return result;
}

uint64_t LinearLayout::applyFlat(uint64_t in) const {
  uint64_t result = 0;
  for (const In &dim : inDims)
    for (uint64_t basis : dim.bases) {
      if (in & 1)
        result ^= basis;
      in >>= 1;
    }
  assert(in == 0 && "position beyond the layout");
  return result;
}

std::vector<int32_t> LinearLayout::unflattenOut(uint64_t flat) const {
  std::vector<int32_t> coords;
  for (size_t i = 0; i < outDims.size(); ++i)
    coords.push_back(int32_t(outField(flat, i)));
  return coords;
}

uint64_t LinearLayout::flattenOut(llvm::ArrayRef<int32_t> coords) const {
  assert(coords.size() == outDims.size() && "one coordinate per output dimension");
  uint64_t flat = 0;
  unsigned shift = 0;
  for (size_t i = 0; i < outDims.size(); ++i) {
    flat |= uint64_t(uint32_t(coords[i])) << shift;
    shift += outDims[i].log2Size;
  }
  return flat;
}

//===----------------------------------------------------------------------===//
// Comparison and printing
//===----------------------------------------------------------------------===//

bool LinearLayout::operator==(const LinearLayout &other) const {
  return inDims == other.inDims && outDims == other.outDims;
}

bool LinearLayout::equalUpToDimOrder(const LinearLayout &other) const {
  for (const Out &dim : outDims)
    if (other.getOutDimSizeLog2(dim.name) != dim.log2Size)
      return false;
  for (const Out &dim : other.outDims)
    if (getOutDimSizeLog2(dim.name) != dim.log2Size)
      return false;
  for (const In &dim : other.inDims)
    if (getInDimSizeLog2(dim.name) != int32_t(dim.bases.size()))
      return false;
  for (const In &dim : inDims) {
    llvm::ArrayRef<uint64_t> bases = other.getFlatBases(dim.name);
    if (bases.size() != dim.bases.size())
      return false;
    for (size_t i = 0; i < bases.size(); ++i)
      if (other.remapOut(bases[i], outDims) != dim.bases[i])
        return false;
  }
  return true;
}

llvm::hash_code hash_value(const LinearLayout &layout) {
  llvm::hash_code hash = llvm::hash_combine(layout.inDims.size(), layout.outDims.size());
  for (const auto &dim : layout.inDims)
    hash = llvm::hash_combine(hash, dim.name,
                              llvm::hash_combine_range(dim.bases.begin(), dim.bases.end()));
  for (const auto &dim : layout.outDims)
    hash = llvm::hash_combine(hash, dim.name, dim.log2Size);
  return hash;
}

void LinearLayout::print(llvm::raw_ostream &os) const {
  os << '{';
  llvm::interleaveComma(inDims, os, [&](const In &dim) {
    os << dim.name << "=[";
    llvm::interleave(
        dim.bases, os,
        [&](uint64_t basis) {
          os << '[';
          llvm::interleave(unflattenOut(basis), os, ",");
          os << ']';
        },
        ",");
    os << ']';
  });
  os << "} -> [";
  llvm::interleaveComma(
      outDims, os, [&](const Out &dim) { os << dim.name << ':' << (int64_t(1) << dim.log2Size); });
  os << ']';
}

std::string LinearLayout::toString() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  print(os);
  return text;
}

llvm::raw_ostream &operator<<(llvm::raw_ostream &os, const LinearLayout &layout) {
  layout.print(os);
  return os;
}

} // namespace tilec
