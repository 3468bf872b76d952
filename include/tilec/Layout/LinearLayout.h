// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A linear layout is a linear map over GF(2) from a hardware position (named input dimensions such
// as register, lane, warp, block, or offset) to a tensor coordinate (named output dimensions).
// Every size is a power of two; the map is fixed by the images of the single-bit inputs (bases),
// and is evaluated by the XOR of the bases of the set bits. All of the tile compiler's register and
// shared-memory layouts are values of this one type.

#ifndef TILEC_LAYOUT_LINEARLAYOUT_H
#define TILEC_LAYOUT_LINEARLAYOUT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace llvm {
class raw_ostream;
}

namespace tilec {

/// Standard dimension names.
inline constexpr llvm::StringLiteral kRegister = "register";
inline constexpr llvm::StringLiteral kLane = "lane";
inline constexpr llvm::StringLiteral kWarp = "warp";
inline constexpr llvm::StringLiteral kBlock = "block";
inline constexpr llvm::StringLiteral kOffset = "offset";

/// Name of tensor dimension `i`: "dim0", "dim1", ...
std::string dimName(unsigned i);
/// "dim0" .. "dim<rank-1>", the canonical order of a tensor layout's output dimensions.
std::vector<std::string> dimNames(unsigned rank);

/// A linear layout. Value type; cheap to copy (a few dozen integers).
///
/// Order. Input and output dimensions are ordered, minor first: when several dimensions are
/// flattened into one integer, the first one occupies the lowest bits. Equality is sensitive to the
/// order of dimensions.
///
/// Limits. At most 64 input bits and 62 output bits in total; one dimension has at most 2^30
/// positions. create() reports violations; the other factories and the algebra assert them.
///
/// Preconditions of the algebra are stated per function. They concern the caller's code, never
/// text that a user wrote: layouts from text come through create(), which checks everything.
class LinearLayout {
public:
  /// One basis: the image of a single input bit, one coordinate per output dimension.
  using Basis = std::vector<int32_t>;
  /// An input dimension by its bases, least significant input bit first.
  struct InDimBases {
    std::string name;
    std::vector<Basis> bases;
  };
  /// Output dimension name and size (a power of two).
  using OutDim = std::pair<std::string, int32_t>;
  /// Named coordinates, in argument or output order.
  using NamedCoords = std::vector<std::pair<std::string, int32_t>>;

  //===--------------------------------------------------------------------===//
  // Construction
  //===--------------------------------------------------------------------===//

  /// The layout with no dimensions; the neutral element of operator*.
  LinearLayout() = default;
  static LinearLayout empty() { return LinearLayout(); }

  /// L(x) = x for x < size.
  static LinearLayout identity1D(int32_t size, llvm::StringRef inDim, llvm::StringRef outDim);
  /// L(x) = x * stride for x < size; `stride` is a power of two. The output size is size * stride.
  static LinearLayout strided1D(int32_t size, int32_t stride, llvm::StringRef inDim,
                                llvm::StringRef outDim);
  /// L(x) = 0 for x < size, into an output dimension of `outSize` positions.
  static LinearLayout zeros1D(int32_t size, llvm::StringRef inDim, llvm::StringRef outDim,
                              int32_t outSize = 1);

  /// The layout with the given bases, checked: names unique and not empty, sizes powers of two,
  /// every basis has one in-range coordinate per output dimension, total bits within the limits,
  /// and, with `requireSurjective`, every output coordinate reached.
  static llvm::Expected<LinearLayout> create(std::vector<InDimBases> inDims,
                                             std::vector<OutDim> outDims,
                                             bool requireSurjective = false);

  /// As create() for bases that are already flattened over the output dimensions; for callers that
  /// compute layouts. Preconditions are asserted.
  static LinearLayout
  fromFlatBases(std::vector<std::pair<std::string, std::vector<uint64_t>>> inDims,
                std::vector<OutDim> outDims);

  //===--------------------------------------------------------------------===//
  // Queries
  //===--------------------------------------------------------------------===//

  unsigned getNumOutDims() const { return outDims.size(); }
  std::vector<std::string> getInDimNames() const;
  std::vector<std::string> getOutDimNames() const;
  std::vector<OutDim> getOutDims() const;
  bool hasInDim(llvm::StringRef inDim) const { return findIn(inDim) >= 0; }
  bool hasOutDim(llvm::StringRef outDim) const { return findOut(outDim) >= 0; }

