// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared-memory placement: which values refer to which buffer, when each buffer is live, where it
// goes. Memory descriptors are followed through control flow, so that a buffer that a loop passes
// from one iteration to the next stays live through the whole loop.

#include "tilec/Analysis/SharedAllocation.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilec {
namespace {

bool isDescriptor(Value value) { return isa<tilegpu::MemDescType>(value.getType()); }

/// The values that receive what `use` carries: through structured control flow, and through any op
/// that makes a descriptor from a descriptor.
SmallVector<Value> forwardedTo(OpOperand &use) {
  Operation *op = use.getOwner();
  unsigned index = use.getOperandNumber();
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    // Bounds and step are no descriptors.
    index -= loop.getNumControlOperands();
    return {loop.getRegionIterArg(index), loop.getResult(index)};
  }
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return {loop.getBeforeArguments()[index]};
  if (isa<scf::ConditionOp>(op)) {
    auto loop = cast<scf::WhileOp>(op->getParentOp());
    return {loop.getAfterArguments()[index - 1], loop.getResult(index - 1)};
  }
  if (isa<scf::YieldOp>(op)) {
    Operation *parent = op->getParentOp();
    if (auto loop = dyn_cast<scf::ForOp>(parent))
      return {loop.getRegionIterArg(index), loop.getResult(index)};
    if (auto loop = dyn_cast<scf::WhileOp>(parent))
      return {loop.getBeforeArguments()[index]};
    return {parent->getResult(index)};
  }
  return llvm::to_vector(llvm::make_filter_range(ValueRange(op->getResults()), isDescriptor));
}

/// Follows the descriptor of `alloc` and calls `visit` on every value that may be it.
void forEachAlias(tilegpu::LocalAllocOp alloc, llvm::function_ref<void(Value)> visit) {
  llvm::SmallDenseSet<Value> seen{alloc.getResult()};
  SmallVector<Value> worklist{alloc.getResult()};
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    visit(value);
    for (OpOperand &use : value.getUses())
      for (Value target : forwardedTo(use))
        if (seen.insert(target).second)
          worklist.push_back(target);
  }
}

/// The first and last position, in program order, of every op with all that is inside it.
class Positions {
public:
  explicit Positions(Operation *root) { number(root); }

  unsigned begin(Operation *op) const { return range.lookup(op).first; }
  unsigned end(Operation *op) const { return range.lookup(op).second; }

private:
  void number(Operation *op) {
    unsigned first = next++;
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Operation &inner : block)
          number(&inner);
    range[op] = {first, next - 1};
  }

  DenseMap<Operation *, std::pair<unsigned, unsigned>> range;
  unsigned next = 0;
};

/// Whether the regions of `op` may run several times.
bool mayRepeat(Operation *op) {
  return op->getNumRegions() > 0 && !isa<scf::IfOp, tilegpu::WarpRolesOp>(op);
}

/// Extends the live interval of `buffer` by a position, and by every loop around it that is not
/// around `alloc`: the buffer keeps its contents from one iteration to the next.
void extendLiveness(SharedBuffer &buffer, Operation *alloc, Operation *user,
                    const Positions &positions) {
  Operation *whole = user;
  bool repeats = false;
  for (Operation *op = user->getParentOp(); op && !op->isAncestor(alloc); op = op->getParentOp())
    if (mayRepeat(op)) {
      whole = op;
      repeats = true;
    }
  unsigned begin = positions.begin(whole);
  unsigned end = repeats ? positions.end(whole) : begin;
  buffer.firstUse = std::min(buffer.firstUse, begin);
  buffer.lastUse = std::max(buffer.lastUse, end);
}

/// The operations that wait for async copies and dots in flight.
class Waits {
public:
  Waits(Operation *root, const Positions &allPositions) : positions(allPositions) {
    root->walk<WalkOrder::PreOrder>([&](Operation *op) {
      auto copies = dyn_cast<tilegpu::AsyncWaitOp>(op);
      auto stores = dyn_cast<tilegpu::TmaStoreWaitOp>(op);
      if (copies && copies.getPending() == 0)
        forCopies.push_back(positions.begin(op));
      else if (stores && stores.getPending() == 0)
        forStores.push_back(positions.begin(op));
    });
  }

  /// A buffer that `user` accesses is in use until the access is waited for. The last of all uses
  /// is at `last`.
  void extendLiveness(SharedBuffer &buffer, unsigned last, Operation *user) const {
    if (isa<tilegpu::AsyncCopyOp>(user))
      extendToFirst(buffer, forCopies, last);
    else if (isa<tilegpu::TmaStoreOp>(user))
      extendToFirst(buffer, forStores, positions.begin(user));
    else if (isa<tilegpu::WgmmaOp>(user)) {
      DenseSet<Value> visited;
      extendToWait(buffer, user->getResult(0), visited);
    }
  }

private:
  /// Up to the first of some waits from a position on.
  static void extendToFirst(SharedBuffer &buffer, ArrayRef<unsigned> waits, unsigned position) {
    auto wait = llvm::lower_bound(waits, position);
    if (wait != waits.end())
      buffer.lastUse = std::max(buffer.lastUse, *wait);
  }

