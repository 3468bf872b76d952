// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Descriptor stores and reductions, by TMA: the value is written to a buffer that a tensor copy
// reads. Where shared memory is short, a tile leaves in parts, for which few small buffers do:
//
//   part 0 -> buffer 0, copy of buffer 0
//   part 1 -> buffer 1, wait for the copy of buffer 0, copy of buffer 1
//   part 2 -> buffer 0, wait for the copy of buffer 1, copy of buffer 0
//   ...
//
// Parts are what the threads hold in some of their registers, so that none moves. Small stores one
// behind the other fill all their buffers first, for one barrier and one wait.

#include "tilec/Transforms/TileGPU/Passes.h"

#include "dialects/TileGPU/TileGPUOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilec/Analysis/ProductLoops.h"
#include "tilec/Analysis/SharedAllocation.h"
#include "tilec/Analysis/StoreParts.h"
#include "tilec/Support/RemarkCategory.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace tilec {
#define GEN_PASS_DEF_TILEGPULOWERTENSORSTORESPASS
#include "tilec/Transforms/TileGPU/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

/// Bytes of the parts that are tried, the largest first: of larger ones copies begin later.
static constexpr int64_t kPartBytes[] = {kLargestStorePart, 8192};
/// Small stores one behind the other, of all in all at most so many bytes, have one barrier and one
/// wait: of larger ones the first copy begins earlier without. In loops over tiles there is no
/// limit but memory: nobody waits for the copies, and the next tile's first dots for the barriers.
static constexpr int64_t kMostTogether = 32768;
/// Bytes that buffers may be moved by to begin where swizzles do.
static constexpr int64_t kAlignmentLoss = 2048;
/// The least of a row that a copy writes.
static constexpr int64_t kLeastRowBytes = 64;
/// The least of any other dimension: the period of the swizzle.
static constexpr int64_t kLeastRows = 8;

/// Whether two warpgroups take the tiles in turn.
static bool isInTurn(Operation *op) {
  auto func = isa<func::FuncOp>(op) ? cast<func::FuncOp>(op) : op->getParentOfType<func::FuncOp>();
  return func->hasAttr(TileGPUDialect::kPingPongAttr);
}

namespace {
/// A descriptor store or reduction.
struct TileStore {
  explicit TileStore(tile::DescriptorStoreOp store)
      : op(store), desc(store.getDesc()), offsets(store.getOffsets()), value(store.getValue()) {
    skipConversions();
  }
  explicit TileStore(tile::DescriptorReduceOp reduction)
      : op(reduction), desc(reduction.getDesc()), offsets(reduction.getOffsets()),
        value(reduction.getValue()), kind(reduction.getKindAttr()) {
    skipConversions();
  }

  RankedTensorType type() const { return cast<RankedTensorType>(value.getType()); }
  /// Whether nothing but the shape of its blocks hinders parts.
  bool canBeParted() const;
  /// Takes the largest parts of at most `bytes`, or the whole where there are none.
  void part(int64_t bytes);
  int64_t numParts() const { return type().getDimSize(dim) / partType.getDimSize(dim); }
  tile::DescType partDesc() const;
  /// The dimension of blocks that is dimension `dim` of the tile.
  unsigned blockDim() const {
    return dim + unsigned(desc.getType().getBlockShape().size() - type().getRank());
  }
  Value makePart(OpBuilder &builder, int64_t number) const;
  /// The store, and what its parts have been computed from.
  void eraseWhole();
  /// Moves what the value is computed from to the place where it is stored.
  void computeAt(OpBuilder &builder) const;
  SmallVector<Value> offsetsOf(OpBuilder &builder, int64_t number) const;

  Operation *op;
  TypedValue<tile::DescType> desc;
  SmallVector<Value> offsets;
  Value value;
  tile::AtomicKindAttr kind;
  unsigned dim = 0;
  RankedTensorType partType;

private:
  SmallVector<Operation *> elementwiseCode() const;
  /// What is stored may have any layout.
  void skipConversions() {
    while (auto convert = value.getDefiningOp<ConvertLayoutOp>())
      value = convert.getSource();
    partType = type();
  }

  /// What is computed in parts.
  SmallVector<Operation *> elementwise;
};
} // namespace

bool TileStore::canBeParted() const {
  auto loop = dyn_cast<scf::ForOp>(op->getParentOp());
  return loop && !isLoopOfProducts(loop) && canLeaveInParts(op);
}