  /// Size of an input dimension; an absent dimension has one position (zero bits).
  int32_t getInDimSize(llvm::StringRef inDim) const { return 1 << getInDimSizeLog2(inDim); }
  int32_t getInDimSizeLog2(llvm::StringRef inDim) const;
  /// Size of an output dimension; an absent dimension has one position.
  int32_t getOutDimSize(llvm::StringRef outDim) const { return 1 << getOutDimSizeLog2(outDim); }
  int32_t getOutDimSizeLog2(llvm::StringRef outDim) const;
  /// Sizes of the output dimensions, in their order.
  std::vector<int64_t> getOutShape() const;

  int32_t getTotalInDimSizeLog2() const;
  int32_t getTotalOutDimSizeLog2() const;
  int64_t getTotalInDimSize() const { return int64_t(1) << getTotalInDimSizeLog2(); }
  int64_t getTotalOutDimSize() const { return int64_t(1) << getTotalOutDimSizeLog2(); }

  /// Image of bit `i` of `inDim`, a coordinate per output dimension.
  Basis getBasis(llvm::StringRef inDim, unsigned i) const;
  int32_t getBasis(llvm::StringRef inDim, unsigned i, llvm::StringRef outDim) const;
  /// Image of bit `i` of `inDim` over the flattened output (first output dimension lowest).
  uint64_t getFlatBasis(llvm::StringRef inDim, unsigned i) const;
  /// All flat bases of one input dimension; empty if absent. Valid until the layout is changed.
  llvm::ArrayRef<uint64_t> getFlatBases(llvm::StringRef inDim) const;
  /// All flat bases, first input dimension's first bit first: the columns of the matrix.
  std::vector<uint64_t> getFlatMatrix() const;

  /// Rank of the matrix.
  unsigned getRank() const;
  /// Every output coordinate is reached.
  bool isSurjective() const;
  /// No two inputs share an output.
  bool isInjective() const;
  bool isInvertible() const { return isSurjective() && isInjective(); }

  /// Per input dimension, the mask of bits that are zero or depend on earlier bits (dimensions in
  /// order, low bits first): positions that differ only in those bits hold replicas.
  std::map<std::string, int32_t> getFreeVariableMasks() const;
  int32_t getFreeVariableMask(llvm::StringRef inDim) const;

  //===--------------------------------------------------------------------===//
  // Evaluation
  //===--------------------------------------------------------------------===//

  /// Image of a position. Input dimensions not named are 0; names the layout does not have must be
  /// given 0. The result lists every output dimension in order.
  NamedCoords apply(llvm::ArrayRef<std::pair<llvm::StringRef, int32_t>> ins) const;
  /// Flat to flat: first dimension in the lowest bits on both sides.
  uint64_t applyFlat(uint64_t in) const;
  /// Flat output from named inputs.
  uint64_t applyToFlat(llvm::ArrayRef<std::pair<llvm::StringRef, int32_t>> ins) const;
  /// Splits a flat output into one coordinate per output dimension, and back.
  std::vector<int32_t> unflattenOut(uint64_t flat) const;
  uint64_t flattenOut(llvm::ArrayRef<int32_t> coords) const;

  //===--------------------------------------------------------------------===//
  // Algebra
  //===--------------------------------------------------------------------===//

  /// Product: `outer`'s bits go above this layout's bits, dimension by dimension of the same name,
  /// on both sides; dimensions only in `outer` are appended. "Tiles of tiles".
  LinearLayout operator*(const LinearLayout &outer) const;
  LinearLayout &operator*=(const LinearLayout &outer) { return *this = *this * outer; }

  /// x -> outer(this(x)). `outer`'s input dimensions have the names of this layout's output
  /// dimensions (in any order) and are at least as large.
  LinearLayout compose(const LinearLayout &outer) const;

