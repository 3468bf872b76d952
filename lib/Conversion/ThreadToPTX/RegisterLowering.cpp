// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opaque zeros and scheduling walls, which keep ptxas from undoing rematerialisation and order. A
// zero is the lanes that are this one and below this one at once: ptxas takes both masks as they
// are. A wall is an exit that is never taken, at the price of the
// exit and of one logical operation for two values.

#include "ThreadLowering.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace tilec {

static LLVM::InlineAsmOp createAssembly(RewriterBase &rewriter, Location loc, TypeRange results,
                                        ValueRange operands, StringRef text,
                                        StringRef constraints) {
  return LLVM::InlineAsmOp::create(rewriter, loc, results, operands, text, constraints,
                                   /*has_side_effects=*/true, /*is_align_stack=*/false,
                                   LLVM::tailcallkind::TailCallKind::None, LLVM::AsmDialectAttr(),
                                   ArrayAttr());
}

void lowerNamedBarriers(ModuleOp module, RewriterBase &rewriter) {
  module.walk([&](tilegpu::NamedBarrierOp op) {
    rewriter.setInsertionPoint(op);
    auto constant = [&](uint32_t value) -> Value {
      return LLVM::ConstantOp::create(rewriter, op.getLoc(), rewriter.getI32Type(), value);
    };
    Value name = constant(op.getNameAttr().getInt());
    if (op.getGroup())
      name = LLVM::AddOp::create(rewriter, op.getLoc(), name, op.getGroup());
    Value threads = constant(op.getThreads());
    if (op.getArrive())
      NVVM::BarrierArriveOp::create(rewriter, op.getLoc(), name, threads);
    else
      NVVM::BarrierOp::create(rewriter, op.getLoc(), TypeRange(), name, threads,
                              NVVM::BarrierReductionAttr(), Value());
    rewriter.eraseOp(op);
  });
}

void lowerRegisterOps(ModuleOp module, RewriterBase &rewriter) {
  module.walk([&](tilegpu::OpaqueZeroOp op) {
    rewriter.setInsertionPoint(op);
    auto zero =
        createAssembly(rewriter, op.getLoc(), op.getType(), ValueRange(),
                       "{ .reg .b32 below; mov.u32 $0, %lanemask_eq; mov.u32 below, %lanemask_lt; "
                       "and.b32 $0, $0, below; }",
                       "=r");
    rewriter.replaceOp(op, zero.getRes());
  });
  module.walk([&](tilegpu::WallOp op) {
    rewriter.setInsertionPoint(op);
    Type i32 = rewriter.getI32Type();
    Value word;
    for (Value value : op.getValues()) {
      if (value.getType() != i32)
        value = LLVM::BitcastOp::create(rewriter, op.getLoc(), i32, value);
      word = word ? LLVM::OrOp::create(rewriter, op.getLoc(), word, value).getResult() : value;
    }
    if (!word)
      return rewriter.eraseOp(op);
    createAssembly(rewriter, op.getLoc(), TypeRange(), word,
                   "{ .reg .b32 bits, below; .reg .pred never; mov.u32 bits, %lanemask_eq; "
                   "mov.u32 below, %lanemask_lt; and.b32 bits, bits, below; "
                   "and.b32 bits, bits, $0; setp.ne.b32 never, bits, 0; @never exit; }",
                   "r");
    rewriter.eraseOp(op);
  });
}

} // namespace tilec
