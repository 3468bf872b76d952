// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mma.sync, ldmatrix and stmatrix.
//
// All fragments of mma.sync follow one scheme. A chunk is what four lanes hold of a row in one
// register each: 16 bytes (32 for f64). Lane l has, of A, its part l % 4 of the chunks of row l / 4
// and row l / 4 + 8, first chunk first; of B the same of column l / 4; of C and D two neighbours at
// column 2 * (l % 4) of both rows.
#include "runtime/sim/MatrixOps.h"
#include "runtime/sim/Cluster.h"
#include "runtime/sim/MatrixTypes.h"

#include <cstring>

namespace tilecrt::sim {
namespace {

constexpr uint32_t maxK = 32, maxM = 16, mmaN = 8;

std::string productText(int32_t typeA, int32_t typeB, int32_t typeC, int32_t typeD) {
  return std::string(matrixTypeName(typeD)) + " = " + matrixTypeName(typeA) + " * " +
         matrixTypeName(typeB) + " + " + matrixTypeName(typeC);
}

} // namespace

std::string MmaOperands::check() const {
  if (!matrixTypesFit(typeA, typeB, typeC) || !matrixTypesFit(typeA, typeB, typeD))
    return "matrix product " + productText(typeA, typeB, typeC, typeD) + " does not exist";
  // One or two chunks.
  uint32_t chunk = typeA == abi::MatrixF64 ? 4 : 128 / matrixTypeBits(typeA);
  bool isF64 = typeA == abi::MatrixF64;
  bool shapeFits = n == mmaN && (isF64 ? (m == 8 && k == 4) : (m == 16 || m == 8)) &&
                   (k == chunk || (k == 2 * chunk && m == 16));
  if (!shapeFits)
    return "matrix product m" + std::to_string(m) + "n" + std::to_string(n) + "k" +
           std::to_string(k) + " of " + matrixTypeName(typeA) + " does not exist";
  return "";
}

void Cluster::mma(Warp &warp, uint32_t members) {
  const MmaOperands &shape =
      *static_cast<MmaOperands *>(thread(warp, lowestLane(members)).op.operands);
  double a[maxM * maxK] = {}, b[mmaN * maxK] = {}, d[maxM * mmaN] = {};
  uint32_t registerBits = shape.typeA == abi::MatrixF64 ? 64 : 32;
  uint32_t perWord = registerBits / matrixTypeBits(shape.typeA), chunk = 4 * perWord;
  uint32_t halves = shape.m / 8, chunks = shape.k / chunk;
  for (uint32_t lanes = members; lanes != 0; lanes &= lanes - 1) {
    unsigned lane = lowestLane(lanes), row = lane / 4, part = lane % 4;
    const auto &own = *static_cast<MmaOperands *>(thread(warp, lane).op.operands);
    double words[2 * maxK];
    decodeElements(shape.typeA, own.a, halves * chunks * perWord, words);
    for (uint32_t c = 0; c < chunks; ++c)
      for (uint32_t h = 0; h < halves; ++h)
        for (uint32_t e = 0; e < perWord; ++e)
          a[(row + 8 * h) * shape.k + c * chunk + part * perWord + e] =
              words[(c * halves + h) * perWord + e];
    decodeElements(shape.typeB, own.b, chunks * perWord, words);
    for (uint32_t c = 0; c < chunks; ++c)
      for (uint32_t e = 0; e < perWord; ++e)
        b[row * shape.k + c * chunk + part * perWord + e] = words[c * perWord + e];
    for (uint32_t i = 0; i < 2 * halves; ++i)
      d[(row + 8 * (i / 2)) * mmaN + 2 * part + i % 2] = loadAccumulator(shape.typeC, own.c, i);
  }
  multiplyAdd(a, b, d, shape.m, mmaN, shape.k);
  for (uint32_t lanes = members; lanes != 0; lanes &= lanes - 1) {
    unsigned lane = lowestLane(lanes), row = lane / 4, part = lane % 4;
    const auto &own = *static_cast<MmaOperands *>(thread(warp, lane).op.operands);
    for (uint32_t i = 0; i < 2 * halves; ++i)
      storeAccumulator(shape.typeD, own.d, i, d[(row + 8 * (i / 2)) * mmaN + 2 * part + i % 2],
                       shape.saturate);
  }
  if (Counters *counters = countersOf(thread(warp, lowestLane(members)).op.site)) {
    ++counters->mmas;
    counters->multiplyAdds += uint64_t(shape.m) * shape.n * shape.k;
  }
}

/// The word of matrix `rows` that lane `lane` has: two neighbours of a row, or of a column.
static void copyWord(uint16_t rows[8][8], unsigned lane, bool transposed, void *word, bool toWord) {
  uint16_t halves[2];
  if (!toWord)
    std::memcpy(halves, word, 4);
  for (unsigned e = 0; e < 2; ++e) {
    unsigned major = lane / 4, minor = 2 * (lane % 4) + e;
    uint16_t &element = transposed ? rows[minor][major] : rows[major][minor];
    if (toWord)
      halves[e] = element;
    else
      element = halves[e];
  }
  if (toWord)
    std::memcpy(word, halves, 4);
}

void Cluster::moveMatrices(Warp &warp, uint32_t members, bool loads) {
  Thread &leader = thread(warp, lowestLane(members));
  const MatrixMove first = *static_cast<MatrixMove *>(leader.op.operands);
  int32_t site = leader.op.site;
  AccessKind kind = loads ? AccessKind::SharedLoad : AccessKind::SharedStore;
  for (uint32_t i = 0; i < first.count; ++i) {
    uint16_t rows[8][8] = {};
    auto eachLane = [&](bool toWord) {
      for (uint32_t lanes = members; lanes != 0; lanes &= lanes - 1) {
        unsigned lane = lowestLane(lanes);
        auto &own = *static_cast<MatrixMove *>(thread(warp, lane).op.operands);
        copyWord(rows, lane, first.transposed, static_cast<uint32_t *>(own.words) + i, toWord);
      }
    };
    if (!loads)
      eachLane(/*toWord=*/false);
    for (unsigned r = 0; r < 8; ++r) {
      unsigned lane = 8 * i + r;
      if (!(members >> lane & 1))
        continue;
      Thread &t = thread(warp, lane);
      uint32_t offset = static_cast<MatrixMove *>(t.op.operands)->offset;
      if (!checkShared(t, offset, 16, kind, site))
        continue;
      uint32_t place = t.cta->window + offset;
      char *memory = sharedMemory.get() + place;
      if (shadow) {
        AccessStamp by = stamp(t, site);
        SharedConflicts found = loads ? shadow->read(place, 16, by) : shadow->write(place, 16, by);
        if (found.any())
          reportShared(t, found, {kind, place, 16}, site,
                       !loads && std::memcmp(memory, rows[r], 16) == 0);
      }
      if (loads)
        std::memcpy(rows[r], memory, 16);
      else
        std::memcpy(memory, rows[r], 16);
    }
    if (loads)
      eachLane(/*toWord=*/true);
  }
}

void Cluster::matrixMove(Thread &t, MatrixMove &move, bool loads, int32_t site) {
  step(t, site);
  if (move.count != 1 && move.count != 2 && move.count != 4)
    return report(t, FindingKind::InvalidOperation, site,
                  "move of " + std::to_string(move.count) + " matrices, expected 1, 2 or 4");
  if (launch.track)
    record(t, loads ? RequestKind::SharedLoad : RequestKind::SharedStore, move.offset, 16,
           t.lane < 8 * move.count, 0, site);
  collective(t, loads ? OpKind::LoadMatrix : OpKind::StoreMatrix, &move, site);
}

/// Waits until the whole warp performs the operation.
void Cluster::collective(Thread &t, OpKind kind, void *operands, int32_t site) {
  t.op = WarpOp();
  t.op.kind = kind;
  t.op.mode = site; // The lanes must be at one instruction.
  t.op.mask = t.warp->existing;
  t.op.site = site;
  t.op.operands = operands;
  warpOp(t);
}

} // namespace tilecrt::sim
