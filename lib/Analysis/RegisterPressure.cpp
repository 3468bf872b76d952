// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Register pressure by liveness of tensors at the points where elements cannot be taken one after
// another. A block is cut there into regions; what a region loads and uses up itself passes, the
// rest is live at the point behind it.

#include "tilec/Analysis/RegisterPressure.h"

#include "tilec/Analysis/GlobalAccess.h"
#include "tilec/Analysis/RolePlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tilec::tilegpu;

namespace tilec {
namespace {

/// What is taken at a time of values that are folded as they come.
constexpr int64_t kFolded = 8;

/// The results of these are read from memory or registers as they are, two halves to a register.
bool isPacked(Operation *def) {
  return isa_and_nonnull<tile::LoadOp, RefreshOp, UnparkOp, LocalLoadOp>(def);
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

bool isLoop(Operation *op) { return op->getNumRegions() > 0 && !isa<scf::IfOp, WarpRolesOp>(op); }

} // namespace

int64_t registersFor(Operation *op, int64_t ctas) {
  if (std::optional<RoleRegisters> roles = roleRegistersOf(op))
    return roles->compute;
  int64_t threads = launchedThreadsOf(op) * ctas;
  return std::max(Processor::kMinRegistersPerThread, Processor::registersPerThread(threads));
}

int64_t wantedCtas(Operation *op) {
  if (auto module = op->getParentOfType<ModuleOp>())
    if (auto wanted = module->getAttrOfType<IntegerAttr>(TileGPUDialect::kMinCtasAttr))
      return std::max<int64_t>(1, wanted.getInt());
  return 1;
}

int64_t registersPerThread(Operation *op) { return registersFor(op, wantedCtas(op)); }

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
  if (isa<tile::ShapeOpInterface>(op) && !isa<ConvertLayoutOp>(op))
    return true;
  if (isa<arith::DivFOp, arith::RemFOp, arith::DivSIOp, arith::DivUIOp, arith::RemSIOp,
          arith::RemUIOp, arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp>(op))
    return false;
  return op->hasTrait<OpTrait::Elementwise>() &&
         (isa<arith::ArithDialect>(op->getDialect()) ||
          isa<tile::AddPtrOp, tile::FpToFpOp, tile::PtrToIntOp, tile::IntToPtrOp, tile::PtrCastOp>(
              op));
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
    if (parent && isLoop(parent) && llvm::any_of(value.getUsers(), [&](Operation *user) {
          return parent->isProperAncestor(user);
        }))
      return true;
  }
  return false;
}

RegisterPressure::RegisterPressure(FunctionOpInterface func) : limit(registersPerThread(func)) {
  collectData(func);
  collectUses(func);
  for (Block &block : func.getFunctionBody())
    visitBlock(block, {});
}

/// A use inside nested regions counts in each block from there up to the definition's.
void RegisterPressure::collectUses(FunctionOpInterface func) {
  func->walk<WalkOrder::PreOrder>([&](Operation *op) { numbers[op] = numbers.size(); });
  for (Value value : data) {
    places[value] = places.size();
    Block *home = value.getParentBlock();
    for (Operation *user : value.getUsers())
      for (Operation *here = user; here; here = here->getParentOp()) {
        unsigned &last = lastUses[{value, here->getBlock()}];
        last = std::max(last, numbers.lookup(here));
        if (here->getBlock() == home)
          break;
      }
  }
}

