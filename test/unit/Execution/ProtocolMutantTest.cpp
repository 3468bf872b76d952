// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels with roles without one of the operations that order accesses: what `--mutants` takes from
// the code of threads, taken from the code of roles. The check of the protocol finds each, or it is
// in the list of those that the simulator alone finds (test/execution/mutants.test).

#include "Execution.h"

#include "dialects/TileGPU/TileGPUOps.h"
#include "mlir/Parser/Parser.h"
#include "tilec/Analysis/RoleProtocol.h"
#include "tilec/Driver/Compiler.h"
#include "tilec/Driver/Registration.h"
#include "llvm/Support/MemoryBuffer.h"

namespace tilec::harness::test {
namespace {

using Names = std::vector<std::string>;

struct MutatedKernel {
  const char *file, *kernel;
  std::vector<ArgumentSpec> arguments;
  std::vector<ConstantSpec> constants;
  int warps;
  bool isPersistent = false, hasRoles = true;
  /// Those that no run of the protocol shows.
  Names survivors{};
};

std::string codeOf(const MutatedKernel &kernel) {
  auto text = llvm::MemoryBuffer::getFile(inputPath(kernel.file));
  EXPECT_TRUE(bool(text)) << kernel.file;
  if (!text)
    return "";
  SourceManager sources;
  FileId file = llvm::cantFail(sources.addBuffer(kernel.file, (*text)->getBuffer()));
  CompileOptions options;
  options.kernel = kernel.kernel;
  options.arguments = kernel.arguments;
  options.constants = kernel.constants;
  options.numWarps = kernel.warps;
  options.target = "sm_90a";
  options.persistent = kernel.isPersistent;
  options.stopAfter = Stage::TileGPU;
  options.keep = {Stage::TileGPU};
  DiagnosticEngine diagnostics;
  auto compiled = Compiler().compile(sources, file, options, diagnostics);
  EXPECT_TRUE(compiled) << kernel.kernel;
  return compiled ? compiled->stages[Stage::TileGPU] : "";
}

/// Whether the check looks at what an operation orders: slots that roles hand to each other.
bool isOfProtocol(mlir::Operation *op) {
  return llvm::isa<tilegpu::SlotAcquireOp, tilegpu::SlotReleaseOp, tilegpu::MbarrierWaitOp,
                   tilegpu::TmaLoadOp, tilegpu::SendProgramOp, tilegpu::WgmmaWaitOp>(op);
}

/// What orders accesses among the warps of one role: the simulator finds the race.
bool isOfOneRole(mlir::Operation *op) {
  return llvm::isa<mlir::NVVM::Barrier0Op, tilegpu::WarpgroupBarrierOp, mlir::NVVM::SyncWarpOp,
                   tilegpu::ProxyFenceOp, tilegpu::TmaStoreWaitOp>(op);
}

std::vector<mlir::Operation *> orderingOps(mlir::ModuleOp module) {
  std::vector<mlir::Operation *> ops;
  module.walk([&](mlir::Operation *op) {
    if (isOfProtocol(op) || isOfOneRole(op))
      ops.push_back(op);
  });
  return ops;
}

bool isFound(mlir::ModuleOp module) {
  bool found = false;
  module.walk([&](mlir::FunctionOpInterface func) {
    ProtocolReport report = checkRoleProtocol(func);
    EXPECT_EQ(report.obstacle, nullptr) << report.reason.str();
    found |= !report.findings.empty();
  });
  return found;
}

/// The mutants that the check does not find, by name and number: "tilegpu.slot_release #2".
Names survivorsOf(mlir::ModuleOp module) {
  Names survivors;
  std::map<std::string, int> numbers;
  size_t count = orderingOps(module).size();
  for (size_t i = 0; i < count; ++i) {
    mlir::OwningOpRef<mlir::ModuleOp> mutant = module.clone();
    mlir::Operation *op = orderingOps(*mutant)[i];
    std::string name = op->getName().getStringRef().str();
    name += " #" + std::to_string(++numbers[name]);
    bool isExpected = isOfProtocol(op);
    if (op->getNumResults() > 0)
      op->replaceAllUsesWith(op->getOperands().take_front(op->getNumResults()));
    op->erase();
    bool found = isFound(*mutant);
    EXPECT_TRUE(isExpected || !found) << name;
    if (isExpected && !found)
      survivors.push_back(name);
  }
  return survivors;
}

void expectFound(const MutatedKernel &kernel) {
  SCOPED_TRACE(kernel.kernel);
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(codeOf(kernel), &context);
  ASSERT_TRUE(module);
  bool hasRoles = false;
  module->walk([&](tilegpu::WarpRolesOp) { hasRoles = true; });
  EXPECT_EQ(hasRoles, kernel.hasRoles);
  EXPECT_FALSE(isFound(*module));
  EXPECT_EQ(survivorsOf(*module), kernel.survivors);
}

const std::vector<ArgumentSpec> kTileArguments = {
    {"a_ptr", "*fp16:16"}, {"b_ptr", "*fp16:16"}, {"out_ptr", "*fp32:16"}, {"M", "i32"},
    {"N", "i32:16"},       {"K", "i32:16"},       {"first", "i32"},        {"steps", "i32"}};

std::vector<ConstantSpec> tileConstants(const char *blockM, const char *blockN, const char *step,
                                        const char *stages, const char *roles) {
  return {{"BLOCK_M", blockM}, {"BLOCK_N", blockN}, {"STEP", step},
          {"STAGES", stages},  {"ROLES", roles},    {"PROGRAMS", "2"}};
}

TEST(ProtocolMutants, ofTilesAreFound) {
  expectFound(
      {"roles.tile", "tiles", kTileArguments, tileConstants("64", "64", "32", "3", "True"), 4});
  expectFound(
      {"roles.tile", "tiles", kTileArguments, tileConstants("128", "64", "32", "2", "True"), 8});
}

TEST(ProtocolMutants, ofOverlappedEpiloguesAreFound) {
  // The next tile's first copies are not to the slot that the last product reads: that one is
  // waited for because of its registers.
  Names waits{"tilegpu.wgmma_wait #2", "tilegpu.wgmma_wait #4"};
  expectFound({"roles.tile", "tiles", kTileArguments, tileConstants("64", "64", "32", "3", "False"),
               4, false, false, waits});
  // Of loops that go on with the next tile. Behind them are copies of iterations that such a loop
  // was too short for, and where all tiles have as many iterations the last of those is never made.
  expectFound({"roles.tile", "tiles", kTileArguments,
               tileConstants("128", "256", "32", "3", "False"), 8, false, false,
               Names{"tilegpu.wgmma_wait #2", "tilegpu.tma_load #9", "tilegpu.tma_load #10",
                     "tilegpu.wgmma_wait #4"}});
}

TEST(ProtocolMutants, ofDelayedDotsAreFound) {
  // Loops that run once at most: what is for their second iteration has no use. Products that read
  // no slot which is filled again are waited for because of their registers.
  expectFound({"roles.tile",
               "weighed",
               {{"q_ptr", "*fp16:16"},
                {"k_ptr", "*fp16:16"},
                {"v_ptr", "*fp16:16"},
                {"out_ptr", "*fp16:16"},
                {"M", "i32"},
                {"N", "i32"},
                {"first", "i32"},
                {"steps", "i32"},
                {"scale", "fp32"}},
               {{"DEPTH", "32"},
                {"BLOCK_M", "64"},
                {"STEP", "32"},
                {"STAGES", "3"},
                {"COORDINATES", "0"},
                {"ROLES", "True"},
                {"PROGRAMS", "2"}},
               4,
               false,
               true,
               {"tilegpu.wgmma_wait #2", "tilegpu.wgmma_wait #5", "tilegpu.wgmma_wait #7",
                "tilegpu.slot_release #6"}});
}

TEST(ProtocolMutants, ofAttentionAreFound) {
  // The weights are computed from a product that reads no slot which is filled again behind it;
  // that of the first keys does in the persistent kernel, where they are the load warps'.
  std::vector<std::string> survivors = {"tilegpu.wgmma_wait #1", "tilegpu.wgmma_wait #2",
                                        "tilegpu.wgmma_wait #4", "tilegpu.wgmma_wait #6"};
  for (bool isPersistent : {false, true}) {
    expectFound({"../../../examples/59-attention-roles.tile",
                 "attention_roles",
                 {{"q_ptr", "*fp16:16"},
                  {"k_ptr", "*fp16:16"},
                  {"v_ptr", "*fp16:16"},
                  {"out_ptr", "*fp16:16"},
                  {"lse_ptr", "*fp32:16"},
                  {"heads", "i32"},
                  {"seq_len", "i32"},
                  {"scale", "fp32"}},
                 {{"HEAD_DIM", "128"}, {"BLOCK_M", "128"}, {"BLOCK_N", "128"}, {"CAUSAL", "True"}},
                 8,
                 isPersistent,
                 true,
                 survivors});
    survivors.erase(survivors.begin());
  }
}

} // namespace
} // namespace tilec::harness::test
