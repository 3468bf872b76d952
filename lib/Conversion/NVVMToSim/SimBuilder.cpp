// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of the simulator's runtime and what they need. The runtime's functions are declared on
// first use from one table of signatures.

#include "SimBuilder.h"

using namespace mlir;
using namespace tilec;

namespace {
/// A function of the runtime. `types` has one letter each for the result and the parameters:
/// v void, i i32, l i64, p pointer. Global addresses are passed as integers of their size.
struct Signature {
  llvm::StringLiteral name;
  llvm::StringLiteral types;
  SimBuilder::Effect effect = SimBuilder::Effect::Any;
};

/// The answer is the same throughout a thread.
constexpr auto pure = SimBuilder::Effect::None;
/// The answer is the same until a call of another function that is neither.
constexpr auto reads = SimBuilder::Effect::Reads;

constexpr Signature signatures[] = {
    {"tilec_sim_tid", "ii", pure},
    {"tilec_sim_ctaid", "ii", pure},
    {"tilec_sim_ntid", "ii", pure},
    {"tilec_sim_nctaid", "ii", pure},
    {"tilec_sim_laneid", "i", pure},
    {"tilec_sim_warpid", "i", pure},
    {"tilec_sim_clock", "l"},
    {"tilec_sim_enter_program", "viii"},
    {"tilec_sim_global_load", "vlpiii"},
    {"tilec_sim_global_store", "vlpiii"},
    {"tilec_sim_shared_load", "vipiii"},
    {"tilec_sim_shared_store", "vipiii"},
    {"tilec_sim_shared_value", "liii", reads},
    {"tilec_sim_barrier", "viii"},
    {"tilec_sim_barrier_arrive", "viii"},
    {"tilec_sim_warp_barrier", "vii"},
    {"tilec_sim_shfl", "iiiiiipi"},
    {"tilec_sim_redux", "iiiii"},
    {"tilec_sim_vote", "iiiii"},
    {"tilec_sim_match_any", "iilii"},
    {"tilec_sim_activemask", "i"},
    {"tilec_sim_atomic", "viiilpppiii"},
    {"tilec_sim_fence", "vii"},
    {"tilec_sim_assert_fail", "vpi"},
    {"tilec_sim_trap", "vi"},
    {"tilec_sim_count", "viii"},
    {"tilec_host_print", "vppiili"},
    {"tilec_sim_mma", "viiiiiiiippppi"},
    {"tilec_sim_ldmatrix", "viiipi"},
    {"tilec_sim_stmatrix", "viiipi"},
    {"tilec_sim_wgmma_fence", "vi"},
    {"tilec_sim_wgmma_commit", "vi"},
    {"tilec_sim_wgmma", "viiiiiipllpi"},
    {"tilec_sim_wgmma_wait", "vipii"},
    {"tilec_sim_wgmma_read", "iii"},
    {"tilec_sim_cp_async", "viliiiii"},
    {"tilec_sim_cp_async_commit", "vi"},
    {"tilec_sim_cp_async_wait", "vii"},
    {"tilec_sim_cp_async_mbarrier_arrive", "viii"},
    {"tilec_sim_mbarrier_init", "viiii"},
    {"tilec_sim_mbarrier_inval", "vii"},
    {"tilec_sim_mbarrier_arrive", "liiiiii"},
    {"tilec_sim_mbarrier_tx", "viii"},
    {"tilec_sim_mbarrier_wait", "iiliiii"},
    {"tilec_sim_fence_proxy", "vii"},
    {"tilec_sim_bulk_load", "viliiii"},
    {"tilec_sim_bulk_store", "vliiiii"},
    {"tilec_sim_tensor_load", "vipipiii"},
    {"tilec_sim_tensor_store", "vpiipiii"},
    {"tilec_sim_tensor_maps", "lii"},
    {"tilec_sim_release_tensor_maps", "vi"},
    {"tilec_sim_acquire_tensor_map", "vpi"},
    {"tilec_sim_encode_tensor_map", "vlilpppiiii"},
    {"tilec_sim_bulk_commit", "vi"},
    {"tilec_sim_bulk_wait", "viii"},
    {"tilec_sim_cluster_ctaid", "ii", pure},
    {"tilec_sim_cluster_nctaid", "ii", pure},
    {"tilec_sim_clusterid", "ii", pure},
    {"tilec_sim_nclusterid", "ii", pure},
    {"tilec_sim_cluster_ctarank", "i", pure},
    {"tilec_sim_cluster_nctarank", "i", pure},
    {"tilec_sim_mapa", "iiii"},
    {"tilec_sim_cluster_load", "vipiii"},
    {"tilec_sim_cluster_store", "vipiii"},
    {"tilec_sim_cluster_arrive", "vii"},
    {"tilec_sim_cluster_wait", "vi"},
    {"tilec_sim_bulk_multicast", "viliiiii"},
    {"tilec_sim_tensor_multicast", "vipipiiii"},
    {"tilec_sim_bulk_shared", "viiiii"},
};
} // namespace

