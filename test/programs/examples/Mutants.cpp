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

/// On the constant that stands for "the operation of this number is skipped" until the code is the
/// host's, which has no checks of what it reads.
constexpr StringLiteral kNumberAttr = "harness.mutant";

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

/// What an operation that is skipped gives: values that it hands on come from where it had them; a
/// wait has succeeded.
static SmallVector<Value> resultsWithout(Operation *op, OpBuilder &builder) {
  SmallVector<Value> values;
  for (auto [number, result] : llvm::enumerate(op->getResults())) {
    Value value = op->getNumOperands() == op->getNumResults() ? op->getOperand(number) : Value();
    if (!value || value.getType() != result.getType())
      value = LLVM::ConstantOp::create(builder, op->getLoc(), result.getType(),
                                       builder.getIntegerAttr(result.getType(), 1));
    values.push_back(value);
  }
  return values;
}

/// Puts an operation into a block of its own that a branch may leave out.
static void makeOptional(Operation *op, size_t number) {
  Location loc = op->getLoc();
  Block *before = op->getBlock();
  Block *with = before->splitBlock(op);
  Block *behind = with->splitBlock(std::next(op->getIterator()));
  OpBuilder builder = OpBuilder::atBlockEnd(before);
  auto isSkipped = LLVM::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
  isSkipped->setAttr(kNumberAttr, builder.getIndexAttr(static_cast<int64_t>(number)));
  SmallVector<Value> without = resultsWithout(op, builder);
  LLVM::CondBrOp::create(builder, loc, isSkipped, behind, without, with, ValueRange());
  for (Value result : op->getResults())
    result.replaceAllUsesWith(behind->addArgument(result.getType(), loc));
  builder.setInsertionPointToEnd(with);
  LLVM::BrOp::create(builder, loc, op->getResults(), behind);
}

static Value addressOf(const void *place, OpBuilder &builder, Location loc) {
  Value bits = LLVM::ConstantOp::create(
      builder, loc, builder.getI64IntegerAttr(reinterpret_cast<int64_t>(place)));
  return LLVM::IntToPtrOp::create(builder, loc, LLVM::LLVMPointerType::get(builder.getContext()),
                                  bits);
}

/// Lets the code say that it has been there, and ask which operation is skipped.
static void readChoice(LLVM::ConstantOp isSkipped, const int32_t *chosen, char *reached) {
  OpBuilder builder(isSkipped);
  Location loc = isSkipped.getLoc();
  auto number = isSkipped->getAttrOfType<IntegerAttr>(kNumberAttr).getInt();
  Value one = LLVM::ConstantOp::create(builder, loc, builder.getI8IntegerAttr(1));
  LLVM::StoreOp::create(builder, loc, one, addressOf(reached + number, builder, loc),
                        /*alignment=*/1, /*isVolatile=*/true);
  Value now = LLVM::LoadOp::create(builder, loc, builder.getI32Type(),
                                   addressOf(chosen, builder, loc), /*alignment=*/4,
                                   /*isVolatile=*/true);
  Value own = LLVM::ConstantOp::create(builder, loc,
                                       builder.getI32IntegerAttr(static_cast<int32_t>(number)));
  isSkipped.replaceAllUsesWith(
      LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::eq, now, own).getResult());
  isSkipped.erase();
}

MutantMaker::MutantMaker(const CompiledKernel &original) { made.metadata = original.metadata; }

Result<std::unique_ptr<MutantMaker>> MutantMaker::create(const CompiledKernel &kernel) {
  auto text = kernel.stages.find(Stage::LLVMMLIR);
  if (text == kernel.stages.end())
    return tilecrt::invalidArgument("the kernel has no text of the stage llvm-mlir");
  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  auto module = parseSourceString<ModuleOp>(text->second, &context);
  if (!module)
    return tilecrt::internalError("the text of the stage llvm-mlir cannot be parsed");
  std::unique_ptr<MutantMaker> maker(new MutantMaker(kernel));
  std::map<std::string, unsigned> counts;
  std::vector<Operation *> operations = orderingOps(*module);
  for (auto [number, op] : llvm::enumerate(operations)) {
    std::string name = op->getName().getStringRef().str();
    if (op->hasAttr(tilegpu::kOrdersGlobalAttr))
      name += " of global memory";
    maker->names.push_back(name + " #" + std::to_string(++counts[name]));
    maker->locations.push_back(placeOf(op->getLoc()));
    makeOptional(op, number);
  }
  maker->reached.resize(operations.size());
  Result<std::unique_ptr<HostKernel>> host = maker->compile(*module);
  if (!host)
    return host.status();
  maker->made.host = std::move(*host);
  return maker;
}

Result<std::unique_ptr<HostKernel>> MutantMaker::compile(ModuleOp module) {
  PassManager passes(module.getContext(), ModuleOp::getOperationName());
  buildSimPipeline(passes, /*countInstructions=*/false);
  if (failed(passes.run(module)))
    return tilecrt::internalError("a pass for the simulator failed");
  SmallVector<LLVM::ConstantOp> choices;
  module.walk([&](LLVM::ConstantOp constant) {
    if (constant->hasAttr(kNumberAttr))
      choices.push_back(constant);
  });
  if (choices.size() != names.size())
    return tilecrt::internalError("a pass for the simulator has taken a branch away");
  for (LLVM::ConstantOp choice : choices)
    readChoice(choice, &chosen, reached.data());
  llvm::Expected<std::unique_ptr<HostKernel>> host = compileForHost(module, HostOptions());
  if (!host)
    return tilecrt::internalError(llvm::toString(host.takeError()));
  return std::move(*host);
}

void MutantMaker::choose(std::optional<size_t> operation) {
  chosen = operation ? static_cast<int32_t>(*operation) : -1;
}

} // namespace tilec::harness
