// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomic additions in shared memory: one `red` instruction each, as inline assembly because LLVM's
// atomics cannot be predicated. Barriers order them, so they are relaxed.

#include "ThreadLowering.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilec {

static void lowerAtomicAdd(tilegpu::AtomicAddSharedOp op, RewriterBase &rewriter) {
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  Value predicate = op.getPredicate();
  if (predicate && matchPattern(predicate, m_One()))
    predicate = {};
  // A 32-bit address does whatever width the data layout gives to shared pointers.
  SmallVector<Value> operands = {
      LLVM::PtrToIntOp::create(rewriter, loc, rewriter.getI32Type(), op.getAddress()),
      op.getValue()};
  if (predicate)
    operands.push_back(predicate);
  LLVM::InlineAsmOp::create(rewriter, loc, TypeRange(), operands,
                            predicate ? "@$2 red.relaxed.cta.shared.add.u32 [$0], $1;"
                                      : "red.relaxed.cta.shared.add.u32 [$0], $1;",
                            predicate ? "r,r,b" : "r,r", /*has_side_effects=*/true,
                            /*is_align_stack=*/false, LLVM::tailcallkind::TailCallKind::None,
                            LLVM::AsmDialectAttr(), ArrayAttr());
  rewriter.eraseOp(op);
}

void lowerSharedAtomics(ModuleOp module, RewriterBase &rewriter) {
  module.walk([&](tilegpu::AtomicAddSharedOp op) { lowerAtomicAdd(op, rewriter); });
}

} // namespace tilec
