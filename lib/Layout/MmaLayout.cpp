// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Warps are spread by trying all splits. Buffers are XOR-swizzled rows; the parameters are the
// first for which the rank formulas count no conflict. Registers of a product are found by their
// coordinates in the first thread; the coordinates of lanes and warps have to agree.

#include "tilec/Layout/MmaLayout.h"

#include "tilec/Layout/SharedSwizzle.h"

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

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

std::optional<MatrixLoad> matchMatrixLoad(const LinearLayout &offsets, int32_t bits) {
  if (bits > 32)
    return std::nullopt;
  llvm::ArrayRef<uint64_t> lanes = offsets.getFlatBases(kLane);
  llvm::ArrayRef<uint64_t> registers = offsets.getFlatBases(kRegister);
  if (lanes.size() != 5)
    return std::nullopt;
  auto registerBit = [&](uint64_t basis) -> int {
    auto it = llvm::find(registers, basis);
    return it == registers.end() ? -1 : int(it - registers.begin());
  };
  // Bits of the offset inside a row of 16 bytes: each comes from one place.
  uint64_t rowElements = 128 / bits, wordElements = 32 / bits;
  int inRow = 0;
  for (uint64_t basis : offsets.getFlatMatrix())
    inRow += (basis & (rowElements - 1)) != 0;
  if (inRow != int(llvm::Log2_64(rowElements)))
    return std::nullopt;

  MatrixLoad load;
  std::array<uint64_t, 3> rows;
  bool isPlain = lanes[0] == wordElements && lanes[1] == 2 * wordElements;
  if (isPlain) {
    for (uint64_t element = 1; element < wordElements; element *= 2) {
      int bit = registerBit(element);
      if (bit < 0)
        return std::nullopt;
      load.wordBits.push_back(unsigned(bit));
    }
    rows = {lanes[2], lanes[3], lanes[4]};
  } else if (bits == 16 && lanes[2] == 1 && lanes[3] == 2 && lanes[4] == 4 && !registers.empty()) {
    load.isTransposed = true;
    load.wordBits = {0};
    rows = {registers[0], lanes[0], lanes[1]};
  } else {
    return std::nullopt;
  }
  llvm::copy(rows, load.rowOffsets.begin());
  for (unsigned bit = 0; bit < registers.size() && load.matrixBits.size() < 2; ++bit)
    if (!llvm::is_contained(load.wordBits, bit) && registers[bit] != 0) {
      load.rowOffsets[3 + load.matrixBits.size()] = registers[bit];
      load.matrixBits.push_back(bit);
    }
  // Each matrix is a phase of eight lanes with 16 bytes, of which the formula has four.
  std::vector<uint64_t> addresses;
  for (uint64_t offset : load.rowOffsets)
    addresses.push_back(offset * bits / 8);
  load.idealWavefronts = 1 << load.matrixBits.size();
  load.wavefronts = wavefrontsPerRequest(addresses, 16) * load.idealWavefronts / 4;
  return load;
}

namespace {
/// Wavefronts above what moving the bytes takes, and instructions, of reading a whole operand.
std::pair<int64_t, int64_t> readCost(const LinearLayout &operand, const LinearLayout &memory,
                                     int32_t bits) {
  SharedAccess access = analyseSharedAccess(operand, memory, bits);
  if (std::optional<MatrixLoad> load = matchMatrixLoad(access.offsets, bits)) {
    int64_t perRequest = load->wordBits.size() + load->matrixBits.size();
    int64_t requests = int64_t(operand.getInDimSize(kRegister)) >> perRequest;
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

  LinearLayout best = linearSharedLayout(shape, order).squeezeIn(kBlock);
  std::pair<int64_t, int64_t> bestCost = readCost(operand, best, elementBits);
  // Rows of 128 bytes are what the banks hold: shorter ones go together under one phase.
  int32_t usual = int32_t(std::clamp<int64_t>(128 / std::max<int64_t>(1, rowBytes), 1, 8));
  for (int32_t vectorBytes : {16, 32, 64}) {
    if (vectorBytes >= rowBytes)
      break;
    for (int32_t perPhase : {usual, 1, 2, 4, 8})
      for (int32_t maxPhase : {8, 4, 2}) {
        if (bestCost.first == 0 || int64_t(maxPhase) * vectorBytes > rowBytes)
          continue;
        int32_t vector = vectorBytes * 8 / elementBits;
        LinearLayout memory =
            swizzledSharedLayout(shape, vector, perPhase, maxPhase, order).squeezeIn(kBlock);
        std::pair<int64_t, int64_t> cost = readCost(operand, memory, elementBits);
        if (cost < bestCost) {
          best = memory;
          bestCost = cost;
        }
      }
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

/// Bit `bit` of `in` moves as `expected` in dimension `dim` (reduced to its size), and nowhere
/// else.
bool movesAlong(const LinearLayout &layout, llvm::StringRef in, unsigned bit, unsigned dim,
                int32_t expected) {
  for (unsigned other = 0; other < layout.getNumOutDims(); ++other) {
    int32_t wanted = other == dim && expected < layout.getOutDimSize(dimName(dim)) ? expected : 0;
    if (layout.getBasis(in, bit, dimName(other)) != wanted)
      return false;
  }
  return true;
}
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
  // Lanes: four along K or along pairs of columns, eight along rows or columns.
  MmaRegisters result;
  for (unsigned bit = 0; bit < 5; ++bit) {
    if (bit < 2) {
      int32_t depth = a.getBasis(kLane, bit, dimName(n));
      if (depth != b.getBasis(kLane, bit, dimName(m)) || !movesAlong(a, kLane, bit, n, depth) ||
          !movesAlong(b, kLane, bit, m, depth) || !movesAlong(product, kLane, bit, n, 2 << bit))
        return std::nullopt;
      if (depth == 0)
        result.idleLanes |= 1 << bit;
    } else if (!movesAlong(a, kLane, bit, m, 1 << (bit - 2)) ||
               !movesAlong(b, kLane, bit, n, 1 << (bit - 2)) ||
               !movesAlong(product, kLane, bit, m, 1 << (bit - 2))) {
      return std::nullopt;
    }
  }
  // Warps: as the product's along what the operand has, not along K.
  for (int32_t bit = 0; bit < product.getInDimSizeLog2(kWarp); ++bit)
    for (unsigned dim = 0; dim < rank; ++dim) {
      int32_t along = product.getBasis(kWarp, bit, dimName(dim));
      if (a.getBasis(kWarp, bit, dimName(dim)) != (dim == n ? 0 : along) ||
          b.getBasis(kWarp, bit, dimName(dim)) != (dim == m ? 0 : along))
        return std::nullopt;
    }

  RegisterMap ofA(a), ofB(b), ofC(product);
  std::vector<int64_t> rows = ofA.along(m), columns = ofB.along(n), depth = ofA.along(n);
  std::vector<int64_t> batches = ofC.batches();
  std::vector<int64_t> productColumns = ofC.along(n);
  llvm::erase_if(productColumns, [](int64_t column) { return column & 1; });
  if (rows != ofC.along(m) || columns != productColumns || depth != ofB.along(m) ||
      batches != ofA.batches() || batches != ofB.batches())
    return std::nullopt;
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
        for (int64_t i : {0, 1})
          result.c.push_back(ofC.find(batch, row, column + i));
  }
  // Registers are the product of their coordinates, or the layout is another one.
  if (llvm::is_contained(result.a, MmaRegisters::kNone) ||
      llvm::is_contained(result.b, MmaRegisters::kNone))
    return std::nullopt;
  return result;
}

} // namespace tilec
