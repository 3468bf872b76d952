// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads through pointers that read blocks of tensors load through descriptors, where a loop's dots
// read them from shared memory:
//
//   x = load a + (start + i) * stride + (k + j), where k + j < K
//   -> d = descriptor of a, sizes [most, K], strides [stride];  x = load d[start, k]
//
// Which load is one says TensorCopy.h. A loop's loads are taken all or not at all: one that waits
// for both kinds of copies waits twice.

#include "DescribedBlock.h"
#include "DimensionClasses.h"
#include "Padding.h"
#include "SharedBounds.h"
#include "TransposedDot.h"
#include "WideDot.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Remarks.h"
#include "tilec/Analysis/BeyondExtent.h"
#include "tilec/Analysis/GlobalAccess.h"
#include "tilec/Analysis/HostExpression.h"
#include "tilec/Analysis/LoopSchedule.h"
#include "tilec/Analysis/ProductUnit.h"
#include "tilec/Support/RemarkCategory.h"
#include "tilec/Transforms/Tile/Passes.h"

namespace tilec {
#define GEN_PASS_DEF_TILETAKETENSORCOPIESPASS
#include "tilec/Transforms/Tile/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;

static int64_t numWarpsOf(func::FuncOp func) {
  constexpr int64_t usual = 4;
  auto module = func->getParentOfType<ModuleOp>();
  auto warps =
      module ? module->getAttrOfType<IntegerAttr>(tile::TileDialect::kNumWarpsAttr) : IntegerAttr();
  return warps ? warps.getInt() : usual;
}

//===----------------------------------------------------------------------===//
// Loads that are worth it
//===----------------------------------------------------------------------===//

namespace {
/// A dot's operand that is a load, or a transposed load, or what is widened of one.
struct OperandUse {
  tile::DotOp dot;
  unsigned operand;
  /// The loaded dimension that the operand's dimensions are.
  SmallVector<int32_t, 2> order;
};

/// What becomes of the load on the way to a dot.
struct LoadedValue {
  Value value;
  SmallVector<int32_t, 2> order;
  bool isWidened;
};
} // namespace

/// The dots of the load's block, or of loops behind it, that read it; empty when anything else
/// does.
static SmallVector<OperandUse, 2> operandUsesOf(tile::LoadOp load) {
  SmallVector<OperandUse, 2> uses;
  SmallVector<LoadedValue> pending{{load.getResult(), {0, 1}, false}};
  while (!pending.empty()) {
    auto [value, order, isWidened] = pending.pop_back_val();
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      auto dot = dyn_cast<tile::DotOp>(user);
      auto permute = dyn_cast<tile::PermuteOp>(user);
      bool widens = isa<arith::SIToFPOp, arith::UIToFPOp>(user);
      bool isBehind = dot && !isWidened && isa<scf::ForOp>(user->getParentOp()) &&
                      user->getParentOp()->getBlock() == load->getBlock();
      if ((user->getBlock() != load->getBlock() && !isBehind) || (!dot && !permute && !widens))
        return {};
      if (widens) {
        pending.push_back({user->getResult(0), order, true});
        continue;
      }
      if (permute) {
        SmallVector<int32_t, 2> permuted;
        for (int32_t dim : permute.getOrder())
          permuted.push_back(order[dim]);
        pending.push_back({permute.getResult(), permuted, isWidened});
        continue;
      }
      unsigned number = use.getOperandNumber();
      if (number > 1 ||
          (isWidened && operandWidenedInRegisters(dot.getLhs(), dot.getRhs()) != number))
        return {};
      uses.push_back({dot, number, order});
    }
  }
  return uses;
}

/// Whether a dot's operand is computed from the value in its block.
static bool feedsDot(Value value, Block *block) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    if (user->getBlock() != block)
      return false;
    if (isa<tile::DotOp>(user))
      return true;
    bool passesOn = user->hasTrait<OpTrait::Elementwise>() || isa<tile::ShapeOpInterface>(user);
    return passesOn && user->getNumResults() == 1 && feedsDot(user->getResult(0), block);
  });
}

