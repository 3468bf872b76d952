// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linear functions of lane and warp as shifts and masks. The bit matrix of a map is cut into its
// diagonals: all input bits that move by the same distance are moved by one mask and one shift.

#include "ThreadPosition.h"

#include "dialects/TileGPU/TileGPUOps.h"
#include "tilec/Analysis/ProductLoops.h"

using namespace mlir;
using namespace tilec;

Value tilec::sameInWarp(OpBuilder &builder, Location loc, Value value) {
  return NVVM::ShflOp::create(builder, loc, builder.getI32Type(), constantI32(builder, loc, -1),
                              value, constantI32(builder, loc, 0), constantI32(builder, loc, 31),
                              NVVM::ShflKind::idx, UnitAttr());
}

Value tilec::constantI32(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIntOp::create(builder, loc, value, 32);
}

ThreadPosition::ThreadPosition(ModuleOp module) {
  module.walk([&](func::FuncOp func) {
    if (!func.isExternal())
      addFunction(func);
  });
}

ThreadPosition::Coordinates ThreadPosition::place(OpBuilder &builder, Location loc, Value number,
                                                  int64_t threads) {
  Value lane = arith::AndIOp::create(builder, loc, number, constantI32(builder, loc, 31));
  Value warp = arith::ShRUIOp::create(builder, loc, number, constantI32(builder, loc, 5));
  return {number, lane, warp, sameInWarp(builder, loc, warp), threads};
}

void ThreadPosition::addFunction(func::FuncOp func) {
  OpBuilder builder = OpBuilder::atBlockBegin(&func.front());
  Location loc = func.getLoc();
  int threads = tilegpu::launchedThreadsOf(func);
  auto range = LLVM::ConstantRangeAttr::get(builder.getContext(), APInt(32, 0), APInt(32, threads));
  Value thread = NVVM::ThreadIdXOp::create(builder, loc, builder.getI32Type(), range);
  functions[func] = place(builder, loc, thread, threads);
  func.walk([&](tilegpu::WarpRolesOp roles) {
    if (tilegpu::computeGroupsOf(roles) > 1)
      addGroups(roles);
  });
  func.walk([&](tilegpu::EnterProgramOp enter) {
    if (enter->getParentOfType<scf::ForOp>())
      refreshBehind(enter);
  });
  for (scf::ForOp loop : lastLoopsOfProducts(func))
    refreshBehind(loop);
}

void ThreadPosition::addGroups(tilegpu::WarpRolesOp roles) {
  Location loc = roles.getLoc();
  OpBuilder builder = OpBuilder::atBlockBegin(&roles.getCompute().front());
  int64_t warps = tilegpu::numWarpsOf(roles);
  const Coordinates launched = find(roles);
  Value within = arith::AndIOp::create(builder, loc, launched.thread,
                                       constantI32(builder, loc, 32 * warps - 1));
  refreshed.push_back({within.getDefiningOp(), place(builder, loc, within, 32 * warps)});
  groups[roles] = arith::DivUIOp::create(builder, loc, sameInWarp(builder, loc, launched.warp),
                                         constantI32(builder, loc, warps));
}

void ThreadPosition::refreshBehind(Operation *op) {
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  Location loc = op->getParentOfType<func::FuncOp>().getLoc();
  const Coordinates before = find(op);
  Value zero = tilegpu::OpaqueZeroOp::create(builder, loc, builder.getI32Type());
  Value same = arith::OrIOp::create(builder, loc, before.thread, zero);
  // Says how large it may be.
  int64_t most = int64_t(llvm::PowerOf2Ceil(uint64_t(before.threads))) - 1;
  same = arith::AndIOp::create(builder, loc, same, constantI32(builder, loc, most));
  refreshed.push_back({zero.getDefiningOp(), place(builder, loc, same, before.threads)});
}

