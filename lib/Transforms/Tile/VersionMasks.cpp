// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two versions of the code behind a mask:
//
//   mask = pid * B + range < n                     all = pid * B + (B - 1) < n, in 64 bits
//   x = load p, mask                          ->   scf.if all { x = load p; ... }
//   ...                                            else { mask = ...; x = load p, mask; ... }
//
// The comparisons that count are found access by access, from the first one that gets wider;
// everything from that access to the end of the block goes into the branches.

#include "IndexProof.h"
#include "MaskGain.h"
#include "TrueMasks.h"
#include "tilec/Support/RemarkCategory.h"
#include "tilec/Transforms/Tile/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"

namespace tilec {
#define GEN_PASS_DEF_TILEVERSIONMASKSPASS
#include "tilec/Transforms/Tile/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;

/// Whether a scalar is computed from the program's number, not by way of memory.
static bool dependsOnProgram(Value scalar) {
  SmallVector<Value> pending{scalar};
  SmallPtrSet<Operation *, 16> seen;
  while (!pending.empty()) {
    Operation *op = pending.pop_back_val().getDefiningOp();
    if (!op || !seen.insert(op).second)
      continue;
    if (isa<tile::ProgramIdOp>(op))
      return true;
    if (isMemoryEffectFree(op) && op->getNumRegions() == 0)
      pending.append(op->operand_begin(), op->operand_end());
  }
  return false;
}

namespace {
/// Makes two versions of the rest of a block.
class Versioner {
public:
  Versioner(Block *code, function_ref<const AccessWidths &()> widthsOf, int64_t maxOps)
      : block(code), getWidths(widthsOf), sizeLimit(maxOps) {}

  /// False when it does not pay, or cannot be done.
  bool run();

private:
  void study(Operation *access);
  /// The comparison is one that all programs but few satisfy, and what it needs exists before
  /// `first`.
  bool isProvable(arith::CmpIOp compare);
  bool existsBefore(Value value, Operation *op) const;
  std::optional<Conditions> conditionsOf() const;
  void split(const Conditions &conditions);
  void cloneWhole(OpBuilder &builder, ArrayRef<Operation *> rest);

