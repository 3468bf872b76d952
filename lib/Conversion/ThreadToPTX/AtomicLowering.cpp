// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomics of one thread, each one PTX instruction as inline assembly: `atom`, or `ld` and `st` for
// those that only load or store.
//
//   before: %v = tilegpu.atomic_rmw_global add %a, %x if %p : !llvm.ptr<1>, f32
//   after:  %v = llvm.inline_asm "@$3 atom.global.gpu.acq_rel.add.f32 $0, [$1], $2;", "=f,l,f,b,0"
//           %a, %x, %p, %zero
//
// The zero is tied to a result that is used, so that it is there when the predicate does not hold.
// `red` cannot acquire; where the old value is not used and nothing is acquired, the assembler
// makes a reduction of `atom` by itself. It takes qualifiers in any order: here they have the one
// in which readers of PTX look for them.

#include "ThreadLowering.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using tilec::tile::AtomicKind;

namespace tilec {
namespace {

/// How an atomic's value is cut into PTX registers.
struct AtomicShape {
  unsigned count = 1;
  /// Type of one register.
  Type part;
  /// Its constraint letter.
  StringRef constraint;
  /// The instruction's type, with its vector size: ".v4.f32".
  std::string suffix;
  bool isFloat16 = false;
};

AtomicShape shapeOf(Type type, StringRef letter, Builder &b) {
  Type element = getElementTypeOrSelf(type);
  unsigned count = 1;
  if (auto vector = dyn_cast<VectorType>(type))
    count = vector.getNumElements();
  AtomicShape shape;
  std::string name =
      element.isBF16() ? "bf16" : letter.str() + std::to_string(element.getIntOrFloatBitWidth());
  if (element.isF16() || element.isBF16()) {
    shape.isFloat16 = true;
    bool isPacked = count > 1;
    shape.count = isPacked ? count / 2 : 1;
    shape.part = b.getIntegerType(isPacked ? 32 : 16);
    shape.constraint = isPacked ? "r" : "h";
    name += isPacked ? "x2" : "";
  } else {
    shape.count = count;
    shape.part = element;
    unsigned bits = element.getIntOrFloatBitWidth();
    shape.constraint = isa<FloatType>(element) ? (bits == 32 ? "f" : "d")
                       : bits == 16            ? "h"
                       : bits == 32            ? "r"
                                               : "l";
  }
  shape.suffix = (shape.count > 1 ? ".v" + std::to_string(shape.count) : "") + "." + name;
  return shape;
}

/// The instruction's name for a kind, and the letter of its type: f, u, s or b.
std::pair<StringRef, StringRef> operationOf(AtomicKind kind, Type element) {
  switch (kind) {
  case AtomicKind::add:
    return {"add", isa<FloatType>(element) ? "f" : "u"};
  case AtomicKind::min:
    return {"min", "s"};
  case AtomicKind::max:
    return {"max", "s"};
  case AtomicKind::umin:
    return {"min", "u"};
  case AtomicKind::umax:
    return {"max", "u"};
  case AtomicKind::bit_and:
    return {"and", "b"};
  case AtomicKind::bit_or:
    return {"or", "b"};
  case AtomicKind::bit_xor:
    return {"xor", "b"};
  case AtomicKind::xchg:
    return {"exch", "b"};
  case AtomicKind::load:
    return {"ld", "b"};
  case AtomicKind::store:
    return {"st", "b"};
  }
  llvm_unreachable("covered switch");
}

class AtomicLowering {
public:
  explicit AtomicLowering(RewriterBase &rewriter) : b(rewriter) {}

  void lower(tilegpu::AtomicRMWGlobalOp op) {
    if (op.getKind() == AtomicKind::load || op.getKind() == AtomicKind::store)
      return lowerAccess(op);
    auto [name, letter] = operationOf(op.getKind(), getElementTypeOrSelf(op.getValue().getType()));
    std::string order =
        (tile::stringifyMemScope(op.getScope()) + "." + tile::stringifyMemSemantic(op.getSem()))
            .str();
    emit(op, order, name, letter, op.getAddress(), {op.getValue()}, op.getPredicate());
  }

