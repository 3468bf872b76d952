// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mma.sync, ldmatrix and stmatrix, and the rounding to tf32. Fragments go through temporaries of
// the thread, their registers in PTX's order.

#include "MatrixTypesToSim.h"
#include "SimBuilder.h"

#include "dialects/TileGPU/TileGPUOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilec;
using namespace tilecrt::sim::abi;
using Slot = SimBuilder::Slot;

std::optional<MatrixType> tilec::matrixType(NVVM::MMATypes type) {
  switch (type) {
  case NVVM::MMATypes::f16:
    return MatrixF16;
  case NVVM::MMATypes::bf16:
    return MatrixBF16;
  case NVVM::MMATypes::tf32:
    return MatrixTF32;
  case NVVM::MMATypes::f64:
    return MatrixF64;
  case NVVM::MMATypes::s8:
    return MatrixS8;
  case NVVM::MMATypes::u8:
    return MatrixU8;
  case NVVM::MMATypes::e4m3:
    return MatrixE4M3;
  case NVVM::MMATypes::e5m2:
    return MatrixE5M2;
  case NVVM::MMATypes::f32:
    return MatrixF32;
  case NVVM::MMATypes::s32:
    return MatrixS32;
  default:
    return std::nullopt;
  }
}

std::optional<MatrixType> tilec::matrixType(NVVM::WGMMATypes type) {
  switch (type) {
  case NVVM::WGMMATypes::f16:
    return MatrixF16;
  case NVVM::WGMMATypes::bf16:
    return MatrixBF16;
  case NVVM::WGMMATypes::tf32:
    return MatrixTF32;
  case NVVM::WGMMATypes::s8:
    return MatrixS8;
  case NVVM::WGMMATypes::u8:
    return MatrixU8;
  case NVVM::WGMMATypes::e4m3:
    return MatrixE4M3;
  case NVVM::WGMMATypes::e5m2:
    return MatrixE5M2;
  case NVVM::WGMMATypes::f32:
    return MatrixF32;
  case NVVM::WGMMATypes::s32:
    return MatrixS32;
  default:
    return std::nullopt;
  }
}

std::optional<MatrixType> tilec::matrixType(Type type) {
  if (type.isF16())
    return MatrixF16;
  if (type.isBF16())
    return MatrixBF16;
  if (type.isTF32())
    return MatrixTF32;
  if (type.isF32())
    return MatrixF32;
  if (type.isF64())
    return MatrixF64;
  if (isa<Float8E4M3FNType>(type))
    return MatrixE4M3;
  if (isa<Float8E5M2Type>(type))
    return MatrixE5M2;
  if (type.isSignedInteger(8))
    return MatrixS8;
  if (type.isUnsignedInteger(8))
    return MatrixU8;
  return type.isSignlessInteger(32) ? std::optional(MatrixS32) : std::nullopt;
}

namespace {
/// One mma.sync of any operation that makes one.
struct Product {
  int64_t m = 16, k = 0;
  std::optional<MatrixType> a, b, c, d;
  bool saturate = false;
  ValueRange registersA, registersB, registersC;
};
} // namespace

/// Calls the runtime; the registers of the result, none after an error.
static SmallVector<Value> callProduct(Operation *op, SimBuilder &b, const Product &product,
                                      TypeRange results) {
  auto isRegister = [](Type type) {
    std::optional<unsigned> bytes = accessBytes(type);
    return bytes == 4u || bytes == 8u;
  };
  bool fits = product.a && product.b && product.c && product.d &&
              llvm::all_of(op->getOperandTypes(), isRegister) && llvm::all_of(results, isRegister);
  if (!fits) {
    reportUnsupported(op, "element types, or registers that are not of 32 or 64 bits");
    return {};
  }
  Location loc = op->getLoc();
  Value a = b.registers(op, Slot::MatrixA, product.registersA);
  Value second = b.registers(op, Slot::MatrixB, product.registersB);
  Value c = b.registers(op, Slot::MatrixC, product.registersC);
  unsigned bytes = 0;
  for (Type type : results)
    bytes += *accessBytes(type);
  Value d = b.registers(op, Slot::MatrixD, {}, bytes);
  auto number = [&](int64_t value) { return b.constantI32(loc, value); };
  b.call(loc, "tilec_sim_mma",
         {number(product.m), number(8), number(product.k), number(*product.a), number(*product.b),
          number(*product.c), number(*product.d), number(product.saturate), a, second, c, d,
          b.site(op, "matrix product")});
  return b.fromRegisters(loc, d, results);
}

static Lowered lowerMma(NVVM::MmaOp op, SimBuilder &b) {
  if (!op.getMultiplicandAPtxType() || !op.getMultiplicandBPtxType() || op.getShape().getN() != 8 ||
      op.getLayoutA() != NVVM::MMALayout::row || op.getLayoutB() != NVVM::MMALayout::col)
    return reportUnsupported(op, "expected n = 8, a row-major and a column-major operand");
  Product product;
  product.m = op.getShape().getM();
  product.k = op.getShape().getK();
  product.a = matrixType(*op.getMultiplicandAPtxType());
  product.b = matrixType(*op.getMultiplicandBPtxType());
  product.c = matrixType(op.accumPtxType());
  product.d = matrixType(op.resultPtxType());
  product.saturate = op.getIntOverflowBehavior() == NVVM::MMAIntOverflow::satfinite;
  product.registersA = op.getOperandA();
  product.registersB = op.getOperandB();
  product.registersC = op.getOperandC();
  auto type = cast<LLVM::LLVMStructType>(op.getType());
  SmallVector<Value> result = callProduct(op, b, product, type.getBody());
  if (result.empty())
    return Lowered::Failed;
  b.rewriter.replaceOp(op, b.pack(op.getLoc(), type, result));
  return Lowered::Yes;
}

