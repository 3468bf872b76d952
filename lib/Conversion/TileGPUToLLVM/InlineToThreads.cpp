// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions and functions of a kernel's own: registers are taken in groups of `pack`. A machine
// register holds several elements of less than 32 bits, the first one in its low bits:
//
//   before: %1 = tile.inline_asm "add.u32 $0, $1, $2;" ... pack = 4 (%a, %b) on tensors of i8
//   after:  %x = a0 | a1 << 8 | a2 << 16 | a3 << 24 ...   %r = llvm.inline_asm ... (i32, i32) ->
//   i32

#include "ThreadPattern.h"

using namespace mlir;
using namespace tilec;

namespace {

/// The machine's register of a constraint such as "=r", "f" or "=&l"; null for any other.
Type registerOf(OpBuilder &builder, StringRef constraint) {
  constraint.consume_front("=");
  constraint.consume_front("&");
  if (constraint.size() != 1)
    return {};
  switch (constraint.front()) {
  case 'h':
    return builder.getI16Type();
  case 'r':
    return builder.getI32Type();
  case 'l':
    return builder.getI64Type();
  case 'f':
    return builder.getF32Type();
  case 'd':
    return builder.getF64Type();
  default:
    return {};
  }
}

Value toBits(OpBuilder &b, Location loc, Value value) {
  Type type = value.getType();
  if (isa<LLVM::LLVMPointerType>(type))
    return LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), value);
  if (isa<FloatType>(type))
    return LLVM::BitcastOp::create(b, loc, b.getIntegerType(type.getIntOrFloatBitWidth()), value);
  // Booleans are bytes.
  if (type.isInteger(1))
    return LLVM::ZExtOp::create(b, loc, b.getI8Type(), value);
  return value;
}

Value fromBits(OpBuilder &b, Location loc, Value bits, Type type) {
  if (isa<LLVM::LLVMPointerType>(type))
    return LLVM::IntToPtrOp::create(b, loc, type, bits);
  if (isa<FloatType>(type))
    return LLVM::BitcastOp::create(b, loc, type, bits);
  if (type.isInteger(1))
    return LLVM::TruncOp::create(b, loc, type, bits);
  return bits;
}

unsigned widthOf(Type type) {
  if (isa<LLVM::LLVMPointerType>(type))
    return 64;
  return std::max(8u, type.getIntOrFloatBitWidth());
}

/// Elements in one machine register.
int64_t elementsPerRegister(Type type, int64_t pack) {
  unsigned width = widthOf(type);
  return width < 32 ? std::min<int64_t>(32 / width, pack) : 1;
}

Value integerConstant(OpBuilder &b, Location loc, Type type, int64_t value) {
  return LLVM::ConstantOp::create(b, loc, type, b.getIntegerAttr(type, value));
}

/// Zero-extends or reinterprets integer bits to a register.
Value toRegister(OpBuilder &b, Location loc, Value bits, Type type) {
  auto word = b.getIntegerType(type.getIntOrFloatBitWidth());
  if (bits.getType() != word)
    bits = LLVM::ZExtOp::create(b, loc, word, bits);
  return fromBits(b, loc, bits, type);
}

struct InlineAsm : ThreadPattern<tile::InlineAsmOp> {
  using ThreadPattern::ThreadPattern;

  LogicalResult matchAndRewrite(tile::InlineAsmOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    SmallVector<StringRef> constraints;
    op.getConstraints().split(constraints, ',', -1, /*KeepEmpty=*/false);
    SmallVector<StringRef> outputs, inputs;
    for (StringRef constraint : constraints) {
      constraint = constraint.trim();
      if (constraint.starts_with("="))
        outputs.push_back(constraint);
      else if (!constraint.starts_with("~"))
        inputs.push_back(constraint);
    }
    int64_t pack = op.getPack(), count = numRegisters(op->getResult(0).getType());
    SmallVector<SmallVector<Value>> results(op->getNumResults());
    for (int64_t start = 0; start < count; start += pack) {
      SmallVector<Value> operands;
      for (ValueRange registers : adaptor.getOperands()) {
        int64_t each = elementsPerRegister(registers.front().getType(), pack);
        for (int64_t e = 0; e < pack; e += each)
          operands.push_back(gather(rewriter, op->getLoc(), registers, start + e, each));
      }
      if (failed(emitGroup(op, outputs, inputs, operands, start, results, rewriter)))
        return failure();
    }
    for (SmallVector<Value> &registers : results)
      registers.resize(count);
    rewriter.replaceOpWithMultiple(op, results);
    return success();
  }

private:
  /// `each` elements from `start` on as integer bits; the last one again behind the end.
  Value gather(OpBuilder &b, Location loc, ValueRange registers, int64_t start,
               int64_t each) const {
    Value word;
    for (int64_t i = 0; i < each; ++i) {
      auto at = std::min<int64_t>(start + i, static_cast<int64_t>(registers.size()) - 1);
      Value bits = toBits(b, loc, registers[at]);
      if (each == 1)
        return bits;
      unsigned width = widthOf(registers[at].getType());
      Type type = b.getIntegerType(width * each);
      bits = LLVM::ZExtOp::create(b, loc, type, bits);
      if (i != 0)
        bits = LLVM::ShlOp::create(b, loc, bits, integerConstant(b, loc, type, i * width));
      word = word ? LLVM::OrOp::create(b, loc, word, bits).getResult() : bits;
    }
    return word;
  }

