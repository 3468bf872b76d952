// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomic read-modify-write, compare-and-swap and fences on global and shared memory.

#include "SimBuilder.h"

#include "dialects/TileGPU/TileGPUOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "tilecrt/sim/SimAbi.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilec;
using namespace tilecrt::sim::abi;

/// The runtime's type for an operand, by value for arithmetic, by bits for exchanges.
static std::optional<AtomicType> atomicType(Type type, bool asBits) {
  if (auto vector = dyn_cast<VectorType>(type)) {
    if (asBits || vector.isScalable() || vector.getNumElements() != 2)
      return std::nullopt;
    if (vector.getElementType().isF16())
      return AtomicF16x2;
    return vector.getElementType().isBF16() ? std::optional(AtomicBF16x2) : std::nullopt;
  }
  std::optional<unsigned> bytes = accessBytes(type);
  if (!bytes)
    return std::nullopt;
  if (asBits || !isa<FloatType>(type)) {
    if (*bytes <= 2 && asBits)
      return *bytes == 1 ? AtomicBits8 : AtomicBits16;
    return *bytes == 4   ? std::optional(AtomicI32)
           : *bytes == 8 ? std::optional(AtomicI64)
                         : std::nullopt;
  }
  if (type.isF16())
    return AtomicF16;
  if (type.isBF16())
    return AtomicBF16;
  return type.isF32()   ? std::optional(AtomicF32)
         : type.isF64() ? std::optional(AtomicF64)
                        : std::nullopt;
}

static std::optional<AtomicOp> atomicOp(LLVM::AtomicBinOp op) {
  switch (op) {
  case LLVM::AtomicBinOp::xchg:
    return AtomicXchg;
  case LLVM::AtomicBinOp::add:
  case LLVM::AtomicBinOp::sub:
  case LLVM::AtomicBinOp::fadd:
  case LLVM::AtomicBinOp::fsub:
    return AtomicAdd;
  case LLVM::AtomicBinOp::_and:
    return AtomicAnd;
  case LLVM::AtomicBinOp::_or:
    return AtomicOr;
  case LLVM::AtomicBinOp::_xor:
    return AtomicXor;
  case LLVM::AtomicBinOp::max:
  case LLVM::AtomicBinOp::fmax:
    return AtomicMax;
  case LLVM::AtomicBinOp::min:
  case LLVM::AtomicBinOp::fmin:
    return AtomicMin;
  case LLVM::AtomicBinOp::umax:
    return AtomicUMax;
  case LLVM::AtomicBinOp::umin:
    return AtomicUMin;
  default:
    return std::nullopt;
  }
}

static MemoryOrder memoryOrder(LLVM::AtomicOrdering ordering) {
  switch (ordering) {
  case LLVM::AtomicOrdering::acquire:
    return OrderAcquire;
  case LLVM::AtomicOrdering::release:
    return OrderRelease;
  case LLVM::AtomicOrdering::acq_rel:
  case LLVM::AtomicOrdering::seq_cst:
    return OrderAcqRel;
  default:
    return OrderRelaxed;
  }
}

/// The stronger of the orders of a compare-and-swap's two outcomes.
static MemoryOrder join(MemoryOrder a, MemoryOrder b) {
  if (a == b || b == OrderRelaxed)
    return a;
  return a == OrderRelaxed ? b : OrderAcqRel;
}

/// Whether all lanes of a warp have the value, as a compiler sees it: made of a kernel's arguments
/// and the CTA's place. Operations before it are calls of the runtime already.
static bool isUniform(Value value, unsigned depth = 16) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto kernel = dyn_cast<LLVM::LLVMFuncOp>(argument.getOwner()->getParentOp());
    return kernel && kernel->hasAttr(NVVM::NVVMDialect::getKernelFuncAttrName()) &&
           argument.getOwner()->isEntryBlock();
  }
  Operation *op = value.getDefiningOp();
  if (auto call = dyn_cast<LLVM::CallOp>(op))
    return llvm::is_contained({"tilec_sim_ctaid", "tilec_sim_nctaid", "tilec_sim_ntid"},
                              call.getCallee().value_or(""));
  return depth > 0 && isa<LLVM::LLVMDialect>(op->getDialect()) && isPure(op) &&
         llvm::all_of(op->getOperands(), [&](Value v) { return isUniform(v, depth - 1); });
}