const ThreadPosition::Coordinates &ThreadPosition::find(Operation *op) const {
  for (Operation *at = op; at; at = at->getParentOp()) {
    const Coordinates *last = nullptr;
    Operation *behind = nullptr;
    for (const auto &[start, coordinates] : refreshed)
      if (start->getBlock() == at->getBlock() && start->isBeforeInBlock(at) &&
          (!behind || behind->isBeforeInBlock(start))) {
        behind = start;
        last = &coordinates;
      }
    if (last)
      return *last;
  }
  auto func = isa<func::FuncOp>(op) ? cast<func::FuncOp>(op) : op->getParentOfType<func::FuncOp>();
  return functions.find(func)->second;
}

Value ThreadPosition::group(Operation *op) const {
  auto roles = dyn_cast<tilegpu::WarpRolesOp>(op);
  return groups.lookup(roles ? roles : op->getParentOfType<tilegpu::WarpRolesOp>());
}

Value LinearIndex::at(OpBuilder &builder, Location loc, uint64_t constant) const {
  if (!base)
    return constantI32(builder, loc, constant);
  Value sum = base;
  if (uint64_t mixed = constant & baseBits)
    sum = arith::XOrIOp::create(builder, loc, base, constantI32(builder, loc, mixed));
  // An addition is part of an address, which several accesses share then.
  auto flags = arith::IntegerOverflowFlags::nsw | arith::IntegerOverflowFlags::nuw;
  if (uint64_t rest = constant & ~baseBits)
    sum = arith::AddIOp::create(builder, loc, sum, constantI32(builder, loc, rest), flags);
  return sum;
}

uint64_t tilec::registerPart(const LinearLayout &layout, int64_t reg) {
  return layout.applyToFlat({{kRegister, int32_t(reg)}});
}

void tilec::addLinear(OpBuilder &builder, Location loc, Value input, ArrayRef<uint64_t> bases,
                      uint64_t scale, LinearIndex &index) {
  std::map<int, uint64_t> maskOfShift;
  for (auto [i, basis] : llvm::enumerate(bases))
    for (uint64_t rest = basis * scale; rest; rest &= rest - 1)
      maskOfShift[int(llvm::countr_zero(rest)) - int(i)] |= uint64_t(1) << i;
  uint64_t all = (uint64_t(1) << bases.size()) - 1;
  for (auto [shift, mask] : maskOfShift) {
    Value piece = input;
    if (mask != all)
      piece = arith::AndIOp::create(builder, loc, piece, constantI32(builder, loc, mask));
    if (shift > 0)
      piece = arith::ShLIOp::create(builder, loc, piece, constantI32(builder, loc, shift),
                                    arith::IntegerOverflowFlags::nsw |
                                        arith::IntegerOverflowFlags::nuw);
    else if (shift < 0)
      piece = arith::ShRUIOp::create(builder, loc, piece, constantI32(builder, loc, -shift));
    uint64_t bits = shift >= 0 ? mask << shift : mask >> -shift;
    if (!index.base)
      index.base = piece;
    else if (index.baseBits & bits)
      index.base = arith::XOrIOp::create(builder, loc, index.base, piece);
    else
      index.base = arith::AddIOp::create(builder, loc, index.base, piece,
                                         arith::IntegerOverflowFlags::nsw |
                                             arith::IntegerOverflowFlags::nuw);
    index.baseBits |= bits;
  }
}

LinearIndex tilec::threadPart(OpBuilder &builder, Operation *at, const ThreadPosition &position,
                              const LinearLayout &layout, uint64_t scale) {
  LinearIndex index;
  Location loc = at->getLoc();
  addLinear(builder, loc, position.lane(at), layout.getFlatBases(kLane), scale, index);
  addLinear(builder, loc, position.warp(at), layout.getFlatBases(kWarp), scale, index);
  return index;
}

Value tilec::isFirstReplica(OpBuilder &builder, Operation *at, const ThreadPosition &position,
                            const LinearLayout &layout) {
  Location loc = at->getLoc();
  int64_t mask = layout.getFreeVariableMask(kLane) | int64_t(layout.getFreeVariableMask(kWarp))
                                                         << 5;
  if (mask == 0)
    return {};
  Value bits =
      arith::AndIOp::create(builder, loc, position.thread(at), constantI32(builder, loc, mask));
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, bits,
                               constantI32(builder, loc, 0));
}
