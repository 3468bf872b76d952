// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads and stores of one thread. An access without predicate and hints is LLVM's own load or
// store, so that the optimiser sees it; every other one is one PTX instruction as inline assembly.
//
//   before: %v = tilegpu.ld_global %a if %p else %o : vector<2xi32> ...
//   after:  %s = llvm.inline_asm "@$3 ld.global.v2.b32 {$0, $1}, [$2];", "=r,=r,l,b,0,1" %a, %p,
//   %o0, %o1
//           %v = the vector of %s's members
//
// The old values are tied to the results: the instruction writes nothing before it has read its
// address, so no early clobber is needed, and a masked-off load leaves them in place.

#include "AccessText.h"
#include "ThreadLowering.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "tilec/Support/RemarkCategory.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using tilec::tile::EvictionPolicy;

namespace tilec {
namespace {

/// The type that holds one part of an access in a register.
IntegerType registerType(Builder &b, const AccessShape &shape) {
  return b.getIntegerType(shape.registerBits());
}

/// The type that LLVM's own load and store use for an access.
Type memoryType(Builder &b, const AccessShape &shape) {
  Type part = b.getIntegerType(shape.bits);
  return shape.count == 1 ? part : VectorType::get(shape.count, part);
}

Value indexConstant(RewriterBase &b, Location loc, int64_t value) {
  return LLVM::ConstantOp::create(b, loc, b.getI32Type(), b.getI32IntegerAttr(value));
}

Value bitcastTo(RewriterBase &b, Location loc, Value value, Type type) {
  return value.getType() == type ? value : LLVM::BitcastOp::create(b, loc, type, value).getResult();
}

/// The registers that hold `value`.
SmallVector<Value> splitIntoRegisters(RewriterBase &b, Location loc, Value value,
                                      const AccessShape &shape) {
  value = bitcastTo(b, loc, value, memoryType(b, shape));
  if (shape.bits == 8)
    return {LLVM::ZExtOp::create(b, loc, registerType(b, shape), value)};
  if (shape.count == 1)
    return {value};
  SmallVector<Value> parts;
  for (unsigned i = 0; i < shape.count; ++i)
    parts.push_back(LLVM::ExtractElementOp::create(b, loc, value, indexConstant(b, loc, i)));
  return parts;
}

/// The value of `type` that the result of a load instruction (one register or a struct of them)
/// holds.
Value joinRegisters(RewriterBase &b, Location loc, Value loaded, const AccessShape &shape,
                    Type type) {
  if (shape.bits == 8) {
    loaded = LLVM::TruncOp::create(b, loc, b.getI8Type(), loaded);
  } else if (shape.count > 1) {
    Type packed = memoryType(b, shape);
    Value vector = LLVM::PoisonOp::create(b, loc, packed);
    for (unsigned i = 0; i < shape.count; ++i) {
      Value part = LLVM::ExtractValueOp::create(b, loc, loaded, i);
      vector =
          LLVM::InsertElementOp::create(b, loc, packed, vector, part, indexConstant(b, loc, i));
    }
    loaded = vector;
  }
  return bitcastTo(b, loc, loaded, type);
}

/// True, false, or not a constant.
std::optional<bool> constantPredicate(Value predicate) {
  if (!predicate)
    return true;
  APInt value;
  if (matchPattern(predicate, m_ConstantInt(&value)))
    return !value.isZero();
  return std::nullopt;
}

/// Lowers the accesses of one module, in program order.
class AccessLowering {
public:
  AccessLowering(ModuleOp m, RewriterBase &rewriter, CachePolicies &cachePolicies,
                 ThreadLoweringCounts &c)
      : module(m), b(rewriter), counts(c), processor(processorOf(m)), policies(cachePolicies) {}

  LogicalResult run();

private:
  LogicalResult lowerLoadGlobal(tilegpu::LdGlobalOp op);
  LogicalResult lowerStoreGlobal(tilegpu::StGlobalOp op);
  LogicalResult lowerLoadShared(tilegpu::LdSharedOp op);
  LogicalResult lowerStoreShared(tilegpu::StSharedOp op);
  void lowerSharedBase(tilegpu::SharedBaseOp op);

  /// The shape of an access, or an error at `op`.
  FailureOr<AccessShape> checkedShape(Operation *op, Type type);
  /// Hints after PTX's rules, with a remark when one is lost.
  LegalHints checkedHints(Operation *op, bool isLoad, bool isVolatile, tile::CacheModifier cache,
                          EvictionPolicy evict);
  Value plainLoad(Location loc, Value address, const AccessShape &shape, Type type,
                  bool isVolatile);
  void plainStore(Location loc, Value value, Value address, const AccessShape &shape);

