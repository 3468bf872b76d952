// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A descriptor that is made of arguments and constants is the same in all programs, so the host can
// encode it before the launch: it becomes an argument of its own, a tensor map, whose attribute
// says how to compute base, sizes and strides from the other arguments. Sizes are written as text
// in postfix notation ("%2 %3 *" is argument 2 times argument 3).
//
// Of another descriptor the program encodes a map itself where a loop in the descriptor's scope
// loads or stores by it.
//
// Atomics do not order what the copy engine does, but a fence does behind a scalar one that
// acquires (tilegpu-insert-synchronisation). Nothing waits until what the engine stores is written,
// so what comes before an atomic that releases is not stored by it.

#include "tilec/Transforms/Tile/Passes.h"

#include "Padding.h"
#include "dialects/Tile/TileOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Remarks.h"
#include "tilec/Analysis/GlobalAccess.h"
#include "tilec/Analysis/HostExpression.h"
#include "tilec/Layout/TensorMapLayout.h"
#include "tilec/Support/RemarkCategory.h"

namespace tilec {
#define GEN_PASS_DEF_TILETAKETENSORMAPSPASS
#include "tilec/Transforms/Tile/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

/// Whether the copy engine combines elements of this type so. The map's type says whether integers
/// have a sign.
static bool canReduce(AtomicKind kind, Type type) {
  unsigned bits = bitWidthOf(type);
  if (isa<FloatType>(type))
    return bits == 16 || (kind == AtomicKind::add && type.isF32());
  return bits == 32 || bits == 64;
}

/// Whether a map for this access is one of unsigned elements: smaller and larger are something else
/// for those, and sums of 64 bits exist for them only.
static bool needsUnsigned(Operation *access) {
  auto reduce = dyn_cast<DescriptorReduceOp>(access);
  if (!reduce || isa<FloatType>(reduce.getDesc().getType().getElementType()))
    return false;
  return reduce.getKind() != AtomicKind::min && reduce.getKind() != AtomicKind::max;
}

/// Whether an operation runs in a loop that `make` stands outside of.
static bool isRepeated(Operation *op, MakeTensorDescriptorOp make) {
  for (; op->getBlock() != make->getBlock(); op = op->getParentOp())
    if (isa<LoopLikeOpInterface>(op->getParentOp()))
      return true;
  return false;
}

/// Whether the program is to encode the map itself: it is loaded from or stored to, not both, and
/// more than once.
static bool paysToEncode(MakeTensorDescriptorOp make) {
  ResultRange::user_range users = make->getUsers();
  bool loads = llvm::all_of(users, llvm::IsaPred<DescriptorLoadOp>);
  bool stores = llvm::all_of(users, llvm::IsaPred<DescriptorStoreOp>);
  return (loads || stores) && !make.getType().getPadsWithNan() &&
         !make->hasAttr(TileDialect::kInferredAttr) &&
         llvm::any_of(users, [&](Operation *user) { return isRepeated(user, make); });
}

static bool storesByDescriptor(Operation *root) {
  return root
      ->walk([](Operation *op) {
        return isa<DescriptorStoreOp, DescriptorReduceOp>(op) ? WalkResult::interrupt()
                                                              : WalkResult::advance();
      })
      .wasInterrupted();
}

namespace {
struct TakeTensorMaps final : tilec::impl::TileTakeTensorMapsPassBase<TakeTensorMaps> {
  using Base::Base;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (!func->hasAttr(TileDialect::kKernelAttr) || !processorOf(func).has(Feature::TensorCopy))
      return;
    findOrders(func);
    numEncoded = 0;
    SmallVector<MakeTensorDescriptorOp> makes;
    func.walk([&](MakeTensorDescriptorOp make) { makes.push_back(make); });
    for (MakeTensorDescriptorOp make : makes) {
      std::string reason;
      if (takeMap(make, func, reason))
        continue;
      remark::missed(make.getLoc(),
                     remark::RemarkOpts::name("NoTensorMap").category(remarks::kTensorMap))
          << "tensor descriptor is accessed through pointers instead of TMA: " << reason;
    }
  }

private:
  void findOrders(func::FuncOp func) {
    tensorsAcquire = releasesStores = false;
    func.walk([&](GlobalAccessOpInterface access) {
      std::optional<MemSemantic> order = access.getAtomicOrder();
      if (!order)
        return;
      releasesStores |= isRelease(*order) && mayComeBefore(access, storesByDescriptor);
      tensorsAcquire |= isAcquire(*order) && isFollowedByAccess(access) &&
                        isa<RankedTensorType>(access.getPointer().getType());
    });
  }

