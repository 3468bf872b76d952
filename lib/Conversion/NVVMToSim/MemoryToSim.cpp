// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plain global and shared accesses. Values go through a temporary of the thread: a masked-off load
// finds there what it has to give.

#include "SimBuilder.h"

#include "dialects/TileGPU/TileGPUOps.h"
#include "tilecrt/sim/SimAbi.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilec;
using namespace tilecrt::sim::abi;

namespace {
/// One access of any operation that makes one.
struct MemoryAccess {
  Operation *op;
  Value address;
  Type type;
  /// Of a store.
  Value value = {};
  /// Null: always.
  Value predicate = {};
  /// Of a masked-off load; null: zero.
  Value other = {};
  bool isVolatile = false;
  LLVM::AtomicOrdering ordering = LLVM::AtomicOrdering::not_atomic;
  /// Promised by the operation; 0: the natural one.
  uint64_t alignment = 0;

  bool isLoad() const { return !value; }
  bool isGlobal() const { return addressSpaceOf(address.getType()) == globalSpace; }
  bool isInCluster() const { return addressSpaceOf(address.getType()) == sharedClusterSpace; }
};

class AccessEmitter {
public:
  AccessEmitter(const MemoryAccess &memoryAccess, SimBuilder &builder)
      : access(memoryAccess), b(builder), loc(memoryAccess.op->getLoc()) {}

  Lowered emit() {
    std::optional<unsigned> size = accessBytes(access.type);
    if (!size || *size == 0 || *size > 32)
      return reportUnsupported(access.op, "expected an access of 1 to 32 bytes, got one of " +
                                              printed(access.type));
    bytes = *size;
    if (access.other && access.other.getType() != access.type) {
      access.op->emitError("expected 'other' of type ")
          << access.type << ", got " << access.other.getType();
      return Lowered::Failed;
    }
    if (access.alignment && access.alignment < largestPowerOfTwo())
      return reportUnsupported(access.op, "expected an alignment of " + Twine(largestPowerOfTwo()) +
                                              " bytes, got " + Twine(access.alignment));
    if (isPlainSharedLoad() && b.mergesLoads && bytes <= 8) {
      b.rewriter.replaceOp(access.op, loadValue());
      return Lowered::Yes;
    }
    bool isAtomic = access.ordering != LLVM::AtomicOrdering::not_atomic;
    std::optional<AtomicType> type = singleCopyType();
    if (isAtomic && !type)
      return reportUnsupported(access.op, "an atomic access of " + Twine(bytes) + " bytes");
    Value buffer = prepareBuffer();
    // A volatile access is a single access too, where the machine has one that wide.
    if (isAtomic || (access.isVolatile && type))
      emitAtomic(*type, buffer);
    else
      emitPlain(buffer);
    finish(buffer);
    return Lowered::Yes;
  }

private:
  static std::string printed(Type type) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    type.print(stream);
    return text;
  }

  uint64_t largestPowerOfTwo() const { return bytes & (~bytes + 1); }

  std::optional<AtomicType> singleCopyType() const {
    switch (bytes) {
    case 2:
      return AtomicBits16;
    case 4:
      return AtomicI32;
    case 8:
      return AtomicI64;
    default:
      return std::nullopt;
    }
  }

  /// The temporary with what has to be in it before the access.
  Value prepareBuffer() {
    Value buffer = b.scratch(access.op, SimBuilder::Slot::Value, bytes);
    Value initial = access.isLoad() ? access.other : access.value;
    if (!initial && access.predicate)
      initial = LLVM::ZeroOp::create(b.rewriter, loc, access.type);
    if (initial)
      b.storeTo(loc, buffer, initial);
    return buffer;
  }

  std::string words() const {
    return (Twine(access.isGlobal() ? "" : "shared ") +
            (access.isLoad() ? "load of " : "store of ") + Twine(bytes) +
            (bytes == 1 ? " byte" : " bytes"))
        .str();
  }

  Value site() { return b.site(access.op, words()); }

  /// One that LLVM is free to do once for several.
  bool isPlainSharedLoad() const {
    return access.isLoad() && !access.isGlobal() && !access.isInCluster() && !access.predicate &&
           !access.isVolatile && access.ordering == LLVM::AtomicOrdering::not_atomic;
  }

  /// Equal calls have equal sites, too.
  Value loadValue() {
    Value address = location(b.i32());
    Value site = b.constantI32(loc, b.sites.addOnce(loc, words()));
    Value value = b.call(loc, "tilec_sim_shared_value", {address, b.constantI32(loc, bytes), site});
    unsigned bits = access.type.isInteger(1) ? 1 : 8 * bytes;
    Type narrow = b.rewriter.getIntegerType(bits);
    if (narrow != value.getType())
      value = LLVM::TruncOp::create(b.rewriter, loc, narrow, value);
    return b.bits(loc, value, access.type);
  }

  Value location(Type type) {
    return LLVM::PtrToIntOp::create(b.rewriter, loc, type, access.address);
  }

