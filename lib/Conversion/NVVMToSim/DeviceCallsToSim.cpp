// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asserts, traps and prints. Asserts and prints run in a block of their own:
//
//   before: A; tilegpu.thread_assert %c, "text"; B
//   after:  A; br %c, ^rest, ^fail   ^fail: call @tilec_sim_assert_fail(...); br ^rest   ^rest: B

#include "SimBuilder.h"

#include "dialects/TileGPU/TileGPUOps.h"
#include "tilecrt/sim/SimAbi.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilec;
using namespace tilecrt::sim::abi;

/// Splits at `op` and moves the insertion point to a block that runs when `condition` has the value
/// `runWhen`.
static void enterGuardedBlock(Operation *op, SimBuilder &b, Value condition, bool runWhen) {
  Location loc = op->getLoc();
  Block *before = op->getBlock();
  Block *after = b.rewriter.splitBlock(before, op->getIterator());
  Block *guarded = b.rewriter.createBlock(after);
  b.rewriter.setInsertionPointToEnd(before);
  LLVM::CondBrOp::create(b.rewriter, loc, condition, runWhen ? guarded : after,
                         runWhen ? after : guarded);
  b.rewriter.setInsertionPointToEnd(guarded);
  auto branch = LLVM::BrOp::create(b.rewriter, loc, after);
  b.rewriter.setInsertionPoint(branch);
}

static Lowered lowerAssert(tilegpu::ThreadAssertOp op, SimBuilder &b) {
  Location loc = op.getLoc();
  enterGuardedBlock(op, b, op.getCondition(), /*runWhen=*/false);
  b.call(loc, "tilec_sim_assert_fail", {b.text(loc, op.getMessage()), b.site(op, "assertion")});
  b.rewriter.eraseOp(op);
  return Lowered::Yes;
}

static Lowered lowerTrap(Operation *op, SimBuilder &b) {
  b.call(op->getLoc(), "tilec_sim_trap", {b.site(op, "trap")});
  b.rewriter.eraseOp(op);
  return Lowered::Yes;
}

namespace {
/// A value as the runtime prints it: 64 bits and how to read them.
struct Payload {
  /// A PrintKind, and digits.
  int32_t kind;
  Value word;
};
} // namespace

static std::optional<Payload> payloadOf(tilegpu::ThreadPrintOp op, SimBuilder &b) {
  Location loc = op.getLoc();
  Value value = op.getValue();
  if (!value)
    return Payload{PrintText, LLVM::ZeroOp::create(b.rewriter, loc, b.i64())};
  Type type = value.getType();
  if (isa<LLVM::LLVMPointerType>(type))
    return Payload{PrintHex, b.bits(loc, value, b.i64())};
  if (auto floating = dyn_cast<FloatType>(type)) {
    unsigned width = floating.getWidth();
    if (width > 64)
      return std::nullopt;
    if (op.getHex()) {
      value = b.bits(loc, value, b.rewriter.getIntegerType(width));
    } else {
      if (width < 32)
        value = LLVM::FPExtOp::create(b.rewriter, loc, b.rewriter.getF32Type(), value);
      unsigned wide = std::max(width, 32u);
      Value word = b.bits(loc, value, b.rewriter.getIntegerType(wide));
      if (wide < 64)
        word = LLVM::ZExtOp::create(b.rewriter, loc, b.i64(), word);
      return Payload{wide == 64 ? PrintF64 : PrintF32, word};
    }
  }
  auto integer = dyn_cast<IntegerType>(value.getType());
  if (!integer || integer.getWidth() > 64)
    return std::nullopt;
  bool isSigned = op.getIsSigned() && !op.getHex() && integer.getWidth() > 1;
  if (integer.getWidth() < 64)
    value = isSigned ? LLVM::SExtOp::create(b.rewriter, loc, b.i64(), value).getResult()
                     : LLVM::ZExtOp::create(b.rewriter, loc, b.i64(), value).getResult();
  if (op.getHex())
    return Payload{PrintHex | int32_t(llvm::divideCeil(integer.getWidth(), 4)) << 8, value};
  return Payload{isSigned ? PrintI64 : PrintU64, value};
}

static Lowered lowerPrint(tilegpu::ThreadPrintOp op, SimBuilder &b) {
  Location loc = op.getLoc();
  enterGuardedBlock(op, b, op.getPredicate(), /*runWhen=*/true);
  std::optional<Payload> payload = payloadOf(op, b);
  if (!payload) {
    op.emitOpError("cannot print a value of type ") << op.getValue().getType();
    return Lowered::Failed;
  }
  // The coordinates, then the characters that each is padded to.
  SmallVector<Value> numbers(op.getCoordinates());
  int32_t count = int32_t(numbers.size());
  for (int32_t i = 0; i < count; ++i)
    numbers.push_back(b.constantI32(loc, op.getWidths() ? (*op.getWidths())[i] : 1));
  Value coordinates;
  if (count == 0) {
    coordinates = LLVM::ZeroOp::create(b.rewriter, loc, b.pointer());
  } else {
    coordinates = b.scratch(op, SimBuilder::Slot::Coordinates, 4 * numbers.size());
    for (auto [i, number] : llvm::enumerate(numbers)) {
      Value slot = LLVM::GEPOp::create(b.rewriter, loc, b.pointer(), b.i32(), coordinates,
                                       ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(i)});
      LLVM::StoreOp::create(b.rewriter, loc, number, slot, /*alignment=*/4);
    }
  }
  b.call(loc, "tilec_host_print",
         {b.text(loc, op.getPrefix()), coordinates, b.constantI32(loc, op.getValue() ? count : -1),
          b.constantI32(loc, payload->kind), payload->word, b.site(op, "print")});
  b.rewriter.eraseOp(op);
  return Lowered::Yes;
}

static Lowered lowerEnterProgram(tilegpu::EnterProgramOp op, SimBuilder &b) {
  b.call(op.getLoc(), "tilec_sim_enter_program", {op.getX(), op.getY(), op.getZ()});
  b.rewriter.eraseOp(op);
  return Lowered::Yes;
}

Lowered tilec::lowerDeviceCall(Operation *op, SimBuilder &b) {
  return llvm::TypeSwitch<Operation *, Lowered>(op)
      .Case([&](tilegpu::ThreadAssertOp check) { return lowerAssert(check, b); })
      .Case([&](tilegpu::EnterProgramOp enter) { return lowerEnterProgram(enter, b); })
      .Case([&](tilegpu::ThreadPrintOp print) { return lowerPrint(print, b); })
      .Case<LLVM::Trap, LLVM::UBSanTrap>([&](Operation *trap) { return lowerTrap(trap, b); })
      .Default([](Operation *) { return Lowered::No; });
}
