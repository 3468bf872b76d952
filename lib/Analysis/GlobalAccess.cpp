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
  GlobalAccess access;
  access.op = op;
  std::optional<tile::AtomicKind> combines;
  if (auto load = dyn_cast<tile::LoadOp>(op)) {
    access.mask = load.getMask();
  } else if (auto copy = dyn_cast<AsyncCopyOp>(op)) {
    access.mask = copy.getMask();
  } else if (auto store = dyn_cast<tile::StoreOp>(op)) {
    access.kind = Kind::Store;
    access.mask = store.getMask();
  } else if (auto atomic = dyn_cast<tile::AtomicRMWOp>(op)) {
    access.kind = Kind::Atomic;
    access.mask = atomic.getMask();
    combines = atomic.getKind();
  } else if (auto cas = dyn_cast<tile::AtomicCasOp>(op)) {
    access.kind = Kind::Atomic;
    access.mask = cas.getMask();
  } else {
    return std::nullopt;
  }
  access.pointer = op->getOperand(0);
  access.type = dyn_cast<RankedTensorType>(access.pointer.getType());
  if (!access.type)
    return std::nullopt;
  auto pointer = cast<tile::PtrType>(access.type.getElementType());
  access.elementBytes = pointer.getElementBytes();
  if (access.kind != Kind::Atomic)
    access.fullWidth = std::max(1u, kFullBytes / access.elementBytes);
  else if (combines)
    access.fullWidth = std::min(maxAtomicElements(*combines, pointer.getPointee(), processorOf(op)),
                                std::max(1u, kFullBytes / access.elementBytes));
  access.maxWidth = access.fullWidth;
  // cp.async has 16 bytes everywhere.
  if (isa<tile::LoadOp, tile::StoreOp>(op))
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
         !isa<tile::AssertOp, tile::PrintOp, tile::AssumeOp, tile::BarrierOp>(op) &&
         hasEffect<MemoryEffects::Write>(op);
}

bool tilec::writesGlobalInside(Operation *root) {
  return root
      ->walk([](Operation *op) {
        return writesGlobal(op) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether an operation accesses global memory, or something inside of it does.
static bool accessesGlobal(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        auto assembly = dyn_cast<tile::InlineAsmOp>(inner);
        bool accesses =
            isa<tile::LoadOp, tile::StoreOp, tile::AtomicRMWOp, tile::AtomicCasOp,
                tile::DescriptorLoadOp, tile::DescriptorStoreOp, tile::DescriptorReduceOp,
                AsyncCopyOp, TmaLoadOp, TmaStoreOp, func::CallOp>(inner) ||
            (assembly && !isMemoryEffectFree(inner));
        return accesses ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

bool tilec::isFollowedByAccess(Operation *op) {
  for (; op && !isa<FunctionOpInterface>(op); op = op->getParentOp()) {
    if (isa<LoopLikeOpInterface>(op) && accessesGlobal(op))
      return true;
    for (Operation *next = op->getNextNode(); next; next = next->getNextNode())
      if (accessesGlobal(next))
        return true;
  }
  return false;
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