SimBuilder::SimBuilder(ModuleOp moduleOp)
    : module(moduleOp), rewriter(moduleOp.getContext()), symbols(moduleOp) {}

Value SimBuilder::constant(Location loc, Type type, int64_t value) {
  Attribute attribute = rewriter.getIntegerAttr(getElementTypeOrSelf(type), value);
  if (auto vector = dyn_cast<VectorType>(type))
    attribute = DenseElementsAttr::get(vector, attribute);
  return LLVM::ConstantOp::create(rewriter, loc, type, cast<TypedAttr>(attribute));
}

LLVM::LLVMFuncOp SimBuilder::declare(StringRef name, LLVM::LLVMFunctionType type, Effect effect) {
  if (auto known = symbols.lookup<LLVM::LLVMFuncOp>(name)) {
    if (known.getFunctionType() == type)
      return known;
    // A declaration of the input; functions with a body have other names.
    symbols.erase(known);
  }
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(module.getBody());
  auto function = LLVM::LLVMFuncOp::create(rewriter, module.getLoc(), name, type);
  function.setNoUnwind(true);
  if (effect == Effect::None)
    function.setWillReturn(true);
  if (effect != Effect::Any) {
    using LLVM::ModRefInfo;
    constexpr ModRefInfo none = ModRefInfo::NoModRef;
    function.setMemoryEffectsAttr(LLVM::MemoryEffectsAttr::get(
        rewriter.getContext(), /*other=*/none, /*argMem=*/none,
        /*inaccessibleMem=*/effect == Effect::Reads ? ModRefInfo::Ref : none, /*errnoMem=*/none,
        /*targetMem0=*/none, /*targetMem1=*/none));
  }
  symbols.insert(function);
  return function;
}

Value SimBuilder::call(Location loc, StringRef function, ValueRange operands) {
  const Signature *signature =
      llvm::find_if(signatures, [&](const Signature &s) { return s.name == function; });
  SmallVector<Type> types;
  for (char letter : signature->types)
    types.push_back(letter == 'v'   ? Type(LLVM::LLVMVoidType::get(rewriter.getContext()))
                    : letter == 'i' ? i32()
                    : letter == 'l' ? i64()
                                    : pointer());
  auto type = LLVM::LLVMFunctionType::get(types.front(), ArrayRef(types).drop_front());
  auto callee = declare(function, type, signature->effect);
  auto call = LLVM::CallOp::create(rewriter, loc, callee, operands);
  return call.getNumResults() ? call.getResult() : Value();
}

Value SimBuilder::callPure(Location loc, StringRef function, Type result, ValueRange operands) {
  SmallVector<Type> parameters(operands.getTypes());
  auto type = LLVM::LLVMFunctionType::get(result, parameters);
  return LLVM::CallOp::create(rewriter, loc, declare(function, type, Effect::None), operands)
      .getResult();
}

Value SimBuilder::site(Operation *op, const Twine &what) {
  return constantI32(op->getLoc(), sites.add(op->getLoc(), what));
}

Value SimBuilder::scratch(Operation *op, Slot slot, unsigned bytes) {
  auto function = op->getParentOfType<LLVM::LLVMFuncOp>();
  LLVM::AllocaOp &buffer = buffers[{function, static_cast<int>(slot)}];
  if (!buffer) {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(&function.getBody().front());
    Location loc = function.getLoc();
    buffer = LLVM::AllocaOp::create(rewriter, loc, pointer(),
                                    LLVM::LLVMArrayType::get(rewriter.getI8Type(), bytes),
                                    constantI32(loc, 1), bufferAlignment);
  }
  if (cast<LLVM::LLVMArrayType>(buffer.getElemType()).getNumElements() < bytes)
    buffer.setElemType(LLVM::LLVMArrayType::get(rewriter.getI8Type(), bytes));
  return buffer;
}

Value SimBuilder::registers(Operation *op, Slot slot, ValueRange values, unsigned minBytes) {
  Location loc = op->getLoc();
  unsigned bytes = 0;
  for (Value value : values)
    bytes += *accessBytes(value.getType());
  Value buffer = scratch(op, slot, std::max({bytes, minBytes, 4u}));
  unsigned offset = 0;
  for (Value value : values) {
    LLVM::StoreOp::create(rewriter, loc, value, at(loc, buffer, offset), /*alignment=*/4);
    offset += *accessBytes(value.getType());
  }
  return buffer;
}