/// Whether the threads copy to shared memory what a loop loads.
static bool isCopiedByThreads(tile::LoadOp load) {
  auto type = dyn_cast<RankedTensorType>(load.getType());
  if (!type)
    return false;
  constexpr unsigned wordBits = 32;
  bool isVector = type.getRank() == 1 && tile::bitWidthOf(type.getElementType()) >= wordBits;
  return isVector || feedsDot(load.getResult(), load->getBlock());
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

/// Whether nothing is made of the value but what `end` yields in the same place.
static bool isOnlyYielded(Value value, Operation *end, unsigned index) {
  return llvm::all_of(value.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (user == end)
      return use.getOperandNumber() == index;
    return user->getBlock() == end->getBlock() && user->getNumResults() == 1 &&
           isMemoryEffectFree(user) && user->getNumRegions() == 0 &&
           isOnlyYielded(user->getResult(0), end, index);
  });
}

/// Pointers that a loop moves on and nothing reads any more stay where they are, so that they are
/// no part of the loop.
static void stopUnusedPointers(scf::ForOp loop) {
  Operation *end = loop.getBody()->getTerminator();
  for (auto [index, argument] : llvm::enumerate(loop.getRegionIterArgs()))
    if (isa<tile::PtrType>(getElementTypeOrSelf(argument.getType())) &&
        loop.getResult(unsigned(index)).use_empty() &&
        isOnlyYielded(argument, end, unsigned(index)))
      end->setOperand(unsigned(index), argument);
}

/// Where the value is transposed, it is `source`.
static void dropTransposes(Value value, Value source) {
  for (Operation *user : llvm::make_early_inc_range(value.getUsers())) {
    auto permute = dyn_cast<tile::PermuteOp>(user);
    if (!permute || permute.getOrder()[0] != 1)
      continue;
    permute.replaceAllUsesWith(source);
    permute.erase();
  }
}

/// Makes the load of one copy.
static void emit(tile::LoadOp load, const TensorCopy &copy, const IndexPolynomials &indices) {
  OpBuilder builder(load);
  auto type = cast<RankedTensorType>(load.getType());
  tile::DescribedBlock block = tile::describeBlock(builder, load, copy, indices);
  Value loaded = tile::DescriptorLoadOp::create(
      builder, load.getLoc(), RankedTensorType::get(block.shape, type.getElementType()), block.desc,
      block.starts, load.getEvict());
  if (block.isTransposed) {
    dropTransposes(load, loaded);
    if (!load.use_empty())
      loaded = tile::PermuteOp::create(builder, load.getLoc(), type, loaded,
                                       builder.getDenseI32ArrayAttr({1, 0}));
  }
  load.replaceAllUsesWith(loaded);
  load.erase();
}

namespace {
/// Decides for one function.
class CopyTaker {
public:
  CopyTaker(func::FuncOp function, const AxisInfoAnalysis &axisInfo, bool takesMixed)
      : func(function), axes(axisInfo), mixed(takesMixed), indices(function),
        warps(numWarpsOf(function)), written(function), pieces(function) {}

  void run() {
    func.walk([&](scf::ForOp loop) { study(loop); });
    SetVector<Operation *> loops;
    for (auto &[load, copy] : taken)
      loops.insert(load->getParentOp());
    func.walk([&](tile::LoadOp load) { studyInFront(load, loops); });
    shareBounds();
    for (auto &[load, copy] : taken)
      emit(load, copy, indices);
    for (Operation *loop : loops)
      stopUnusedPointers(cast<scf::ForOp>(loop));
  }

private:
  using Found = std::pair<tile::LoadOp, TensorCopy>;

  void study(scf::ForOp loop);
  /// Lets copies of one tensor share a map.
  void shareBounds();
  /// Takes a load in front of loops by tensor copies alone, whose dots read it.
  void studyInFront(tile::LoadOp load, const SetVector<Operation *> &loops);
  SmallVector<int64_t> copiedExtents(tile::LoadOp load, unsigned dim);
  bool isByWarpgroups(tile::DotOp dot);
  bool isOperand(tile::LoadOp load, llvm::function_ref<bool(Block *)> isPlace);
  bool needsPolicy(tile::LoadOp load);
  std::optional<TensorCopy> match(tile::LoadOp load, std::string &reason);
  bool isReadAsCopied(tile::LoadOp load, unsigned inner);
  void tell(tile::LoadOp load, const Twine &reason) {
    remark::missed(load.getLoc(),
                   remark::RemarkOpts::name("NoTensorCopy").category(remarks::kTensorMap))
        << "load of a dot's operand is copied by threads instead of TMA: " << reason.str();
  }

