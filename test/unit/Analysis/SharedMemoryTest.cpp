// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared memory by random programs with loops and branches. Placement: a program that runs with its
// buffers in one window reads what it would read if every buffer had memory of its own. Barriers:
// after they are inserted, no run has two conflicting accesses of different operations without a
// barrier in between.

#include "tilec/Analysis/SharedAllocation.h"
#include "tilec/Analysis/Synchronisation.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tilec;

namespace {

/// Builds a random function of allocations, stores, loads, loops and branches. Loop bodies may swap
/// two descriptors.
class Generator {
public:
  Generator(MLIRContext &context, unsigned seed) : builder(&context), random(seed) {}

  OwningOpRef<ModuleOp> build() {
    Location loc = builder.getUnknownLoc();
    OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
    builder.setInsertionPointToEnd(module->getBody());
    auto func = func::FuncOp::create(
        builder, loc, "f",
        builder.getFunctionType({builder.getI32Type(), builder.getI1Type()}, {}));
    Block *body = func.addEntryBlock();
    builder.setInsertionPointToEnd(body);
    bound = body->getArgument(0);
    condition = body->getArgument(1);
    zero = arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(0));
    one = arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(1));
    std::vector<Value> buffers;
    statements(buffers, 14, 3);
    func::ReturnOp::create(builder, loc);
    return module;
  }

private:
  unsigned below(unsigned limit) {
    return std::uniform_int_distribution<unsigned>(0, limit - 1)(random);
  }

  Value alloc() {
    unsigned log = std::array<unsigned, 4>{3, 4, 6, 8}[below(4)];
    auto layout = LinearLayout::identity1D(1 << log, "offset", "dim0");
    auto type =
        tilegpu::MemDescType::get(builder.getContext(), {int64_t(1) << log}, builder.getF32Type(),
                                  tilegpu::LinearAttr::get(builder.getContext(), layout));
    OperationState state(builder.getUnknownLoc(), tilegpu::LocalAllocOp::getOperationName());
    state.addTypes(type);
    return builder.create(state)->getResult(0);
  }

  void statements(std::vector<Value> &buffers, unsigned count, unsigned depth) {
    Location loc = builder.getUnknownLoc();
    for (unsigned i = 0; i < count; ++i) {
      unsigned kind = below(10);
      if (kind < 2 || buffers.empty()) {
        buffers.push_back(alloc());
        continue;
      }
      Value buffer = buffers[below(buffers.size())];
      auto type = cast<tilegpu::MemDescType>(buffer.getType());
      auto tensor = RankedTensorType::get(type.getShape(), type.getElementType());
      if (kind < 5) {
        Value value = ub::PoisonOp::create(builder, loc, tensor);
        tilegpu::LocalStoreOp::create(builder, loc, value, buffer);
      } else if (kind < 8) {
        tilegpu::LocalLoadOp::create(builder, loc, tensor, buffer);
      } else if (depth == 0) {
        continue;
      } else if (kind == 8) {
        loop(buffers, depth);
      } else {
        auto branch = scf::IfOp::create(builder, loc, condition, true);
        for (Region *region : {&branch.getThenRegion(), &branch.getElseRegion()}) {
          OpBuilder::InsertionGuard guard(builder);
          builder.setInsertionPointToStart(&region->front());
          std::vector<Value> inner = buffers;
          statements(inner, 4, depth - 1);
        }
      }
    }
  }

  void loop(std::vector<Value> &buffers, unsigned depth) {
    Value first = buffers[below(buffers.size())];
    auto op =
        scf::ForOp::create(builder, builder.getUnknownLoc(), zero, bound, one, ValueRange{first});
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(op.getBody());
    std::vector<Value> inner = buffers;
    inner.push_back(op.getRegionIterArg(0));
    statements(inner, 6, depth - 1);
    std::vector<Value> next;
    llvm::copy_if(inner, std::back_inserter(next),
                  [&](Value value) { return value.getType() == first.getType(); });
    scf::YieldOp::create(builder, builder.getUnknownLoc(), next[below(next.size())]);
  }

  OpBuilder builder;
  std::mt19937 random;
  Value bound, condition, zero, one;
};

/// Runs a function with random trip counts and branches. Subclasses see the accesses.
class Interpreter {
public:
  explicit Interpreter(unsigned seed) : random(seed) {}
  virtual ~Interpreter() = default;

  void run(Block &block) {
    for (Operation &op : block.without_terminator())
      runOnOp(&op);
  }

protected:
  virtual void onAlloc(tilegpu::LocalAllocOp) {}
  virtual void onBarrier() {}
  virtual void onAccess(Operation *op, tilegpu::LocalAllocOp buffer, bool isWrite) = 0;

private:
  void runOnOp(Operation *op) {
    if (auto alloc = dyn_cast<tilegpu::LocalAllocOp>(op)) {
      refersTo[alloc.getResult()] = alloc;
      return onAlloc(alloc);
    }
    if (isa<tile::BarrierOp>(op))
      return onBarrier();
    if (auto store = dyn_cast<tilegpu::LocalStoreOp>(op))
      return onAccess(op, refersTo[store.getBuffer()], true);
    if (auto load = dyn_cast<tilegpu::LocalLoadOp>(op))
      return onAccess(op, refersTo[load.getBuffer()], false);
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return run(random() % 2 ? *branch.thenBlock() : *branch.elseBlock());
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      tilegpu::LocalAllocOp carried = refersTo[loop.getInitArgs()[0]];
      for (unsigned trips = random() % 4; trips > 0; --trips) {
        refersTo[loop.getRegionIterArg(0)] = carried;
        run(*loop.getBody());
        carried = refersTo[loop.getYieldedValues()[0]];
      }
      refersTo[loop.getResult(0)] = carried;
    }
  }

  std::mt19937 random;
  DenseMap<Value, tilegpu::LocalAllocOp> refersTo;
};