void RegisterPressure::collectData(FunctionOpInterface func) {
  auto add = [&](Value value) {
    // Pointers that a loop carries are an address and distances that do not change.
    Operation *def = value.getDefiningOp();
    bool isCarried = !def || def->getNumRegions() > 0;
    if (isCarried && isa<tile::PtrType>(getElementTypeOrSelf(value.getType())))
      return;
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

void RegisterPressure::addPoint(Operation *op, ArrayRef<LiveTensor> tensors) {
  Point point;
  point.op = op;
  unsigned number = numbers.lookup(op);
  for (const LiveTensor &tensor : tensors) {
    Value value = tensor.value;
    if (tensor.last <= number)
      continue;
    if (isFolded(value)) {
      point.registers += std::min(registersOf(value), kFolded);
      continue;
    }
    point.live.push_back(value);
    point.registers += registersOf(value);
  }
  // Program order.
  llvm::sort(point.live, [&](Value a, Value b) { return places.lookup(a) < places.lookup(b); });
  points.push_back(std::move(point));
}

SmallVector<RegisterPressure::LiveTensor>
RegisterPressure::tensorsInside(Block &inner, ArrayRef<LiveTensor> tensors) const {
  Operation *parent = inner.getParentOp();
  unsigned number = numbers.lookup(parent);
  SmallVector<LiveTensor> inside;
  for (const LiveTensor &tensor : tensors) {
    bool isUsedInLoop = isLoop(parent) && llvm::any_of(parent->getRegions(), [&](Region &region) {
                          return llvm::any_of(region, [&](Block &block) {
                            return lastUses.contains({tensor.value, &block});
                          });
                        });
    // Used behind the operation, or by its next iteration.
    if (tensor.last > number || isUsedInLoop)
      inside.push_back({tensor.value, kForever});
    else if (auto last = lastUses.find({tensor.value, &inner}); last != lastUses.end())
      inside.push_back({tensor.value, last->second});
  }
  return inside;
}

void RegisterPressure::visitBlock(Block &block, SmallVector<LiveTensor> tensors) {
  // Loads since the last point of this block, and that point.
  SmallVector<Value> loads;
  std::optional<size_t> last;
  auto define = [&](Value value) {
    if (auto use = lastUses.find({value, &block}); use != lastUses.end())
      tensors.push_back({value, use->second});
  };
  auto cut = [&](Operation *op, Operation *write = nullptr) {
    llvm::erase_if(tensors, [number = numbers.lookup(op)](const LiveTensor &tensor) {
      return tensor.last <= number;
    });
    addPoint(op, tensors);
    Point &point = points.back();
    point.write = write;
    llvm::copy_if(loads, std::back_inserter(point.loads),
                  [&](Value load) { return data.contains(load); });
    point.isNext = last.has_value();
    point.passing = passingBefore(point);
    if (last)
      points[*last].passing = std::max(points[*last].passing, point.passing);
    last = points.size() - 1;
    loads.clear();
  };
  for (BlockArgument argument : block.getArguments())
    define(argument);
  for (Operation &op : block) {
    // What was loaded is used up before the store begins.
    if (mayWriteGlobal(&op) && !loads.empty() && op.getPrevNode())
      cut(op.getPrevNode(), &op);
    bool isInner = !isa<tile::LoadOp>(op) && !isSync(&op) && op.getNumRegions() > 0;
    if (isInner)
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          visitBlock(inner, tensorsInside(inner, tensors));
    for (Value result : op.getResults())
      define(result);
    if (isInner) {
      loads.clear();
      last.reset();
    } else if (isa<tile::LoadOp>(op)) {
      loads.push_back(op.getResult(0));
    } else if (isSync(&op)) {
      cut(&op);
    }
  }
}

int64_t RegisterPressure::passingBefore(const Point &point) const {
  int64_t passing = 0;
  for (Value load : point.loads)
    if (!llvm::is_contained(point.live, load))
      passing += registersOf(load);
  return passing;
}

void RegisterPressure::noteRecomputed(Value value, Value source, Operation *place, Operation *first,
                                      ArrayRef<Operation *> made) {
  for (Operation *op : made)
    data.insert(op->getResult(0));
  Value again = made.back()->getResult(0);
  for (auto [number, point] : llvm::enumerate(points)) {
    Operation *here = ancestorIn(place->getBlock(), point.op);
    if (!here || here->isBeforeInBlock(place))
      continue;
    Value *live = llvm::find(point.live, value);
    if (live == point.live.end())
      continue;
    // Right in front of `first` the new value is live.
    if (!here->isBeforeInBlock(first) || point.write == first) {
      *live = again;
      continue;
    }
    point.registers -= registersOf(value);
    if (llvm::is_contained(point.live, source)) {
      point.live.erase(live);
      continue;
    }
    *live = source;
    point.registers += registersOf(source);
    if (!llvm::is_contained(point.loads, source))
      continue;
    // It is no longer for immediate use.
    bool hasNext = number + 1 < points.size() && points[number + 1].isNext;
    point.passing = std::max(passingBefore(point), hasNext ? passingBefore(points[number + 1]) : 0);
    if (point.isNext) {
      Point &previous = points[number - 1];
      previous.passing = std::max(passingBefore(previous), passingBefore(point));
    }
  }
}

int64_t RegisterPressure::budgetAt(const Point &point) const {
  int64_t reserve = std::max(kOtherRegisters, limit / 3);
  // Several loads in flight.
  if (point.passing > 0)
    reserve = std::max(reserve, std::min(limit * 5 / 8, kOtherRegisters + point.passing));
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
