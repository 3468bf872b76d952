// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See CachePolicies.h.

#include "CachePolicies.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using tilec::tile::EvictionPolicy;

Value tilec::CachePolicies::get(Operation *op, EvictionPolicy policy, RewriterBase &rewriter) {
  auto function = op->getParentOfType<LLVM::LLVMFuncOp>();
  Value &value = policies[{function.getOperation(), static_cast<int>(policy)}];
  if (value)
    return value;
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(&function.getBody().front());
  StringRef text = policy == EvictionPolicy::evict_first
                       ? "createpolicy.fractional.L2::evict_first.b64 $0, 1.0;"
                       : "createpolicy.fractional.L2::evict_last.b64 $0, 1.0;";
  value = LLVM::InlineAsmOp::create(
              rewriter, op->getLoc(), TypeRange(rewriter.getI64Type()), ValueRange(), text, "=l",
              /*has_side_effects=*/false, /*is_align_stack=*/false,
              LLVM::tailcallkind::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr())
              .getRes();
  return value;
}