/// Compares one shared window with separate memories.
class PlacementChecker : public Interpreter {
public:
  PlacementChecker(const SharedAllocation &allocation, unsigned seed)
      : Interpreter(seed), allocation(allocation), window(allocation.getTotalBytes()) {}

  unsigned checkedReads = 0;

private:
  // A new buffer holds nothing yet.
  void onAlloc(tilegpu::LocalAllocOp alloc) override { separate.erase(alloc); }
  void onAccess(Operation *op, tilegpu::LocalAllocOp alloc, bool isWrite) override {
    const SharedBuffer &buffer = allocation.getBuffers().find(alloc)->second;
    ASSERT_LE(buffer.end(), allocation.getTotalBytes());
    ASSERT_EQ(buffer.offset % (buffer.size <= SharedAllocation::kSmallSize ? 16 : 128), 0);
    if (isWrite) {
      separate[alloc] = ++nextValue;
      std::fill(window.begin() + buffer.offset, window.begin() + buffer.end(), nextValue);
    } else if (separate.count(alloc)) {
      ++checkedReads;
      for (int64_t i = buffer.offset; i < buffer.end(); ++i)
        ASSERT_EQ(window[i], separate[alloc]) << "byte " << i;
    }
  }

  const SharedAllocation &allocation;
  std::vector<int> window;
  DenseMap<Operation *, int> separate;
  int nextValue = 0;
};

/// Looks for accesses that race.
class RaceChecker : public Interpreter {
public:
  RaceChecker(const SharedAllocation &allocation, unsigned seed)
      : Interpreter(seed), allocation(allocation) {}

private:
  struct Access {
    Operation *op;
    SharedBuffer buffer;
    bool isWrite;
  };

  void onBarrier() override { pending.clear(); }
  void onAccess(Operation *op, tilegpu::LocalAllocOp alloc, bool isWrite) override {
    const SharedBuffer &buffer = allocation.getBuffers().find(alloc)->second;
    for (const Access &other : pending) {
      bool overlap = other.buffer.offset < buffer.end() && buffer.offset < other.buffer.end();
      ASSERT_FALSE(overlap && (isWrite || other.isWrite) && op != other.op);
    }
    pending.push_back({op, buffer, isWrite});
  }

  const SharedAllocation &allocation;
  std::vector<Access> pending;
};

class SharedMemoryProperty : public testing::Test {
protected:
  SharedMemoryProperty() {
    context.loadDialect<tilegpu::TileGPUDialect, tile::TileDialect, arith::ArithDialect,
                        scf::SCFDialect, func::FuncDialect, ub::UBDialect>();
  }

  MLIRContext context;
};

TEST_F(SharedMemoryProperty, BuffersKeepTheirContents) {
  unsigned reads = 0;
  int64_t total = 0;
  int64_t withoutSharing = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    OwningOpRef<ModuleOp> module = Generator(context, seed).build();
    ASSERT_TRUE(succeeded(verify(*module)));
    func::FuncOp func = *module->getOps<func::FuncOp>().begin();
    SharedAllocation allocation(func);
    total += allocation.getTotalBytes();
    for (const auto &entry : allocation.getBuffers())
      withoutSharing += entry.second.size;
    for (unsigned run = 0; run < 8; ++run) {
      PlacementChecker checker(allocation, run);
      checker.run(func.getBody().front());
      reads += checker.checkedReads;
      if (HasFatalFailure()) {
        func.dump();
        return;
      }
    }
  }
  EXPECT_GT(reads, 1000u);
  // Sharing is worth something.
  EXPECT_LT(total, withoutSharing);
}

TEST_F(SharedMemoryProperty, PlacementIsDeterministic) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    auto place = [&] {
      OwningOpRef<ModuleOp> module = Generator(context, seed).build();
      std::string text;
      llvm::raw_string_ostream os(text);
      SharedAllocation(*module->getOps<func::FuncOp>().begin()).print(os);
      return text;
    };
    EXPECT_EQ(place(), place());
  }
}

TEST_F(SharedMemoryProperty, BarriersPreventRaces) {
  unsigned barriers = 0;
  unsigned accesses = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    OwningOpRef<ModuleOp> module = Generator(context, seed).build();
    func::FuncOp func = *module->getOps<func::FuncOp>().begin();
    SharedAllocation allocation(func);
    SmallVector<SyncPoint> needed = planSynchronisation(func, allocation);
    barriers += needed.size();
    func.walk(
        [&](Operation *op) { accesses += isa<tilegpu::LocalLoadOp, tilegpu::LocalStoreOp>(op); });
    for (const SyncPoint &point : needed) {
      ASSERT_TRUE(point.barrier == SyncThreads::Cta && !point.isBehind);
      OpBuilder builder(point.op);
      tile::BarrierOp::create(builder, point.op->getLoc());
    }
    EXPECT_TRUE(planSynchronisation(func, allocation).empty());
    for (unsigned run = 0; run < 8; ++run) {
      RaceChecker(allocation, run).run(func.getBody().front());
      if (HasFatalFailure()) {
        func.dump();
        return;
      }
    }
  }
  EXPECT_GT(barriers, 300u);
  // Not simply everywhere.
  EXPECT_LT(barriers, accesses * 3 / 4);
}

} // namespace
