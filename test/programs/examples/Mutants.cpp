// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Mutants.h.

#include "Mutants.h"

#include "tilec/Driver/Pipelines.h"
#include "tilec/Driver/Registration.h"
#include "tilec/Target/HostJIT.h"

#include "dialects/TileGPU/BarrierKind.h"
#include "dialects/TileGPU/TileGPUOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Regex.h"

namespace tilec::harness {

using namespace mlir;
using tilecrt::Result;

struct MutantMaker::Impl {
  Impl() : context(registry(), MLIRContext::Threading::DISABLED) {}
  static DialectRegistry registry() {
    DialectRegistry all;
    registerDialects(all);
    return all;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

/// Barriers, waits, fences and arrivals.
static bool ordersAccesses(Operation *op) {
  static const llvm::Regex ordering("barrier|fence|wait|arrive|bar\\.warp");
  static const llvm::Regex memory("mbarrier\\.(init|inval)|mbarrier_(init|inval)|shared_base");
  StringRef name = op->getName().getStringRef();
  return ordering.match(name) && !memory.match(name);
}

static std::vector<Operation *> orderingOps(ModuleOp module) {
  std::vector<Operation *> ops;
  module.walk([&](Operation *op) {
    if (ordersAccesses(op))
      ops.push_back(op);
  });
  return ops;
}

/// File and line, of a call's innermost function.
static std::string placeOf(Location loc) {
  while (auto call = dyn_cast<CallSiteLoc>(loc))
    loc = call.getCallee();
  auto place = dyn_cast<FileLineColLoc>(loc);
  return place ? llvm::sys::path::filename(place.getFilename()).str() + ":" +
                     std::to_string(place.getLine())
               : "";
}

/// Erases an operation. Values that it hands on come from where it had them; a wait has succeeded.
static void remove(Operation *op) {
  OpBuilder builder(op);
  for (auto [number, result] : llvm::enumerate(op->getResults())) {
    Value value = op->getNumOperands() == op->getNumResults() ? op->getOperand(number) : Value();
    if (!value || value.getType() != result.getType())
      value = LLVM::ConstantOp::create(builder, op->getLoc(), result.getType(),
                                       builder.getIntegerAttr(result.getType(), 1));
    result.replaceAllUsesWith(value);
  }
  op->erase();
}

MutantMaker::MutantMaker(const CompiledKernel &original)
    : kernel(original), impl(std::make_unique<Impl>()) {}
MutantMaker::~MutantMaker() = default;

Result<std::unique_ptr<MutantMaker>> MutantMaker::create(const CompiledKernel &kernel) {
  auto text = kernel.stages.find(Stage::LLVMMLIR);
  if (text == kernel.stages.end())
    return tilecrt::invalidArgument("the kernel has no text of the stage llvm-mlir");
  std::unique_ptr<MutantMaker> maker(new MutantMaker(kernel));
  maker->impl->module = parseSourceString<ModuleOp>(text->second, &maker->impl->context);
  if (!maker->impl->module)
    return tilecrt::internalError("the text of the stage llvm-mlir cannot be parsed");
  std::map<std::string, unsigned> counts;
  for (Operation *op : orderingOps(*maker->impl->module)) {
    std::string name = op->getName().getStringRef().str();
    if (op->hasAttr(tilegpu::kOrdersGlobalAttr))
      name += " of global memory";
    unsigned number = ++counts[name];
    maker->names.push_back(name + " #" + std::to_string(number));
    maker->locations.push_back(placeOf(op->getLoc()));
  }
  return maker;
}

Result<CompiledKernel> MutantMaker::makeWithout(size_t operation) {
  return make([&](std::vector<Operation *> &operations) { remove(operations.at(operation)); });
}

Result<CompiledKernel> MutantMaker::makeProbe(size_t operation) {
  return make([&](std::vector<Operation *> &operations) {
    OpBuilder builder(operations.at(operation));
    Location loc = operations.at(operation)->getLoc();
    Value never = LLVM::ConstantOp::create(builder, loc, builder.getBoolAttr(false));
    tilegpu::ThreadAssertOp::create(builder, loc, never, "a run comes here");
  });
}

Result<CompiledKernel> MutantMaker::make(const Edit &edit) {
  OwningOpRef<ModuleOp> module = impl->module->clone();
  std::vector<Operation *> operations = orderingOps(*module);
  edit(operations);
  PassManager passes(&impl->context, ModuleOp::getOperationName());
  buildSimPipeline(passes, /*countInstructions=*/false);
  if (failed(passes.run(*module)))
    return tilecrt::internalError("a pass for the simulator failed");
  llvm::Expected<std::unique_ptr<HostKernel>> host = compileForHost(*module, HostOptions());
  if (!host)
    return tilecrt::internalError(llvm::toString(host.takeError()));
  CompiledKernel made;
  made.metadata = kernel.metadata;
  made.host = std::move(*host);
  return made;
}

} // namespace tilec::harness