static Lowered lowerThreadMma(tilegpu::ThreadMmaOp op, SimBuilder &b) {
  Product product;
  product.m = op.m();
  product.k = op.k();
  product.a = matrixType(op.getTypeA());
  product.b = matrixType(op.getTypeB());
  product.c = product.d = matrixType(op.getTypeD());
  product.saturate = op.getSaturate();
  product.registersA = op.getA();
  product.registersB = op.getB();
  product.registersC = op.getC();
  SmallVector<Value> result = callProduct(op, b, product, op.getD().getTypes());
  if (result.empty())
    return Lowered::Failed;
  b.rewriter.replaceOp(op, result);
  return Lowered::Yes;
}

static bool isB16Matrix(NVVM::LdStMatrixShapeAttr shape, NVVM::LdStMatrixEltType type) {
  return shape.getM() == 8 && shape.getN() == 8 && type == NVVM::LdStMatrixEltType::B16;
}

static Lowered lowerLdMatrix(NVVM::LdMatrixOp op, SimBuilder &b) {
  if (!isB16Matrix(op.getShape(), op.getEltType()))
    return reportUnsupported(op, "expected 8 x 8 matrices of 16 bits");
  Location loc = op.getLoc();
  unsigned count = op.getNum();
  Value words = b.registers(op, Slot::MatrixD, {}, 4 * count);
  b.call(loc, "tilec_sim_ldmatrix",
         {b.sharedOffset(loc, op.getPtr()), b.constantI32(loc, count),
          b.constantI32(loc, op.getLayout() == NVVM::MMALayout::col), words,
          b.site(op, "matrix load")});
  SmallVector<Type> types(count, b.i32());
  b.rewriter.replaceOp(op, b.pack(loc, op.getType(), b.fromRegisters(loc, words, types)));
  return Lowered::Yes;
}

static Lowered lowerStMatrix(NVVM::StMatrixOp op, SimBuilder &b) {
  if (!isB16Matrix(op.getShape(), op.getEltType()))
    return reportUnsupported(op, "expected 8 x 8 matrices of 16 bits");
  Location loc = op.getLoc();
  Value words = b.registers(op, Slot::MatrixA, op.getSources());
  b.call(loc, "tilec_sim_stmatrix",
         {b.sharedOffset(loc, op.getPtr()), b.constantI32(loc, op.getSources().size()),
          b.constantI32(loc, op.getLayout() == NVVM::MMALayout::col), words,
          b.site(op, "matrix store")});
  b.rewriter.eraseOp(op);
  return Lowered::Yes;
}

/// Rounds in the bits: half of the last place that stays is added, less one where a tie goes to an
/// even number that is below; infinities stay, NaN is 0x7fffffff.
static Lowered lowerTf32(NVVM::ConvertFloatToTF32Op op, SimBuilder &b) {
  NVVM::FPRoundingMode mode = op.getRnd();
  bool toEven = mode == NVVM::FPRoundingMode::RN, away = mode == NVVM::FPRoundingMode::RNA;
  if ((!toEven && !away && mode != NVVM::FPRoundingMode::RZ) || op.getRelu() ||
      op.getSat() != NVVM::SaturationMode::NONE)
    return reportUnsupported(op, "expected rounding 'rna', 'rn' or 'rz' and nothing else");
  Location loc = op.getLoc();
  auto number = [&](int64_t value) { return b.constantI32(loc, value); };
  Value bits = b.bits(loc, op.getSrc(), b.i32());
  Value rounded = bits;
  if (away) {
    rounded = LLVM::AddOp::create(b.rewriter, loc, bits, number(0x1000));
  } else if (toEven) {
    Value last = LLVM::AndOp::create(
        b.rewriter, loc, LLVM::LShrOp::create(b.rewriter, loc, bits, number(13)), number(1));
    rounded = LLVM::AddOp::create(b.rewriter, loc, bits, number(0xfff));
    rounded = LLVM::AddOp::create(b.rewriter, loc, rounded, last);
  }
  rounded = LLVM::AndOp::create(b.rewriter, loc, rounded, number(~int64_t(0x1fff)));
  Value isNaN =
      LLVM::FCmpOp::create(b.rewriter, loc, LLVM::FCmpPredicate::uno, op.getSrc(), op.getSrc());
  b.rewriter.replaceOpWithNewOp<LLVM::SelectOp>(op, isNaN, number(0x7fffffff), rounded);
  return Lowered::Yes;
}

Lowered tilec::lowerMatrix(Operation *op, SimBuilder &b) {
  return llvm::TypeSwitch<Operation *, Lowered>(op)
      .Case([&](NVVM::MmaOp product) { return lowerMma(product, b); })
      .Case([&](tilegpu::ThreadMmaOp product) { return lowerThreadMma(product, b); })
      .Case([&](NVVM::LdMatrixOp load) { return lowerLdMatrix(load, b); })
      .Case([&](NVVM::ConvertFloatToTF32Op convert) { return lowerTf32(convert, b); })
      .Case([&](NVVM::StMatrixOp store) { return lowerStMatrix(store, b); })
      .Default([](Operation *) { return Lowered::No; });
}
