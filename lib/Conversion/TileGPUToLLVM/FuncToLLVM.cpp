// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernel functions: an llvm.func with the NVVM kernel attributes. Kernels return nothing and are
// not called.

#include "Patterns.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "tilec/Analysis/RolePlan.h"
#include "tilec/Layout/TensorMapLayout.h"

using namespace mlir;
using namespace tilec;

static constexpr int64_t kTensorMapAlignment = 64;

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
    // All at once: each change of one makes a new list of all.
    SmallVector<DictionaryAttr> attributes;
    for (unsigned i = 0; i < func.getNumArguments(); ++i)
      attributes.push_back(convertArgumentAttributes(func, i, rewriter));
    kernel.setAllArgAttrs(attributes);
    if (func->hasAttr(tile::TileDialect::kKernelAttr)) {
      kernel->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(), rewriter.getUnitAttr());
      kernel->setAttr(NVVM::NVVMDialect::getReqntidAttrName(),
                      rewriter.getDenseI32ArrayAttr({numThreads, 1, 1}));
      if (int ctas = tilegpu::clusterSizeOf(func); ctas > 1)
        kernel->setAttr(NVVM::NVVMDialect::getClusterDimAttrName(),
                        rewriter.getDenseI32ArrayAttr({ctas, 1, 1}));
      // Warps that hand registers over share all of a multiprocessor: launched with fewer, the
      // others would wait for ever. Without a number of registers at entry, the assembler ignores
      // that they do.
      if (roleRegistersOf(func))
        kernel->setAttr(NVVM::NVVMDialect::getMaxnregAttrName(),
                        rewriter.getI32IntegerAttr(Processor::registersPerThread(numThreads)));
      else if (Attribute minCtas = func->getParentOfType<ModuleOp>()->getAttr(
                   tilegpu::TileGPUDialect::kMinCtasAttr))
        kernel->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(), minCtas);
    }
    rewriter.inlineRegionBefore(func.getBody(), kernel.getBody(), kernel.end());
    rewriter.eraseOp(func);
    return success();
  }

private:
  DictionaryAttr convertArgumentAttributes(func::FuncOp func, unsigned i,
                                           OpBuilder &builder) const {
    NamedAttrList attributes;
    Type type = func.getArgument(i).getType();
    auto divisibility = func.getArgAttrOfType<IntegerAttr>(i, tile::TileDialect::kDivisibilityAttr);
    if (func.getArgAttr(i, tile::TileDialect::kTensorMapAttr)) {
      auto bytes = LLVM::LLVMArrayType::get(builder.getI8Type(), kTensorMapBytes);
      attributes.set(LLVM::LLVMDialect::getByValAttrName(), TypeAttr::get(bytes));
      attributes.set(LLVM::LLVMDialect::getAlignAttrName(),
                     builder.getI64IntegerAttr(kTensorMapAlignment));
      attributes.set(NVVM::NVVMDialect::getGridConstantAttrName(), builder.getUnitAttr());
    } else if (isa<LLVM::LLVMPointerType>(type) && divisibility) {
      attributes.set(LLVM::LLVMDialect::getAlignAttrName(),
                     builder.getI64IntegerAttr(divisibility.getInt()));
    }
    return attributes.getDictionary(builder.getContext());
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
