// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Register pressure by liveness of tensors at the points where elements cannot be taken one after
// another. A block is cut there into regions; what a region loads and uses up itself passes, the
// rest is live at the point behind it.

#include "tilec/Analysis/RegisterPressure.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tilec::tilegpu;

namespace tilec {
namespace {

/// Registers of a multiprocessor, and the most that a thread can name.
constexpr int64_t kRegisterFile = 65536, kMaxRegisters = 255;
/// Addresses, masks, partial results. Measured with ptxas 13.0: what fits beside them does not
/// spill.
constexpr int64_t kReserve = 24;

/// What is taken at a time of values that are folded as they come.
constexpr int64_t kFolded = 8;

/// The results of these are read from memory or registers as they are, two halves to a register.
bool isPacked(Operation *def) {
  return isa_and_nonnull<tile::LoadOp, RefreshOp, UnparkOp, LocalLoadOp>(def);
}

/// Its result is an arrangement of the operand's registers.
bool isRearrangement(Operation *op) {
  return isa<tile::SplatOp, tile::BroadcastOp, tile::ExpandDimsOp, tile::ReshapeOp,
             tile::PermuteOp>(op);
}

/// The places behind these are points: data moves between threads, or all elements come before
/// what follows.
bool isSync(Operation *op) {
  if (isa<tile::TileDialect>(op->getDialect()) && mayWriteGlobal(op))
    return true;
  return isa<tile::ReduceOp, PartialReduceOp, tile::ScanOp, PartialScanOp, FinishScanOp,
             ConvertLayoutOp, LocalStoreOp, LocalLoadOp, LocalGatherOp, LocalCountOp>(op);
}

/// What is only reduced right away is folded as it comes.
bool isFolded(Value value) {
  return value.hasOneUse() && isa<tile::ReduceOp, PartialReduceOp>(*value.user_begin()) &&
         isa_and_nonnull<LocalLoadOp>(value.getDefiningOp());
}

bool isLoop(Operation *op) { return op->getNumRegions() > 0 && !isa<scf::IfOp>(op); }

} // namespace

int64_t registersFor(Operation *op, int64_t ctas) {
  int64_t threads = int64_t(numWarpsOf(op)) * 32 * ctas;
  return std::min(kMaxRegisters, std::max<int64_t>(16, kRegisterFile / threads / 8 * 8));
}

int64_t registersPerThread(Operation *op) {
  int64_t ctas = 1;
  if (auto module = op->getParentOfType<ModuleOp>())
    if (auto wanted = module->getAttrOfType<IntegerAttr>(TileGPUDialect::kMinCtasAttr))
      ctas = std::max<int64_t>(1, wanted.getInt());
  return registersFor(op, ctas);
}

int64_t registersOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !hasLayout(type))
    return 0;
  const LinearLayout &layout = layoutOf(type);
  int64_t count = layout.getInDimSize(kRegister) >>
                  llvm::popcount(uint32_t(layout.getFreeVariableMask(kRegister)));
  int64_t bits = tile::bitWidthOf(type.getElementType());
  if (bits > 1 && !isPacked(value.getDefiningOp()))
    bits = std::max<int64_t>(bits, 32);
  return llvm::divideCeil(count * bits, 32);
}

bool isCheapElementwise(Operation *op) {
  if (op->getNumResults() != 1 || !isMemoryEffectFree(op))
    return false;
  if (isRearrangement(op))
    return true;
  if (isa<arith::DivFOp, arith::RemFOp, arith::DivSIOp, arith::DivUIOp, arith::RemSIOp,
          arith::RemUIOp, arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp>(op))
    return false;
  return op->hasTrait<OpTrait::Elementwise>() &&
         (isa<arith::ArithDialect>(op->getDialect()) ||
          isa<tile::AddPtrOp, tile::FpToFpOp, tile::PtrToIntOp, tile::IntToPtrOp, tile::PtrCastOp>(
              op));
}

bool mayWriteGlobal(Operation *op) {
  if (op->getNumRegions() > 0 &&
      !isa<tile::ReduceOp, tile::ScanOp, PartialReduceOp, PartialScanOp, FinishScanOp>(op))
    return op
        ->walk([&](Operation *inner) {
          return inner != op && mayWriteGlobal(inner) ? WalkResult::interrupt()
                                                      : WalkResult::advance();
        })
        .wasInterrupted();
  if (isMemoryEffectFree(op) || op->hasTrait<OpTrait::IsTerminator>())
    return false;
  if (auto load = dyn_cast<tile::LoadOp>(op))
    return load.getIsVolatile();
  return !isa<tile::AssumeOp, LocalAllocOp, LocalStoreOp, LocalLoadOp, LocalGatherOp, LocalCountOp,
              ParkOp, UnparkOp, RefreshOp, tile::ReduceOp, tile::ScanOp, PartialReduceOp,
              PartialScanOp, FinishScanOp>(op);
}