  ModuleOp module;
  RewriterBase &b;
  ThreadLoweringCounts &counts;
  const Processor &processor;
  CachePolicies &policies;
  LLVM::GlobalOp sharedArray;
  /// The start of shared memory in functions where it comes from one lane; null for others.
  DenseMap<Operation *, Value> uniformBases;
};

FailureOr<AccessShape> AccessLowering::checkedShape(Operation *op, Type type) {
  bool isGlobal = isa<tilegpu::LdGlobalOp, tilegpu::StGlobalOp>(op);
  bool hasMore = isGlobal && processor.has(Feature::WideAccess);
  if (std::optional<AccessShape> shape = accessShapeOf(type, hasMore ? 32 : 16))
    return *shape;
  return op->emitOpError("cannot be one instruction: expected ")
         << (hasMore ? "1, 2, 4, 8, 16 or 32" : "1, 2, 4, 8 or 16") << " bytes of integers, got "
         << type;
}

LegalHints AccessLowering::checkedHints(Operation *op, bool isLoad, bool isVolatile,
                                        tile::CacheModifier cache, EvictionPolicy evict) {
  LegalHints hints = legaliseHints(isLoad, isVolatile, cache, evict, processor);
  if (!hints.dropped.empty()) {
    ++counts.droppedHints;
    remark::missed(op->getLoc(),
                   remark::RemarkOpts::name("hint-dropped").category(remarks::kMemoryHint))
        << "cache hint ignored: " << hints.dropped;
  }
  return hints;
}

/// One access as inline PTX; no result for a store.
Value createInlineAccess(RewriterBase &b, Location loc, const AccessText &access,
                         ValueRange operands) {
  SmallVector<Type> results;
  if (access.isLoad) {
    Type part = registerType(b, access.shape);
    if (access.shape.count == 1)
      results.push_back(part);
    else
      results.push_back(LLVM::LLVMStructType::getLiteral(
          b.getContext(), SmallVector<Type>(access.shape.count, part)));
  }
  auto op = LLVM::InlineAsmOp::create(
      b, loc, results, operands, access.text(), access.constraints(),
      /*has_side_effects=*/true, /*is_align_stack=*/false, LLVM::tailcallkind::TailCallKind::None,
      LLVM::AsmDialectAttr(), ArrayAttr());
  return access.isLoad ? op.getRes() : Value();
}

Value AccessLowering::plainLoad(Location loc, Value address, const AccessShape &shape, Type type,
                                bool isVolatile) {
  ++counts.plainAccesses;
  Value loaded =
      LLVM::LoadOp::create(b, loc, memoryType(b, shape), address, shape.bytes(), isVolatile);
  return bitcastTo(b, loc, loaded, type);
}

void AccessLowering::plainStore(Location loc, Value value, Value address,
                                const AccessShape &shape) {
  ++counts.plainAccesses;
  LLVM::StoreOp::create(b, loc, bitcastTo(b, loc, value, memoryType(b, shape)), address,
                        shape.bytes());
}

LogicalResult AccessLowering::lowerLoadGlobal(tilegpu::LdGlobalOp op) {
  FailureOr<AccessShape> shape = checkedShape(op, op.getType());
  if (failed(shape))
    return failure();
  if (op.getOther() && op.getOther().getType() != op.getType())
    return op.emitOpError("expected 'other' of type ")
           << op.getType() << ", got " << op.getOther().getType();

  Location loc = op.getLoc();
  b.setInsertionPoint(op);
  std::optional<bool> constant = constantPredicate(op.getPredicate());
  if (constant == false) {
    Value other = op.getOther();
    b.replaceOp(op, other ? other : LLVM::ZeroOp::create(b, loc, op.getType()).getResult());
    return success();
  }

  AccessText access;
  access.shape = *shape;
  access.isVolatile = op.getIsVolatile();
  access.isPredicated = !constant;
  LegalHints hints =
      checkedHints(op, /*isLoad=*/true, access.isVolatile, op.getCache(), op.getEvict());
  access.cache = hints.cache;
  access.l1Evict = hints.l1Evict;
  access.hasL2Policy = hints.l2Evict != EvictionPolicy::normal;
  bool isPlain = !access.isPredicated && access.cache == tile::CacheModifier::none &&
                 access.l1Evict == EvictionPolicy::normal && !access.hasL2Policy;
  if (isPlain) {
    b.replaceOp(op, plainLoad(loc, op.getAddress(), *shape, op.getType(), access.isVolatile));
    return success();
  }

  SmallVector<Value> operands = {op.getAddress()};
  if (access.isPredicated)
    operands.push_back(op.getPredicate());
  if (access.hasL2Policy)
    operands.push_back(policies.get(op, hints.l2Evict, b));
  if (access.isPredicated) {
    if (op.getOther())
      llvm::append_range(operands, splitIntoRegisters(b, loc, op.getOther(), *shape));
    else
      operands.append(shape->count,
                      LLVM::ZeroOp::create(b, loc, registerType(b, *shape)).getResult());
  }
  ++counts.inlineAccesses;
  Value loaded = createInlineAccess(b, loc, access, operands);
  b.replaceOp(op, joinRegisters(b, loc, loaded, *shape, op.getType()));
  return success();
}

LogicalResult AccessLowering::lowerStoreGlobal(tilegpu::StGlobalOp op) {
  FailureOr<AccessShape> shape = checkedShape(op, op.getValue().getType());
  if (failed(shape))
    return failure();
  Location loc = op.getLoc();
  b.setInsertionPoint(op);
  std::optional<bool> constant = constantPredicate(op.getPredicate());
  if (constant == false) {
    b.eraseOp(op);
    return success();
  }

  AccessText access;
  access.isLoad = false;
  access.shape = *shape;
  access.isPredicated = !constant;
  LegalHints hints =
      checkedHints(op, /*isLoad=*/false, /*isVolatile=*/false, op.getCache(), op.getEvict());
  access.cache = hints.cache;
  access.l1Evict = hints.l1Evict;
  access.hasL2Policy = hints.l2Evict != EvictionPolicy::normal;
  bool isPlain = !access.isPredicated && access.cache == tile::CacheModifier::none &&
                 access.l1Evict == EvictionPolicy::normal && !access.hasL2Policy;
  if (isPlain) {
    plainStore(loc, op.getValue(), op.getAddress(), *shape);
    b.eraseOp(op);
    return success();
  }

  SmallVector<Value> operands = {op.getAddress()};
  llvm::append_range(operands, splitIntoRegisters(b, loc, op.getValue(), *shape));
  if (access.isPredicated)
    operands.push_back(op.getPredicate());
  if (access.hasL2Policy)
    operands.push_back(policies.get(op, hints.l2Evict, b));
  ++counts.inlineAccesses;
  createInlineAccess(b, loc, access, operands);
  b.eraseOp(op);
  return success();
}

LogicalResult AccessLowering::lowerLoadShared(tilegpu::LdSharedOp op) {
  FailureOr<AccessShape> shape = checkedShape(op, op.getType());
  if (failed(shape))
    return failure();
  Location loc = op.getLoc();
  b.setInsertionPoint(op);
  if (!op.getKept()) {
    b.replaceOp(op, plainLoad(loc, op.getAddress(), *shape, op.getType(), /*isVolatile=*/false));
    return success();
  }
  // As assembly, so that LLVM does not forward the store; a volatile access would keep ptxas from
  // moving it, too.
  AccessText access;
  access.isShared = true;
  access.shape = *shape;
  ++counts.inlineAccesses;
  Value address = LLVM::PtrToIntOp::create(b, loc, b.getI32Type(), op.getAddress());
  Value loaded = createInlineAccess(b, loc, access, address);
  b.replaceOp(op, joinRegisters(b, loc, loaded, *shape, op.getType()));
  return success();
}

LogicalResult AccessLowering::lowerStoreShared(tilegpu::StSharedOp op) {
  FailureOr<AccessShape> shape = checkedShape(op, op.getValue().getType());
  if (failed(shape))
    return failure();
  Location loc = op.getLoc();
  b.setInsertionPoint(op);
  std::optional<bool> constant = constantPredicate(op.getPredicate());
  if (constant == true) {
    plainStore(loc, op.getValue(), op.getAddress(), *shape);
  } else if (!constant) {
    AccessText access;
    access.isLoad = false;
    access.isShared = true;
    access.isPredicated = true;
    access.shape = *shape;
    // A 32-bit address does whatever width the data layout gives to shared pointers.
    SmallVector<Value> operands = {
        LLVM::PtrToIntOp::create(b, loc, b.getI32Type(), op.getAddress())};
    llvm::append_range(operands, splitIntoRegisters(b, loc, op.getValue(), *shape));
    operands.push_back(op.getPredicate());
    ++counts.inlineAccesses;
    createInlineAccess(b, loc, access, operands);
  }
  b.eraseOp(op);
  return success();
}

/// Whether the start of shared memory comes from one lane: single threads address it behind
/// branches, to make barrier objects or to start copies. Where warps with roles start no copies
/// from there, ptxas computes the address in front of those branches by itself.
bool takesBaseFromOneLane(LLVM::LLVMFuncOp func) {
  bool makesObjects = false, storesCopies = false, hasRoles = false;
  func.walk([&](Operation *op) {
    makesObjects |= isa<NVVM::MBarrierInitOp>(op);
    storesCopies |=
        isa<NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp, NVVM::CpAsyncBulkTensorReduceOp>(op);
    hasRoles |= isa<NVVM::SetMaxRegisterOp>(op);
  });
  return storesCopies || (makesObjects && !hasRoles);
}

/// The same address, handed to all lanes by one of them. ptxas computes the address of the array
/// where it is first used. If that is where one thread is by itself, it does so in vector registers
/// and uses the result from there on: for all slots, phases and descriptors of products, which it
/// copies to uniform registers for each instruction.
Value fromOneLane(OpBuilder &b, Location loc, Value address) {
  auto constant = [&](int64_t value) -> Value {
    return LLVM::ConstantOp::create(b, loc, b.getI32IntegerAttr(int32_t(value)));
  };
  Value number = LLVM::PtrToIntOp::create(b, loc, b.getI32Type(), address);
  number = NVVM::ShflOp::create(b, loc, b.getI32Type(), constant(-1), number, constant(0),
                                constant(31), NVVM::ShflKind::idx, UnitAttr());
  return LLVM::IntToPtrOp::create(b, loc, address.getType(), number);
}

void AccessLowering::lowerSharedBase(tilegpu::SharedBaseOp op) {
  if (!sharedArray) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    // 1024 bytes: what the 128-byte swizzle of tensor copies and wgmma operands needs.
    sharedArray = LLVM::GlobalOp::create(
        b, module.getLoc(), LLVM::LLVMArrayType::get(b.getI8Type(), 0),
        /*isConstant=*/false, LLVM::Linkage::External, "tilec_shared", Attribute(),
        /*alignment=*/1024, /*addrSpace=*/3);
  }
  auto func = op->getParentOfType<LLVM::LLVMFuncOp>();
  auto [known, isNew] = uniformBases.try_emplace(func);
  if (isNew && takesBaseFromOneLane(func)) {
    b.setInsertionPointToStart(&func.front());
    known->second =
        fromOneLane(b, func.getLoc(), LLVM::AddressOfOp::create(b, func.getLoc(), sharedArray));
  }
  if (known->second)
    return b.replaceOp(op, known->second);
  b.setInsertionPoint(op);
  b.replaceOpWithNewOp<LLVM::AddressOfOp>(op, sharedArray);
}

LogicalResult AccessLowering::run() {
  sharedArray = module.lookupSymbol<LLVM::GlobalOp>("tilec_shared");
  SmallVector<Operation *> accesses;
  module.walk([&](Operation *op) {
    if (isa<tilegpu::LdGlobalOp, tilegpu::StGlobalOp, tilegpu::LdSharedOp, tilegpu::StSharedOp,
            tilegpu::SharedBaseOp>(op))
      accesses.push_back(op);
  });
  for (Operation *op : accesses) {
    if (!op->getParentOfType<LLVM::LLVMFuncOp>())
      return op->emitOpError("expected to stand in an 'llvm.func'");
    LogicalResult result =
        llvm::TypeSwitch<Operation *, LogicalResult>(op)
            .Case([&](tilegpu::LdGlobalOp access) { return lowerLoadGlobal(access); })
            .Case([&](tilegpu::StGlobalOp access) { return lowerStoreGlobal(access); })
            .Case([&](tilegpu::LdSharedOp access) { return lowerLoadShared(access); })
            .Case([&](tilegpu::StSharedOp access) { return lowerStoreShared(access); })
            .Default([&](Operation *base) {
              lowerSharedBase(cast<tilegpu::SharedBaseOp>(base));
              return success();
            });
    if (failed(result))
      return failure();
  }
  return success();
}

} // namespace

LogicalResult lowerAccesses(ModuleOp module, RewriterBase &rewriter, CachePolicies &policies,
                            ThreadLoweringCounts &counts) {
  return AccessLowering(module, rewriter, policies, counts).run();
}

} // namespace tilec