void TileStore::part(int64_t bytes) {
  partType = type();
  int64_t elementBytes = tile::bytesOf(partType.getElementType());
  for (unsigned axis = 0; axis < unsigned(type().getRank()); ++axis) {
    bool isRow = axis + 1 == unsigned(type().getRank());
    int64_t least = isRow ? kLeastRowBytes / elementBytes : kLeastRows;
    RankedTensorType slice = type();
    for (int64_t size = type().getDimSize(axis) / 2;
         size >= least && tile::tensorBytesOf(slice) > bytes; size /= 2) {
      std::optional<RankedTensorType> smaller = sliceOf(type(), axis, size);
      if (!smaller || !copyBufferType(*smaller))
        break;
      slice = *smaller;
    }
    if (tile::tensorBytesOf(slice) >= tile::tensorBytesOf(partType))
      continue;
    dim = axis;
    partType = slice;
  }
  if (partType != type())
    elementwise = elementwiseCode();
}

tile::DescType TileStore::partDesc() const {
  tile::DescType whole = desc.getType();
  SmallVector<int64_t> block(whole.getBlockShape());
  block[blockDim()] = partType.getDimSize(dim);
  return tile::DescType::get(whole.getContext(), block, whole.getElementType(),
                             whole.getPadsWithNan(), whole.getUsed(), whole.getBoxRows());
}

/// What the value is computed from element by element, and for nothing else, in the order of the
/// program: a tile that is stored in parts is computed in parts, too, and a part is in registers
/// when it is stored.
SmallVector<Operation *> TileStore::elementwiseCode() const {
  if (!isInTurn(op))
    return {};
  llvm::SmallSetVector<Operation *, 16> code;
  auto isInside = [&](Operation *user) { return user == op || code.contains(user); };
  for (Operation *at = op->getPrevNode(); at; at = at->getPrevNode())
    if (at->hasTrait<OpTrait::Elementwise>() && at->getNumResults() == 1 &&
        isMemoryEffectFree(at) && !at->use_empty() && llvm::all_of(at->getUsers(), isInside) &&
        at->getResult(0).getType() == type().clone(getElementTypeOrSelf(at->getResult(0))))
      code.insert(at);
  return llvm::to_vector(llvm::reverse(code));
}

Value TileStore::makePart(OpBuilder &builder, int64_t number) const {
  if (partType == type())
    return value;
  IRMapping mapping;
  RankedTensorType slice = partType;
  auto partOf = [&](Value whole) -> Value {
    if (mapping.contains(whole))
      return mapping.lookup(whole);
    return ExtractSliceOp::create(builder, op->getLoc(), slice.clone(getElementTypeOrSelf(whole)),
                                  whole, dim, number * partType.getDimSize(dim));
  };
  for (Operation *inner : elementwise) {
    for (Value operand : inner->getOperands())
      if (isa<RankedTensorType>(operand.getType()))
        mapping.map(operand, partOf(operand));
    Value part = builder.clone(*inner, mapping)->getResult(0);
    part.setType(slice.clone(getElementTypeOrSelf(part)));
    mapping.map(inner->getResult(0), part);
  }
  return partOf(value);
}

void TileStore::computeAt(OpBuilder &builder) const {
  for (Operation *inner : elementwiseCode())
    inner->moveBefore(builder.getInsertionBlock(), builder.getInsertionPoint());
}

void TileStore::eraseWhole() {
  op->erase();
  for (Operation *inner : llvm::reverse(elementwise))
    inner->erase();
}

SmallVector<Value> TileStore::offsetsOf(OpBuilder &builder, int64_t number) const {
  SmallVector<Value> result(offsets);
  if (number == 0)
    return result;
  Value ahead =
      arith::ConstantIntOp::create(builder, op->getLoc(), number * partType.getDimSize(dim), 32);
  Value &offset = result[blockDim()];
  offset = arith::AddIOp::create(builder, op->getLoc(), offset, ahead);
  return result;
}

namespace {
/// Stores one behind the other, of a tile that is cut into tensors.
class Series {
public:
  void add(TileStore store) { stores.push_back(std::move(store)); }
  /// Whether nothing but arithmetic lies between the last of them and `op`.
  bool reaches(Operation *op) const;
  /// Cuts the stores so that their buffers take at most `bytes`; false where they cannot.
  bool part(int64_t bytes);
  /// Whether copies of the first stores need not begin before the last's buffer is written.
  bool canWait() const;
  void lowerWhole(OpBuilder &builder);
  void lowerTogether(OpBuilder &builder);
  void lowerParts(OpBuilder &builder);

private:
  /// Buffers of one type, used in turn.
  struct Buffers {
    int64_t parts = 0, count = 0, next = 0;
    SmallVector<Value> made;
  };
  /// One part of a tile, with its buffer.
  struct Part {
    const TileStore *store;
    int64_t number;
    Value buffer;
  };

