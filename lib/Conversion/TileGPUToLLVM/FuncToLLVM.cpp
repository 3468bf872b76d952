// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernel functions: an llvm.func with the NVVM kernel attributes. Kernels return nothing and are
// not called.

#include "Patterns.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"

using namespace mlir;
using namespace tilec;

static constexpr int64_t kTensorMapBytes = 128, kTensorMapAlignment = 64;

namespace {
struct KernelFunc : ConvertOpToLLVMPattern<func::FuncOp> {
  KernelFunc(const LLVMTypeConverter &types, int threads)
      : ConvertOpToLLVMPattern(types), numThreads(threads) {}

  LogicalResult matchAndRewrite(func::FuncOp func, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (func.getNumResults() != 0)
      return func.emitError("a kernel must not return a value");
    SmallVector<Type> parameters(func.getArgumentTypes());
    auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(getContext()), parameters);
    auto kernel = LLVM::LLVMFuncOp::create(rewriter, func.getLoc(), func.getName(), type);
    for (unsigned i = 0; i < func.getNumArguments(); ++i)
      convertArgumentAttributes(func, kernel, i, rewriter);
    if (func->hasAttr(tile::TileDialect::kKernelAttr)) {
      kernel->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(), rewriter.getUnitAttr());
      kernel->setAttr(NVVM::NVVMDialect::getReqntidAttrName(),
                      rewriter.getDenseI32ArrayAttr({numThreads, 1, 1}));
      if (Attribute minCtas =
              func->getParentOfType<ModuleOp>()->getAttr(tilegpu::TileGPUDialect::kMinCtasAttr))
        kernel->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(), minCtas);
    }
    rewriter.inlineRegionBefore(func.getBody(), kernel.getBody(), kernel.end());
    rewriter.eraseOp(func);
    return success();
  }

private:
  void convertArgumentAttributes(func::FuncOp func, LLVM::LLVMFuncOp kernel, unsigned i,
                                 OpBuilder &builder) const {
    Type type = func.getArgument(i).getType();
    if (func.getArgAttr(i, tile::TileDialect::kTensorMapAttr)) {
      auto bytes = LLVM::LLVMArrayType::get(builder.getI8Type(), kTensorMapBytes);
      kernel.setArgAttr(i, LLVM::LLVMDialect::getByValAttrName(), TypeAttr::get(bytes));
      kernel.setArgAttr(i, LLVM::LLVMDialect::getAlignAttrName(),
                        builder.getI64IntegerAttr(kTensorMapAlignment));
      kernel.setArgAttr(i, NVVM::NVVMDialect::getGridConstantAttrName(), builder.getUnitAttr());
      return;
    }
    auto divisibility = func.getArgAttrOfType<IntegerAttr>(i, tile::TileDialect::kDivisibilityAttr);
    if (isa<LLVM::LLVMPointerType>(type) && divisibility)
      kernel.setArgAttr(i, LLVM::LLVMDialect::getAlignAttrName(),
                        builder.getI64IntegerAttr(divisibility.getInt()));
  }

  int numThreads;
};

struct Return : ConvertOpToLLVMPattern<func::ReturnOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(func::ReturnOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<LLVM::ReturnOp>(op, adaptor.getOperands());
    return success();
  }
};
} // namespace

void tilec::populateKernelFuncPatterns(const LLVMTypeConverter &types, RewritePatternSet &patterns,
                                       int numThreads) {
  patterns.add<KernelFunc>(types, numThreads);
  patterns.add<Return>(types);
}