  bool takeMap(MakeTensorDescriptorOp make, func::FuncOp func, std::string &reason) {
    DescType type = make.getType();
    Type element = type.getElementType();
    if (!hasPowerOfTwoExtents(type.getBlockShape())) {
      reason = "its block has extents that are no powers of two";
      return false;
    }
    if (!tensorMapTile(type.getBlockShape(), int32_t(bitWidthOf(element)))) {
      reason = "TMA has no boxes of this shape";
      return false;
    }
    if (type.getPadsWithNan() && bitWidthOf(element) < 16) {
      reason = "TMA cannot fill 8-bit elements with NaN";
      return false;
    }
    SmallVector<OpOperand *> accesses;
    for (OpOperand &use : make.getResult().getUses()) {
      auto reduce = dyn_cast<DescriptorReduceOp>(use.getOwner());
      if (isa<DescriptorLoadOp, DescriptorStoreOp>(use.getOwner()) ||
          (reduce && canReduce(reduce.getKind(), element)))
        accesses.push_back(&use);
    }
    bool stores = llvm::any_of(
        accesses, [](OpOperand *use) { return !isa<DescriptorLoadOp>(use->getOwner()); });
    bool isOrdered = tensorsAcquire || (releasesStores && stores);
    SmallVector<Attribute> shape, strides;
    if (!writeHostExpressions(make, func, shape, strides, reason)) {
      if (isOrdered || !paysToEncode(make))
        return false;
      if (numEncoded == kMostEncoded) {
        reason += ", and the program encodes " + std::to_string(kMostEncoded) + " maps already";
        return false;
      }
      ++numEncoded;
      make->setAttr(TileDialect::kEncodedAttr, UnitAttr::get(make.getContext()));
      return true;
    }
    if (accesses.empty()) {
      reason = "it is not loaded from or stored to directly";
      return false;
    }
    if (isOrdered) {
      reason = "the kernel orders its accesses with atomics, which do not order TMA";
      return false;
    }
    Builder builder(make.getContext());
    for (OpOperand *use : accesses)
      use->set(findOrAddArgument(func, make, builder.getArrayAttr(shape),
                                 builder.getArrayAttr(strides), needsUnsigned(use->getOwner())));
    return true;
  }

  /// How the host computes sizes and strides; false with a reason when it cannot.
  static bool writeHostExpressions(MakeTensorDescriptorOp make, func::FuncOp func,
                                   SmallVector<Attribute> &shape, SmallVector<Attribute> &strides,
                                   std::string &reason) {
    if (!isGivenArgument(make.getBase(), func)) {
      reason = "its base is not an argument";
      return false;
    }
    Builder builder(make.getContext());
    for (auto [values, texts] :
         {std::pair(make.getShape(), &shape), std::pair(make.getStrides(), &strides)})
      for (Value value : values) {
        std::optional<std::string> text = hostExpression(value, func);
        if (!text) {
          reason = "its sizes or strides are not computed from arguments alone";
          return false;
        }
        texts->push_back(builder.getStringAttr(*text));
      }
    return true;
  }

  Value findOrAddArgument(func::FuncOp func, MakeTensorDescriptorOp make, ArrayAttr shape,
                          ArrayAttr strides, bool isUnsigned) {
    Builder builder(make.getContext());
    unsigned base = cast<BlockArgument>(make.getBase()).getArgNumber();
    SmallVector<NamedAttribute> fields = {
        builder.getNamedAttr("base", builder.getI32IntegerAttr(base)),
        builder.getNamedAttr("shape", shape), builder.getNamedAttr("strides", strides)};
    if (isUnsigned)
      fields.push_back(builder.getNamedAttr("unsigned", builder.getUnitAttr()));
    if (make->hasAttr(TileDialect::kInferredAttr))
      fields.push_back(builder.getNamedAttr("inferred", builder.getUnitAttr()));
    auto map = builder.getDictionaryAttr(fields);
    for (unsigned i = 0; i < func.getNumArguments(); ++i)
      if (func.getArgument(i).getType() == make.getType() &&
          func.getArgAttr(i, TileDialect::kTensorMapAttr) == map)
        return func.getArgument(i);
    unsigned index = func.getNumArguments();
    auto attrs = builder.getDictionaryAttr(builder.getNamedAttr(TileDialect::kTensorMapAttr, map));
    (void)func.insertArgument(index, make.getType(), attrs, make.getLoc());
    return func.getArgument(index);
  }

  /// Maps that the program encodes, of which each takes memory for all CTAs that can run at once.
  unsigned numEncoded = 0;
  static constexpr unsigned kMostEncoded = 16;
  /// Accesses behind atomics of tensors are ordered by them.
  bool tensorsAcquire = false;
  /// Some atomics release what descriptors store.
  bool releasesStores = false;
};
} // namespace