  /// Follows the result of a product around loops and through waits for others.
  void extendToWait(SharedBuffer &buffer, Value product, DenseSet<Value> &visited) const {
    if (!visited.insert(product).second)
      return;
    for (OpOperand &use : product.getUses()) {
      Operation *user = use.getOwner();
      if (auto wait = dyn_cast<tilegpu::WgmmaWaitOp>(user)) {
        if (wait.getPending() == 0)
          buffer.lastUse = std::max(buffer.lastUse, positions.begin(wait));
        else
          extendToWait(buffer, wait.getResult(use.getOperandNumber()), visited);
        continue;
      }
      auto loop =
          isa<scf::YieldOp>(user) ? dyn_cast<scf::ForOp>(user->getParentOp()) : scf::ForOp();
      if (!loop)
        continue;
      extendToWait(buffer, loop.getResult(use.getOperandNumber()), visited);
      extendToWait(buffer, loop.getRegionIterArg(use.getOperandNumber()), visited);
    }
  }

  const Positions &positions;
  SmallVector<unsigned> forCopies, forStores;
};

bool liveTogether(const SharedBuffer &a, const SharedBuffer &b) {
  return a.firstUse <= b.lastUse && b.firstUse <= a.lastUse;
}

/// The lowest aligned offset at which `buffer` fits between the placed buffers it is live together
/// with. With `separateSmall`, small buffers never share with small ones either.
int64_t firstFit(const SharedBuffer &buffer, ArrayRef<const SharedBuffer *> placed,
                 bool separateSmall) {
  auto isSmall = [](const SharedBuffer &b) { return b.size <= SharedAllocation::kSmallSize; };
  SmallVector<const SharedBuffer *> conflicts;
  for (const SharedBuffer *other : placed)
    if (liveTogether(*other, buffer) || (separateSmall && isSmall(*other) && isSmall(buffer)))
      conflicts.push_back(other);
  llvm::sort(conflicts, [](const SharedBuffer *a, const SharedBuffer *b) {
    return std::make_pair(a->offset, a->size) < std::make_pair(b->offset, b->size);
  });
  int64_t alignment = std::max(buffer.alignment, buffer.size <= SharedAllocation::kSmallSize
                                                     ? SharedAllocation::kSmallAlignment
                                                     : SharedAllocation::kAlignment);
  int64_t offset = 0;
  for (const SharedBuffer *other : conflicts) {
    if (offset + buffer.size <= other->offset)
      break;
    offset = std::max<int64_t>(offset, llvm::alignTo(other->end(), alignment));
  }
  return offset;
}

/// Whether `user` is a tensor copy that writes `buffer`.
bool isFilledByTensorCopy(Value buffer, Operation *user) {
  auto copy = dyn_cast<tilegpu::TmaLoadOp>(user);
  return copy && copy.getBuffer() == buffer;
}

/// Whether registers are parked in the buffer.
bool isSlot(tilegpu::LocalAllocOp alloc) {
  return llvm::any_of(alloc->getUsers(), [](Operation *user) {
    return isa<tilegpu::ParkOp, tilegpu::UnparkOp>(user);
  });
}

/// Slots are in use as long as any of them is: one that shared its memory with another buffer would
/// cost a barrier.
void uniteSlots(SharedAllocation::BufferMap &buffers) {
  unsigned first = std::numeric_limits<unsigned>::max(), last = 0;
  for (auto &[alloc, buffer] : buffers)
    if (isSlot(alloc)) {
      first = std::min(first, buffer.firstUse);
      last = std::max(last, buffer.lastUse);
    }
  for (auto &[alloc, buffer] : buffers)
    if (isSlot(alloc)) {
      buffer.firstUse = first;
      buffer.lastUse = last;
    }
}

} // namespace