/// The call with the operands in the thread's temporaries; gives the old value, zero where the
/// predicate does not hold.
static Value callAtomic(Operation *op, SimBuilder &b, AtomicOp kind, AtomicType type, Value address,
                        Value operand, Value compare, MemoryOrder order, const Twine &what,
                        Value predicate = {}) {
  Location loc = op->getLoc();
  std::optional<unsigned> space = addressSpaceOf(address.getType());
  bool isGlobal = space == globalSpace;
  unsigned bytes = *accessBytes(operand.getType());
  Value operandBuffer = b.scratch(op, SimBuilder::Slot::Value, bytes);
  b.storeTo(loc, operandBuffer, operand);
  Value compareBuffer;
  if (compare) {
    compareBuffer = b.scratch(op, SimBuilder::Slot::Compare, bytes);
    b.storeTo(loc, compareBuffer, compare);
  } else {
    compareBuffer = LLVM::ZeroOp::create(b.rewriter, loc, b.pointer());
  }
  Value resultBuffer = b.scratch(op, SimBuilder::Slot::Result, bytes);
  if (predicate)
    b.storeTo(loc, resultBuffer, LLVM::ZeroOp::create(b.rewriter, loc, operand.getType()));
  Value location = LLVM::PtrToIntOp::create(b.rewriter, loc, isGlobal ? b.i64() : b.i32(), address);
  if (!isGlobal)
    location = LLVM::ZExtOp::create(b.rewriter, loc, b.i64(), location);
  b.call(loc, "tilec_sim_atomic",
         {b.constantI32(loc, kind), b.constantI32(loc, type),
          b.constantI32(loc, isGlobal                      ? SpaceGlobal
                             : space == sharedClusterSpace ? SpaceSharedCluster
                                                           : SpaceShared),
          location, operandBuffer, compareBuffer, resultBuffer, b.constantI32(loc, order),
          b.predicate(loc, predicate),
          b.constantI32(loc, b.sites.addOnce(loc, what.str(), isGlobal && isUniform(address)))});
  return b.loadFrom(loc, resultBuffer, operand.getType());
}

static Lowered lowerReadModifyWrite(LLVM::AtomicRMWOp op, SimBuilder &b) {
  if (!isSimulatedPointer(op.getPtr().getType()))
    return Lowered::No;
  LLVM::AtomicBinOp kind = op.getBinOp();
  std::optional<AtomicOp> runtimeOp = atomicOp(kind);
  Value operand = op.getVal();
  std::optional<AtomicType> type =
      atomicType(operand.getType(), /*asBits=*/kind == LLVM::AtomicBinOp::xchg);
  if (!runtimeOp || !type)
    return reportUnsupported(op,
                             "no atomic '" + LLVM::stringifyAtomicBinOp(kind) + "' of this type");
  Location loc = op.getLoc();
  if (kind == LLVM::AtomicBinOp::sub) {
    Value zero = b.constant(loc, operand.getType(), 0);
    operand = LLVM::SubOp::create(b.rewriter, loc, zero, operand);
  } else if (kind == LLVM::AtomicBinOp::fsub) {
    operand = LLVM::FNegOp::create(b.rewriter, loc, operand);
  }
  b.rewriter.replaceOp(op, callAtomic(op, b, *runtimeOp, *type, op.getPtr(), operand, Value(),
                                      memoryOrder(op.getOrdering()),
                                      "atomic " + LLVM::stringifyAtomicBinOp(kind)));
  return Lowered::Yes;
}

static Lowered lowerCompareExchange(LLVM::AtomicCmpXchgOp op, SimBuilder &b) {
  if (!isSimulatedPointer(op.getPtr().getType()))
    return Lowered::No;
  Type valueType = op.getVal().getType();
  std::optional<AtomicType> type = atomicType(valueType, /*asBits=*/true);
  if (!type)
    return reportUnsupported(op, "expected a value of 2, 4 or 8 bytes");
  Location loc = op.getLoc();
  MemoryOrder order =
      join(memoryOrder(op.getSuccessOrdering()), memoryOrder(op.getFailureOrdering()));
  Value old = callAtomic(op, b, AtomicCas, *type, op.getPtr(), op.getVal(), op.getCmp(), order,
                         "atomic compare and swap");
  Value isEqual = LLVM::ICmpOp::create(b.rewriter, loc, LLVM::ICmpPredicate::eq, old, op.getCmp());
  Value pair = LLVM::PoisonOp::create(b.rewriter, loc, op.getType());
  pair = LLVM::InsertValueOp::create(b.rewriter, loc, pair, old, ArrayRef<int64_t>{0});
  pair = LLVM::InsertValueOp::create(b.rewriter, loc, pair, isEqual, ArrayRef<int64_t>{1});
  b.rewriter.replaceOp(op, pair);
  return Lowered::Yes;
}

//===----------------------------------------------------------------------===//
// The thread-level atomics of tilegpu
//===----------------------------------------------------------------------===//

static AtomicOp atomicOp(tile::AtomicKind kind) {
  switch (kind) {
  case tile::AtomicKind::add:
    return AtomicAdd;
  case tile::AtomicKind::min:
    return AtomicMin;
  case tile::AtomicKind::max:
    return AtomicMax;
  case tile::AtomicKind::umin:
    return AtomicUMin;
  case tile::AtomicKind::umax:
    return AtomicUMax;
  case tile::AtomicKind::bit_and:
    return AtomicAnd;
  case tile::AtomicKind::bit_or:
    return AtomicOr;
  case tile::AtomicKind::bit_xor:
    return AtomicXor;
  case tile::AtomicKind::xchg:
    return AtomicXchg;
  case tile::AtomicKind::load:
    return AtomicLoad;
  case tile::AtomicKind::store:
    return AtomicStore;
  }
  llvm_unreachable("covered switch");
}