  func::FuncOp func;
  const AxisInfoAnalysis &axes;
  bool mixed;
  IndexPolynomials indices;
  int64_t warps;
  WrittenMemory written;
  tile::PieceExtents pieces;
  std::vector<Found> taken;
};
} // namespace

/// Whether the dot is computed as the transposed dot (`tile-transpose-dots`) once its operands are
/// copied.
static bool isTransposed(tile::DotOp dot) {
  return tile::isBetterTransposed(dot) && tile::LoadedOperand(dot.getLhs()).load &&
         tile::LoadedOperand(dot.getRhs()).load;
}

/// Whether every product that the dot is made of is one by warpgroups.
bool CopyTaker::isByWarpgroups(tile::DotOp dot) {
  if (isTransposed(dot))
    return true;
  Value lhs = dot.getLhs(), rhs = dot.getRhs();
  auto shaped = [](Value value, int64_t rows, int64_t columns) {
    return cast<RankedTensorType>(value.getType()).clone({rows, columns});
  };
  SmallVector<int64_t> widths =
      tile::canBeWidened(dot) ? SmallVector<int64_t>{tile::widenedColumns(dot)} : pieces.of(rhs, 1);
  for (int64_t rows : pieces.of(lhs, 0))
    for (int64_t depth : pieces.of(lhs, 1))
      for (int64_t columns : widths)
        if (whyNotWgmma({shaped(lhs, rows, depth), shaped(rhs, depth, columns),
                         shaped(dot.getResult(), rows, columns), dot.getPrecision()},
                        processorOf(func), warps))
          return false;
  return true;
}

/// Whether the load is nothing but an operand of dots by warpgroups in these blocks.
bool CopyTaker::isOperand(tile::LoadOp load, llvm::function_ref<bool(Block *)> isPlace) {
  auto type = dyn_cast<RankedTensorType>(load.getType());
  if (!type || type.getRank() != 2)
    return false;
  SmallVector<OperandUse, 2> uses = operandUsesOf(load);
  return !uses.empty() && llvm::all_of(uses, [&](OperandUse &use) {
    return isPlace(use.dot->getBlock()) && isByWarpgroups(use.dot);
  });
}

/// Whether a dot's operand is made of what is loaded, and the copy engine alone can be told how
/// long the cache is to keep it.
bool CopyTaker::needsPolicy(tile::LoadOp load) {
  auto type = dyn_cast<RankedTensorType>(load.getType());
  return load.getEvict() != tile::EvictionPolicy::normal && type && type.getRank() == 2 &&
         !processorOf(func).has(Feature::AsyncCopyPolicy) &&
         feedsDot(load.getResult(), load->getBlock());
}

/// Whether warpgroups read the block from where the copy engine puts it: elements that have not 16
/// bits have to be contiguous along K.
bool CopyTaker::isReadAsCopied(tile::LoadOp load, unsigned inner) {
  constexpr unsigned anyWay = 16;
  if (tile::bitWidthOf(getElementTypeOrSelf(load.getType())) == anyWay)
    return true;
  return llvm::all_of(operandUsesOf(load), [&](const OperandUse &use) {
    return unsigned(use.order[1 - use.operand]) == inner;
  });
}

/// The extents of what is copied at once along a dimension of the load.
SmallVector<int64_t> CopyTaker::copiedExtents(tile::LoadOp load, unsigned dim) {
  SmallVector<OperandUse, 2> uses = operandUsesOf(load);
  if (uses.empty())
    return {cast<RankedTensorType>(load.getType()).getDimSize(dim)};
  auto isColumns = [&](const OperandUse &use, unsigned operand) {
    return use.operand == operand && unsigned(use.order[operand]) == dim;
  };
  if (llvm::all_of(uses, [&](const OperandUse &use) {
        return isColumns(use, 1) && tile::canBeWidened(use.dot);
      }))
    return {tile::widenedColumns(uses.front().dot)};
  // The transposed dot's columns.
  if (llvm::all_of(
          uses, [&](const OperandUse &use) { return isColumns(use, 0) && isTransposed(use.dot); }))
    return {tile::transposedColumns(uses.front().dot)};
  return pieces.of(load.getResult(), dim);
}

