// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass: every operation of every function is offered to the lowerings in turn, in program
// order, so that sites are numbered alike in every run. All errors of a module are reported.

#include "tilec/Conversion/NVVMToSim/Passes.h"

#include "SimBuilder.h"

#include "dialects/TileGPU/TileGPUOps.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Transforms/RegionUtils.h"

namespace tilec {
#define GEN_PASS_DEF_CONVERTNVVMTOSIMPASS
#include "tilec/Conversion/NVVMToSim/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;

/// Offers `op` to the lowerings; false when one reported an error.
static bool lower(Operation *op, SimBuilder &b) {
  constexpr Lowered (*lowerings[])(Operation *, SimBuilder &) = {
      lowerMemory,    lowerAtomic, lowerPosition,   lowerWarpOp,   lowerMatrix,     lowerWgmma,
      lowerMbarrier,  lowerCopy,   lowerTensorMap,  lowerCluster,  lowerDeviceCall, lowerMath,
      lowerInlineAsm, lowerFloat8, lowerArithmetic, checkSupported};
  for (auto lowering : lowerings) {
    b.rewriter.setInsertionPoint(op);
    Lowered outcome = lowering(op, b);
    if (outcome != Lowered::No)
      return outcome == Lowered::Yes;
  }
  return true;
}

/// What is at the top of the module besides functions.
static bool checkTopLevel(ModuleOp module) {
  bool isFine = true;
  for (Operation &op : *module.getBody()) {
    if (isa<LLVM::LLVMFuncOp, LLVM::GlobalOp, LLVM::ComdatOp, LLVM::ModuleFlagsOp>(op))
      continue;
    reportUnsupported(&op);
    isFine = false;
  }
  return isFine;
}

/// Gives `function` a name that no function of the runtime or the C library has: a kernel may be
/// called 'exp' or 'memcpy', and its code may need the library's.
static LogicalResult makeNameUnique(LLVM::LLVMFuncOp function, SimBuilder &b) {
  std::string name = (function.getName() + ".device").str();
  while (b.symbols.lookup(name))
    name += ".";
  return b.symbols.rename(function, name);
}

/// The module no longer is one for an NVIDIA processor, and has no use for its declarations.
static void stripDeviceLeftovers(ModuleOp module) {
  for (StringRef name :
       {LLVM::LLVMDialect::getDataLayoutAttrName(), LLVM::LLVMDialect::getTargetTripleAttrName(),
        StringRef(DLTIDialect::kDataLayoutAttrName), StringRef("dlti.target_system_spec")})
    module->removeAttr(name);
  for (auto function : llvm::make_early_inc_range(module.getOps<LLVM::LLVMFuncOp>()))
    if (function.isExternal() && SymbolTable::symbolKnownUseEmpty(function, module))
      function.erase();
  for (auto flags : llvm::make_early_inc_range(module.getOps<LLVM::ModuleFlagsOp>()))
    flags.erase();
}

namespace {
struct ConvertNVVMToSim final : tilec::impl::ConvertNVVMToSimPassBase<ConvertNVVMToSim> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SimBuilder builder(module);
    builder.mergesLoads = countInstructions;
    bool isFine = checkTopLevel(module);
    SmallVector<Function> functions;
    for (auto function : module.getOps<LLVM::LLVMFuncOp>())
      if (!function.isExternal())
        functions.push_back({function, function.getName().str()});
    for (Function &function : functions)
      if (failed(makeNameUnique(function.op, builder)))
        return signalPassFailure();
    for (Function &function : functions)
      isFine &= lowerFunction(function, builder);
    if (!isFine)
      return signalPassFailure();
    builder.sites.attach(module);
    stripDeviceLeftovers(module);
  }

private:
  struct Function {
    LLVM::LLVMFuncOp op;
    std::string name;
  };

  bool lowerFunction(Function &named, SimBuilder &builder) {
    LLVM::LLVMFuncOp function = named.op;
    (void)eraseUnreachableBlocks(builder.rewriter, MutableArrayRef<Region>(function.getBody()));
    SmallVector<Operation *> operations;
    function.getBody().walk([&](Operation *op) { operations.push_back(op); });
    if (countInstructions)
      insertInstructionCounts(function, builder);
    checkAccumulatorUses(function, builder);
    bool isFine = true;
    for (Operation *op : operations)
      isFine &= lower(op, builder);
    if (!isFine)
      return false;
    insertLoopTicks(function, builder);
    if (function->hasAttr(NVVM::NVVMDialect::getKernelFuncAttrName()))
      return succeeded(createKernelEntry(function, named.name, builder));
    return true;
  }
};
} // namespace