  /// C with dst(C(x)) == this(x); C goes from this layout's inputs to dst's inputs. Both have the
  /// same output dimension names (in any order). Where both have the same basis at the same bit of
  /// the same input dimension (in particular both zero) that bit is copied through, so that equal
  /// layouts give the identity; otherwise dst's replicated bits are 0. Precondition: dst reaches
  /// everything that this layout reaches; use tryInvertAndCompose() when not known.
  LinearLayout invertAndCompose(const LinearLayout &dst) const;
  /// As invertAndCompose(); nullopt when some position of this layout is not reached by dst.
  std::optional<LinearLayout> tryInvertAndCompose(const LinearLayout &dst) const;

  /// Right inverse: this(P(y)) == y, replicated bits 0. Precondition: surjective.
  LinearLayout pseudoinvert() const;
  /// Two-sided inverse. Precondition: invertible.
  LinearLayout invert() const;

  /// Restriction to the named input dimensions, projected on the named output dimensions, in this
  /// layout's order. Names must exist.
  LinearLayout sublayout(llvm::ArrayRef<llvm::StringRef> ins,
                         llvm::ArrayRef<llvm::StringRef> outs) const;
  /// The sublayout maps everything to 0. Names that do not exist are ignored.
  bool sublayoutIsZero(llvm::ArrayRef<llvm::StringRef> ins,
                       llvm::ArrayRef<llvm::StringRef> outs) const;
  /// The sublayout of one input dimension on one output dimension is x -> x.
  bool sublayoutIsIdentity(llvm::StringRef in, llvm::StringRef out) const;

  /// Drops the zero bases of `inDim`; the dimension stays, smaller.
  LinearLayout removeZeroBasesAlongDim(llvm::StringRef inDim) const;

  /// Flattens all output dimensions and splits them anew, first dimension lowest. The total size is
  /// unchanged.
  LinearLayout reshapeOuts(llvm::ArrayRef<OutDim> newDims) const;
  /// Reorders dimensions; `newOrder` is a permutation of the names.
  LinearLayout transposeIns(llvm::ArrayRef<std::string> newOrder) const;
  LinearLayout transposeOuts(llvm::ArrayRef<std::string> newOrder) const;
  /// Changes an input size: cut the high bits, or append zero bases.
  LinearLayout resizeInDim(llvm::StringRef inDim, int32_t newSize) const;
  /// Changes an output size; bases beyond a smaller size lose their high bits.
  LinearLayout resizeOutDim(llvm::StringRef outDim, int32_t newSize) const;
  /// Appends a dimension with one position.
  LinearLayout unsqueezeIn(llvm::StringRef name) const;
  LinearLayout unsqueezeOut(llvm::StringRef name) const;
  /// Drops a dimension with one position.
  LinearLayout squeezeIn(llvm::StringRef name) const;

  //===--------------------------------------------------------------------===//
  // Comparison and printing
  //===--------------------------------------------------------------------===//

  bool operator==(const LinearLayout &other) const;
  bool operator!=(const LinearLayout &other) const { return !(*this == other); }
  /// Same map when dimensions are matched by name, dimensions of one position ignored.
  bool equalUpToDimOrder(const LinearLayout &other) const;
  friend llvm::hash_code hash_value(const LinearLayout &layout);

  /// `{register=[[0,1],[0,2]], lane=[...]} -> [dim0:16, dim1:32]`.
  std::string toString() const;
  void print(llvm::raw_ostream &os) const;

private:
  struct In {
    std::string name;
    std::vector<uint64_t> bases; // flattened over outDims, first output dimension lowest
    bool operator==(const In &o) const { return name == o.name && bases == o.bases; }
  };
  struct Out {
    std::string name;
    int32_t log2Size = 0;
    bool operator==(const Out &o) const { return name == o.name && log2Size == o.log2Size; }
  };

  int findIn(llvm::StringRef name) const;
  int findOut(llvm::StringRef name) const;
  /// First bit of output dimension `index` in the flattened output.
  unsigned outShift(unsigned index) const;
  /// Coordinate of output dimension `index` in a flat output.
  uint64_t outField(uint64_t flat, unsigned index) const;
  /// `flat` of this layout rearranged to the dimensions `to` (matched by name; absent ones drop).
  uint64_t remapOut(uint64_t flat, llvm::ArrayRef<Out> to) const;

  std::vector<In> inDims;
  std::vector<Out> outDims;
};

llvm::raw_ostream &operator<<(llvm::raw_ostream &os, const LinearLayout &layout);

} // namespace tilec

#endif // TILEC_LAYOUT_LINEARLAYOUT_H
