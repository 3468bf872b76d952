// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Warps are spread by trying all splits. Buffers are XOR-swizzled rows; the parameters are the
// first for which the rank formulas count no conflict. Registers of a product are found by their
// coordinates in the first thread; the coordinates of lanes and warps have to agree.

#include "tilec/Layout/MmaLayout.h"

#include "tilec/Layout/MatrixAccess.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace tilec {

std::vector<int32_t> chooseMmaWarps(Shape shape, int32_t numWarps, bool keepRows) {
  unsigned rank = shape.size();
  int64_t rows = shape[rank - 2], columns = shape[rank - 1];
  std::vector<int32_t> result(rank, 1);
  if (rank == 3)
    result[0] = int32_t(std::min<int64_t>(numWarps, shape[0]));
  int32_t rest = numWarps / result[0];
  std::optional<std::tuple<bool, int64_t, int64_t, int64_t>> best;
  for (int32_t along = rest; along >= 1; along /= 2) {
    int64_t warpRows = std::max<int64_t>(16, rows / along);
    int64_t warpColumns = std::max<int64_t>(8, columns / (rest / along));
    // With rows for all warps only the first split keeps them whole.
    bool splitsRows = keepRows && along != std::min<int64_t>(rest, std::max<int64_t>(1, rows / 16));
    std::tuple cost(splitsRows, warpRows * warpColumns, warpRows + warpColumns, int64_t(-along));
    if (best && *best <= cost)
      continue;
    best = cost;
    result[rank - 2] = along;
    result[rank - 1] = rest / along;
  }
  return result;
}