  Buffers &buffersOf(const TileStore &store) { return buffers[copyBufferType(store.partType)]; }
  bool havePartsInCommon() const;
  bool hasRoomTogether(int64_t bytes) const;
  void countParts();
  bool countBuffers(int64_t bytes);
  SmallVector<Part> listParts(OpBuilder &builder);

  SmallVector<TileStore> stores;
  llvm::MapVector<MemDescType, Buffers> buffers;
};
} // namespace

bool Series::reaches(Operation *op) const {
  Operation *last = stores.back().op;
  if (last->getBlock() != op->getBlock())
    return false;
  for (Operation *between = last->getNextNode(); between != op; between = between->getNextNode())
    if (!isMemoryEffectFree(between))
      return false;
  return true;
}

/// All that is stored through one map is cut in the same way.
bool Series::havePartsInCommon() const {
  for (const TileStore &store : stores)
    for (Operation *user : store.desc.getUsers())
      if (llvm::none_of(stores, [&](const TileStore &other) {
            return other.op == user && other.dim == store.dim &&
                   other.partType.getShape() == store.partType.getShape();
          }))
        return false;
  return true;
}

void Series::countParts() {
  buffers.clear();
  for (const TileStore &store : stores)
    buffersOf(store).parts += store.numParts();
}

/// One buffer for the parts of each type, and more as long as there is memory: for the most parts
/// first.
bool Series::countBuffers(int64_t bytes) {
  SmallVector<std::pair<int64_t, size_t>> order;
  for (auto [i, entry] : llvm::enumerate(buffers))
    order.emplace_back(-entry.second.parts, i);
  llvm::sort(order);
  for (int64_t count = 1; count <= kMostStoreBuffers; ++count)
    for (auto [parts, i] : order) {
      auto &[type, those] = buffers.begin()[i];
      auto size = int64_t(type.getSizeInBytes());
      if (those.parts >= count && size <= bytes) {
        those.count = count;
        bytes -= size;
      } else if (count == 1) {
        return false;
      }
    }
  return true;
}

bool Series::part(int64_t bytes) {
  int64_t whole = 0;
  for (const TileStore &store : stores)
    whole += tile::tensorBytesOf(store.type());
  if (whole <= bytes ||
      !llvm::all_of(stores, [](const TileStore &store) { return store.canBeParted(); }))
    return false;
  for (int64_t partBytes : kPartBytes) {
    for (TileStore &store : stores)
      store.part(partBytes);
    countParts();
    if (havePartsInCommon() && countBuffers(bytes))
      return true;
  }
  return false;
}

void Series::lowerWhole(OpBuilder &builder) {
  for (const TileStore &store : stores) {
    builder.setInsertionPoint(store.op);
    store.computeAt(builder);
    Location loc = store.op->getLoc();
    Value buffer = LocalAllocOp::create(builder, loc, copyBufferType(store.type()), IntegerAttr());
    LocalStoreOp::create(builder, loc, store.value, buffer);
    TmaStoreOp::create(builder, loc, store.desc, store.offsets, buffer, store.kind);
    TmaStoreWaitOp::create(builder, loc, 0);
    store.op->erase();
  }
}

/// Whether there is memory for the buffers of all at once beside the rings of a loop over tiles, in
/// the only CTA of a multiprocessor.
bool Series::hasRoomTogether(int64_t bytes) const {
  Operation *first = stores.front().op;
  auto func = first->getParentOfType<func::FuncOp>();
  // While one warpgroup waits at a barrier, the other one multiplies.
  if (isInTurn(func))
    return false;
  return first->getParentOfType<scf::ForOp>() && residentCtas(func) == 1 &&
         SharedAllocation(func).getTotalBytes() + bytes + kAlignmentLoss <=
             processorOf(func).maxSharedBytesPerCta();
}

bool Series::canWait() const {
  int64_t bytes = 0;
  for (const TileStore &store : stores)
    bytes += tile::tensorBytesOf(store.type());
  return stores.size() > 1 && (bytes <= kMostTogether || hasRoomTogether(bytes));
}

