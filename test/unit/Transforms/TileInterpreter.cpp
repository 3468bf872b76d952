// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function per kind of operation; what a property test does not build aborts the test.

#include "TileInterpreter.h"

#include "gtest/gtest.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilec::test {

int64_t wrap(__int128 value, unsigned bits) {
  if (bits == 1)
    return int64_t(value & 1);
  uint64_t low = uint64_t(value);
  return bits == 64 ? int64_t(low) : llvm::SignExtend64(low, bits);
}

static unsigned bitsOf(Type type) {
  Type element = getElementTypeOrSelf(type);
  return isa<tile::PtrType>(element) ? 64 : element.getIntOrFloatBitWidth();
}

static SmallVector<int64_t> shapeOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? SmallVector<int64_t>(tensor.getShape()) : SmallVector<int64_t>{1};
}

static size_t sizeOf(Type type) { return ShapedType::getNumElements(shapeOf(type)); }

static uint64_t asUnsigned(int64_t value, unsigned bits) {
  return bits == 64 ? uint64_t(value) : uint64_t(value) & ((uint64_t(1) << bits) - 1);
}

static bool compare(arith::CmpIPredicate predicate, int64_t a, int64_t b, unsigned bits) {
  uint64_t ua = asUnsigned(a, bits), ub = asUnsigned(b, bits);
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return a == b;
  case arith::CmpIPredicate::ne:
    return a != b;
  case arith::CmpIPredicate::slt:
    return a < b;
  case arith::CmpIPredicate::sle:
    return a <= b;
  case arith::CmpIPredicate::sgt:
    return a > b;
  case arith::CmpIPredicate::sge:
    return a >= b;
  case arith::CmpIPredicate::ult:
    return ua < ub;
  case arith::CmpIPredicate::ule:
    return ua <= ub;
  case arith::CmpIPredicate::ugt:
    return ua > ub;
  case arith::CmpIPredicate::uge:
    return ua >= ub;
  }
  return false;
}

void TileInterpreter::run(ArrayRef<int64_t> arguments) {
  for (auto [argument, value] : llvm::zip_equal(func.getArguments(), arguments))
    set(argument, {wrap(value, bitsOf(argument.getType()))});
  runBlock(func.getBody().front());
}

void TileInterpreter::runBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    runOp(&op);
}

std::vector<Numbers> TileInterpreter::yielded(Block &block) const {
  std::vector<Numbers> result;
  for (Value value : block.getTerminator()->getOperands())
    result.push_back(get(value));
  return result;
}

/// More than any test wants.
static constexpr unsigned kMaxIterations = 10000;

void TileInterpreter::runFor(scf::ForOp loop) {
  for (auto [arg, init] : llvm::zip_equal(loop.getRegionIterArgs(), loop.getInitArgs()))
    set(arg, get(init));
  __int128 upper = get(loop.getUpperBound())[0], step = get(loop.getStep())[0];
  for (__int128 i = get(loop.getLowerBound())[0]; i < upper; i += step) {
    if (++iterations > kMaxIterations)
      break;
    set(loop.getInductionVar(), {int64_t(i)});
    runBlock(*loop.getBody());
    std::vector<Numbers> next = yielded(*loop.getBody());
    for (auto [arg, numbers] : llvm::zip_equal(loop.getRegionIterArgs(), next))
      set(arg, numbers);
  }
  if (iterations > kMaxIterations)
    trace.push_back("endless");
  for (auto [arg, result] : llvm::zip_equal(loop.getRegionIterArgs(), loop.getResults()))
    set(result, get(arg));
}

Numbers TileInterpreter::runShapeOp(Operation *op) {
  const Numbers &source = get(op->getOperand(0));
  SmallVector<int64_t> from = shapeOf(op->getOperand(0).getType()),
                       to = shapeOf(op->getResult(0).getType());
  if (isa<tile::SplatOp>(op))
    return Numbers(sizeOf(op->getResult(0).getType()), source[0]);
  if (isa<tile::ExpandDimsOp, tile::ReshapeOp>(op))
    return source;
  // Broadcast: the coordinate along a dimension of size one is zero.
  Numbers result(sizeOf(op->getResult(0).getType()));
  for (size_t i = 0; i < result.size(); ++i) {
    size_t rest = i, place = 0, stride = 1;
    for (size_t d = to.size(); d-- > 0; rest /= to[d], stride *= from[d])
      place += (from[d] == 1 ? 0 : rest % to[d]) * stride;
    result[i] = source[place];
  }
  return result;
}