bool multipliesMatrices(Operation *root) {
  return root
      ->walk([](Operation *op) {
        return isa<tile::DotOp, DotOp, MmaOp, WgmmaOp>(op) ? WalkResult::interrupt()
                                                           : WalkResult::advance();
      })
      .wasInterrupted();
}

Operation *ancestorIn(Block *block, Operation *op) { return block->findAncestorOpInBlock(*op); }

bool RegisterPressure::isUsedAfter(Value value, Operation *op) {
  for (Operation *place = op; place; place = place->getParentOp()) {
    Block *block = place->getBlock();
    for (Operation *user : value.getUsers()) {
      Operation *here = ancestorIn(block, user);
      if (here && place->isBeforeInBlock(here))
        return true;
    }
    if (value.getParentBlock() == block)
      return false;
    // Defined outside: the next iteration uses what this one does.
    Operation *parent = block->getParentOp();
    if (parent && isLoop(parent) &&
        llvm::any_of(value.getUsers(), [&](Operation *user) { return parent->isAncestor(user); }))
      return true;
  }
  return false;
}

RegisterPressure::RegisterPressure(FunctionOpInterface func) : limit(registersPerThread(func)) {
  collectData(func);
  for (Block &block : func.getFunctionBody())
    visitBlock(block);
}

void RegisterPressure::collectData(FunctionOpInterface func) {
  auto add = [&](Value value) {
    if (registersOf(value) > 0)
      data.insert(value);
  };
  func->walk<WalkOrder::PreOrder>([&](Operation *op) {
    // The combinations of reductions are on scalars.
    bool isKept = op->getNumRegions() > 0 || op->hasTrait<OpTrait::ConstantLike>() ||
                  isa<tile::MakeRangeOp>(op);
    if (op->getNumRegions() > 0 || !isKept)
      if (!isCheapElementwise(op) ||
          llvm::any_of(op->getOperands(), [&](Value operand) { return data.contains(operand); }))
        for (Value result : op->getResults())
          add(result);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Value argument : block.getArguments())
          add(argument);
  });
}

void RegisterPressure::addPoint(Operation *op) {
  Point point;
  point.op = op;
  for (Value value : data) {
    Operation *def = value.getDefiningOp();
    Block *home = value.getParentBlock();
    Operation *here = ancestorIn(home, op);
    // Defined before the point, or by the operation itself.
    if (!here || (def && def != op && !def->isBeforeInBlock(here)) ||
        (def && def == here && here != op))
      continue;
    if (!isUsedAfter(value, op))
      continue;
    if (isFolded(value)) {
      point.registers += std::min(registersOf(value), kFolded);
      continue;
    }
    point.live.push_back(value);
    point.registers += registersOf(value);
  }
  points.push_back(std::move(point));
}

void RegisterPressure::visitBlock(Block &block) {
  // Loads since the last point of this block, and that point.
  SmallVector<Value> loads;
  std::optional<size_t> last;
  auto cut = [&](Operation *op) {
    addPoint(op);
    Point &point = points.back();
    int64_t passing = 0;
    for (Value load : loads)
      if (data.contains(load) && !llvm::is_contained(point.live, load))
        passing += registersOf(load);
    point.passing = passing;
    if (last)
      points[*last].passing = std::max(points[*last].passing, passing);
    last = points.size() - 1;
    loads.clear();
  };
  for (Operation &op : block) {
    // What was loaded is used up before the store begins.
    if (mayWriteGlobal(&op) && !loads.empty() && op.getPrevNode())
      cut(op.getPrevNode());
    if (isa<tile::LoadOp>(op)) {
      loads.push_back(op.getResult(0));
    } else if (isSync(&op)) {
      cut(&op);
    } else if (op.getNumRegions() > 0) {
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          visitBlock(inner);
      loads.clear();
      last.reset();
    }
  }
}

int64_t RegisterPressure::budgetAt(const Point &point) const {
  int64_t reserve = std::max(kReserve, limit / 3);
  // Several loads in flight.
  if (point.passing > 0)
    reserve = std::max(reserve, std::min(limit * 5 / 8, kReserve + point.passing));
  return limit - reserve;
}

bool RegisterPressure::isExceeded() const {
  return llvm::any_of(points, [&](const Point &point) { return excessAt(point) > 0; });
}

int64_t RegisterPressure::getPeak() const {
  int64_t peak = 0;
  for (const Point &point : points)
    peak = std::max(peak, point.registers + point.passing);
  return peak;
}

} // namespace tilec
