// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private to the check of protocols: the scalars that decide what a kernel does, as expressions
// that are computed when somebody asks for them.
//
// An expression belongs to a frame, the innermost loop body that it is in; its value holds until
// the frame's next iteration. Equal expressions are one, also those of different roles, whose loops
// with equal bounds have one frame. So what a launch knows is the same for all roles.

#ifndef TILEC_LIB_ANALYSIS_SCALARCODE_H
#define TILEC_LIB_ANALYSIS_SCALARCODE_H

#include "dialects/TileGPU/TileGPUOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <map>
#include <vector>

namespace tilec {

/// What is chosen for a run.
struct ProtocolScenario {
  /// Which count of iterations each loop begins with, and whether the counts change from loop to
  /// loop and from pass to pass.
  int count = 0;
  bool isVaried = false;
  /// For values that only a launch knows.
  uint64_t seed = 0;
};

class ScalarCode {
public:
  using Id = int;
  static constexpr Id kNone = -1;

  /// `steps`: operations of which steps are made, and all that they are in.
  explicit ScalarCode(const llvm::DenseSet<mlir::Operation *> &stepOps) : steps(stepOps) {
    frames.emplace_back();
  }

  // Building.

  Id of(mlir::Value value);
  Id constant(int64_t value);
  /// Of two groups of computing warps the one that `group` is not.
  Id otherGroup(Id group);
  bool isConstant(Id id) const { return exprs[size_t(id)].kind == Kind::Constant; }

  /// A value that a loop hands on: from `init`, later from `next`, seen as `argument` in the
  /// iteration and as `result` behind the loop.
  struct Carried {
    Id init = kNone, next = kNone, argument = kNone, result = kNone;
  };
  /// Those of a loop that somebody asks for; of a `while` those in front of its condition and those
  /// behind it, whose `init` is not used. Complete when all that is asked for was.
  std::vector<Carried> carried(mlir::Operation *loop, bool isBehindCondition = false) const;

  struct Loop {
    Id lower = kNone, upper = kNone, step = kNone, counter = kNone;
    int frame = 0;
    /// Slots of the rings that its steps use, and whether it is around other loops with steps.
    int depth = 1;
    bool isOuter = false;
    /// Of several groups of computing warps each has every n-th iteration, the number of the group
    /// first.
    int turns = 1;
  };
  Loop &loop(mlir::scf::ForOp op);
  /// Loops without steps that leave scalars that were asked for. What they leave is any number,
  /// until they are among the operations that the scalars are made with.
  llvm::ArrayRef<mlir::Operation *> unfollowed() const { return skipped; }
  /// After all is built: of each loop the bound that is chosen, so that the loop has the count of
  /// iterations that a run asks for. Bounds that are made of chosen ones follow from them.
  void chooseBounds();
  int frameOf(mlir::Block *block);

  // Computing.

  void begin(const ProtocolScenario &chosen);
  /// Which group of computing warps asks from here on.
  void setGroup(int number);
  int64_t value(Id id);
  /// Begins iteration number `iteration` of a loop body.
  void enter(int frame, int iteration);
  /// What iteration of a loop's body that is if nobody else had some of them.
  int iterationAmongAll(const Loop &loop, int iteration) const {
    return loop.turns > 1 ? loop.turns * iteration + asking : iteration;
  }
  void set(Id id, int64_t value);
  int whileIterations() const;

private:
  enum class Kind : uint8_t { Constant, Opaque, Set, Choice, Arith };
  enum class Arith : uint8_t {
    None,
    Add,
    Sub,
    Mul,
    DivS,
    DivU,
    CeilDivS,
    FloorDivS,
    RemS,
    RemU,
    MinS,
    MaxS,
    MinU,
    MaxU,
    And,
    Or,
    Xor,
    ShiftLeft,
    ShiftRightS,
    ShiftRightU,
    Compare,
    Select,
    ExtendS,
    ExtendU,
    Truncate
  };
  struct Expr {
    Kind kind = Kind::Set;
    Arith arith = Arith::None;
    /// Bits of the value, and of the first operand.
    uint8_t width = 64, from = 64;
    mlir::arith::CmpIPredicate predicate = {};
    int frame = 0;
    llvm::SmallVector<Id, 3> operands;
    /// Of an opaque value: what tells it from others.
    int64_t constant = 0;
    /// The loop whose bound it is, with a count that is chosen; the other bound comes first.
    int loop = -1;
    Id other = kNone;
    bool isLower = false;
    /// The bound is that of a pass so many iterations later.
    int ahead = 0;
    /// What it is known by, which ends with the operands.
    const std::vector<int64_t> *key = nullptr;
    /// Of a value that is set: whether a loop leaves it.
    bool isResult = false;
    /// A loop steps by it: it is positive.
    bool isStep = false;
    int64_t value = 0;
    uint64_t stamp = 0;
  };
  struct Frame {
    int parent = -1, depth = 0, iteration = 0;
    uint64_t stamp = 1;
  };

