// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The PTX text and the register constraints of one ld or st instruction. Knows the PTX grammar and
// nothing of MLIR operations.

#ifndef TILEC_LIB_CONVERSION_THREADTOPTX_ACCESSTEXT_H
#define TILEC_LIB_CONVERSION_THREADTOPTX_ACCESSTEXT_H

#include "dialects/Tile/TileOps.h"

#include <optional>
#include <string>

namespace tilec {

/// How an access is cut into PTX registers: `count` of `bits` bits each.
struct AccessShape {
  /// 1, 2, 4 or 8.
  unsigned count = 1;
  /// 8, 16, 32 or 64.
  unsigned bits = 32;

  unsigned bytes() const { return count * bits / 8; }
  /// Width of the register that holds one part: PTX has no 8-bit registers.
  unsigned registerBits() const { return bits == 8 ? 16 : bits; }
};

/// The shape of an access of type `type` (an integer or a vector of them); nothing when the bytes
/// are not 1, 2, 4, 8, 16 or 32, or more than `maxBytes`.
std::optional<AccessShape> accessShapeOf(mlir::Type type, unsigned maxBytes = 16);

/// One ld or st instruction.
struct AccessText {
  bool isLoad = true;
  bool isShared = false;
  bool isVolatile = false;
  bool isPredicated = false;
  AccessShape shape;
  tile::CacheModifier cache = tile::CacheModifier::none;
  /// Policy for L1, as a qualifier.
  tile::EvictionPolicy l1Evict = tile::EvictionPolicy::normal;
  /// Whether an L2 policy is passed as an operand.
  bool hasL2Policy = false;

  /// The instruction in LLVM's notation. Operands of a load: results, address, predicate, policy,
  /// tied old values. Of a store: address, values, predicate, policy. Absent ones take no number.
  std::string text() const;
  /// LLVM's constraint string for the same operands.
  std::string constraints() const;
};

/// What is left of the hints of an access after PTX's rules.
struct LegalHints {
  tile::CacheModifier cache = tile::CacheModifier::none;
  tile::EvictionPolicy l1Evict = tile::EvictionPolicy::normal;
  tile::EvictionPolicy l2Evict = tile::EvictionPolicy::normal;
  /// Why something was dropped; empty when nothing was.
  std::string dropped;
};

/// Applies the rules of the PTX manual's `ld` and `st` pages: no hints on volatile accesses, no L1
/// policy beside a cache modifier, L2 policies from compute capability 8.0 on, and each
/// instruction's own set of modifiers.
LegalHints legaliseHints(bool isLoad, bool isVolatile, tile::CacheModifier cache,
                         tile::EvictionPolicy evict, const Processor &processor);

} // namespace tilec

#endif // TILEC_LIB_CONVERSION_THREADTOPTX_ACCESSTEXT_H