  void lower(tilegpu::AtomicCasGlobalOp op) {
    std::string order =
        (tile::stringifyMemSemantic(op.getSem()) + "." + tile::stringifyMemScope(op.getScope()))
            .str();
    emit(op, order, "cas", "b", op.getAddress(), {op.getCompare(), op.getValue()},
         op.getPredicate());
  }

private:
  /// `ld` or `st` with an order and a scope. What has 8 bits is in the low half of a register.
  void lowerAccess(tilegpu::AtomicRMWGlobalOp op) {
    Location loc = op.getLoc();
    b.setInsertionPoint(op);
    Type type = op.getValue().getType();
    bool isLoad = op.getKind() == AtomicKind::load, isByte = type.isInteger(8);
    Type part = isByte ? Type(b.getI16Type()) : type;
    unsigned bits = part.getIntOrFloatBitWidth();
    std::string letter = bits == 16 ? "h" : bits == 32 ? "r" : "l";
    auto fill = [&](Value value) {
      return isByte ? LLVM::ZExtOp::create(b, loc, part, value).getResult() : value;
    };
    std::string text = (isLoad ? "ld." : "st.") + tile::stringifyMemSemantic(op.getSem()).str() +
                       "." + tile::stringifyMemScope(op.getScope()).str() + ".global.b" +
                       std::to_string(isByte ? 8 : bits) + (isLoad ? " $0, [$1];" : " [$0], $1;");
    std::string constraints = isLoad ? "=" + letter + ",l" : "l," + letter;
    SmallVector<Value> operands{op.getAddress()};
    if (!isLoad)
      operands.push_back(fill(op.getValue()));
    if (Value predicate = op.getPredicate()) {
      text = "@$2 " + text;
      constraints += isLoad ? ",b,0" : ",b";
      operands.push_back(predicate);
      if (isLoad)
        operands.push_back(LLVM::ZeroOp::create(b, loc, part));
    }
    SmallVector<Type> results;
    if (isLoad)
      results.push_back(part);
    auto assembly = LLVM::InlineAsmOp::create(
        b, loc, results, operands, text, constraints, /*has_side_effects=*/true,
        /*is_align_stack=*/false, LLVM::tailcallkind::TailCallKind::None, LLVM::AsmDialectAttr(),
        ArrayAttr());
    if (op->use_empty())
      return b.eraseOp(op);
    Value old = isLoad ? assembly.getRes() : LLVM::ZeroOp::create(b, loc, type).getResult();
    if (isLoad && isByte)
      old = LLVM::TruncOp::create(b, loc, type, old);
    b.replaceOp(op, old);
  }

  Value index(Location loc, int64_t value) {
    return LLVM::ConstantOp::create(b, loc, b.getI32Type(), b.getI32IntegerAttr(value));
  }

  Value bitcast(Location loc, Value value, Type type) {
    return value.getType() == type ? value
                                   : LLVM::BitcastOp::create(b, loc, type, value).getResult();
  }

  SmallVector<Value> split(Location loc, Value value, const AtomicShape &shape) {
    if (shape.count == 1)
      return {bitcast(loc, value, shape.part)};
    Value packed = bitcast(loc, value, VectorType::get(shape.count, shape.part));
    SmallVector<Value> parts;
    for (unsigned i = 0; i < shape.count; ++i)
      parts.push_back(LLVM::ExtractElementOp::create(b, loc, packed, index(loc, i)));
    return parts;
  }

  Value join(Location loc, Value result, const AtomicShape &shape, Type type) {
    if (shape.count == 1)
      return bitcast(loc, result, type);
    Type packed = VectorType::get(shape.count, shape.part);
    Value vector = LLVM::PoisonOp::create(b, loc, packed);
    for (unsigned i = 0; i < shape.count; ++i) {
      Value part = LLVM::ExtractValueOp::create(b, loc, result, i);
      vector = LLVM::InsertElementOp::create(b, loc, packed, vector, part, index(loc, i));
    }
    return bitcast(loc, vector, type);
  }

