// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A division is reported only when the least value of its dividend is known and is taken for some
// program or index, so that an argument of unknown sign is no ground, and only under no condition
// or mask. A missing mask is reported only for sums of the very value that a mask of another access
// in the same block compares with a bound.

#include "tilec/Analysis/IndexTraps.h"

#include "dialects/Tile/TileOps.h"
#include "tilec/Analysis/IntegerRanges.h"
#include "tilec/Analysis/OffsetOverflow.h"
#include "tilec/Support/WarningOptions.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tilec;

/// Drops what changes neither the numbers nor their order.
static Value strip(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<tile::SplatOp, tile::BroadcastOp, tile::ExpandDimsOp, arith::ExtSIOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

//===----------------------------------------------------------------------===//
// Divisions
//===----------------------------------------------------------------------===//

/// Whether a value goes into a masked access or a choice, which may leave out what is negative.
static bool isUnderMask(Value value) {
  constexpr size_t kMost = 256;
  llvm::SmallSetVector<Value, 16> reached;
  reached.insert(value);
  for (size_t i = 0; i < reached.size() && reached.size() < kMost; ++i)
    for (Operation *user : reached[i].getUsers()) {
      if (isa<arith::SelectOp>(user))
        return true;
      if (auto access = dyn_cast<tile::GlobalAccessOpInterface>(user); access && access.getMask())
        return true;
      if (isMemoryEffectFree(user))
        reached.insert_range(user->getResults());
    }
  return reached.size() >= kMost;
}

static void findDivision(Operation *op, IntegerRanges &ranges, SmallVectorImpl<IndexTrap> &traps) {
  // What a condition surrounds it may be about.
  if (!isa<arith::DivSIOp, arith::RemSIOp>(op) || op->getParentOfType<scf::IfOp>())
    return;
  Interval dividend = ranges.of(op->getOperand(0));
  if (!dividend.takesLow || dividend.low >= 0 || isUnderMask(op->getResult(0)))
    return;
  bool isDivision = isa<arith::DivSIOp>(op);
  IndexTrap trap;
  trap.warning = warnings::kNegativeDivision;
  trap.op = op;
  trap.message = llvm::formatv("'{0}' of a value that goes down to {1} {2}",
                               isDivision ? "//" : "%", dividend.low,
                               isDivision ? "rounds towards zero, not down as in Python"
                                          : "has the sign of that value, not of the divisor as in "
                                            "Python");
  traps.push_back(std::move(trap));
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

namespace {
/// Indices that masks compare with a bound that is not known at compile time.
class CheckedIndices {
public:
  struct Check {
    Operation *compare;
    Operation *access;
  };

  void collect(Value mask, Operation *access) {
    Value value = strip(mask);
    Operation *op = value.getDefiningOp();
    if (isa_and_nonnull<arith::AndIOp>(op)) {
      collect(op->getOperand(0), access);
      collect(op->getOperand(1), access);
      return;
    }
    auto compare = dyn_cast_or_null<arith::CmpIOp>(op);
    if (!compare)
      return;
    using arith::CmpIPredicate;
    CmpIPredicate predicate = compare.getPredicate();
    bool isBelow = predicate == CmpIPredicate::slt || predicate == CmpIPredicate::sle ||
                   predicate == CmpIPredicate::ult || predicate == CmpIPredicate::ule;
    Value index = strip(compare.getLhs()), bound = strip(compare.getRhs());
    APInt constant;
    bool isScalar = !isa<RankedTensorType>(bound.getType());
    if (isBelow && isScalar && isa<RankedTensorType>(index.getType()) &&
        !matchPattern(bound, m_ConstantInt(&constant)))
      checks[index].push_back({compare, access});
  }

  /// The check that `access` is without, of a value that `offset` is the sum of; or null.
  const Check *find(Value offset, Operation *access, unsigned depth = 0) const {
    constexpr unsigned kMaxDepth = 32;
    Value value = strip(offset);
    if (auto known = checks.find(value); known != checks.end()) {
      // What one mask alone compares may be a choice rather than a bound; a load beyond it is
      // harmless where that is so.
      bool isBound = known->second.size() > 1 || isa<tile::StoreOp>(access);
      for (const Check &check : known->second)
        if (isBound && counts(check, access))
          return &check;
    }
    Operation *op = value.getDefiningOp();
    if (depth > kMaxDepth || !isa_and_nonnull<arith::AddIOp, arith::MulIOp>(op))
      return nullptr;
    const Check *found = find(op->getOperand(0), access, depth + 1);
    return found ? found : find(op->getOperand(1), access, depth + 1);
  }

  bool empty() const { return checks.empty(); }

private:
  static bool counts(const Check &check, Operation *access) {
    // Loops over whole blocks are often apart from the masked rest.
    if (check.access->getBlock() != access->getBlock())
      return false;
    // Who gives a value for what is beyond the bound may want to store it.
    auto load = dyn_cast<tile::LoadOp>(check.access);
    return !(load && load.getOther() && isa<tile::StoreOp>(access));
  }

  llvm::MapVector<Value, SmallVector<Check, 2>> checks;
};
} // namespace

/// The check that the pointers of an access would need as well.
static const CheckedIndices::Check *findCheck(Value pointer, Operation *access,
                                              const CheckedIndices &indices) {
  while (Operation *op = strip(pointer).getDefiningOp()) {
    auto sum = dyn_cast<tile::AddPtrOp>(op);
    if (!sum)
      return nullptr;
    if (const CheckedIndices::Check *check = indices.find(sum.getOffset(), access))
      return check;
    pointer = sum.getPointer();
  }
  return nullptr;
}

static void findMissingMasks(func::FuncOp func, SmallVectorImpl<IndexTrap> &traps) {
  CheckedIndices indices;
  func.walk([&](Operation *op) {
    if (isa<tile::LoadOp, tile::StoreOp>(op))
      if (Value mask = cast<tile::GlobalAccessOpInterface>(op).getMask())
        indices.collect(mask, op);
  });
  if (indices.empty())
    return;
  func.walk([&](Operation *op) {
    Value pointer;
    if (auto load = dyn_cast<tile::LoadOp>(op); load && !load.getMask())
      pointer = load.getPointer();
    else if (auto store = dyn_cast<tile::StoreOp>(op); store && !store.getMask())
      pointer = store.getPointer();
    if (!pointer)
      return;
    const CheckedIndices::Check *check = findCheck(pointer, op, indices);
    if (!check)
      return;
    IndexTrap trap;
    trap.warning = warnings::kMissingMask;
    trap.op = op;
    trap.message = llvm::formatv("this {0} has no mask, though its index is compared with a bound "
                                 "for the mask of another access",
                                 isa<tile::LoadOp>(op) ? "load" : "store");
    trap.other = check->compare;
    trap.note = "the bound is here";
    traps.push_back(std::move(trap));
  });
}

//===----------------------------------------------------------------------===//
// All of them
//===----------------------------------------------------------------------===//

static void findOverflows(func::FuncOp func, SmallVectorImpl<IndexTrap> &traps) {
  for (const OffsetOverflow &overflow : findOffsetOverflows(func)) {
    IndexTrap trap;
    trap.warning = overflow.isKnown ? warnings::kOffsetOverflow : warnings::kUnboundedOffset;
    trap.op = overflow.op;
    const char *result = isa<arith::MulIOp>(overflow.op)   ? "the product"
                         : isa<arith::AddIOp>(overflow.op) ? "the sum"
                         : isa<arith::SubIOp>(overflow.op) ? "the difference"
                                                           : "the shift";
    trap.message = llvm::formatv(
        "{0} of {1} and {2} in an address is computed in {3} bits and {4}"
        "; '.to(tl.int64)' on one of the two makes it 64 bits wide",
        result, overflow.left, overflow.right, overflow.bits,
        overflow.isKnown
            ? llvm::formatv("can reach {0}", std::max(overflow.high, -overflow.low)).str()
            : "can overflow");
    traps.push_back(std::move(trap));
  }
}

SmallVector<IndexTrap> tilec::findIndexTraps(func::FuncOp func) {
  SmallVector<IndexTrap> traps;
  IntegerRanges ranges(func);
  func.walk([&](Operation *op) { findDivision(op, ranges, traps); });
  findMissingMasks(func, traps);
  findOverflows(func, traps);
  llvm::DenseMap<Operation *, unsigned> order;
  func.walk([&](Operation *op) { order[op] = unsigned(order.size()); });
  // Two of one operation are about different things.
  llvm::sort(traps, [&](const IndexTrap &a, const IndexTrap &b) {
    return std::make_pair(order.lookup(a.op), a.warning) <
           std::make_pair(order.lookup(b.op), b.warning);
  });
  return traps;
}
