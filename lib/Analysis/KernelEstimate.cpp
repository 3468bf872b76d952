// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See KernelEstimate.h. Trip counts come from a small evaluator of integer arithmetic over the
// arguments' values; what depends on the program's number is not known.

#include "tilec/Analysis/KernelEstimate.h"

#include "dialects/Tile/TileOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilec {

namespace {

/// Deeper expressions are taken as unknown.
constexpr unsigned kMostDepth = 32;

class Estimator {
public:
  explicit Estimator(const llvm::StringMap<int64_t> &argumentValues) : arguments(argumentValues) {}

  KernelEstimate run(ModuleOp module);

private:
  void visit(Block &block, double times);
  void visitLoop(scf::ForOp loop, double times);
  void count(Operation &op, double times);
  std::optional<int64_t> evaluate(Value value, unsigned depth = 0) const;
  /// Bytes of the loads inside `loop` that a product's operand is made from.
  int64_t loadedBytes(Value operand, scf::ForOp loop, llvm::DenseSet<Operation *> &seen) const;

  const llvm::StringMap<int64_t> &arguments;
  KernelEstimate result;
};

double bytesOf(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return double(tile::tensorBytesOf(tensor));
  return double(tile::bytesOf(type));
}

/// Of a block that is wider than what is wanted of it (`tile-widen-dots`) the rest is not copied.
double loadedBytesOf(Operation *load) {
  if (auto descriptor = dyn_cast<tile::DescriptorLoadOp>(load)) {
    tile::DescType type = descriptor.getDesc().getType();
    if (ArrayRef<int64_t> used = type.getUsed(); !used.empty())
      return bytesOf(RankedTensorType::get(used, type.getElementType()));
  }
  return bytesOf(load->getResult(0).getType());
}

/// The part of a dot's result that it makes: of such an accumulator threads hold no more.
double madePartOf(tile::DotOp dot) {
  auto columns = dot->getAttrOfType<IntegerAttr>(tile::TileDialect::kColumnsAttr);
  return columns ? double(columns.getInt()) / double(dot.getType().getShape().back()) : 1;
}

std::optional<int64_t> fold(Operation *op, int64_t a, int64_t b) {
  if (isa<arith::AddIOp>(op))
    return a + b;
  if (isa<arith::SubIOp>(op))
    return a - b;
  if (isa<arith::MulIOp>(op))
    return a * b;
  if (isa<arith::MinSIOp, arith::MinUIOp>(op))
    return std::min(a, b);
  if (isa<arith::MaxSIOp, arith::MaxUIOp>(op))
    return std::max(a, b);
  if (b <= 0 || a < 0)
    return std::nullopt;
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp>(op))
    return a / b;
  if (isa<arith::CeilDivSIOp, arith::CeilDivUIOp>(op))
    return llvm::divideCeil(a, b);
  if (isa<arith::RemSIOp, arith::RemUIOp>(op))
    return a % b;
  return std::nullopt;
}

} // namespace

std::optional<int64_t> Estimator::evaluate(Value value, unsigned depth) const {
  constexpr int64_t most = int64_t(1) << 30;
  if (depth > kMostDepth)
    return std::nullopt;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto func = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
    auto name = func ? func.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                         tile::TileDialect::kNameAttr)
                     : StringAttr();
    auto known = name ? arguments.find(name.getValue()) : arguments.end();
    return known == arguments.end() ? std::nullopt : std::optional<int64_t>(known->second);
  }
  Operation *op = value.getDefiningOp();
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto number = dyn_cast<IntegerAttr>(constant.getValue());
    return number ? std::optional<int64_t>(number.getInt()) : std::nullopt;
  }
  if (isa<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::IndexCastOp>(op))
    return evaluate(op->getOperand(0), depth + 1);
  if (op->getNumOperands() != 2 || op->getNumResults() != 1)
    return std::nullopt;
  std::optional<int64_t> a = evaluate(op->getOperand(0), depth + 1);
  std::optional<int64_t> b = a ? evaluate(op->getOperand(1), depth + 1) : std::nullopt;
  // Far from the ends of 64 bits.
  if (!b || std::abs(*a) > most || std::abs(*b) > most)
    return std::nullopt;
  return fold(op, *a, *b);
}