Numbers TileInterpreter::runElementwise(Operation *op) {
  Type type = op->getResult(0).getType();
  unsigned bits = bitsOf(type), operandBits = bitsOf(op->getOperand(0).getType());
  Numbers result(sizeOf(type));
  for (size_t i = 0; i < result.size(); ++i) {
    auto operand = [&](unsigned index) { return get(op->getOperand(index))[i]; };
    __int128 value =
        llvm::TypeSwitch<Operation *, __int128>(op)
            .Case<arith::AddIOp, tile::AddPtrOp>(
                [&](auto) { return __int128(operand(0)) + operand(1); })
            .Case([&](arith::SubIOp) { return __int128(operand(0)) - operand(1); })
            .Case([&](arith::MulIOp) { return __int128(operand(0)) * operand(1); })
            .Case([&](arith::ShLIOp) { return __int128(operand(0)) << operand(1); })
            .Case([&](arith::ShRSIOp) { return __int128(operand(0) >> operand(1)); })
            .Case([&](arith::DivSIOp) { return __int128(operand(0)) / operand(1); })
            .Case([&](arith::MinSIOp) { return std::min(operand(0), operand(1)); })
            .Case([&](arith::MaxSIOp) { return std::max(operand(0), operand(1)); })
            .Case([&](arith::AndIOp) { return operand(0) & operand(1); })
            .Case([&](arith::SelectOp) { return operand(0) ? operand(1) : operand(2); })
            .Case<arith::ExtSIOp, arith::TruncIOp>([&](auto) { return operand(0); })
            .Case([&](arith::ExtUIOp) { return asUnsigned(operand(0), operandBits); })
            .Case([&](arith::CmpIOp cmp) {
              return compare(cmp.getPredicate(), operand(0), operand(1), operandBits);
            })
            .Default([](Operation *other) -> __int128 {
              ADD_FAILURE() << "no meaning of '" << other->getName().getStringRef().str() << "'";
              return 0;
            });
    result[i] = wrap(value, bits);
  }
  return result;
}

void TileInterpreter::runAccess(Operation *op) {
  auto load = dyn_cast<tile::LoadOp>(op);
  auto store = dyn_cast<tile::StoreOp>(op);
  Value mask = load ? load.getMask() : store.getMask();
  const Numbers &pointers = get(op->getOperand(0));
  maskless += !mask && pointers.size() > 1;
  std::string entry = load ? "load" : "store";
  Numbers loaded;
  for (size_t i = 0; i < pointers.size(); ++i) {
    bool isOn = !mask || get(mask)[i];
    int64_t value = store             ? get(store.getValue())[i]
                    : isOn            ? wrap(pointers[i] * 37, bitsOf(load.getType()))
                    : load.getOther() ? get(load.getOther())[i]
                                      : 0;
    loaded.push_back(value);
    if (isOn)
      entry += " " + std::to_string(pointers[i]) + ":" + std::to_string(value);
  }
  trace.push_back(std::move(entry));
  if (load)
    set(load.getResult(), std::move(loaded));
}

void TileInterpreter::runOp(Operation *op) {
  if (isa<tile::LoadOp, tile::StoreOp>(op))
    return runAccess(op);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return runFor(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    if (get(branch.getCondition())[0])
      runBlock(*branch.thenBlock());
    else if (branch.elseBlock())
      runBlock(*branch.elseBlock());
    return;
  }
  Value result = op->getResult(0);
  APInt number;
  if (matchPattern(op, m_ConstantInt(&number)))
    return set(result, Numbers(sizeOf(result.getType()),
                               wrap(number.getSExtValue(), bitsOf(result.getType()))));
  if (isa<tile::ProgramIdOp>(op))
    return set(result, {pid});
  if (auto range = dyn_cast<tile::MakeRangeOp>(op)) {
    Numbers numbers(sizeOf(result.getType()));
    std::iota(numbers.begin(), numbers.end(), int32_t(range.getStart()));
    return set(result, std::move(numbers));
  }
  if (isa<tile::SplatOp, tile::BroadcastOp, tile::ExpandDimsOp, tile::ReshapeOp>(op))
    return set(result, runShapeOp(op));
  set(result, runElementwise(op));
}

} // namespace tilec::test