  LogicalResult emitGroup(tile::InlineAsmOp op, ArrayRef<StringRef> outputs,
                          ArrayRef<StringRef> inputs, MutableArrayRef<Value> operands,
                          int64_t start, SmallVectorImpl<SmallVector<Value>> &results,
                          OpBuilder &b) const {
    Location loc = op->getLoc();
    int64_t pack = op.getPack();
    SmallVector<Type> elements;
    SmallVector<int64_t> perRegister;
    size_t numOutputs = 0;
    for (Type type : op->getResultTypes()) {
      elements.push_back(lowering.types.convertScalar(getElementTypeOrSelf(type)));
      perRegister.push_back(elementsPerRegister(elements.back(), pack));
      numOutputs += pack / perRegister.back();
    }
    auto mismatch = [&](StringRef what, size_t expected, size_t got) {
      return op.emitError("the instructions have ")
             << got << " " << what << " in their constraints, expected " << expected
             << " for groups of " << pack;
    };
    if (outputs.size() != numOutputs)
      return mismatch("results", numOutputs, outputs.size());
    if (inputs.size() != operands.size())
      return mismatch("operands", operands.size(), inputs.size());

    auto registerFor = [&](StringRef constraint, unsigned bits) -> FailureOr<Type> {
      unsigned tied;
      if (!constraint.getAsInteger(10, tied) && tied < outputs.size())
        constraint = outputs[tied];
      Type type = registerOf(b, constraint);
      if (!type)
        return op.emitError("the constraint '")
               << constraint << "' is none of 'h', 'r', 'l', 'f', 'd' and 'n'";
      if (type.getIntOrFloatBitWidth() < bits)
        return op.emitError("a register of constraint '")
               << constraint << "' has " << type.getIntOrFloatBitWidth() << " bits, expected "
               << bits;
      return type;
    };
    for (auto [operand, constraint] : llvm::zip_equal(operands, inputs)) {
      if (constraint == "n" || constraint == "i") {
        APInt number;
        if (!matchPattern(operand, m_ConstantInt(&number)))
          return op.emitError("an operand of constraint '")
                 << constraint << "' must be known at compile time";
        operand = LLVM::ConstantOp::create(b, loc, operand.getType(),
                                           b.getIntegerAttr(operand.getType(), number));
        continue;
      }
      FailureOr<Type> type = registerFor(constraint, operand.getType().getIntOrFloatBitWidth());
      if (failed(type))
        return failure();
      operand = toRegister(b, loc, operand, *type);
    }
    SmallVector<Type> types;
    size_t next = 0;
    for (auto [element, each] : llvm::zip_equal(elements, perRegister))
      for (int64_t e = 0; e < pack; e += each) {
        // A single element may come from a narrower register: its upper bits are zero.
        FailureOr<Type> type =
            registerFor(outputs[next++], each == 1 ? 1 : widthOf(element) * each);
        if (failed(type))
          return failure();
        types.push_back(*type);
      }
    Type returned =
        types.size() == 1 ? types.front() : LLVM::LLVMStructType::getLiteral(b.getContext(), types);
    auto call = LLVM::InlineAsmOp::create(
        b, loc, TypeRange(returned), ValueRange(ArrayRef<Value>(operands)), op.getAssembly(),
        op.getConstraints(),
        /*has_side_effects=*/!op.getPure(), /*is_align_stack=*/false,
        LLVM::tailcallkind::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr());
    next = 0;
    for (auto [i, element] : llvm::enumerate(elements))
      for (int64_t e = 0; e < pack; e += perRegister[i]) {
        Value word = types.size() == 1
                         ? call.getRes()
                         : LLVM::ExtractValueOp::create(b, loc, call.getRes(), next).getResult();
        ++next;
        scatter(b, loc, toBits(b, loc, word), element, perRegister[i], results[i]);
      }
    return success();
  }

  /// The elements that a machine register holds.
  static void scatter(OpBuilder &b, Location loc, Value word, Type element, int64_t each,
                      SmallVectorImpl<Value> &results) {
    unsigned width = widthOf(element);
    Type narrow = b.getIntegerType(width), wide = word.getType();
    for (int64_t i = 0; i < each; ++i) {
      Value bits = word;
      if (i != 0)
        bits = LLVM::LShrOp::create(b, loc, bits, integerConstant(b, loc, wide, i * width));
      if (widthOf(wide) > width)
        bits = LLVM::TruncOp::create(b, loc, narrow, bits);
      else if (widthOf(wide) < width)
        bits = LLVM::ZExtOp::create(b, loc, narrow, bits);
      results.push_back(fromBits(b, loc, bits, element));
    }
  }
};

struct Map : ThreadPattern<tile::MapOp> {
  using ThreadPattern::ThreadPattern;

  LogicalResult matchAndRewrite(tile::MapOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    int64_t pack = op.getPack(), count = numRegisters(op->getResult(0).getType());
    SmallVector<SmallVector<Value>> results(op->getNumResults());
    for (int64_t start = 0; start < count; start += pack) {
      SmallVector<Value> arguments;
      for (ValueRange registers : adaptor.getOperands())
        for (int64_t e = start; e < start + pack; ++e)
          arguments.push_back(
              registers[std::min<int64_t>(e, static_cast<int64_t>(registers.size()) - 1)]);
      SmallVector<Value> yielded = applyCombine(rewriter, op.getBody(), arguments, {});
      for (auto [i, value] : llvm::enumerate(yielded))
        results[i / pack].push_back(value);
    }
    for (SmallVector<Value> &registers : results)
      registers.resize(count);
    rewriter.replaceOpWithMultiple(op, results);
    return success();
  }
};
} // namespace

void tilec::populateInlinePatterns(RewritePatternSet &patterns, const ThreadLowering &lowering) {
  patterns.add<InlineAsm, Map>(lowering, patterns.getContext());
}