std::optional<TensorCopy> CopyTaker::match(tile::LoadOp load, std::string &reason) {
  auto type = cast<RankedTensorType>(load.getType());
  auto refuse = [&](StringRef why) -> std::optional<TensorCopy> {
    reason = why.str();
    return std::nullopt;
  };
  if (load.getIsVolatile() ||
      (load.getCache() != tile::CacheModifier::none && load.getCache() != tile::CacheModifier::cg))
    return refuse("it is volatile or has a cache modifier");
  if (load.getMask() && load.getOther() && !tile::isZero(load.getOther()))
    return refuse("masked-off elements are not zero");
  std::optional<TensorCopy> copy = matchTensorCopy(load, indices, axes, reason);
  if (!copy)
    return std::nullopt;
  if (written.mayContain(copy->base))
    return refuse("the kernel writes to the same memory, or may do so");
  SmallVector<int64_t> extents[] = {copiedExtents(load, 0), copiedExtents(load, 1)};
  if (!tile::hasPowerOfTwoExtents(extents[0]) || !tile::hasPowerOfTwoExtents(extents[1]))
    return refuse("its block has extents that are no powers of two");
  if (!isReadAsCopied(load, *copy->dims.back().accessed) ||
      !tile::hasBoxes(*copy, extents[0], extents[1], tile::bitWidthOf(type.getElementType()),
                      /*isSwizzled=*/true))
    return refuse("TMA does not write the layout that the dot reads");
  for (const TensorCopy::Dim &dim : copy->dims)
    if (dim.isWrapped && !isDroppedBeyond(load, dim, indices, reason))
      return std::nullopt;
  return copy;
}

void CopyTaker::study(scf::ForOp loop) {
  if (loop.getBody()->getOps<tile::DotOp>().empty() || askedStages(loop) < 2)
    return;
  std::vector<Found> found;
  bool hasOthers = false;
  auto isBody = [&](Block *block) { return block == loop.getBody(); };
  for (auto load : loop.getBody()->getOps<tile::LoadOp>()) {
    if (loop.isDefinedOutsideOfLoop(load.getPointer()))
      continue;
    bool isRead = isOperand(load, isBody);
    hasOthers |= !isRead && isCopiedByThreads(load);
    if (!isRead && !needsPolicy(load))
      continue;
    std::string reason;
    if (std::optional<TensorCopy> copy = match(load, reason)) {
      (isRead ? found : taken).push_back({load, std::move(*copy)});
    } else if (isRead) {
      tell(load, reason);
      hasOthers = true;
    }
  }
  if (!hasOthers || mixed) {
    llvm::append_range(taken, found);
    return;
  }
  for (Found &copy : found)
    tell(copy.first, "threads copy another tensor of the loop");
}

void CopyTaker::studyInFront(tile::LoadOp load, const SetVector<Operation *> &loops) {
  auto isBodyBehind = [&](Block *block) {
    return block != load->getBlock() && loops.contains(block->getParentOp());
  };
  if (!isOperand(load, isBodyBehind))
    return;
  std::string reason;
  if (std::optional<TensorCopy> copy = match(load, reason))
    taken.push_back({load, std::move(*copy)});
  else
    tell(load, reason);
}

void CopyTaker::shareBounds() {
  SharedBounds bounds(indices, axes);
  for (auto &[load, copy] : taken)
    for (auto &[otherLoad, other] : taken)
      bounds.take(load, copy, other);
}

namespace {
struct TakeTensorCopies final : tilec::impl::TileTakeTensorCopiesPassBase<TakeTensorCopies> {
  using Base::Base;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    const Processor &processor = processorOf(func);
    if (func->hasAttr(tile::TileDialect::kKernelAttr) && processor.has(Feature::TensorCopy) &&
        processor.has(Feature::Wgmma))
      CopyTaker(func, getAnalysis<AxisInfoAnalysis>(), mixed).run();
  }
};
} // namespace