static MemoryOrder memoryOrder(tile::MemSemantic sem) {
  switch (sem) {
  case tile::MemSemantic::relaxed:
    return OrderRelaxed;
  case tile::MemSemantic::acquire:
    return OrderAcquire;
  case tile::MemSemantic::release:
    return OrderRelease;
  case tile::MemSemantic::acq_rel:
    return OrderAcqRel;
  }
  llvm_unreachable("covered switch");
}

/// A vector is one atomic for each element, at consecutive addresses.
static Lowered lowerThreadRMW(tilegpu::AtomicRMWGlobalOp op, SimBuilder &b) {
  Location loc = op.getLoc();
  MemoryOrder order = memoryOrder(op.getSem());
  std::string what = ("atomic " + tile::stringifyAtomicKind(op.getKind())).str();
  auto perform = [&](Value address, Value operand) {
    AtomicType type = *atomicType(operand.getType(), !tile::isCombination(op.getKind()));
    return callAtomic(op, b, atomicOp(op.getKind()), type, address, operand, Value(), order, what,
                      op.getPredicate());
  };
  auto vector = dyn_cast<VectorType>(op.getValue().getType());
  if (!vector) {
    b.rewriter.replaceOp(op, perform(op.getAddress(), op.getValue()));
    return Lowered::Yes;
  }
  Value old = LLVM::PoisonOp::create(b.rewriter, loc, vector);
  for (int32_t i = 0; i < vector.getNumElements(); ++i) {
    Value address =
        LLVM::GEPOp::create(b.rewriter, loc, op.getAddress().getType(), vector.getElementType(),
                            op.getAddress(), ArrayRef<LLVM::GEPArg>{i});
    Value index = b.constantI32(loc, i);
    Value element = LLVM::ExtractElementOp::create(b.rewriter, loc, op.getValue(), index);
    old = LLVM::InsertElementOp::create(b.rewriter, loc, old, perform(address, element), index);
  }
  b.rewriter.replaceOp(op, old);
  return Lowered::Yes;
}

static Lowered lowerThreadCas(tilegpu::AtomicCasGlobalOp op, SimBuilder &b) {
  b.rewriter.replaceOp(
      op, callAtomic(op, b, AtomicCas, *atomicType(op.getValue().getType(), /*asBits=*/true),
                     op.getAddress(), op.getValue(), op.getCompare(), memoryOrder(op.getSem()),
                     "atomic compare and swap", op.getPredicate()));
  return Lowered::Yes;
}

static Lowered lowerSharedAdd(tilegpu::AtomicAddSharedOp op, SimBuilder &b) {
  callAtomic(op, b, AtomicAdd, AtomicI32, op.getAddress(), op.getValue(), Value(), OrderRelaxed,
             "shared atomic add", op.getPredicate());
  b.rewriter.eraseOp(op);
  return Lowered::Yes;
}

static Lowered emitFence(Operation *op, SimBuilder &b, FenceScope scope) {
  b.call(op->getLoc(), "tilec_sim_fence",
         {b.constantI32(op->getLoc(), scope), b.site(op, "fence")});
  b.rewriter.eraseOp(op);
  return Lowered::Yes;
}

static FenceScope fenceScope(StringRef syncScope) {
  return llvm::StringSwitch<FenceScope>(syncScope)
      .Cases({"block", "workgroup"}, FenceCta)
      .Cases({"device", "agent", "cluster"}, FenceGpu)
      .Default(FenceSystem);
}

static FenceScope fenceScope(NVVM::MemScopeKind scope) {
  switch (scope) {
  case NVVM::MemScopeKind::CTA:
    return FenceCta;
  case NVVM::MemScopeKind::CLUSTER:
  case NVVM::MemScopeKind::GPU:
    return FenceGpu;
  default:
    return FenceSystem;
  }
}

Lowered tilec::lowerAtomic(Operation *op, SimBuilder &b) {
  return llvm::TypeSwitch<Operation *, Lowered>(op)
      .Case([&](LLVM::AtomicRMWOp rmw) { return lowerReadModifyWrite(rmw, b); })
      .Case([&](LLVM::AtomicCmpXchgOp cas) { return lowerCompareExchange(cas, b); })
      .Case([&](tilegpu::AtomicRMWGlobalOp rmw) { return lowerThreadRMW(rmw, b); })
      .Case([&](tilegpu::AtomicCasGlobalOp cas) { return lowerThreadCas(cas, b); })
      .Case([&](tilegpu::AtomicAddSharedOp add) { return lowerSharedAdd(add, b); })
      .Case([&](LLVM::FenceOp fence) {
        return emitFence(fence, b, fenceScope(fence.getSyncscope().value_or("")));
      })
      .Case([&](NVVM::MembarOp fence) { return emitFence(fence, b, fenceScope(fence.getScope())); })
      .Case([&](NVVM::FenceScClusterOp fence) { return emitFence(fence, b, FenceGpu); })
      .Default([](Operation *) { return Lowered::No; });
}