  Block *block;
  function_ref<const AccessWidths &()> getWidths;
  int64_t sizeLimit;
  /// The operation of the block from which on there are two versions.
  Operation *first = nullptr;
  CompareSet chosen;
  DenseMap<Operation *, std::optional<WholeTileProof>> proofs;
};

struct VersionMasks final : tilec::impl::TileVersionMasksPassBase<VersionMasks> {
  using Base::Base;
  void runOnOperation() override;

private:
  void runOnBlock(Block *block);
  void runInside(Operation *op);
};
} // namespace

bool Versioner::existsBefore(Value value, Operation *op) const {
  Operation *def = value.getDefiningOp();
  return !def || def->getBlock() != block || def->isBeforeInBlock(op);
}

bool Versioner::isProvable(arith::CmpIOp compare) {
  auto [entry, isNew] = proofs.try_emplace(compare);
  if (isNew && compare->getBlock() == block) {
    std::optional<WholeTileProof> proof = proveWholeTile(compare, [](Value) { return true; });
    bool varies = proof && llvm::any_of(proof->conditions.front().terms,
                                        [](auto &term) { return dependsOnProgram(term.first); });
    if (varies)
      entry->second = std::move(proof);
  }
  if (!entry->second)
    return false;
  if (!first)
    return true;
  auto exists = [&](const IndexSum &sum) {
    return llvm::all_of(sum.terms, [&](auto &term) { return existsBefore(term.first, first); });
  };
  return llvm::all_of(entry->second->conditions, exists) &&
         llvm::all_of(entry->second->guarded, exists);
}

void Versioner::study(Operation *access) {
  Value mask = maskOf(access);
  if (!mask)
    return;
  CompareSet comparisons;
  for (arith::CmpIOp compare : comparisonsIn(mask))
    if (isProvable(compare))
      comparisons.insert(compare);
  if (comparisons.empty())
    return;
  comparisons = getWidths().findWidening(access, std::move(comparisons));
  if (comparisons.empty())
    return;
  if (!first)
    first = block->findAncestorOpInBlock(*access);
  chosen.insert(comparisons.begin(), comparisons.end());
}

std::optional<Conditions> Versioner::conditionsOf() const {
  Conditions conditions;
  for (arith::CmpIOp compare : chosen) {
    const WholeTileProof &proof = *proofs.find(compare)->second;
    for (const IndexSum &sum : proof.guarded)
      conditions.requireGuards(sum);
    for (const IndexSum &sum : proof.conditions)
      if (!conditions.require(sum))
        return std::nullopt;
  }
  return conditions;
}

/// Copies `rest` to the builder's place, with the chosen comparisons replaced by true in the copy.
void Versioner::cloneWhole(OpBuilder &builder, ArrayRef<Operation *> rest) {
  IRMapping mapping;
  SmallVector<Value> trues;
  OpBuilder outside(builder.getBlock()->getParentOp());
  auto replace = [&](arith::CmpIOp compare) {
    trues.push_back(createTrue(outside, compare.getLoc(), compare.getType()));
    mapping.map(compare.getResult(), trues.back());
  };
  // What was made of the comparisons before `rest` is made again.
  for (Operation &op : *block) {
    auto compare = dyn_cast<arith::CmpIOp>(op);
    if (compare && chosen.contains(compare))
      replace(compare);
    else if (isMemoryEffectFree(&op) && op.getNumRegions() == 0 &&
             llvm::any_of(op.getOperands(), [&](Value v) { return mapping.contains(v); }))
      builder.clone(op, mapping);
  }
  for (Operation *op : rest) {
    auto compare = dyn_cast<arith::CmpIOp>(op);
    if (compare && chosen.contains(compare))
      replace(compare);
    else
      builder.clone(*op, mapping);
  }
  simplifyUsers(trues, *builder.getBlock()->getParent());
}

void Versioner::split(const Conditions &conditions) {
  Location loc = first->getLoc();
  OpBuilder builder(first);
  Value allOn;
  {
    IndexEmitter emitter(builder, loc);
    allOn = conditions.emit(emitter);
  }
  auto branch = scf::IfOp::create(builder, loc, allOn, /*withElseRegion=*/true);
  branch->setAttr(tile::TileDialect::kRemainderAttr, builder.getUnitAttr());
  SmallVector<Operation *> rest;
  for (Operation *op = first; !op->hasTrait<OpTrait::IsTerminator>(); op = op->getNextNode())
    rest.push_back(op);
  Operation *end = branch.elseBlock()->getTerminator();
  for (Operation *op : rest)
    op->moveBefore(end);
  builder.setInsertionPointToStart(branch.thenBlock());
  cloneWhole(builder, rest);
}

bool Versioner::run() {
  for (Operation &op : *block)
    op.walk([&](Operation *access) { study(access); });
  if (chosen.empty())
    return false;
  int64_t size = 0;
  for (Operation *op = first; op; op = op->getNextNode())
    size += 1 + countNestedOps(op);
  if (size > sizeLimit)
    return false;
  std::optional<Conditions> conditions = conditionsOf();
  if (!conditions || conditions->empty())
    return false;
  arith::CmpIOp compare = chosen.front();
  remark::passed(compare.getLoc(), remark::RemarkOpts::name("Versioned").category(remarks::kMask))
      << "masks hold for whole blocks: versioned";
  split(*conditions);
  return true;
}

/// A function or branch without results around one block, whose rest can be put into branches.
static bool isPlain(Operation *op) {
  if (auto func = dyn_cast<func::FuncOp>(op))
    return !func.isExternal() && func.getNumResults() == 0 && func.getBody().hasOneBlock();
  return isa<scf::IfOp>(op) && op->getNumResults() == 0;
}

void VersionMasks::runOnBlock(Block *block) {
  // The facts about widths are of no use after a change, but then there is nothing more to do in
  // this block.
  std::optional<AccessWidths> widths;
  auto getWidths = [&]() -> const AccessWidths & {
    return widths ? *widths : widths.emplace(getOperation());
  };
  if (Versioner(block, getWidths, maxOps).run())
    return;
  for (Operation &op : *block)
    runInside(&op);
}

void VersionMasks::runInside(Operation *op) {
  if (isPlain(op))
    for (Region &region : op->getRegions())
      for (Block &inner : region)
        runOnBlock(&inner);
}

void VersionMasks::runOnOperation() { runInside(getOperation()); }