SmallVector<Value> SimBuilder::fromRegisters(Location loc, Value buffer, TypeRange types) {
  SmallVector<Value> values;
  unsigned offset = 0;
  for (Type type : types) {
    values.push_back(
        LLVM::LoadOp::create(rewriter, loc, type, at(loc, buffer, offset), /*alignment=*/4));
    offset += *accessBytes(type);
  }
  return values;
}

Value SimBuilder::pack(Location loc, Type type, ValueRange members) {
  auto structure = dyn_cast<LLVM::LLVMStructType>(type);
  if (!structure)
    return members.front();
  Value result = LLVM::PoisonOp::create(rewriter, loc, type);
  for (auto [i, member] : llvm::enumerate(members))
    result = LLVM::InsertValueOp::create(rewriter, loc, result, member,
                                         ArrayRef<int64_t>{static_cast<int64_t>(i)});
  return result;
}

SmallVector<Value> SimBuilder::unpack(Location loc, Value structure) {
  SmallVector<Value> members;
  auto type = cast<LLVM::LLVMStructType>(structure.getType());
  for (int64_t i = 0; i < static_cast<int64_t>(type.getBody().size()); ++i)
    members.push_back(LLVM::ExtractValueOp::create(rewriter, loc, structure, ArrayRef<int64_t>{i}));
  return members;
}

Value SimBuilder::at(Location loc, Value buffer, unsigned offset) {
  if (offset == 0)
    return buffer;
  return LLVM::GEPOp::create(rewriter, loc, pointer(), rewriter.getI8Type(), buffer,
                             ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(offset)});
}

Value SimBuilder::sharedOffset(Location loc, Value address) {
  return LLVM::PtrToIntOp::create(rewriter, loc, i32(), address);
}

Value SimBuilder::text(Location loc, StringRef text) {
  std::string bytes = text.str() + '\0';
  LLVM::GlobalOp &global = texts[bytes];
  if (!global) {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(module.getBody());
    global = LLVM::GlobalOp::create(
        rewriter, module.getLoc(), LLVM::LLVMArrayType::get(rewriter.getI8Type(), bytes.size()),
        /*isConstant=*/true, LLVM::Linkage::Internal,
        "tilec_text_" + std::to_string(texts.size() - 1), rewriter.getStringAttr(bytes),
        /*alignment=*/1);
    symbols.insert(global);
  }
  return LLVM::AddressOfOp::create(rewriter, loc, global);
}

Value SimBuilder::predicate(Location loc, Value value) {
  if (!value)
    return constantI32(loc, 1);
  return LLVM::ZExtOp::create(rewriter, loc, i32(), value);
}

Value SimBuilder::bits(Location loc, Value value, Type type) {
  Type from = value.getType();
  if (from == type)
    return value;
  if (isa<LLVM::LLVMPointerType>(from))
    return LLVM::PtrToIntOp::create(rewriter, loc, type, value);
  if (isa<LLVM::LLVMPointerType>(type))
    return LLVM::IntToPtrOp::create(rewriter, loc, type, value);
  return LLVM::BitcastOp::create(rewriter, loc, type, value);
}

std::optional<unsigned> tilec::addressSpaceOf(Type type) {
  auto pointer = dyn_cast<LLVM::LLVMPointerType>(type);
  return pointer ? std::optional<unsigned>(pointer.getAddressSpace()) : std::nullopt;
}

bool tilec::isSimulatedPointer(Type type) {
  std::optional<unsigned> space = addressSpaceOf(type);
  return space == globalSpace || space == sharedSpace || space == sharedClusterSpace;
}

std::optional<unsigned> tilec::accessBytes(Type type) {
  if (auto vector = dyn_cast<VectorType>(type)) {
    std::optional<unsigned> element = accessBytes(vector.getElementType());
    if (!element || vector.isScalable() || vector.getElementType().isInteger(1))
      return std::nullopt;
    return *element * static_cast<unsigned>(vector.getNumElements());
  }
  if (addressSpaceOf(type) == globalSpace)
    return 8;
  if (!type.isIntOrFloat())
    return std::nullopt;
  unsigned width = type.getIntOrFloatBitWidth();
  if (width == 1)
    return 1;
  if (width % 8 != 0)
    return std::nullopt;
  return width / 8;
}

Lowered tilec::reportUnsupported(Operation *op, const Twine &why) {
  InFlightDiagnostic error = op->emitError("'")
                             << op->getName() << "' is not supported on the simulator";
  std::string reason = why.str();
  if (!reason.empty())
    error << ": " << reason;
  return Lowered::Failed;
}