  /// `order` is scope and semantics, `values` are operands of the value's type.
  void emit(Operation *op, StringRef order, StringRef name, StringRef letter, Value address,
            ValueRange values, Value predicate) {
    Location loc = op->getLoc();
    b.setInsertionPoint(op);
    Type type = values.front().getType();
    APInt constant;
    if (predicate && matchPattern(predicate, m_ConstantInt(&constant))) {
      if (constant.isZero()) {
        b.replaceOp(op, LLVM::ZeroOp::create(b, loc, type).getResult());
        return;
      }
      predicate = Value();
    }
    AtomicShape shape = shapeOf(type, letter, b);
    unsigned next = 0;
    auto operandList = [&](unsigned count) {
      std::string list = count > 1 ? "{" : "";
      for (unsigned i = 0; i < count; ++i)
        list += (i ? ", $" : "$") + std::to_string(next++);
      return list + (count > 1 ? "}" : "");
    };
    std::string constraints, arguments;
    SmallVector<Value> operands;
    auto constrain = [&](const Twine &text) {
      constraints += (constraints.empty() ? "" : ",") + text.str();
    };
    arguments = operandList(shape.count) + ", ";
    for (unsigned i = 0; i < shape.count; ++i)
      constrain("=" + shape.constraint);
    arguments += "[" + operandList(1) + "]";
    operands.push_back(address);
    constrain("l");
    for (Value value : values) {
      llvm::append_range(operands, split(loc, value, shape));
      arguments += ", " + operandList(shape.count);
      for (unsigned i = 0; i < shape.count; ++i)
        constrain(shape.constraint);
    }
    std::string text;
    if (predicate) {
      text = "@" + operandList(1) + " ";
      operands.push_back(predicate);
      constrain("b");
      for (unsigned i = 0; i < shape.count && !op->use_empty(); ++i) {
        operands.push_back(LLVM::ZeroOp::create(b, loc, shape.part));
        constrain(Twine(i));
      }
    }
    text += "atom.global." + order.str() + "." + name.str() +
            (shape.isFloat16 && name == "add" ? ".noftz" : "") + shape.suffix + " " + arguments +
            ";";

    Type result = shape.part;
    if (shape.count > 1)
      result = LLVM::LLVMStructType::getLiteral(b.getContext(),
                                                SmallVector<Type>(shape.count, shape.part));
    auto assembly = LLVM::InlineAsmOp::create(
        b, loc, result, operands, text, constraints, /*has_side_effects=*/true,
        /*is_align_stack=*/false, LLVM::tailcallkind::TailCallKind::None, LLVM::AsmDialectAttr(),
        ArrayAttr());
    if (op->use_empty())
      b.eraseOp(op);
    else
      b.replaceOp(op, join(loc, assembly.getRes(), shape, type));
  }

  RewriterBase &b;
};

} // namespace

LogicalResult lowerAtomics(ModuleOp module, RewriterBase &rewriter) {
  SmallVector<Operation *> atomics;
  module.walk([&](Operation *op) {
    if (isa<tilegpu::AtomicRMWGlobalOp, tilegpu::AtomicCasGlobalOp>(op))
      atomics.push_back(op);
  });
  AtomicLowering lowering(rewriter);
  for (Operation *op : atomics) {
    if (!op->getParentOfType<LLVM::LLVMFuncOp>())
      return op->emitOpError("expected to stand in an 'llvm.func'");
    if (auto rmw = dyn_cast<tilegpu::AtomicRMWGlobalOp>(op))
      lowering.lower(rmw);
    else
      lowering.lower(cast<tilegpu::AtomicCasGlobalOp>(op));
  }
  return success();
}

} // namespace tilec