  void emitPlain(Value buffer) {
    static constexpr llvm::StringLiteral names[3][2] = {
        {"tilec_sim_shared_store", "tilec_sim_shared_load"},
        {"tilec_sim_global_store", "tilec_sim_global_load"},
        {"tilec_sim_cluster_store", "tilec_sim_cluster_load"}};
    int space = access.isGlobal() ? 1 : access.isInCluster() ? 2 : 0;
    Value address = location(access.isGlobal() ? b.i64() : b.i32());
    Value predicate = b.predicate(loc, access.predicate);
    b.call(loc, names[space][access.isLoad()],
           {address, buffer, b.constantI32(loc, bytes), predicate, site()});
  }

  void emitAtomic(AtomicType type, Value buffer) {
    bool isOrdered = access.ordering != LLVM::AtomicOrdering::not_atomic &&
                     access.ordering != LLVM::AtomicOrdering::unordered &&
                     access.ordering != LLVM::AtomicOrdering::monotonic;
    MemoryOrder order = !isOrdered ? OrderRelaxed : access.isLoad() ? OrderAcquire : OrderRelease;
    // An offset in the window is a 32-bit number.
    Value address = location(access.isGlobal() ? b.i64() : b.i32());
    if (!access.isGlobal())
      address = LLVM::ZExtOp::create(b.rewriter, loc, b.i64(), address);
    Value null = LLVM::ZeroOp::create(b.rewriter, loc, b.pointer());
    b.call(loc, "tilec_sim_atomic",
           {b.constantI32(loc, access.isLoad() ? AtomicLoad : AtomicStore),
            b.constantI32(loc, type),
            b.constantI32(loc, access.isGlobal()      ? SpaceGlobal
                               : access.isInCluster() ? SpaceSharedCluster
                                                      : SpaceShared),
            address, access.isLoad() ? null : buffer, null, access.isLoad() ? buffer : null,
            b.constantI32(loc, order), b.predicate(loc, access.predicate), site()});
  }

  void finish(Value buffer) {
    if (access.isLoad())
      b.rewriter.replaceOp(access.op, b.loadFrom(loc, buffer, access.type));
    else
      b.rewriter.eraseOp(access.op);
  }

  const MemoryAccess &access;
  SimBuilder &b;
  Location loc;
  unsigned bytes = 0;
};
} // namespace

/// The access that `op` makes, if it is one that the simulator has to see.
static std::optional<MemoryAccess> describeAccess(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<MemoryAccess>>(op)
      .Case([](tilegpu::LdGlobalOp load) {
        MemoryAccess access{load, load.getAddress(), load.getType()};
        access.predicate = load.getPredicate();
        access.other = load.getOther();
        access.isVolatile = load.getIsVolatile();
        return access;
      })
      .Case([](tilegpu::StGlobalOp store) {
        MemoryAccess access{store, store.getAddress(), store.getValue().getType()};
        access.value = store.getValue();
        access.predicate = store.getPredicate();
        return access;
      })
      .Case([](tilegpu::LdSharedOp load) {
        return MemoryAccess{load, load.getAddress(), load.getType()};
      })
      .Case([](tilegpu::StSharedOp store) {
        MemoryAccess access{store, store.getAddress(), store.getValue().getType()};
        access.value = store.getValue();
        access.predicate = store.getPredicate();
        return access;
      })
      .Case([](LLVM::LoadOp load) -> std::optional<MemoryAccess> {
        if (!isSimulatedPointer(load.getAddr().getType()))
          return std::nullopt;
        MemoryAccess access{load, load.getAddr(), load.getType()};
        access.isVolatile = load.getVolatile_();
        access.ordering = load.getOrdering();
        access.alignment = load.getAlignment().value_or(0);
        return access;
      })
      .Case([](LLVM::StoreOp store) -> std::optional<MemoryAccess> {
        if (!isSimulatedPointer(store.getAddr().getType()))
          return std::nullopt;
        MemoryAccess access{store, store.getAddr(), store.getValue().getType()};
        access.value = store.getValue();
        access.isVolatile = store.getVolatile_();
        access.ordering = store.getOrdering();
        access.alignment = store.getAlignment().value_or(0);
        return access;
      })
      .Default([](Operation *) { return std::nullopt; });
}

Lowered tilec::lowerMemory(Operation *op, SimBuilder &b) {
  if (isa<tilegpu::SharedBaseOp>(op)) {
    b.rewriter.replaceOpWithNewOp<LLVM::ZeroOp>(op, op->getResult(0).getType());
    return Lowered::Yes;
  }
  if (isa<tilegpu::WallOp>(op)) {
    b.rewriter.eraseOp(op);
    return Lowered::Yes;
  }
  if (isa<tilegpu::OpaqueZeroOp>(op)) {
    b.rewriter.replaceOpWithNewOp<LLVM::ZeroOp>(op, op->getResult(0).getType());
    return Lowered::Yes;
  }
  if (auto gep = dyn_cast<LLVM::GEPOp>(op)) {
    // An address may leave its buffer as long as nothing is accessed there; the runtime checks
    // accesses, so LLVM must not draw conclusions from the arithmetic.
    if (isSimulatedPointer(gep.getType()))
      gep.setNoWrapFlags(LLVM::GEPNoWrapFlags::none);
    return Lowered::No;
  }
  std::optional<MemoryAccess> access = describeAccess(op);
  return access ? AccessEmitter(*access, b).emit() : Lowered::No;
}
