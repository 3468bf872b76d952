// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Last in line: drops hints that mean nothing on the host and reports what no lowering took. An
// operation of the LLVM dialect passes when it does not reach GPU memory behind the runtime's back.

#include "SimBuilder.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tilec;

/// A conversion between the names of one place: of the CTA's shared memory, an offset in which is
/// an address in the cluster's, or of a tensor map.
static bool isRenaming(Operation *op) {
  auto cast = dyn_cast<LLVM::AddrSpaceCastOp>(op);
  if (!cast)
    return false;
  std::optional<unsigned> from = addressSpaceOf(cast.getArg().getType());
  std::optional<unsigned> to = addressSpaceOf(cast.getType());
  bool isShared = from == sharedSpace && to == sharedClusterSpace;
  return isShared || isTensorMapAddress(op);
}

/// Hints to the hardware.
static bool isHint(Operation *op) {
  return isa<LLVM::AssumeOp, LLVM::Prefetch, NVVM::PrefetchOp, NVVM::SetMaxRegisterOp,
             NVVM::NanosleepOp, NVVM::GriddepcontrolOp, NVVM::CpAsyncBulkPrefetchOp,
             NVVM::CpAsyncBulkTensorPrefetchOp>(op);
}

/// Operations that only compute with pointers or hand them on.
static bool isPointerArithmetic(Operation *op) {
  return isa<LLVM::GEPOp, LLVM::PtrToIntOp, LLVM::ICmpOp, LLVM::SelectOp, LLVM::BrOp,
             LLVM::CondBrOp, LLVM::SwitchOp, LLVM::FreezeOp, LLVM::BitcastOp, LLVM::InsertElementOp,
             LLVM::InsertValueOp, LLVM::CallOp, LLVM::ReturnOp, LLVM::PtrMaskOp>(op);
}

/// Control flow and access that a kernel cannot have.
static bool isForeign(Operation *op) {
  return isa<LLVM::InlineAsmOp, LLVM::InvokeOp, LLVM::LandingpadOp, LLVM::ResumeOp, LLVM::VaArgOp,
             LLVM::IndirectBrOp, LLVM::BlockAddressOp, LLVM::BlockTagOp, LLVM::DebugTrap>(op);
}

static Lowered checkPointers(Operation *op) {
  if (isa<LLVM::AddrSpaceCastOp>(op) && (isSimulatedPointer(op->getOperand(0).getType()) ||
                                         isSimulatedPointer(op->getResult(0).getType())))
    return reportUnsupported(op, "a generic pointer to global or shared memory");
  if (isa<LLVM::IntToPtrOp>(op) && !isSimulatedPointer(op->getResult(0).getType()))
    return reportUnsupported(op, "expected a global or shared pointer");
  if (isa<LLVM::AddressOfOp>(op) && isSimulatedPointer(op->getResult(0).getType()))
    return reportUnsupported(op, "a variable in global or shared memory");
  auto store = dyn_cast<LLVM::StoreOp>(op);
  if (store && addressSpaceOf(store.getValue().getType()) == globalSpace)
    return Lowered::Yes; // The pointer is the stored value: lowerMemory took the other stores.
  if (!isPointerArithmetic(op) && llvm::any_of(op->getOperandTypes(), isSimulatedPointer))
    return reportUnsupported(op, "on global or shared memory");
  return Lowered::Yes;
}

Lowered tilec::checkSupported(Operation *op, SimBuilder &b) {
  if (isHint(op)) {
    b.rewriter.eraseOp(op);
    return Lowered::Yes;
  }
  if (isRenaming(op)) {
    Location loc = op->getLoc();
    Value address = LLVM::PtrToIntOp::create(b.rewriter, loc, b.i64(), op->getOperand(0));
    b.rewriter.replaceOpWithNewOp<LLVM::IntToPtrOp>(op, op->getResult(0).getType(), address);
    return Lowered::Yes;
  }
  if (!isa_and_nonnull<LLVM::LLVMDialect>(op->getDialect()) || isForeign(op))
    return reportUnsupported(op);
  return checkPointers(op);
}
