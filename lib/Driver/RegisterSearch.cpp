// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The search for what is done about registers. Plans rest on an estimate, and the assembler has the
// last word:
//
//   all steps                 taken, unless one of these is better
//   without load warps        taken where the assembler serializes dots beside them for want of
//                             registers, and has them in flight together without: a computing
//                             thread has 255 then, not 240
//   without room for two      taken where room for two CTAs was planned and the assembler spills
//                             more than a register or two
//   without spilling as well  the estimate is a careful one: taken where tensors were spilled to
//                             shared memory and the assembler, left alone, spills nothing
//   with strength reduction   LLVM's, of addresses, which takes seconds where there are many: taken
//                             where the assembler spills less with it

#include "Compilation.h"

#include "mlir/IR/Remarks.h"
#include "tilec/Support/RemarkCategory.h"

namespace tilec {

/// Bytes of PTX above which compiling once more takes a second and more.
static constexpr size_t kLongText = size_t(1) << 18;

/// What two CTAs may spill: two registers, stored and loaded once. They wait less than one does.
static constexpr int64_t kFewSpilledBytes = 16;

bool Compilation::tryAgain(llvm::function_ref<bool()> compile,
                           llvm::function_ref<bool(const CompiledKernel &)> isBetter) {
  std::unique_ptr<CompiledKernel> before = std::move(result);
  KernelResources resourcesBefore = resources;
  result = std::make_unique<CompiledKernel>();
  result->metadata = before->metadata;
  result->stages = before->stages;
  result->times = before->times;
  if (compile() && isBetter(*result))
    return true;
  failure = Failure::None;
  result = std::move(before);
  resources = resourcesBefore;
  return false;
}

bool Compilation::compileAgain(llvm::function_ref<bool(const CompiledKernel &)> isBetter) {
  unsigned minCtasBefore = minCtas;
  bool spilledBefore = spillsToShared, heldTwoBefore = holdsTwoCtas;
  mlir::OwningOpRef<mlir::ModuleOp> start = std::move(beforeTileGPU);
  auto compile = [&] {
    result->metadata.properties.clear();
    module = start->clone();
    return toTileGPU() && toLLVMDialect() && toLLVM() && toPTX() && toCubin();
  };
  if (tryAgain(compile, isBetter))
    return true;
  minCtas = minCtasBefore;
  spillsToShared = spilledBefore;
  holdsTwoCtas = heldTwoBefore;
  beforeTileGPU = std::move(start);
  return false;
}

void Compilation::leaveLoadWarps() {
  if (!mayLeaveLoadWarps ||
      !llvm::StringRef(resources.serializedDots).contains("register resources"))
    return;
  std::string reason = resources.serializedDots;
  loadWarps = "off";
  if (!compileAgain([&](const CompiledKernel &) { return resources.serializedDots.empty(); })) {
    loadWarps = PipelineOptions().loadWarps;
    return;
  }
  if (options.remarks)
    diagnostics.remark(kernelRange,
                       "compiled without load warps: beside them ptxas serializes dots due to " +
                           reason,
                       remarks::kDot);
}

void Compilation::searchRegisters() {
  // What there is to remark has been said.
  context.setRemarkEngine(nullptr);
  leaveLoadWarps();
  if (!spillsToShared && !holdsTwoCtas)
    return;
  auto spillsNothing = [](const CompiledKernel &kernel) { return kernel.metadata.spillBytes == 0; };
  if (holdsTwoCtas) {
    if (result->metadata.spillBytes <= kFewSpilledBytes)
      return;
    llvm::erase(registerSteps, register_steps::kOccupancy);
    if (!compileAgain([](const CompiledKernel &) { return true; }) || !spillsToShared)
      return;
  }
  if (result->ptx.size() > kLongText)
    return;
  // Room for two needs the memory that tensors are spilled to.
  llvm::erase(registerSteps, register_steps::kOccupancy);
  llvm::erase(registerSteps, register_steps::kSpill);
  compileAgain(spillsNothing);
}

void Compilation::reduceStrength() {
  // Where it spills whatever is done.
  if ((*module)->hasAttr(tilegpu::TileGPUDialect::kSpillsAttr))
    return;
  int64_t spilled = result->metadata.spillBytes;
  auto compile = [&] {
    llvm::erase_if(result->metadata.properties,
                   [](const auto &property) { return property.first == "serializedDots"; });
    return toLLVM() && toPTX() && toCubin();
  };
  reducesStrength = true;
  reducesStrength = tryAgain(
      compile, [&](const CompiledKernel &kernel) { return kernel.metadata.spillBytes < spilled; });
}

} // namespace tilec
