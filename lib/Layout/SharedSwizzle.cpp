// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Construction of conflict-avoiding shared-memory layouts, and the rank formulas for wavefronts and
// sectors. All vectors here are flattened tensor coordinates.
//
// The words that the lanes of one phase touch form a linear space; two lanes of it meet in a bank
// exactly when they differ by a member of the span of the segment bits. So the segment bits are
// chosen outside of both sides' lane spans: first tensor bits that neither side's lanes use, then
// XORs of one lane bit of each side. The XORs are the swizzle. All of that is modulo the bits of a
// vector, which may be lane bits of one side.

#include "tilec/Layout/SharedSwizzle.h"

#include "F2Span.h"
#include "tilec/Layout/MatrixAccess.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace tilec {

namespace {

using Vectors = llvm::SmallVector<uint64_t, 16>;

constexpr int kWordBits = 32;
constexpr int kRowBits = 1024; // 32 banks of one word
constexpr int kMaxVectorBits = 128;

int floorLog2OfRatio(int64_t numerator, int64_t denominator) {
  return numerator < denominator ? 0 : int(llvm::Log2_64(numerator / denominator));
}

Vectors nonZero(llvm::ArrayRef<uint64_t> bases) {
  Vectors result;
  for (uint64_t basis : bases)
    if (basis && !llvm::is_contained(result, basis))
      result.push_back(basis);
  return result;
}

/// Those of `vectors` that are independent of `span` and of the ones before them, smallest first;
/// all are added to the span.
Vectors takeIndependent(Vectors vectors, F2Span &span) {
  llvm::sort(vectors);
  llvm::erase_if(vectors, [&](uint64_t v) { return !span.insert(v); });
  return vectors;
}

/// The tensor bits that become the elements of one vector, lowest first; independent of `taken`, to
/// which they are added.
Vectors chooseVector(const LinearLayout &src, const LinearLayout &dst, int bitwidth,
                     F2Span &taken) {
  Vectors srcRegisters = nonZero(src.getFlatBases(kRegister));
  Vectors dstRegisters = nonZero(dst.getFlatBases(kRegister));
  Vectors srcWarps = nonZero(src.getFlatBases(kWarp)), dstWarps = nonZero(dst.getFlatBases(kWarp));

  size_t most = floorLog2OfRatio(kMaxVectorBits, bitwidth);
  Vectors result;
  for (uint64_t v : srcRegisters)
    if (result.size() < most && llvm::is_contained(dstRegisters, v) && taken.insert(v))
      result.push_back(v);

  // Less than a bank word: fill the word, so that lanes of a warp do not share words. Registers of
  // one side make vectors there; they are best warps of the other side, but lanes may read a word
  // together. Bits of both sides would make vectors on neither, and warps alone do not either.
  size_t word = floorLog2OfRatio(kWordBits, bitwidth);
  auto fill = [&](const Vectors &candidates, auto &&accept) {
    for (uint64_t v : candidates)
      if (result.size() < word && accept(v) && taken.insert(v))
        result.push_back(v);
  };
  auto isIn = [](const Vectors &set) {
    return [&set](uint64_t v) { return llvm::is_contained(set, v); };
  };
  auto all = [](uint64_t) { return true; };
  bool bySrc =
      llvm::count_if(srcRegisters, isIn(dstWarps)) >= llvm::count_if(dstRegisters, isIn(srcWarps));
  fill(bySrc ? srcRegisters : dstRegisters, isIn(bySrc ? dstWarps : srcWarps));
  fill(bySrc ? srcRegisters : dstRegisters, all);
  fill(bySrc ? dstRegisters : srcRegisters, all);
  fill(srcWarps, isIn(dstWarps));
  fill(srcWarps, all);
  fill(dstWarps, all);
  return result;
}

/// Lane bits that are active together in one phase of a vector access.
Vectors laneTile(const LinearLayout &layout, int vectorWordsLog2) {
  llvm::ArrayRef<uint64_t> lanes = layout.getFlatBases(kLane);
  size_t active = lanes.size() - std::min<size_t>(lanes.size(), vectorWordsLog2);
  return nonZero(lanes.take_front(active));
}

/// What a swizzle is made for: the vector, and what lanes of one phase of either side span.
struct Phases {
  Vectors vector, tileSrc, tileDst;
};

/// The buffer for `phases`. `taken` is what the blocks and the vector span.
SwizzledShared makeSwizzle(const LinearLayout &src, const LinearLayout &dst, int32_t bitwidth,
                           const Phases &phases, F2Span taken) {
  int d = src.getTotalOutDimSizeLog2();
  int vectorBits = bitwidth << phases.vector.size();
  int rest = d - int(taken.rank());
  int bankCount = std::min(floorLog2OfRatio(kRowBits, vectorBits), rest);
  size_t segmentCount = rest - bankCount;

  Vectors segment;
  auto takeSegment = [&](uint64_t v) {
    if (segment.size() < segmentCount && taken.insert(v))
      segment.push_back(v);
  };
  // Lane bits may be vector bits at the same time (lanes that share a word): what counts is what
  // they span beside those.
  F2Span withSrc = taken, withDst = taken;
  takeIndependent(phases.tileSrc, withSrc);
  takeIndependent(phases.tileDst, withDst);
  F2Span used = withSrc;
  takeIndependent(phases.tileDst, used);
  for (int i = 0; i < d; ++i)
    if (used.insert(uint64_t(1) << i))
      takeSegment(uint64_t(1) << i);
  Vectors onlySrc = takeIndependent(phases.tileSrc, withDst);
  Vectors onlyDst = takeIndependent(phases.tileDst, withSrc);
  size_t pairs = std::min(onlySrc.size(), onlyDst.size());
  for (size_t i = 0; i < pairs; ++i)
    takeSegment(onlySrc[i] ^ onlyDst[i]);
  // Conflicts cannot be avoided any more: first bits that only one side's lanes use.
  for (const Vectors *side : {&onlySrc, &onlyDst})
    for (uint64_t v : llvm::drop_begin(*side, pairs))
      takeSegment(v);
  for (int i = 0; i < d; ++i)
    takeSegment(uint64_t(1) << i);

  // Bank bits complement what has been taken: unit vectors off the pivots of the echelon form.
  std::vector<uint64_t> offset(phases.vector.begin(), phases.vector.end());
  uint64_t pivots = taken.pivotMask();
  for (int i = 0; i < d; ++i)
    if (!((pivots >> i) & 1))
      offset.push_back(uint64_t(1) << i);
  offset.insert(offset.end(), segment.begin(), segment.end());

  SwizzledShared result;
  result.bufferElements = int64_t(1) << offset.size();
  result.memory = LinearLayout::fromFlatBases(
      {{kOffset.str(), std::move(offset)}, {kBlock.str(), src.getFlatBases(kBlock).vec()}},
      src.getOutDims());
  result.store = analyseSharedAccess(src, result.memory, bitwidth);
  result.load = analyseSharedAccess(dst, result.memory, bitwidth);
  return result;
}

/// Rows of 16 bytes that stmatrix writes and registers of `dst` hold, and the lanes' part of eight
/// of them: plain ones, then transposed ones. Empty vectors where there are none. Transposed ones
/// are not for a `dst` with neighbours of a row in neighbouring lanes: those go on with single
/// elements, which take more registers by vectors than one at a time.
Phases chooseMatrixRows(const LinearLayout &src, const LinearLayout &dst, int32_t bitwidth) {
  llvm::ArrayRef<uint64_t> lanes = src.getFlatBases(kLane), registers = src.getFlatBases(kRegister);
  Vectors dstRegisters = nonZero(dst.getFlatBases(kRegister));
  auto isLoaded = [&](uint64_t v) { return llvm::is_contained(dstRegisters, v); };
  Phases phases;
  if (lanes.size() != 5 || bitwidth > kWordBits)
    return phases;
  size_t word = floorLog2OfRatio(kWordBits, bitwidth);
  Vectors row;
  for (uint64_t v : nonZero(registers))
    if (row.size() < word && isLoaded(v))
      row.push_back(v);
  if (row.size() == word && isLoaded(lanes[0]) && isLoaded(lanes[1])) {
    row.append({lanes[0], lanes[1]});
    phases.vector = row;
    phases.tileSrc = {lanes[2], lanes[3], lanes[4]};
  } else if (bitwidth == 16 && !registers.empty() &&
             dst.getFlatBases(kLane).front() != registers.front() &&
             llvm::all_of(lanes.drop_front(2), isLoaded)) {
    phases.vector.append(lanes.begin() + 2, lanes.end());
    phases.tileSrc = {registers[0], lanes[0], lanes[1]};
  }
  phases.tileSrc = nonZero(phases.tileSrc);
  return phases;
}

} // namespace

