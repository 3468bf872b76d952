// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See GlobalAccess.h.

#include "tilec/Analysis/GlobalAccess.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilec/Layout/SharedSwizzle.h"
#include "tilec/Layout/TensorLayouts.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

std::optional<GlobalAccess> GlobalAccess::of(Operation *op) {
  auto interface = dyn_cast<tile::GlobalAccessOpInterface>(op);
  auto type =
      interface ? dyn_cast<RankedTensorType>(interface.getPointer().getType()) : RankedTensorType();
  if (!type)
    return std::nullopt;
  GlobalAccess access;
  access.op = op;
  access.kind = interface.getAtomicOrder() ? Kind::Atomic
                : interface.readsMemory()  ? Kind::Load
                                           : Kind::Store;
  access.pointer = interface.getPointer();
  access.mask = interface.getMask();
  access.type = type;
  access.elementBytes = cast<tile::PtrType>(type.getElementType()).getElementBytes();
  access.fullWidth = access.maxWidth = interface.getMaxElements();
  // cp.async has 16 bytes everywhere.
  if (access.kind != Kind::Atomic && !isa<AsyncCopyOp>(op))
    access.maxWidth = std::max(1u, processorOf(op).maxAccessBytes() / access.elementBytes);
  return access;
}

StringRef GlobalAccess::getKindName() const {
  switch (kind) {
  case Kind::Load:
    return "load";
  case Kind::Store:
    return "store";
  case Kind::Atomic:
    return "atomic";
  }
  return "access";
}

unsigned GlobalAccess::getMaxWidth(unsigned axis, const AxisInfoAnalysis &axes) const {
  return std::min(maxWidth, axes.getMaxVectorElements(pointer, mask, axis));
}

AccessVector GlobalAccess::chooseVector(const AxisInfoAnalysis &axes) const {
  AccessVector best;
  for (int axis = type.getRank() - 1; axis >= 0; --axis) {
    unsigned inThread = 1u << contiguousRegisterBits(layoutOf(type), axis).size();
    unsigned width = std::min(inThread, getMaxWidth(axis, axes));
    if (axis == type.getRank() - 1 || width > best.width)
      best = {width, unsigned(axis)};
  }
  return best;
}

std::vector<unsigned> tilec::copyRegisterBits(const LinearLayout &threads, AccessVector vector,
                                              const LinearLayout &memory, unsigned elementBytes) {
  SharedAccess shared = analyseSharedAccess(threads, memory, int32_t(elementBytes * 8));
  std::vector<unsigned> bits = contiguousRegisterBits(threads, vector.axis);
  bits.resize(std::min<size_t>(bits.size(), llvm::Log2_32(vector.width)));
  size_t common = 0;
  while (common < bits.size() && common < shared.vectorRegisterBits.size() &&
         bits[common] == shared.vectorRegisterBits[common])
    ++common;
  bits.resize(common);
  return bits;
}

bool tilec::writesGlobal(Operation *op) {
  return isa_and_nonnull<tile::TileDialect>(op->getDialect()) &&
         !isa<tile::AssertOp, tile::PrintOp, tile::AssumeOp, tile::BarrierOp,
              tile::ReduceScatterOp>(op) &&
         hasEffect<MemoryEffects::Write>(op);
}

bool tilec::writesGlobalInside(Operation *root) {
  return root
      ->walk([](Operation *op) {
        return writesGlobal(op) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether an operation without regions, or whose regions are combinations of elements, may write
/// or wait.
static bool writesItself(Operation *op) {
  if (isMemoryEffectFree(op) || op->hasTrait<OpTrait::IsTerminator>())
    return false;
  if (auto load = dyn_cast<tile::LoadOp>(op))
    return load.getIsVolatile();
  return !isa<tile::AssumeOp, tile::DescriptorLoadOp, LocalAllocOp, LocalStoreOp, LocalLoadOp,
              LocalGatherOp, LocalCountOp, ParkOp, UnparkOp, RefreshOp>(op);
}

bool tilec::mayWriteGlobal(Operation *op) {
  return op
      ->walk<WalkOrder::PreOrder>([](Operation *inner) {
        if (isa<tile::ReduceOp, tile::ScanOp, PartialReduceOp, PartialScanOp, FinishScanOp>(inner))
          return WalkResult::skip();
        bool writes = inner->getNumRegions() == 0 && writesItself(inner);
        return writes ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether an operation accesses global memory, or something inside of it does.
static bool accessesGlobal(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        auto assembly = dyn_cast<tile::InlineAsmOp>(inner);
        bool accesses =
            isa<tile::GlobalAccessOpInterface, tile::DescriptorLoadOp, tile::DescriptorStoreOp,
                tile::DescriptorReduceOp, TmaLoadOp, TmaStoreOp, func::CallOp>(inner) ||
            (assembly && !isMemoryEffectFree(inner));
        return accesses ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

bool tilec::mayComeBefore(Operation *op, llvm::function_ref<bool(Operation *)> test) {
  for (; !isa<FunctionOpInterface>(op); op = op->getParentOp()) {
    if (isa<LoopLikeOpInterface>(op) && test(op))
      return true;
    for (Operation *before = op->getPrevNode(); before; before = before->getPrevNode())
      if (test(before))
        return true;
  }
  return false;
}

bool tilec::mayComeAfter(Operation *op, llvm::function_ref<bool(Operation *)> test) {
  for (; op && !isa<FunctionOpInterface>(op); op = op->getParentOp()) {
    if (isa<LoopLikeOpInterface>(op) && test(op))
      return true;
    for (Operation *next = op->getNextNode(); next; next = next->getNextNode())
      if (test(next))
        return true;
  }
  return false;
}

bool tilec::isFollowedByAccess(Operation *op) { return mayComeAfter(op, accessesGlobal); }

AtomicOrders AtomicOrders::of(Operation *root) {
  AtomicOrders orders;
  root->walk([&](tile::GlobalAccessOpInterface access) {
    std::optional<tile::MemSemantic> order = access.getAtomicOrder();
    orders.release |= order && isRelease(*order);
    orders.acquire |= order && isAcquire(*order) && isFollowedByAccess(access);
  });
  return orders;
}

Operation *tilec::findAccessOrder(Operation *root, bool barriers) {
  Operation *found = nullptr;
  root->walk([&](Operation *op) {
    auto access = dyn_cast<tile::GlobalAccessOpInterface>(op);
    auto load = dyn_cast<tile::LoadOp>(op);
    if ((access && AtomicOrders::of(access).acquire) || (load && load.getIsVolatile()) ||
        (barriers && isa<tile::BarrierOp>(op)))
      found = op;
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

bool tilec::isRemainderCode(Operation *op) {
  for (Operation *parent = op->getParentOp(); parent; op = parent, parent = op->getParentOp()) {
    if (!parent->hasAttr(tile::TileDialect::kRemainderAttr))
      continue;
    auto branch = dyn_cast<scf::IfOp>(parent);
    if (!branch || branch.getElseRegion().isAncestor(op->getParentRegion()))
      return true;
  }
  return false;
}
