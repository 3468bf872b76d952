// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asynchronous copies: cp.async, and bulk and tensor copies in tile mode, also to several CTAs of a
// cluster.

#include "SimBuilder.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "tilecrt/sim/SimAsyncAbi.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilec;
using namespace tilecrt::sim::abi;

/// Only tensor copies and what prepares them may use a generic pointer to global memory.
bool tilec::isTensorMapAddress(Operation *cast) {
  bool isGlobal = addressSpaceOf(cast->getOperand(0).getType()) == globalSpace &&
                  addressSpaceOf(cast->getResult(0).getType()) == 0u;
  return isGlobal && !cast->use_empty() && llvm::all_of(cast->getUsers(), [](Operation *user) {
           return isa<NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp,
                      NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp, NVVM::CpAsyncBulkTensorReduceOp,
                      NVVM::CpAsyncBulkTensorPrefetchOp, NVVM::PrefetchOp,
                      NVVM::FenceProxyAcquireOp>(user);
         });
}

static Value globalAddress(Location loc, SimBuilder &b, Value pointer) {
  return LLVM::PtrToIntOp::create(b.rewriter, loc, b.i64(), pointer);
}

//===----------------------------------------------------------------------===//
// cp.async
//===----------------------------------------------------------------------===//

static Lowered lowerCpAsync(NVVM::CpAsyncOp op, SimBuilder &b) {
  Location loc = op.getLoc();
  Value bytes = b.constantI32(loc, op.getSize());
  b.call(loc, "tilec_sim_cp_async",
         {b.sharedOffset(loc, op.getDst()), globalAddress(loc, b, op.getSrc()), bytes,
          op.getCpSize() ? op.getCpSize() : bytes,
          b.constantI32(loc, op.getModifier() == NVVM::LoadCacheModifierKind::CG),
          b.constantI32(loc, 1),
          b.site(op, "asynchronous copy of " + Twine(op.getSize()) + " bytes")});
  b.rewriter.eraseOp(op);
  return Lowered::Yes;
}

/// A call with at most one operand besides the site.
static Lowered lowerSimple(Operation *op, SimBuilder &b, StringRef function, const Twine &what,
                           ValueRange operands = {}) {
  SmallVector<Value> all(operands);
  all.push_back(b.site(op, what));
  b.call(op->getLoc(), function, all);
  b.rewriter.eraseOp(op);
  return Lowered::Yes;
}

static Lowered lowerCopyArrival(NVVM::CpAsyncMBarrierArriveOp op, SimBuilder &b) {
  Location loc = op.getLoc();
  if (addressSpaceOf(op.getAddr().getType()) != sharedSpace)
    return reportUnsupported(op, "a generic pointer to shared memory");
  return lowerSimple(op, b, "tilec_sim_cp_async_mbarrier_arrive", "cp.async.mbarrier.arrive",
                     {b.sharedOffset(loc, op.getAddr()), b.constantI32(loc, op.getNoinc())});
}

//===----------------------------------------------------------------------===//
// Bulk copies
//===----------------------------------------------------------------------===//

static Value widened(Location loc, SimBuilder &b, Value mask) {
  return LLVM::ZExtOp::create(b.rewriter, loc, b.i32(), mask);
}

static Lowered lowerBulkCopy(NVVM::CpAsyncBulkSharedCTAToSharedClusterOp op, SimBuilder &b) {
  Location loc = op.getLoc();
  return lowerSimple(op, b, "tilec_sim_bulk_shared", "bulk copy",
                     {b.sharedOffset(loc, op.getDstMem()), b.sharedOffset(loc, op.getSrcMem()),
                      op.getSize(), b.sharedOffset(loc, op.getMbar())});
}

static Lowered lowerBulkLoad(NVVM::CpAsyncBulkGlobalToSharedClusterOp op, SimBuilder &b) {
  Location loc = op.getLoc();
  if (Value mask = op.getMulticastMask())
    return lowerSimple(op, b, "tilec_sim_bulk_multicast", "multicast",
                       {b.sharedOffset(loc, op.getDstMem()), globalAddress(loc, b, op.getSrcMem()),
                        op.getSize(), b.sharedOffset(loc, op.getMbar()), widened(loc, b, mask),
                        b.constantI32(loc, 1)});
  return lowerSimple(op, b, "tilec_sim_bulk_load", "bulk copy",
                     {b.sharedOffset(loc, op.getDstMem()), globalAddress(loc, b, op.getSrcMem()),
                      op.getSize(), b.sharedOffset(loc, op.getMbar()), b.constantI32(loc, 1)});
}

static Lowered lowerBulkStore(NVVM::CpAsyncBulkSharedCTAToGlobalOp op, SimBuilder &b) {
  Location loc = op.getLoc();
  Value mask = op.getByteMask() ? widened(loc, b, op.getByteMask()) : b.constantI32(loc, 0xffff);
  return lowerSimple(op, b, "tilec_sim_bulk_store", "bulk copy",
                     {globalAddress(loc, b, op.getDstMem()), b.sharedOffset(loc, op.getSrcMem()),
                      op.getSize(), mask, b.constantI32(loc, 1)});
}

/// An array with the coordinates.
static Value coordinates(Operation *op, SimBuilder &b, ValueRange values) {
  return b.registers(op, SimBuilder::Slot::Coordinates, values);
}