int64_t Estimator::loadedBytes(Value operand, scf::ForOp loop,
                               llvm::DenseSet<Operation *> &seen) const {
  Operation *op = operand.getDefiningOp();
  if (!op || !loop.getBody()->findAncestorOpInBlock(*op) || !seen.insert(op).second)
    return 0;
  if (isa<tile::LoadOp, tile::DescriptorLoadOp>(op))
    return int64_t(loadedBytesOf(op));
  int64_t bytes = 0;
  for (Value input : op->getOperands())
    if (isa<RankedTensorType>(input.getType()))
      bytes += loadedBytes(input, loop, seen);
  return bytes;
}

void Estimator::count(Operation &op, double times) {
  if (auto dot = dyn_cast<tile::DotOp>(op)) {
    auto lhs = cast<RankedTensorType>(dot.getLhs().getType());
    auto sum = cast<RankedTensorType>(dot.getResult().getType());
    result.tensorOps += 2.0 * double(sum.getNumElements()) * madePartOf(dot) *
                        double(lhs.getShape().back()) * times;
    result.operandBits = std::max(result.operandBits, tile::bitWidthOf(lhs.getElementType()));
  } else if (isa<tile::LoadOp, tile::DescriptorLoadOp>(op)) {
    result.globalBytes += loadedBytesOf(&op) * times;
  } else if (auto store = dyn_cast<tile::StoreOp>(op)) {
    result.globalBytes += bytesOf(store.getValue().getType()) * times;
  } else if (auto descriptor = dyn_cast<tile::DescriptorStoreOp>(op)) {
    result.globalBytes += bytesOf(descriptor.getValue().getType()) * times;
  }
}

void Estimator::visitLoop(scf::ForOp loop, double times) {
  double carriedBytes = 0;
  for (Value carried : loop.getRegionIterArgs()) {
    auto tensor = dyn_cast<RankedTensorType>(carried.getType());
    // Pointers and integers are mostly made again from what is alike for all threads.
    if (!tensor || !isa<FloatType>(tensor.getElementType()))
      continue;
    auto dot = carried.hasOneUse() ? dyn_cast<tile::DotOp>(*carried.user_begin()) : tile::DotOp();
    carriedBytes += bytesOf(tensor) * (dot ? madePartOf(dot) : 1);
  }
  int64_t threads = int64_t(result.numWarps) * 32;
  result.carriedRegisters =
      std::max(result.carriedRegisters, int64_t(carriedBytes) / (4 * threads));

  int64_t stages = result.numStages;
  if (auto own = loop->getAttrOfType<IntegerAttr>(tile::TileDialect::kNumStagesAttr))
    stages = own.getInt();
  int64_t operandBytes = 0;
  llvm::DenseSet<Operation *> seen;
  for (auto dot : loop.getBody()->getOps<tile::DotOp>())
    operandBytes += loadedBytes(dot.getLhs(), loop, seen) + loadedBytes(dot.getRhs(), loop, seen);
  if (stages >= 2)
    result.sharedBytes = std::max(result.sharedBytes, operandBytes * stages);

  std::optional<int64_t> begin = evaluate(loop.getLowerBound()),
                         end = evaluate(loop.getUpperBound()), step = evaluate(loop.getStep());
  double trips = 1;
  if (begin && end && step && *step > 0)
    trips = *end > *begin ? double(llvm::divideCeil(*end - *begin, *step)) : 0;
  else
    result.isWorkKnown = false;
  visit(*loop.getBody(), times * trips);
}

void Estimator::visit(Block &block, double times) {
  for (Operation &op : block) {
    count(op, times);
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      visitLoop(loop, times);
      continue;
    }
    if (isa<scf::WhileOp>(op))
      result.isWorkKnown = false;
    // Of two branches one is taken; both are counted, which is an upper bound.
    if (isa<scf::IfOp, scf::WhileOp>(op))
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          visit(inner, times);
  }
}

KernelEstimate Estimator::run(ModuleOp module) {
  auto moduleInt = [&](StringRef name, int fallback) {
    auto attr = module->getAttrOfType<IntegerAttr>(name);
    return attr ? int(attr.getInt()) : fallback;
  };
  result.numWarps = moduleInt(tile::TileDialect::kNumWarpsAttr, 4);
  result.numStages = moduleInt(tile::TileDialect::kNumStagesAttr, 3);
  for (auto func : module.getOps<func::FuncOp>())
    if (func->hasAttr(tile::TileDialect::kKernelAttr))
      for (Block &block : func.getBody())
        visit(block, 1);
  return result;
}

KernelEstimate estimateKernel(ModuleOp module, const llvm::StringMap<int64_t> &arguments) {
  return Estimator(arguments).run(module);
}

} // namespace tilec