SharedAllocation::SharedAllocation(FunctionOpInterface func) {
  Positions positions(func);
  Waits waits(func, positions);
  func.walk<WalkOrder::PreOrder>([&](tilegpu::LocalAllocOp alloc) {
    SharedBuffer buffer;
    buffer.size = alloc.getType().getSizeInBytes();
    buffer.firstUse = std::numeric_limits<unsigned>::max();
    forEachAlias(alloc, [&](Value alias) {
      aliases[alias].push_back(alloc);
      for (Operation *user : alias.getUsers()) {
        extendLiveness(buffer, alloc, user, positions);
        if (isa<tilegpu::WgmmaOp, tilegpu::TmaStoreOp>(user) || isFilledByTensorCopy(alias, user))
          buffer.alignment = kSwizzleAlignment;
        if (isa<tilegpu::EncodeTensorMapOp>(user))
          buffer.alignment = std::max(buffer.alignment, SharedAllocation::kTensorMapAlignment);
        if (isa<tilegpu::MbarrierInitOp, tilegpu::SendProgramOp, tilegpu::EncodeTensorMapOp>(
                user)) {
          // Nobody else may touch the bytes of a barrier object, of a program's number, or those in
          // which maps are encoded.
          buffer.firstUse = 0;
          buffer.lastUse = std::numeric_limits<unsigned>::max();
        }
      }
      // Carried around a loop that also contains the allocation: live in the next iteration too.
      Operation *loop = alias.getParentBlock()->getParentOp();
      if (isa<BlockArgument>(alias) && loop->isProperAncestor(alloc)) {
        buffer.firstUse = std::min(buffer.firstUse, positions.begin(loop));
        buffer.lastUse = std::max(buffer.lastUse, positions.end(loop));
      }
    });
    if (buffer.firstUse > buffer.lastUse)
      buffer.firstUse = buffer.lastUse = positions.begin(alloc);
    unsigned last = buffer.lastUse;
    forEachAlias(alloc, [&](Value alias) {
      for (Operation *user : alias.getUsers())
        waits.extendLiveness(buffer, last, user);
    });
    buffers.insert({alloc, buffer});
  });

  uniteSlots(buffers);
  totalBytes = place([](tilegpu::LocalAllocOp alloc) { return !isOfComputeGroup(alloc); });
  groupBytes = llvm::alignTo(place(tilegpu::isOfComputeGroup), kSwizzleAlignment);
  if (groupBytes == 0)
    return;
  int64_t first = llvm::alignTo(totalBytes, kSwizzleAlignment);
  for (auto &[alloc, buffer] : buffers)
    if (isOfComputeGroup(alloc))
      buffer.offset += first;
  totalBytes = first + tilegpu::computeGroupsOf(func) * groupBytes;
}

int64_t SharedAllocation::place(llvm::function_ref<bool(tilegpu::LocalAllocOp)> isChosen) {
  SmallVector<std::pair<int64_t, unsigned>> largestFirst;
  int64_t smallBytes = 0, end = 0;
  for (auto [i, entry] : llvm::enumerate(buffers)) {
    const auto &[alloc, buffer] = entry;
    if (!isChosen(alloc))
      continue;
    if (buffer.size <= kSmallSize)
      smallBytes += llvm::alignTo(buffer.size, kSmallAlignment);
    largestFirst.push_back({-buffer.size, i});
  }
  bool separateSmall = smallBytes <= kSeparateSmallLimit;
  llvm::sort(largestFirst);
  SmallVector<const SharedBuffer *> placed;
  for (auto [size, i] : largestFirst) {
    SharedBuffer &buffer = buffers.begin()[i].second;
    buffer.offset = firstFit(buffer, placed, separateSmall);
    placed.push_back(&buffer);
    end = std::max(end, buffer.end());
  }
  return end;
}

SharedAllocation SharedAllocation::fromOffsets(FunctionOpInterface func) {
  SharedAllocation result(func);
  result.totalBytes = 0;
  result.groupBytes = tilegpu::groupBytesOf(func);
  int64_t otherGroups = (tilegpu::computeGroupsOf(func) - 1) * result.groupBytes;
  for (auto &[alloc, buffer] : result.buffers)
    if (std::optional<uint32_t> offset = alloc.getOffset()) {
      buffer.offset = *offset;
      int64_t end = buffer.end() + (isOfComputeGroup(alloc) ? otherGroups : 0);
      result.totalBytes = std::max(result.totalBytes, end);
    }
  for (auto &[alloc, buffer] : result.buffers)
    if (!alloc.getOffset()) {
      buffer.offset = 0;
      buffer.size = result.totalBytes = std::max(result.totalBytes, buffer.size);
    }
  return result;
}

ArrayRef<tilegpu::LocalAllocOp> SharedAllocation::getBuffersOf(Value descriptor) const {
  auto it = aliases.find(descriptor);
  return it == aliases.end() ? ArrayRef<tilegpu::LocalAllocOp>() : ArrayRef(it->second);
}

void SharedAllocation::print(raw_ostream &os) const {
  for (const auto &[alloc, buffer] : buffers)
    os << "offset = " << buffer.offset << ", size = " << buffer.size << ", live = ["
       << buffer.firstUse << ", " << buffer.lastUse << "]\n";
  os << "total = " << totalBytes << "\n";
}

int64_t residentCtas(FunctionOpInterface func) {
  const Processor &processor = processorOf(func);
  int64_t bytes = SharedAllocation(func).getTotalBytes() + processor.systemSharedBytes;
  return std::min<int64_t>({processor.maxCtas,
                            processor.maxThreads / tilegpu::launchedThreadsOf(func),
                            processor.sharedBytes / bytes});
}

} // namespace tilec
