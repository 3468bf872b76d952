// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tilegpu-recompute-indices: what is behind a loop of products computes its indices there. Operands
// and results of a kernel often have the same offsets; those of the operands would wait in
// registers for the results.

#include "tilec/Transforms/TileGPU/Passes.h"

#include "dialects/TileGPU/TileGPUOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilec/Analysis/ProductLoops.h"

namespace tilec {
#define GEN_PASS_DEF_TILEGPURECOMPUTEINDICESPASS
#include "tilec/Transforms/TileGPU/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;

namespace {
/// The indices behind one loop.
class IndicesBehind {
public:
  explicit IndicesBehind(scf::ForOp productLoop) : loop(productLoop) {}

  void recompute() {
    for (Operation *op = loop->getNextNode(); op; op = op->getNextNode())
      op->walk([&](Operation *user) {
        for (OpOperand &operand : user->getOpOperands())
          if (isInFront(operand.get()) && isIndex(operand.get()))
            operand.set(makeBefore(op, operand.get()));
      });
  }

private:
  bool isInFront(Value value) const {
    Operation *def = value.getDefiningOp();
    Operation *here = def ? loop->getBlock()->findAncestorOpInBlock(*def) : nullptr;
    return isa<RankedTensorType>(value.getType()) && here == def && def &&
           def->isBeforeInBlock(loop);
  }

  /// Whether a tensor is computed from the thread's place and scalars alone, by integers.
  bool isIndex(Value value) {
    auto [known, isNew] = indices.try_emplace(value, false);
    if (!isNew)
      return known->second;
    Operation *def = value.getDefiningOp();
    bool is = isInFront(value) && def->getNumRegions() == 0 && isPure(def) &&
              !isa<arith::ConstantOp>(def) && !getElementTypeOrSelf(value.getType()).isFloat() &&
              llvm::all_of(def->getOperands(), [&](Value operand) {
                return !isa<RankedTensorType>(operand.getType()) || isConstant(operand) ||
                       isIndex(operand);
              });
    return indices[value] = is;
  }

  static bool isConstant(Value value) {
    return isa_and_nonnull<arith::ConstantOp>(value.getDefiningOp());
  }

  /// The index again, in front of its first use behind the loop.
  Value makeBefore(Operation *place, Value value) {
    if (!indices.lookup(value))
      return value;
    if (Value made = again.lookupOrNull(value))
      return made;
    Operation *def = value.getDefiningOp();
    for (Value operand : def->getOperands())
      again.map(operand, makeBefore(place, operand));
    return OpBuilder(place).clone(*def, again)->getResult(cast<OpResult>(value).getResultNumber());
  }

  scf::ForOp loop;
  DenseMap<Value, bool> indices;
  IRMapping again;
};

struct RecomputeIndices final : tilec::impl::TileGPURecomputeIndicesPassBase<RecomputeIndices> {
  using Base::Base;

  void runOnOperation() override {
    for (scf::ForOp loop : lastLoopsOfProducts(getOperation()))
      IndicesBehind(loop).recompute();
  }
};
} // namespace