static Lowered lowerTensorLoad(NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp op, SimBuilder &b) {
  if (op.getMode() != NVVM::TMALoadMode::TILE || !op.getIm2colOffsets().empty())
    return reportUnsupported(op, "expected mode 'tile'");
  if (op.getGroup().value_or(NVVM::CTAGroupKind::CTA_1) != NVVM::CTAGroupKind::CTA_1)
    return reportUnsupported(op, "pairs of CTAs");
  Location loc = op.getLoc();
  if (Value mask = op.getMulticastMask())
    return lowerSimple(op, b, "tilec_sim_tensor_multicast", "tensor multicast",
                       {b.sharedOffset(loc, op.getDstMem()), op.getTmaDescriptor(),
                        b.constantI32(loc, op.getCoordinates().size()),
                        coordinates(op, b, op.getCoordinates()), b.sharedOffset(loc, op.getMbar()),
                        widened(loc, b, mask), b.predicate(loc, op.getPredicate())});
  return lowerSimple(op, b, "tilec_sim_tensor_load", "tensor copy",
                     {b.sharedOffset(loc, op.getDstMem()), op.getTmaDescriptor(),
                      b.constantI32(loc, op.getCoordinates().size()),
                      coordinates(op, b, op.getCoordinates()), b.sharedOffset(loc, op.getMbar()),
                      b.predicate(loc, op.getPredicate())});
}

static Lowered callTensorStore(Operation *op, SimBuilder &b, Value map, Value source,
                               ValueRange coords, BulkReduction reduction, Value predicate) {
  Location loc = op->getLoc();
  if (addressSpaceOf(map.getType()) != 0u)
    return reportUnsupported(op, "expected a generic pointer to the tensor map");
  return lowerSimple(
      op, b, "tilec_sim_tensor_store", reduction == ReduceNone ? "tensor copy" : "tensor reduction",
      {map, b.sharedOffset(loc, source), b.constantI32(loc, coords.size()),
       coordinates(op, b, coords), b.constantI32(loc, reduction), b.predicate(loc, predicate)});
}

static Lowered lowerTensorStore(NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp op, SimBuilder &b) {
  if (op.getMode() != NVVM::TMAStoreMode::TILE)
    return reportUnsupported(op, "expected mode 'tile'");
  return callTensorStore(op, b, op.getTmaDescriptor(), op.getSrcMem(), op.getCoordinates(),
                         ReduceNone, op.getPredicate());
}

static std::optional<BulkReduction> bulkReduction(NVVM::TMAReduxKind kind) {
  switch (kind) {
  case NVVM::TMAReduxKind::ADD:
    return ReduceAdd;
  case NVVM::TMAReduxKind::MIN:
    return ReduceMin;
  case NVVM::TMAReduxKind::MAX:
    return ReduceMax;
  case NVVM::TMAReduxKind::AND:
    return ReduceAnd;
  case NVVM::TMAReduxKind::OR:
    return ReduceOr;
  case NVVM::TMAReduxKind::XOR:
    return ReduceXor;
  default:
    return std::nullopt;
  }
}

static Lowered lowerTensorReduce(NVVM::CpAsyncBulkTensorReduceOp op, SimBuilder &b) {
  std::optional<BulkReduction> reduction = bulkReduction(op.getRedKind());
  if (!reduction || op.getMode() != NVVM::TMAStoreMode::TILE)
    return reportUnsupported(op, "expected mode 'tile' and add, min, max, and, or or xor");
  return callTensorStore(op, b, op.getTmaDescriptor(), op.getSrcMem(), op.getCoordinates(),
                         *reduction, Value());
}

Lowered tilec::lowerCopy(Operation *op, SimBuilder &b) {
  Location loc = op->getLoc();
  return llvm::TypeSwitch<Operation *, Lowered>(op)
      .Case([&](NVVM::CpAsyncOp copy) { return lowerCpAsync(copy, b); })
      .Case([&](NVVM::CpAsyncCommitGroupOp) {
        return lowerSimple(op, b, "tilec_sim_cp_async_commit", "group of asynchronous copies");
      })
      .Case([&](NVVM::CpAsyncWaitGroupOp wait) {
        return lowerSimple(op, b, "tilec_sim_cp_async_wait", "wait for asynchronous copies",
                           b.constantI32(loc, wait.getN()));
      })
      .Case([&](NVVM::CpAsyncMBarrierArriveOp arrival) { return lowerCopyArrival(arrival, b); })
      .Case([&](NVVM::CpAsyncBulkGlobalToSharedClusterOp load) { return lowerBulkLoad(load, b); })
      .Case(
          [&](NVVM::CpAsyncBulkSharedCTAToSharedClusterOp copy) { return lowerBulkCopy(copy, b); })
      .Case([&](NVVM::CpAsyncBulkSharedCTAToGlobalOp store) { return lowerBulkStore(store, b); })
      .Case([&](NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp load) {
        return lowerTensorLoad(load, b);
      })
      .Case([&](NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp store) {
        return lowerTensorStore(store, b);
      })
      .Case([&](NVVM::CpAsyncBulkTensorReduceOp reduce) { return lowerTensorReduce(reduce, b); })
      .Case([&](NVVM::CpAsyncBulkCommitGroupOp) {
        return lowerSimple(op, b, "tilec_sim_bulk_commit", "group of bulk copies");
      })
      .Case([&](NVVM::CpAsyncBulkWaitGroupOp wait) {
        bool readOnly = wait.getRead().value_or(false);
        return lowerSimple(op, b, "tilec_sim_bulk_wait", "wait for bulk copies",
                           {b.constantI32(loc, wait.getGroup()), b.constantI32(loc, readOnly)});
      })
      .Default([](Operation *) { return Lowered::No; });
}
