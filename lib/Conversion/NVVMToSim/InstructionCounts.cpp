// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instruction counting: one call for each block, in front of it, with all that it has. Which
// classes they are and at which places is in the table of sites. Operations that cost a GPU nothing
// (constants, reinterpretations, renamings of vector elements and of halves of 64 bits) do not
// count. Multiplications of integers count as many as they take of 32 bits.

#include "SimBuilder.h"

#include "dialects/TileGPU/TileGPUOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "tilecrt/sim/SimAbi.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace tilec;
using namespace tilecrt::sim::abi;

static unsigned bitsOf(Value value) {
  auto type = dyn_cast<IntegerType>(getElementTypeOrSelf(value.getType()));
  return type ? type.getWidth() : 0;
}

/// Whether an operation only says that 32 bits are half of 64: a register of a pair, or a zero
/// beside one.
static bool isHalf(Operation *op) {
  if (isa<LLVM::TruncOp>(op))
    return bitsOf(op->getOperand(0)) == 64 && bitsOf(op->getResult(0)) == 32;
  if (isa<LLVM::ZExtOp>(op))
    return bitsOf(op->getOperand(0)) == 32 && bitsOf(op->getResult(0)) == 64;
  APInt distance;
  return isa<LLVM::LShrOp>(op) && bitsOf(op->getResult(0)) == 64 &&
         matchPattern(op->getOperand(1), m_ConstantInt(&distance)) && distance == 32;
}

static bool isFree(Operation *op) {
  return op->hasTrait<OpTrait::ConstantLike>() || isHalf(op) ||
         isa<LLVM::BitcastOp, LLVM::PtrToIntOp, LLVM::IntToPtrOp, LLVM::AddrSpaceCastOp,
             LLVM::ExtractElementOp, LLVM::InsertElementOp, LLVM::ExtractValueOp,
             LLVM::InsertValueOp, LLVM::FreezeOp, LLVM::AddressOfOp, LLVM::AllocaOp, LLVM::AssumeOp,
             LLVM::UnreachableOp, tilegpu::SharedBaseOp>(op);
}

static bool isFloating(Operation *op) {
  auto isFloat = [](Type type) { return isa<FloatType>(getElementTypeOrSelf(type)); };
  return llvm::any_of(op->getOperandTypes(), isFloat) ||
         llvm::any_of(op->getResultTypes(), isFloat);
}

/// Whether a value of 64 bits has 32 that say it all.
static bool isExtended(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.isIntN(32) || constant.isSignedIntN(32);
  Operation *op = value.getDefiningOp();
  return isa_and_nonnull<LLVM::ZExtOp, LLVM::SExtOp>(op) && bitsOf(op->getOperand(0)) <= 32;
}

/// The multiplications of 32 bits that one of integers takes: both halves of a product of two such
/// factors are two. None where it is a shift.
static int32_t multiplicationsOf(Operation *op) {
  if (!isa<LLVM::MulOp>(op))
    return 0;
  APInt factor;
  if (matchPattern(op->getOperand(1), m_ConstantInt(&factor)) && factor.isPowerOf2())
    return 0;
  unsigned words = llvm::divideCeil(bitsOf(op->getResult(0)), 32);
  bool isWide = words == 2 && llvm::all_of(op->getOperands(), isExtended);
  return int32_t(isWide ? words : words * words);
}

static InstructionClass classOf(Operation *op) {
  if (multiplicationsOf(op) != 0)
    return ClassMultiply;
  if (isa<tilegpu::LdGlobalOp, tilegpu::StGlobalOp, tilegpu::LdSharedOp, tilegpu::StSharedOp,
          tilegpu::AtomicRMWGlobalOp, tilegpu::AtomicCasGlobalOp, tilegpu::AtomicAddSharedOp,
          LLVM::LoadOp, LLVM::StoreOp, LLVM::AtomicRMWOp, LLVM::AtomicCmpXchgOp, LLVM::FenceOp,
          NVVM::LdMatrixOp, NVVM::StMatrixOp, NVVM::CpAsyncOp,
          NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp,
          NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp, NVVM::CpAsyncBulkTensorReduceOp,
          NVVM::CpAsyncBulkGlobalToSharedClusterOp, NVVM::CpAsyncBulkSharedCTAToGlobalOp,
          NVVM::CpAsyncBulkSharedCTAToSharedClusterOp>(op))
    return ClassMemory;
  if (isa<NVVM::MmaOp, NVVM::WgmmaMmaAsyncOp, tilegpu::ThreadMmaOp, tilegpu::ThreadWgmmaOp>(op))
    return ClassTensor;
  if (op->hasTrait<OpTrait::IsTerminator>() ||
      isa<NVVM::BarrierOp, NVVM::Barrier0Op, NVVM::ClusterArriveOp, NVVM::ClusterArriveRelaxedOp,
          NVVM::ClusterWaitOp, tilegpu::NamedBarrierOp>(op))
    return ClassControl;
  if (isa<LLVM::FPExtOp, LLVM::FPTruncOp, LLVM::FPToSIOp, LLVM::FPToUIOp, LLVM::SIToFPOp,
          LLVM::UIToFPOp, LLVM::SExtOp, LLVM::ZExtOp, LLVM::TruncOp>(op))
    return ClassConvert;
  if (isa<LLVM::CallIntrinsicOp, LLVM::CallOp, LLVM::SqrtOp, LLVM::ExpOp, LLVM::Exp2Op, LLVM::LogOp,
          LLVM::Log2Op, LLVM::SinOp, LLVM::CosOp, NVVM::RcpApproxFtzF32Op>(op))
    return ClassSpecial;
  if (!isa_and_nonnull<LLVM::LLVMDialect>(op->getDialect()))
    return ClassOther;
  return isFloating(op) ? ClassFloat : ClassInteger;
}

void tilec::insertInstructionCounts(LLVM::LLVMFuncOp function, SimBuilder &b) {
  for (Block &block : function.getBody()) {
    llvm::MapVector<std::pair<int32_t, InstructionClass>, int32_t> counts;
    int32_t total = 0;
    for (Operation &op : block) {
      if (isFree(&op))
        continue;
      int32_t amount = std::max(1, multiplicationsOf(&op));
      counts[{b.sites.instructionsAt(op.getLoc()), classOf(&op)}] += amount;
      total += amount;
    }
    if (total == 0)
      continue;
    std::vector<SiteInstructions> parts;
    for (const auto &[key, amount] : counts)
      parts.push_back({key.first, key.second, amount});
    Operation *first = &block.front();
    b.rewriter.setInsertionPoint(first);
    int32_t site = b.sites.add(first->getLoc(), "instructions");
    b.sites.setBlock(site, std::move(parts));
    Location loc = first->getLoc();
    b.call(loc, "tilec_sim_count",
           {b.constantI32(loc, ClassOther), b.constantI32(loc, total), b.constantI32(loc, site)});
  }
}