SwizzledShared optimalSwizzle(const LinearLayout &src, const LinearLayout &dst, int32_t bitwidth) {
  bitwidth = std::max(bitwidth, 8);
  assert(src.getOutDims() == dst.getOutDims() && "layouts of different tensors");
  F2Span taken(nonZero(src.getFlatBases(kBlock)));
  Phases phases;
  phases.vector = chooseVector(src, dst, bitwidth, taken);
  int vectorWordsLog2 = floorLog2OfRatio(bitwidth << phases.vector.size(), kWordBits);
  phases.tileSrc = laneTile(src, vectorWordsLog2);
  phases.tileDst = laneTile(dst, vectorWordsLog2);
  return makeSwizzle(src, dst, bitwidth, phases, taken);
}

std::optional<SwizzledShared> matrixSwizzle(const LinearLayout &src, const LinearLayout &dst,
                                            int32_t bitwidth) {
  bitwidth = std::max(bitwidth, 8);
  F2Span taken(nonZero(src.getFlatBases(kBlock)));
  F2Span common = taken;
  if ((bitwidth << chooseVector(src, dst, bitwidth, common).size()) >= kMaxVectorBits)
    return std::nullopt;
  Phases phases = chooseMatrixRows(src, dst, bitwidth);
  for (uint64_t v : phases.vector)
    if (!taken.insert(v))
      return std::nullopt;
  if (phases.vector.empty())
    return std::nullopt;
  phases.tileDst = laneTile(dst, floorLog2OfRatio(kMaxVectorBits, kWordBits));
  SwizzledShared result = makeSwizzle(src, dst, bitwidth, phases, taken);
  std::optional<MatrixAccess> matrices = matchMatrixStore(result.store, bitwidth);
  if (!matrices || matrices->wavefronts > matrices->idealWavefronts || result.load.conflicts() > 0)
    return std::nullopt;
  result.store.requests = int32_t(matrices->requests(src.getInDimSize(kRegister)));
  result.store.wavefronts = matrices->wavefronts;
  result.store.idealWavefronts = matrices->idealWavefronts;
  return result;
}