void Series::lowerTogether(OpBuilder &builder) {
  builder.setInsertionPoint(stores.back().op);
  SmallVector<Value> filled;
  for (const TileStore &store : stores) {
    store.computeAt(builder);
    Location loc = store.op->getLoc();
    filled.push_back(
        LocalAllocOp::create(builder, loc, copyBufferType(store.type()), IntegerAttr()));
    LocalStoreOp::create(builder, loc, store.value, filled.back());
  }
  for (auto [store, buffer] : llvm::zip_equal(stores, filled))
    TmaStoreOp::create(builder, store.op->getLoc(), store.desc, store.offsets, buffer, store.kind);
  TmaStoreWaitOp::create(builder, stores.back().op->getLoc(), 0);
  for (const TileStore &store : stores)
    store.op->erase();
}

/// In an order in which a buffer is read while another one is filled: next comes one of those parts
/// of which most are left, unless it has the buffer of the part before.
SmallVector<Series::Part> Series::listParts(OpBuilder &builder) {
  SmallVector<Part> parts;
  SmallVector<int64_t> taken(stores.size(), 0);
  auto bufferOf = [&](const TileStore &store) -> Value {
    Buffers &those = buffersOf(store);
    auto slot = size_t(those.next % those.count);
    if (slot == those.made.size())
      those.made.push_back(LocalAllocOp::create(builder, store.op->getLoc(),
                                                copyBufferType(store.partType), IntegerAttr()));
    return those.made[slot];
  };
  for (;;) {
    std::optional<size_t> best;
    std::pair<bool, int64_t> most;
    for (size_t i = 0; i < stores.size(); ++i) {
      if (taken[i] == stores[i].numParts())
        continue;
      const Buffers &those = buffersOf(stores[i]);
      bool isFree = parts.empty() || parts.back().buffer != bufferOf(stores[i]);
      std::pair<bool, int64_t> left(isFree, those.parts - those.next);
      if (!best || left > most) {
        best = i;
        most = left;
      }
    }
    if (!best)
      return parts;
    parts.push_back({&stores[*best], taken[*best]++, bufferOf(stores[*best])});
    ++buffersOf(stores[*best]).next;
  }
}

void Series::lowerParts(OpBuilder &builder) {
  builder.setInsertionPoint(stores.back().op);
  Location loc = stores.back().op->getLoc();
  for (const TileStore &store : stores)
    setTensorMapType(cast<BlockArgument>(store.desc), store.partDesc());
  SmallVector<Part> parts = listParts(builder);
  DenseMap<Value, size_t> usedFor;
  // So many copies are waited for.
  size_t done = 0;
  // Waits until the copy that last read the buffer of part number `next` has, of `started` copies.
  auto waitFor = [&](size_t next, size_t started) {
    auto used = usedFor.find(parts[next].buffer);
    if (used == usedFor.end() || used->second < done)
      return;
    done = used->second + 1;
    TmaStoreWaitOp::create(builder, loc, uint32_t(started - done));
  };
  for (size_t i = 0; i < parts.size(); ++i) {
    const auto &[store, number, buffer] = parts[i];
    bool hasNext = i + 1 < parts.size();
    bool isSameNext = hasNext && parts[i + 1].buffer == buffer;
    LocalStoreOp::create(builder, loc, store->makePart(builder, number), buffer);
    // The barrier in front of the copy tells of the next part's buffer, too.
    if (hasNext && !isSameNext)
      waitFor(i + 1, i);
    TmaStoreOp::create(builder, loc, store->desc, store->offsetsOf(builder, number), buffer,
                       store->kind);
    usedFor[buffer] = i;
    if (isSameNext)
      waitFor(i + 1, i + 1);
  }
  TmaStoreWaitOp::create(builder, loc, 0);
  remark::passed(loc, remark::RemarkOpts::name("StoredInParts").category(remarks::kPipeline))
      << remark::add("a tile is stored in {0} parts, through {1} buffers", parts.size(),
                     usedFor.size());
  for (TileStore &store : stores)
    store.eraseWhole();
}

namespace {
struct LowerTensorStores final : tilec::impl::TileGPULowerTensorStoresPassBase<LowerTensorStores> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<Series> found;
    auto add = [&](TileStore store) {
      if (found.empty() || !found.back().reaches(store.op))
        found.emplace_back();
      found.back().add(std::move(store));
    };
    getOperation().walk([&](Operation *op) {
      if (auto store = dyn_cast<tile::DescriptorStoreOp>(op))
        add(TileStore(store));
      else if (auto reduction = dyn_cast<tile::DescriptorReduceOp>(op))
        add(TileStore(reduction));
    });
    OpBuilder builder(&getContext());
    for (Series &series : found)
      if (bytes > 0 && series.part(bytes))
        series.lowerParts(builder);
      else if (series.canWait())
        series.lowerTogether(builder);
      else
        series.lowerWhole(builder);
  }
};
} // namespace
