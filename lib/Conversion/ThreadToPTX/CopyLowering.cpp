// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asynchronous copies that tell the second-level cache how long to keep what they read, or to bring
// whole lines. NVVM's cp.async has neither (PTX ISA, cp.async: level::cache_hint,
// level::prefetch_size), its tensor copies lack their policy up to here.

#include "ThreadLowering.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using tilec::tilegpu::TileGPUDialect;

namespace tilec {

static void lowerCopy(NVVM::CpAsyncOp op, CachePolicies &policies, RewriterBase &rewriter) {
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  // A 32-bit address does whatever width the data layout gives to shared pointers.
  SmallVector<Value> operands = {
      LLVM::PtrToIntOp::create(rewriter, loc, rewriter.getI32Type(), op.getDst()), op.getSrc()};
  bool bypassesL1 = op.getModifier() == NVVM::LoadCacheModifierKind::CG;
  auto evict = op->getAttrOfType<tile::EvictionPolicyAttr>(TileGPUDialect::kEvictAttr);
  std::string text = std::string("cp.async.") + (bypassesL1 ? "cg" : "ca") + ".shared.global" +
                     (evict ? ".L2::cache_hint" : "") +
                     (op->hasAttr(TileGPUDialect::kWholeLinesAttr) ? ".L2::128B" : "") +
                     " [$0], [$1], " + std::to_string(op.getSize());
  std::string constraints = "r,l";
  auto addOperand = [&](Value operand, StringRef constraint) {
    text += ", $" + std::to_string(operands.size());
    constraints += "," + constraint.str();
    operands.push_back(operand);
  };
  if (op.getCpSize())
    addOperand(op.getCpSize(), "r");
  if (evict)
    addOperand(policies.get(op, evict.getValue(), rewriter), "l");
  LLVM::InlineAsmOp::create(rewriter, loc, TypeRange(), operands, text + ";", constraints,
                            /*has_side_effects=*/true, /*is_align_stack=*/false,
                            LLVM::tailcallkind::TailCallKind::None, LLVM::AsmDialectAttr(),
                            ArrayAttr());
  rewriter.eraseOp(op);
}

void lowerCopies(ModuleOp module, RewriterBase &rewriter, CachePolicies &policies) {
  module.walk([&](NVVM::CpAsyncOp op) {
    if (op->hasAttr(TileGPUDialect::kWholeLinesAttr) || op->hasAttr(TileGPUDialect::kEvictAttr))
      lowerCopy(op, policies, rewriter);
  });
  module.walk([&](NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp op) {
    if (auto evict = op->getAttrOfType<tile::EvictionPolicyAttr>(TileGPUDialect::kEvictAttr))
      op.getL2CacheHintMutable().assign(policies.get(op, evict.getValue(), rewriter));
  });
}

} // namespace tilec