SharedAccess analyseSharedAccess(const LinearLayout &layout, const LinearLayout &memory,
                                 int32_t bitwidth, int32_t maxVectorBits) {
  bitwidth = std::max(bitwidth, 8);
  SharedAccess access;
  access.offsets = layout.invertAndCompose(memory);
  LinearLayout toOffset = access.offsets.sublayout({kRegister, kLane, kWarp, kBlock}, {kOffset});
  llvm::ArrayRef<uint64_t> registers = toOffset.getFlatBases(kRegister);
  std::vector<uint64_t> all = toOffset.getFlatMatrix();

  // 2^k elements make a vector when register bits are offset bits 0..k-1 and every other position
  // bit keeps the address aligned to 2^k.
  int most = floorLog2OfRatio(maxVectorBits, bitwidth);
  for (int k = 0; k <= most; ++k) {
    std::vector<unsigned> bits;
    uint64_t lowMask = (uint64_t(1) << k) - 1;
    for (int i = 0; i < k; ++i) {
      auto it = llvm::find(registers, uint64_t(1) << i);
      if (it != registers.end())
        bits.push_back(unsigned(it - registers.begin()));
    }
    int touching = llvm::count_if(all, [&](uint64_t basis) { return (basis & lowMask) != 0; });
    if (int(bits.size()) == k && touching == k)
      access.vectorRegisterBits = bits;
  }
  access.vectorWidth = int32_t(1) << access.vectorRegisterBits.size();
  access.requests = layout.getInDimSize(kRegister) / access.vectorWidth;

  int32_t bytes = bitwidth / 8;
  Vectors laneAddresses;
  for (uint64_t basis : toOffset.getFlatBases(kLane))
    laneAddresses.push_back(basis * bytes);
  int32_t vectorBytes = access.vectorWidth * bytes;
  access.wavefronts = wavefrontsPerRequest(laneAddresses, vectorBytes);
  int32_t lanes = int32_t(1) << laneAddresses.size();
  access.idealWavefronts = std::max(1, vectorBytes * lanes / 128);
  return access;
}

int32_t wavefrontsPerRequest(llvm::ArrayRef<uint64_t> laneByteAddresses, int32_t vectorBytes) {
  int vectorWordsLog2 = floorLog2OfRatio(vectorBytes, 4);
  int phaseBits = std::min<int>(vectorWordsLog2, laneByteAddresses.size());
  Vectors words;
  for (uint64_t address : laneByteAddresses.drop_back(phaseBits))
    words.push_back(address >> 2);
  for (int i = 0; i < vectorWordsLog2; ++i)
    words.push_back(uint64_t(1) << i);
  Vectors banks;
  for (uint64_t word : words)
    banks.push_back(word & 31);
  return int32_t(1) << (phaseBits + F2Span(words).rank() - F2Span(banks).rank());
}

int32_t sectorsPerRequest(llvm::ArrayRef<uint64_t> laneByteAddresses, int32_t vectorBytes) {
  Vectors sectors;
  for (uint64_t address : laneByteAddresses)
    sectors.push_back(address >> 5);
  for (int32_t byte = 32; byte < vectorBytes; byte *= 2)
    sectors.push_back(uint64_t(byte) >> 5);
  return int32_t(1) << F2Span(sectors).rank();
}

} // namespace tilec
