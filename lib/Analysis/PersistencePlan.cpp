// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel can be persistent when no program waits for another one, which might come later in the
// same CTA. How the iterations of its loops grow with an index of the program follows from the
// arithmetic of their bounds.

#include "tilec/Analysis/PersistencePlan.h"

#include "tilec/Analysis/GlobalAccess.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilec {

//===----------------------------------------------------------------------------------===//
// Obstacles
//===----------------------------------------------------------------------------------===//

static bool isAtomic(Operation *op) {
  std::optional<GlobalAccess> access = GlobalAccess::of(op);
  return isa<tile::AtomicRMWOp, tile::AtomicCasOp>(op) ||
         (access && access->kind == GlobalAccess::Kind::Atomic);
}

/// Whether the loop may be waiting for memory that another program writes.
static bool mayWait(scf::WhileOp loop) {
  return loop
      ->walk([](Operation *op) {
        auto load = dyn_cast<tile::LoadOp>(op);
        return isAtomic(op) || (load && load.getIsVolatile()) ? WalkResult::interrupt()
                                                              : WalkResult::advance();
      })
      .wasInterrupted();
}

bool knowsItsCta(tile::InlineAsmOp assembly) {
  StringRef text = assembly.getAssembly();
  return text.contains("cta") || text.contains("exit") || text.contains("%gridid");
}

static PersistencePlan refuse(Operation *op, StringRef reason) {
  PersistencePlan plan;
  plan.obstacle = op;
  plan.reason = reason;
  return plan;
}

/// What keeps the kernel from being persistent, if anything.
static PersistencePlan findObstacle(func::FuncOp func) {
  if (AtomicOrders::of(func).acquire)
    return refuse(func, "its atomics acquire what another program releases, which might never run");
  if (!func.getBody().hasOneBlock())
    return refuse(func, "its control flow is not structured");
  PersistencePlan found;
  bool readsProgram = false;
  func.walk([&](Operation *op) {
    readsProgram |= isa<tile::ProgramIdOp>(op);
    if (auto loop = dyn_cast<scf::WhileOp>(op); loop && mayWait(loop))
      found = refuse(op, "a loop may wait for another program, which might never run");
    else if (auto assembly = dyn_cast<tile::InlineAsmOp>(op); assembly && knowsItsCta(assembly))
      found = refuse(op, "its assembly asks for the CTA that it is in");
    else if (isa<tile::ReduceScatterOp>(op))
      found = refuse(op, "the CTAs of a cluster run a program together");
    return found.obstacle ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (!found.obstacle && !readsProgram)
    return refuse(func, "it does not ask which program it is");
  return found;
}

//===----------------------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------------------===//

namespace {
/// How a value changes while the program's index along an axis grows.
enum class Trend { Constant, Rising, Falling, Unknown };
} // namespace

static Trend flip(Trend trend) {
  return trend == Trend::Rising ? Trend::Falling : trend == Trend::Falling ? Trend::Rising : trend;
}

/// That of a sum, or of another function that grows with both.
static Trend join(Trend a, Trend b) {
  if (a == Trend::Constant || a == b)
    return b;
  return b == Trend::Constant ? a : Trend::Unknown;
}

/// That of a product with a number, or of a quotient.
static Trend scale(Trend trend, Value factor) {
  APInt number;
  if (!matchPattern(factor, m_ConstantInt(&number)))
    return Trend::Unknown;
  return number.isNegative() ? flip(trend) : trend;
}

static Trend trendOf(Value value, unsigned axis) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return isa<func::FuncOp>(cast<BlockArgument>(value).getOwner()->getParentOp()) ? Trend::Constant
                                                                                   : Trend::Unknown;
  auto operand = [&](unsigned i) { return trendOf(op->getOperand(i), axis); };
  auto isSame = [&] {
    return llvm::all_of(op->getOperands(),
                        [&](Value of) { return trendOf(of, axis) == Trend::Constant; });
  };
  return llvm::TypeSwitch<Operation *, Trend>(op)
      .Case([&](tile::ProgramIdOp id) {
        return id.getAxis() == axis ? Trend::Rising : Trend::Constant;
      })
      .Case<arith::ConstantOp, tile::NumProgramsOp>([](auto) { return Trend::Constant; })
      .Case<arith::AddIOp, arith::MinSIOp, arith::MaxSIOp>(
          [&](auto) { return join(operand(0), operand(1)); })
      .Case([&](arith::SubIOp) { return join(operand(0), flip(operand(1))); })
      .Case([&](arith::MulIOp) {
        if (isSame())
          return Trend::Constant;
        bool isLeft = matchPattern(op->getOperand(0), m_Constant());
        return scale(operand(isLeft ? 1 : 0), op->getOperand(isLeft ? 0 : 1));
      })
      .Case<arith::DivSIOp, arith::FloorDivSIOp, arith::CeilDivSIOp>(
          [&](auto) { return isSame() ? Trend::Constant : scale(operand(0), op->getOperand(1)); })
      .Case<arith::ExtSIOp, arith::TruncIOp>([&](auto) { return operand(0); })
      .Default([&](Operation *other) {
        bool isPlain = other->getNumRegions() == 0 && isMemoryEffectFree(other);
        return isPlain && isSame() ? Trend::Constant : Trend::Unknown;
      });
}

/// Adds `factor` times the value to a sum, as the terms that it is made of.
static void addTerms(Value value, int factor, llvm::MapVector<Value, int> &sum) {
  if (auto add = value.getDefiningOp<arith::AddIOp>()) {
    addTerms(add.getLhs(), factor, sum);
    addTerms(add.getRhs(), factor, sum);
  } else if (auto sub = value.getDefiningOp<arith::SubIOp>()) {
    addTerms(sub.getLhs(), factor, sum);
    addTerms(sub.getRhs(), -factor, sum);
  } else {
    sum[value] += factor;
  }
}

/// Whether a value is one of two constants: by so much a loop begins later.
static bool isChosenConstant(Value value) {
  auto choice = value.getDefiningOp<arith::SelectOp>();
  return choice && matchPattern(choice.getTrueValue(), m_Constant()) &&
         matchPattern(choice.getFalseValue(), m_Constant());
}

/// The axis along which the iterations of the function's loops grow, or shrink. Where one loop ends
/// and another begins is nothing to the sum; nor is an iteration more or less.
static void findLongest(func::FuncOp func, PersistencePlan &plan) {
  llvm::MapVector<Value, int> sum;
  for (Operation &op : func.front())
    if (auto loop = dyn_cast<scf::ForOp>(op);
        loop && !loop->hasAttr(tile::TileDialect::kRunsOnceAttr)) {
      addTerms(loop.getUpperBound(), 1, sum);
      addTerms(loop.getLowerBound(), -1, sum);
      plan.loop = plan.loop ? plan.loop : loop;
    }
  sum.remove_if([](const auto &term) { return term.second == 0 || isChosenConstant(term.first); });
  for (unsigned axis = 0; axis < 3; ++axis) {
    Trend all = Trend::Constant;
    for (auto [value, factor] : sum) {
      Trend trend = trendOf(value, axis);
      all = join(all, factor < 0 ? flip(trend) : trend);
    }
    if (all != Trend::Rising && all != Trend::Falling)
      continue;
    plan.longestAxis = axis;
    plan.isLongestFirst = all == Trend::Falling;
    plan.extent = sum.takeVector();
    return;
  }
}

PersistencePlan planPersistence(func::FuncOp func) {
  PersistencePlan plan = findObstacle(func);
  if (plan.obstacle)
    return plan;
  plan.isPersistent = true;
  findLongest(func, plan);
  return plan;
}

} // namespace tilec
