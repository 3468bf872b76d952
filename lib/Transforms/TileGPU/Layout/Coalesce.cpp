// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses a blocked layout for every global access:
//   order            dimensions by falling contiguity of the pointers
//   size per thread  as many consecutive elements as one access of 16 bytes may cover (of 32 bytes
//                    where all can), shared by all accesses of the same shape and order in the
//                    function, and no more than an even split over the threads
//   lanes, warps     along the order; a warp takes strips of rows that several accesses of single
//                    words walk over

#include "Coalesce.h"

#include "tilec/Transforms/TileGPU/Passes.h"

#include "mlir/IR/Builders.h"
#include "tilec/Analysis/AxisInfo.h"
#include "tilec/Analysis/GlobalAccess.h"
#include "tilec/Layout/TensorLayouts.h"
#include "llvm/ADT/MapVector.h"

namespace tilec {
#define GEN_PASS_DEF_TILEGPUCOALESCEPASS
#include "tilec/Transforms/TileGPU/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

namespace {
/// One tensor load or store and what coalescing found out about it.
struct OrderedAccess : GlobalAccess {
  SmallVector<int32_t> order;
  /// Elements that one instruction of 16 bytes may cover.
  int64_t width = 1;
  /// As `width`, where the target has instructions of more bytes.
  int64_t widest = 1;
  bool isOfMaxBytes = false;
  /// Whether the layout is that of the widest access of the same shape and order. Atomics on
  /// neighbouring addresses have one of their own, in which neighbouring lanes meet in a sector.
  bool sharesLayout = true;
};

struct Coalesce final : tilec::impl::TileGPUCoalescePassBase<Coalesce> {
  using Base::Base;
  void runOnOperation() override;
};
} // namespace

/// Rows of words that begin anywhere, which the machine can only read word by word: when a kernel
/// walks over several of them, each warp takes strips of 512 bytes, in four accesses, so that fewer
/// warps meet in a sector. Measured on an H200 with rows of 3001 fp32: 3.5 % for two inputs and two
/// outputs, nothing for one of each, and a loss for elements of two bytes.
static constexpr int64_t kFullWidthOfWords = 4, kManyAccesses = 3;
static constexpr int32_t kStripAccesses = 2; // log2

/// `layout`, of one dimension and one element per access, with a warp's first registers in front
/// of the other warps.
static LinearLayout stripLayout(const LinearLayout &layout) {
  if (layout.getNumOutDims() != 1 || layout.getInDimSizeLog2(kRegister) < kStripAccesses)
    return layout;
  std::vector<LinearLayout::InDimBases> bases;
  for (StringRef in : {kRegister, kLane, kWarp, kBlock}) {
    bases.push_back({in.str(), {}});
    for (int32_t i = 0; i < layout.getInDimSizeLog2(in); ++i)
      bases.back().bases.push_back(layout.getBasis(in, i));
  }
  int32_t next = layout.getInDimSize(kLane);
  auto place = [&](LinearLayout::Basis &basis) {
    basis[0] = next;
    next *= 2;
  };
  auto &registers = bases[0].bases, &warps = bases[2].bases;
  llvm::for_each(llvm::MutableArrayRef(registers).take_front(kStripAccesses), place);
  llvm::for_each(warps, place);
  llvm::for_each(llvm::MutableArrayRef(registers).drop_front(kStripAccesses), place);
  return llvm::cantFail(LinearLayout::create(bases, layout.getOutDims()));
}

/// Dimensions by falling contiguity, the later one first among equals.
static SmallVector<int32_t> orderOf(const AxisInfo &info, ArrayRef<int64_t> shape) {
  SmallVector<int32_t> order = llvm::to_vector_of<int32_t>(rowMajorOrder(shape.size()));
  llvm::sort(order, [&](int32_t a, int32_t b) {
    int64_t runA = std::min(info.contiguity[a], shape[a]);
    int64_t runB = std::min(info.contiguity[b], shape[b]);
    return runA != runB ? runA > runB : a > b;
  });
  return order;
}

static OrderedAccess analyse(const GlobalAccess &given, const AxisInfoAnalysis &axisInfo) {
  OrderedAccess access{given, orderOf(axisInfo.get(given.pointer), given.type.getShape())};
  int32_t fast = access.order.front();
  bool isAtomic = given.kind == GlobalAccess::Kind::Atomic;
  access.sharesLayout = !isAtomic || axisInfo.get(given.pointer).contiguity[fast] == 1;
  int64_t width = axisInfo.getMaxVectorElements(given.pointer, given.mask, fast);
  access.width = std::min<int64_t>(width, given.fullWidth);
  access.widest = std::min<int64_t>(width, given.maxWidth);
  access.isOfMaxBytes = !isAtomic && width >= given.maxWidth;
  return access;
}

/// The result in a layout of its own, converted to the one that it had.
static void setResultLayout(OpResult result, const LinearLayout &layout) {
  auto old = dyn_cast<RankedTensorType>(result.getType());
  if (!old || withLayout(old, layout) == old)
    return;
  OpBuilder builder(result.getContext());
  builder.setInsertionPointAfter(result.getOwner());
  result.setType(withLayout(old, layout));
  auto convert = ConvertLayoutOp::create(builder, result.getLoc(), old, result);
  result.replaceAllUsesExcept(convert, convert);
}

void tilec::setAccessLayout(Operation *op, const LinearLayout &layout) {
  OpBuilder builder(op);
  auto relayout = [&](Type type) -> Type {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor ? withLayout(tensor, layout) : type;
  };
  for (OpOperand &operand : op->getOpOperands()) {
    Type wanted = relayout(operand.get().getType());
    if (wanted != operand.get().getType())
      operand.set(ConvertLayoutOp::create(builder, op->getLoc(), wanted, operand.get()));
  }
  for (OpResult result : op->getResults())
    setResultLayout(result, layout);
}

/// What comes from shared memory is stored sooner or later, as wide as other accesses.
static void spreadParts(tile::ReduceScatterOp scatter, int numWarps) {
  constexpr int64_t kWidth = 8;
  auto type = cast<RankedTensorType>(scatter.getType());
  int64_t share = std::max<int64_t>(1, type.getNumElements() / (numWarps * 32));
  SmallVector<int32_t> perThread(type.getRank(), 1);
  perThread.back() = int32_t(std::min({kWidth, share, type.getShape().back()}));
  setResultLayout(cast<OpResult>(scatter.getResult()),
                  spreadBlockedLayout(type.getShape(), perThread,
                                      llvm::to_vector_of<int32_t>(rowMajorOrder(type.getRank())),
                                      numWarps));
}

void Coalesce::runOnOperation() {
  func::FuncOp func = getOperation();
  const auto &axisInfo = getAnalysis<AxisInfoAnalysis>();
  int numWarps = numWarpsOf(func);
  SmallVector<OrderedAccess> accesses;
  func.walk([&](tile::ReduceScatterOp scatter) { spreadParts(scatter, numWarps); });
  func.walk([&](Operation *op) {
    std::optional<GlobalAccess> access = GlobalAccess::of(op);
    if (access && hasLayout(access->type))
      accesses.push_back(analyse(*access, axisInfo));
  });
  using Group = std::pair<std::vector<int64_t>, std::vector<int32_t>>;
  std::map<Group, int64_t> widths, sharing;
  // An access of half the bytes would use half of each sector.
  std::set<Group> narrower;
  auto groupOf = [](const OrderedAccess &access) {
    ArrayRef<int64_t> shape = access.type.getShape();
    return Group(shape.vec(), {access.order.begin(), access.order.end()});
  };
  for (const OrderedAccess &access : accesses)
    if (access.sharesLayout && !access.isOfMaxBytes)
      narrower.insert(groupOf(access));
  for (const OrderedAccess &access : accesses) {
    if (!access.sharesLayout)
      continue;
    int64_t &width = widths[groupOf(access)];
    bool isNarrow = narrower.count(groupOf(access));
    width = std::max(width, isNarrow ? access.width : access.widest);
    ++sharing[groupOf(access)];
  }
  for (const OrderedAccess &access : accesses) {
    ArrayRef<int64_t> shape = access.type.getShape();
    int64_t share = std::max<int64_t>(1, access.type.getNumElements() / (numWarps * 32));
    SmallVector<int32_t> perThread(shape.size(), 1);
    int64_t width = access.sharesLayout ? widths[groupOf(access)] : access.width;
    perThread[access.order.front()] = std::min({width, share, shape[access.order.front()]});
    LinearLayout layout = spreadBlockedLayout(shape, perThread, access.order, numWarps);
    if (width == 1 && access.fullWidth <= kFullWidthOfWords && access.sharesLayout &&
        sharing[groupOf(access)] >= kManyAccesses)
      layout = stripLayout(layout);
    setAccessLayout(access.op, layout);
  }
}
