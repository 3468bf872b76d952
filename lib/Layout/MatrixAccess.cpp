// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which lanes and registers are the 16 bytes of a row decides; the rows themselves may be anywhere.

#include "tilec/Layout/MatrixAccess.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

namespace tilec {

std::vector<unsigned> MatrixAccess::registerBits() const {
  std::vector<unsigned> bits = wordBits;
  bits.insert(bits.end(), matrixBits.begin(), matrixBits.end());
  return bits;
}

std::optional<MatrixAccess> matchMatrixAccess(const LinearLayout &offsets, int32_t bits) {
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

  MatrixAccess access;
  std::array<uint64_t, 3> rows;
  bool isPlain = lanes[0] == wordElements && lanes[1] == 2 * wordElements;
  if (isPlain) {
    for (uint64_t element = 1; element < wordElements; element *= 2) {
      int bit = registerBit(element);
      if (bit < 0)
        return std::nullopt;
      access.wordBits.push_back(unsigned(bit));
    }
    rows = {lanes[2], lanes[3], lanes[4]};
  } else if (bits == 16 && lanes[2] == 1 && lanes[3] == 2 && lanes[4] == 4 && !registers.empty()) {
    access.isTransposed = true;
    access.wordBits = {0};
    rows = {registers[0], lanes[0], lanes[1]};
  } else if (bits == 8 && lanes[2] == 2 && lanes[3] == 4 && lanes[4] == 8 && registerBit(1) > 1) {
    access.isTransposed = access.isPaired = true;
    access.wordBits = {unsigned(registerBit(1)), 0};
    rows = {registers[0], lanes[0], lanes[1]};
  } else {
    return std::nullopt;
  }
  llvm::copy(rows, access.rowOffsets.begin());
  for (unsigned bit = 0; bit < registers.size() && access.matrixBits.size() < 2; ++bit)
    if (!llvm::is_contained(access.wordBits, bit) && registers[bit] != 0) {
      access.rowOffsets[3 + access.matrixBits.size()] = registers[bit];
      access.matrixBits.push_back(bit);
    }
  if (access.isPaired && (access.matrixBits.empty() || access.matrixBits[0] != 1))
    return std::nullopt;
  // Each matrix is a phase of eight lanes with 16 bytes, of which the formula has four.
  std::vector<uint64_t> addresses;
  for (uint64_t offset : access.rowOffsets)
    addresses.push_back(offset * bits / 8);
  access.idealWavefronts = 1 << access.matrixBits.size();
  access.wavefronts = wavefrontsPerRequest(addresses, 16) * access.idealWavefronts / 4;
  return access;
}

std::optional<MatrixAccess> matchMatrixStore(const SharedAccess &store, int32_t bits) {
  if (store.offsets.getFreeVariableMask(kLane) || store.offsets.getFreeVariableMask(kWarp))
    return std::nullopt;
  std::optional<MatrixAccess> matrices = matchMatrixAccess(store.offsets, bits);
  if (!matrices)
    return std::nullopt;
  int32_t replicas = store.offsets.getFreeVariableMask(kRegister);
  for (unsigned bit : matrices->registerBits())
    if ((replicas >> bit) & 1)
      return std::nullopt;
  if (matrices->requests(store.offsets.getInDimSize(kRegister)) >= store.requests)
    return std::nullopt;
  return matrices;
}

} // namespace tilec
