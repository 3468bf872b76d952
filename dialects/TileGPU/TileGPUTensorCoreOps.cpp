// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shapes of tensor-core instructions, as far as their registers say them. A chunk is 16 bytes along
// K (32 of f64): four lanes hold one register of it each.

#include "dialects/TileGPU/TileGPUOps.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

static bool isFloat8(Type type) { return isa<Float8E4M3FNType, Float8E5M2Type>(type); }

static bool isInt8(Type type) { return type.isSignedInteger(8) || type.isUnsignedInteger(8); }

/// Whether a product of these types is accumulated in `acc`.
static bool typesFit(Type a, Type b, Type acc) {
  if (isFloat8(a))
    return isFloat8(b) && (acc.isF32() || acc.isF16());
  if (isInt8(a))
    return isInt8(b) && acc.isSignlessInteger(32);
  if (a != b)
    return false;
  if (a.isF16())
    return acc.isF16() || acc.isF32();
  if (a.isBF16() || a.isTF32())
    return acc.isF32();
  return a.isF64() && acc.isF64();
}

/// Bits that an element takes in a register.
static int64_t storageBits(Type type) {
  return type.isTF32() ? 32 : static_cast<int64_t>(type.getIntOrFloatBitWidth());
}

int64_t ThreadMmaOp::m() { return getC().size() == 2 && !getTypeD().isF16() ? 8 : 16; }

int64_t ThreadMmaOp::k() {
  int64_t chunk = getTypeA().isF64() ? 4 : 128 / storageBits(getTypeA());
  return chunk * static_cast<int64_t>(getB().size());
}

LogicalResult ThreadMmaOp::verify() {
  if (!typesFit(getTypeA(), getTypeB(), getTypeD()))
    return emitOpError("has no instruction for ")
           << getTypeA() << " and " << getTypeB() << " in " << getTypeD();
  size_t chunks = getB().size(), halves = m() / 8;
  bool isPacked = getTypeD().isF16();
  bool isF64 = getTypeA().isF64();
  bool fits = (chunks == 1 || (chunks == 2 && halves == 2)) && getA().size() == chunks * halves &&
              getC().size() == (isPacked ? 2 : 2 * halves) &&
              getC().getTypes() == getD().getTypes();
  if (isF64 ? halves != 1 : halves == 1 && !isInt8(getTypeA()))
    fits = false;
  if (!fits)
    return emitOpError("has no shape of ")
           << getA().size() << ", " << getB().size() << " and " << getC().size() << " registers";
  return success();
}

int64_t ThreadWgmmaOp::k() { return 256 / storageBits(getTypeA()); }

LogicalResult ThreadWgmmaOp::verify() {
  if (getDescA() ? !getA().empty() : getA().size() != 4)
    return emitOpError("expected a descriptor or four registers of the first operand");
  int64_t n = getN();
  if (!typesFit(getTypeA(), getTypeB(), getTypeD()) || getTypeA().isF64())
    return emitOpError("has no instruction for ")
           << getTypeA() << " and " << getTypeB() << " in " << getTypeD();
  if (n < 8 || n > 256 || n % 8 != 0 || (isInt8(getTypeA()) && n > 32 && n % 16 != 0))
    return emitOpError("has no 'n' of ") << n;
  bool transposes = getMMajor() || getNMajor();
  if (transposes && storageBits(getTypeA()) != 16)
    return emitOpError("transposes operands of 16 bits only, got ") << getTypeA();
  if (getMMajor() && !getDescA())
    return emitOpError("cannot transpose an operand in registers");
  size_t registers = static_cast<size_t>(getTypeD().isF16() ? n / 4 : n / 2);
  if (getAcc().size() != registers || getAcc().getTypes() != getD().getTypes())
    return emitOpError("expected ") << registers << " accumulator registers and results like them";
  return success();
}

LogicalResult ThreadWgmmaWaitOp::verify() {
  if (getValues().getTypes() != getResults().getTypes())
    return emitOpError("expected results like its operands");
  return success();
}