  Id add(Expr expr) {
    exprs.push_back(std::move(expr));
    return Id(exprs.size()) - 1;
  }
  /// Adds an expression, or gives the one with the same key.
  Id addOnce(std::vector<int64_t> key, Expr expr);
  Id addSet(int frame, mlir::Type type, bool isResult = false);
  Id build(mlir::Value value);
  Id buildArgument(mlir::BlockArgument argument);
  Id buildResult(mlir::OpResult result);
  /// `number` says which of the values that the loop carries.
  const Carried &buildCarried(mlir::scf::ForOp loop, unsigned number);
  const Carried &buildBefore(mlir::scf::WhileOp loop, unsigned number);
  const Carried &buildAfter(mlir::scf::WhileOp loop, unsigned number);
  Id buildChoice(mlir::scf::IfOp branch, unsigned number);
  Id buildArith(mlir::Operation *op, Arith arith);
  /// What an arithmetic expression is known by.
  static std::vector<int64_t> keyOf(const Expr &arith);
  Id buildOpaque(mlir::Value value);
  /// Whether what an expression is made of shows that.
  bool isMultipleOf(Id id, int64_t number) const;
  /// The expression that has `to` wherever `id` has `from`, or kNone if there is none.
  Id replaced(Id id, Id from, Id to);
  void choose(Id bound, Id other, int loop, bool isLower, int ahead);
  /// Another role's loop that has the same iterations, where tiles are taken in turn; else the
  /// loop.
  int sameLoop(int number);
  /// What lies between two neighbours among all iterations of a loop; kNone where it is not known.
  Id stepAmongAll(const Loop &loop);
  /// A chosen bound that depends on the counter of a loop around is computed in advance, too: for
  /// the first iteration of that one and for the next.
  void chooseElsewhere(Id bound);
  /// Whether a bound can be chosen, in terms of the other one and the step.
  bool canChoose(Id id, Id other, Id step) const;
  /// Whether `id` is, or is made of, an expression that `matches`.
  bool isMadeOf(Id id, llvm::function_ref<bool(Id)> matches) const;
  /// Where the values of an operation hold that depends on `operands` alone.
  int frameOf(llvm::ArrayRef<Id> operands) const;
  static Arith arithOf(mlir::Operation *op);

  int64_t compute(const Expr &expr);
  int64_t computeArith(const Expr &expr);
  int64_t computeOpaque(const Expr &expr);
  int64_t chosenBound(const Expr &expr);
  /// Iterations of all loops around, added.
  int passOf(int frame) const;

  const llvm::DenseSet<mlir::Operation *> &steps;
  llvm::SmallVector<mlir::Operation *> skipped;
  std::vector<Expr> exprs;
  /// The number of the group of computing warps; kNone where nobody asks.
  Id groupNumber = kNone;
  int asking = 0;
  std::vector<Frame> frames;
  llvm::DenseMap<mlir::Value, Id> ids;
  llvm::DenseMap<mlir::Block *, int> frameIds;
  std::map<std::tuple<int, Id, Id, Id>, int> loopNumbers;
  llvm::DenseMap<mlir::Operation *, int> loopOf;
  std::vector<Loop> loops;
  /// Pure operations and constants, by what they are.
  std::map<std::vector<int64_t>, Id> known;
  /// By loop and whether behind a condition; then by number.
  std::map<std::pair<mlir::Operation *, bool>, std::map<unsigned, Carried>> carries;
  ProtocolScenario scenario;
  uint64_t lastStamp = 1;
};

} // namespace tilec

#endif // TILEC_LIB_ANALYSIS_SCALARCODE_H