LinearLayout pairNeighbours(const LinearLayout &layout, unsigned dim, int64_t last, int64_t first) {
  std::vector<std::pair<std::string, std::vector<uint64_t>>> ins;
  int shift = 0;
  for (const auto &[name, size] : layout.getOutDims()) {
    std::vector<uint64_t> bases;
    for (int64_t bit = 1; bit < size; bit *= 2) {
      bool rotates = name == dimName(dim) && bit >= first && bit <= last;
      bases.push_back(uint64_t(rotates ? (bit == last ? first : bit * 2) : bit) << shift);
    }
    shift += int(bases.size());
    ins.push_back({name, std::move(bases)});
  }
  return layout.compose(LinearLayout::fromFlatBases(std::move(ins), layout.getOutDims()));
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

namespace {
/// Wavefronts above what moving the bytes takes, and instructions, of reading a whole operand.
std::pair<int64_t, int64_t> readCost(const LinearLayout &operand, const LinearLayout &memory,
                                     int32_t bits) {
  SharedAccess access = analyseSharedAccess(operand, memory, bits);
  if (std::optional<MatrixAccess> load = matchMatrixAccess(access.offsets, bits)) {
    int64_t requests = load->requests(operand.getInDimSize(kRegister));
    return {(load->wavefronts - load->idealWavefronts) * requests, requests};
  }
  return {int64_t(access.conflicts()) * access.requests, access.requests};
}
} // namespace

LinearLayout mmaSharedLayout(Shape shape, int32_t elementBits, unsigned contiguousDim,
                             const LinearLayout &operand) {
  elementBits = std::max(elementBits, 8);
  unsigned rank = shape.size();
  // Neighbours along a batch are in different matrices.
  if (contiguousDim + 2 < rank)
    contiguousDim = rank - 1;
  unsigned strided = contiguousDim == rank - 1 ? rank - 2 : rank - 1;
  std::vector<int32_t> order{int32_t(contiguousDim), int32_t(strided)};
  for (unsigned dim = rank - 2; dim-- > 0;)
    order.push_back(int32_t(dim));
  int64_t rowBytes = shape[contiguousDim] * elementBits / 8;

  // The phase of row bit i is XOR-ed to the number of the vector in a row.
  const LinearLayout plain = linearSharedLayout(shape, order).squeezeIn(kBlock);
  int columnBits = int(llvm::Log2_64(shape[contiguousDim]));
  int rowBits = int(llvm::Log2_64(shape[strided]));
  auto swizzled = [&](int64_t vectorBytes, llvm::ArrayRef<uint32_t> phases) {
    int first = int(llvm::Log2_64(vectorBytes * 8 / elementBits));
    std::vector<uint64_t> bases = plain.getFlatBases(kOffset).vec();
    for (size_t row = 0; row < phases.size() && int(row) < rowBits; ++row)
      for (int bit = first; bit < columnBits; ++bit)
        if ((phases[row] >> (bit - first)) & 1)
          bases[columnBits + row] ^= bases[bit];
    return LinearLayout::fromFlatBases({{kOffset.str(), bases}}, plain.getOutDims());
  };
  LinearLayout best = plain;
  std::pair<int64_t, int64_t> bestCost = readCost(operand, plain, elementBits);
  auto tryPhases = [&](int64_t vectorBytes, llvm::ArrayRef<uint32_t> phases) {
    if (bestCost.first == 0)
      return;
    LinearLayout memory = swizzled(vectorBytes, phases);
    std::pair<int64_t, int64_t> cost = readCost(operand, memory, elementBits);
    if (cost < bestCost) {
      best = memory;
      bestCost = cost;
    }
  };
  // Rows of 128 bytes are what the banks hold: shorter ones go together under one phase.
  int usual = rowBytes >= 128 ? 0 : int(llvm::Log2_64(128 / std::max<int64_t>(16, rowBytes)));
  for (int64_t vectorBytes = 16; vectorBytes <= 64 && vectorBytes < rowBytes; vectorBytes *= 2)
    for (int skip : {usual, 0, 1, 2, 3}) {
      std::vector<uint32_t> phases(skip, 0);
      phases.insert(phases.end(), {1, 2, 4});
      tryPhases(vectorBytes, phases);
    }
  // Any three of the rows' bits.
  int some = std::min(rowBits, 6);
  for (int64_t vectorBytes = 16; vectorBytes <= 32 && vectorBytes < rowBytes; vectorBytes *= 2)
    for (int i = 0; i < some; ++i)
      for (int j = i + 1; j < some; ++j)
        for (int k = j + 1; k < some; ++k) {
          std::vector<uint32_t> phases(some, 0);
          phases[i] = 1, phases[j] = 2, phases[k] = 4;
          tryPhases(vectorBytes, phases);
        }
  return best;
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

namespace {
/// Coordinates of the registers of one tensor in the first thread.
class RegisterMap {
public:
  RegisterMap(const LinearLayout &layout) : rank(layout.getNumOutDims()), values(rank) {
    for (int32_t r = 0, e = layout.getInDimSize(kRegister); r < e; ++r) {
      std::vector<int64_t> at;
      for (const auto &[name, coordinate] : layout.apply({{kRegister, r}}))
        at.push_back(coordinate);
      if (!registers.emplace(at, r).second)
        continue;
      for (unsigned dim = 0; dim < rank; ++dim)
        values[dim].insert(at[dim]);
    }
  }

  std::vector<int64_t> along(unsigned dim) const {
    return std::vector<int64_t>(values[dim].begin(), values[dim].end());
  }
  std::vector<int64_t> batches() const { return rank == 3 ? along(0) : std::vector<int64_t>{0}; }

  int32_t find(int64_t batch, int64_t row, int64_t column) const {
    std::vector<int64_t> at{row, column};
    if (rank == 3)
      at.insert(at.begin(), batch);
    auto it = registers.find(at);
    return it == registers.end() ? MmaRegisters::kNone : it->second;
  }

private:
  unsigned rank;
  std::map<std::vector<int64_t>, int32_t> registers;
  std::vector<std::set<int64_t>> values;
};

/// Bit `bit` of `in` moves along dimension `dim` alone, if at all.
bool movesAlong(const LinearLayout &layout, llvm::StringRef in, unsigned bit, unsigned dim) {
  for (unsigned other = 0; other < layout.getNumOutDims(); ++other)
    if (other != dim && layout.getBasis(in, bit, dimName(other)) != 0)
      return false;
  return true;
}

/// Lanes: four along K or along pairs of columns, eight along rows or columns. The columns that B
/// has in eight lanes are in two registers and four lanes of the product.
class MmaThreads {
public:
  MmaThreads(const LinearLayout &left, const LinearLayout &right, const LinearLayout &result)
      : a(left), b(right), product(result), m(result.getNumOutDims() - 2), n(m + 1) {}

  bool lanesAgree() const {
    for (unsigned bit = 0; bit < 5; ++bit)
      if (!(bit < 2 ? depthAgrees(bit) : rowsAgree(bit)))
        return false;
    return true;
  }

  /// Warps: as the product's along what the operand has, not along K.
  bool warpsAgree() const {
    for (int32_t bit = 0; bit < product.getInDimSizeLog2(kWarp); ++bit)
      for (unsigned dim = 0; dim <= n; ++dim) {
        int32_t along = product.getBasis(kWarp, bit, dimName(dim));
        if (a.getBasis(kWarp, bit, dimName(dim)) != (dim == n ? 0 : along) ||
            b.getBasis(kWarp, bit, dimName(dim)) != (dim == m ? 0 : along))
          return false;
      }
    return true;
  }

  /// Lane bits along which A does not move.
  unsigned idleLanes() const { return (lane(a, 0, n) == 0 ? 1 : 0) | (lane(a, 1, n) == 0 ? 2 : 0); }
  /// How far the second of a pair of columns is; 0 where the product has one of them.
  int64_t neighbour() const { return lane(b, 2, n); }

private:
  static int32_t lane(const LinearLayout &layout, unsigned bit, unsigned dim) {
    return layout.getBasis(kLane, bit, dimName(dim));
  }
  bool depthAgrees(unsigned bit) const {
    return lane(a, bit, n) == lane(b, bit, m) && movesAlong(a, kLane, bit, n) &&
           movesAlong(b, kLane, bit, m) && movesAlong(product, kLane, bit, n) &&
           lane(product, bit, n) == lane(b, bit + 3, n);
  }
  bool rowsAgree(unsigned bit) const {
    return lane(a, bit, m) == lane(product, bit, m) && movesAlong(a, kLane, bit, m) &&
           movesAlong(b, kLane, bit, n) && movesAlong(product, kLane, bit, m);
  }

  const LinearLayout &a, &b, &product;
  unsigned m, n;
};
} // namespace

std::optional<MmaRegisters> matchMma(const LinearLayout &a, const LinearLayout &b,
                                     const LinearLayout &product) {
  unsigned rank = product.getNumOutDims(), m = rank - 2, n = rank - 1;
  if (rank < 2 || rank > 3 || a.getNumOutDims() != rank || b.getNumOutDims() != rank)
    return std::nullopt;
  for (const LinearLayout *layout : {&a, &b, &product})
    if (layout->getInDimSizeLog2(kLane) != 5 ||
        layout->getInDimSizeLog2(kWarp) != product.getInDimSizeLog2(kWarp))
      return std::nullopt;
  MmaThreads threads(a, b, product);
  if (!threads.lanesAgree() || !threads.warpsAgree())
    return std::nullopt;
  int64_t neighbour = threads.neighbour();

  RegisterMap ofA(a), ofB(b), ofC(product);
  std::vector<int64_t> rows = ofA.along(m), columns = ofB.along(n), depth = ofA.along(n);
  std::vector<int64_t> batches = ofC.batches();
  if (rows != ofC.along(m) || ofC.along(n).size() != columns.size() * (neighbour ? 2 : 1) ||
      depth != ofB.along(m) || batches != ofA.batches() || batches != ofB.batches())
    return std::nullopt;
  MmaRegisters result;
  result.idleLanes = threads.idleLanes();
  result.batches = int64_t(batches.size());
  result.rowGroups = int64_t(rows.size());
  result.columnGroups = int64_t(columns.size());
  result.depth = int64_t(depth.size());
  for (int64_t batch : batches) {
    for (int64_t row : rows)
      for (int64_t k : depth)
        result.a.push_back(ofA.find(batch, row, k));
    for (int64_t column : columns)
      for (int64_t k : depth)
        result.b.push_back(ofB.find(batch, k, column));
    for (int64_t row : rows)
      for (int64_t column : columns)
        for (int64_t i : {0, 1}) {
          bool isThere = i == 0 || neighbour;
          result.c.push_back(isThere ? ofC.find(batch, row, column ^ (i * neighbour))
                                     : MmaRegisters::kNone);
          if (isThere && result.c.back() == MmaRegisters::kNone)
            return std::nullopt;
        }
  }
  // Registers are the product of their coordinates, or the layout is another one.
  if (llvm::is_contained(result.a, MmaRegisters::kNone) ||
      llvm::is_contained(result.b, MmaRegisters::kNone))
    return std::nullopt;
  return result;
}

} // namespace tilec
