// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What instructions of inline PTX compute: integers, floats, comparisons and conversions.

#include "InlineAsmTranslator.h"

#include "llvm/ADT/StringSwitch.h"

#include <functional>

using namespace mlir;
using namespace tilec;

Value InlineAsmTranslator::permuteBytes(Value low, Value high, Value selector) {
  Value both =
      make<LLVM::OrOp>(resize(low, 64), make<LLVM::ShlOp>(resize(high, 64), constant(64, 32)));
  Value result = constant(32, 0);
  for (unsigned i = 0; i < 4; ++i) {
    Value nibble = make<LLVM::LShrOp>(selector, constant(32, 4 * i));
    Value place = make<LLVM::ShlOp>(make<LLVM::AndOp>(nibble, constant(32, 7)), constant(32, 3));
    Value byte = resize(make<LLVM::LShrOp>(both, resize(place, 64)), 8);
    // The fourth bit asks for copies of the byte's sign.
    Value sign = make<LLVM::AShrOp>(byte, constant(8, 7));
    Value wantsSign =
        LLVM::ICmpOp::create(rewriter, loc, LLVM::ICmpPredicate::ne,
                             make<LLVM::AndOp>(nibble, constant(32, 8)), constant(32, 0));
    byte = LLVM::SelectOp::create(rewriter, loc, wantsSign, sign, byte);
    result = make<LLVM::OrOp>(result, make<LLVM::ShlOp>(resize(byte, 32), constant(32, 8 * i)));
  }
  return result;
}

/// Each bit of the result is a bit of the table, chosen by the bits of the operands.
Value InlineAsmTranslator::logic3(ArrayRef<Value> v, unsigned table) {
  Value result = constant(32, 0), ones = constant(32, ~0u);
  for (unsigned row = 0; row < 8; ++row) {
    if (!((table >> row) & 1))
      continue;
    Value term = ones;
    for (unsigned i = 0; i < 3; ++i)
      term = make<LLVM::AndOp>(term, (row >> (2 - i)) & 1 ? v[i] : make<LLVM::XOrOp>(v[i], ones));
    result = make<LLVM::OrOp>(result, term);
  }
  return result;
}

Value InlineAsmTranslator::compare(StringRef relation, PtxType type, Value left, Value right) {
  if (type.kind == PtxType::Float || type.kind == PtxType::BFloat) {
    bool orUnordered = relation.size() == 3 && relation.consume_back("u");
    using P = LLVM::FCmpPredicate;
    std::optional<P> predicate = llvm::StringSwitch<std::optional<P>>(relation)
                                     .Case("eq", orUnordered ? P::ueq : P::oeq)
                                     .Case("ne", orUnordered ? P::une : P::one)
                                     .Case("lt", orUnordered ? P::ult : P::olt)
                                     .Case("le", orUnordered ? P::ule : P::ole)
                                     .Case("gt", orUnordered ? P::ugt : P::ogt)
                                     .Case("ge", orUnordered ? P::uge : P::oge)
                                     .Case("nan", P::uno)
                                     .Case("num", P::ord)
                                     .Default(std::nullopt);
    if (!predicate)
      return {};
    return LLVM::FCmpOp::create(rewriter, loc, *predicate, asFloat(left, type),
                                asFloat(right, type));
  }
  bool isSigned = type.kind == PtxType::Signed;
  using P = LLVM::ICmpPredicate;
  std::optional<P> predicate = llvm::StringSwitch<std::optional<P>>(relation)
                                   .Case("eq", P::eq)
                                   .Case("ne", P::ne)
                                   .Cases({"lt", "lo"}, isSigned ? P::slt : P::ult)
                                   .Cases({"le", "ls"}, isSigned ? P::sle : P::ule)
                                   .Cases({"gt", "hi"}, isSigned ? P::sgt : P::ugt)
                                   .Cases({"ge", "hs"}, isSigned ? P::sge : P::uge)
                                   .Default(std::nullopt);
  if (!predicate)
    return {};
  return LLVM::ICmpOp::create(rewriter, loc, *predicate, left, right);
}

Value InlineAsmTranslator::computeFloat(StringRef name, PtxType type, ArrayRef<Value> v) {
  SmallVector<Value> f;
  for (Value bits : v)
    f.push_back(asFloat(bits, type));
  Type result = floatType(type);
  auto one = [&] {
    return LLVM::ConstantOp::create(rewriter, loc, result, rewriter.getFloatAttr(result, 1.0));
  };
  Value value;
  if (f.size() == 1)
    value = llvm::StringSwitch<std::function<Value()>>(name)
                .Case("mov", [&]() -> Value { return f[0]; })
                .Case("neg", [&]() -> Value { return LLVM::FNegOp::create(rewriter, loc, f[0]); })
                .Case("abs", [&]() -> Value { return LLVM::FAbsOp::create(rewriter, loc, f[0]); })
                .Case("ex2", [&]() -> Value { return LLVM::Exp2Op::create(rewriter, loc, f[0]); })
                .Case("lg2", [&]() -> Value { return LLVM::Log2Op::create(rewriter, loc, f[0]); })
                .Case("sin", [&]() -> Value { return LLVM::SinOp::create(rewriter, loc, f[0]); })
                .Case("cos", [&]() -> Value { return LLVM::CosOp::create(rewriter, loc, f[0]); })
                .Case("tanh", [&]() -> Value { return LLVM::TanhOp::create(rewriter, loc, f[0]); })
                .Case("sqrt", [&]() -> Value { return LLVM::SqrtOp::create(rewriter, loc, f[0]); })
                .Case("rcp",
                      [&]() -> Value { return LLVM::FDivOp::create(rewriter, loc, one(), f[0]); })
                .Case("rsqrt",
                      [&]() -> Value {
                        Value root = LLVM::SqrtOp::create(rewriter, loc, f[0]);
                        return LLVM::FDivOp::create(rewriter, loc, one(), root);
                      })
                .Default([]() { return Value(); })();
  else if (f.size() == 2)
    value =
        llvm::StringSwitch<std::function<Value()>>(name)
            .Case("add", [&]() { return make<LLVM::FAddOp>(f[0], f[1]); })
            .Case("sub", [&]() { return make<LLVM::FSubOp>(f[0], f[1]); })
            .Case("mul", [&]() { return make<LLVM::FMulOp>(f[0], f[1]); })
            .Case("div", [&]() { return make<LLVM::FDivOp>(f[0], f[1]); })
            .Case("min", [&]() { return make<LLVM::MinNumOp>(f[0], f[1]); })
            .Case("max", [&]() { return make<LLVM::MaxNumOp>(f[0], f[1]); })
            .Case("copysign",
                  [&]() -> Value { return LLVM::CopySignOp::create(rewriter, loc, f[1], f[0]); })
            .Default([]() { return Value(); })();
  else if (f.size() == 3 && (name == "fma" || name == "mad"))
    value = LLVM::FMAOp::create(rewriter, loc, f[0], f[1], f[2]);
  return value ? asBits(value) : Value();
}

Value InlineAsmTranslator::computeInteger(StringRef name, ArrayRef<StringRef> modifiers,
                                          PtxType type, ArrayRef<Value> v) {
  bool isSigned = type.kind == PtxType::Signed;
  unsigned width = type.width;
  auto has = [&](StringRef word) { return llvm::is_contained(modifiers, word); };
  auto product = [&]() -> Value {
    if (!has("hi") && !has("wide"))
      return make<LLVM::MulOp>(v[0], v[1]);
    Value wide =
        make<LLVM::MulOp>(resize(v[0], 2 * width, isSigned), resize(v[1], 2 * width, isSigned));
    return has("wide") ? wide : resize(make<LLVM::LShrOp>(wide, constant(2 * width, width)), width);
  };
  /// A shift by as much as the width or more leaves nothing, or the sign.
  auto shift = [&](bool left) -> Value {
    Value limit = constant(width, width - 1), amount = resize(v[1], width);
    Value isLarge = LLVM::ICmpOp::create(rewriter, loc, LLVM::ICmpPredicate::ugt, amount, limit);
    Value clamped = LLVM::SelectOp::create(rewriter, loc, isLarge, limit, amount);
    if (!left && isSigned)
      return make<LLVM::AShrOp>(v[0], clamped);
    Value shifted = left ? make<LLVM::ShlOp>(v[0], clamped) : make<LLVM::LShrOp>(v[0], clamped);
    return LLVM::SelectOp::create(rewriter, loc, isLarge, constant(width, 0), shifted);
  };
  using Make = std::function<Value()>;
  Make none = []() { return Value(); };
  if (v.size() == 1)
    return llvm::StringSwitch<Make>(name)
        .Case("mov", [&]() { return v[0]; })
        .Case("not", [&]() { return make<LLVM::XOrOp>(v[0], constant(width, ~0ull)); })
        .Case("neg", [&]() { return make<LLVM::SubOp>(constant(width, 0), v[0]); })
        .Case("abs",
              [&]() -> Value {
                return LLVM::AbsOp::create(rewriter, loc, v[0].getType(), v[0],
                                           /*is_int_min_poison=*/false);
              })
        .Case("popc", [&]() -> Value { return LLVM::CtPopOp::create(rewriter, loc, v[0]); })
        .Case("clz",
              [&]() -> Value {
                return LLVM::CountLeadingZerosOp::create(rewriter, loc, v[0].getType(), v[0],
                                                         false);
              })
        .Case("brev", [&]() -> Value { return LLVM::BitReverseOp::create(rewriter, loc, v[0]); })
        .Default(none)();
  if (v.size() == 2)
    return llvm::StringSwitch<Make>(name)
        .Case("add", [&]() { return make<LLVM::AddOp>(v[0], v[1]); })
        .Case("sub", [&]() { return make<LLVM::SubOp>(v[0], v[1]); })
        .Case("mul", product)
        .Case("and", [&]() { return make<LLVM::AndOp>(v[0], v[1]); })
        .Case("or", [&]() { return make<LLVM::OrOp>(v[0], v[1]); })
        .Case("xor", [&]() { return make<LLVM::XOrOp>(v[0], v[1]); })
        .Case("min",
              [&]() {
                return isSigned ? make<LLVM::SMinOp>(v[0], v[1]) : make<LLVM::UMinOp>(v[0], v[1]);
              })
        .Case("max",
              [&]() {
                return isSigned ? make<LLVM::SMaxOp>(v[0], v[1]) : make<LLVM::UMaxOp>(v[0], v[1]);
              })
        .Case("shl", [&]() { return shift(true); })
        .Case("shr", [&]() { return shift(false); })
        .Default(none)();
  if (name == "mad") {
    Value sum = product();
    return make<LLVM::AddOp>(sum, resize(v[2], sum.getType().getIntOrFloatBitWidth(), isSigned));
  }
  if (name == "shf" && width == 32 && has("wrap") && has("l") != has("r")) {
    StringRef intrinsic = has("l") ? "llvm.fshl.i32" : "llvm.fshr.i32";
    return LLVM::CallIntrinsicOp::create(rewriter, loc, integer(32),
                                         rewriter.getStringAttr(intrinsic),
                                         ValueRange{v[1], v[0], v[2]})
        .getResults();
  }
  if (name == "prmt")
    return permuteBytes(v[0], v[1], v[2]);
  if (name == "bfe" && width == 32) {
    // A field of up to 32 bits: moved to the top and back.
    auto narrow = [&](Value x) { return make<LLVM::AndOp>(x, constant(32, 31)); };
    Value length = make<LLVM::AndOp>(v[2], constant(32, 255));
    Value up = narrow(make<LLVM::SubOp>(constant(32, 32), make<LLVM::AddOp>(v[1], length)));
    Value down = narrow(make<LLVM::SubOp>(constant(32, 32), length));
    Value top = make<LLVM::ShlOp>(v[0], up);
    return isSigned ? make<LLVM::AShrOp>(top, down) : make<LLVM::LShrOp>(top, down);
  }
  return {};
}

Value InlineAsmTranslator::convert(ArrayRef<StringRef> modifiers, PtxType to, PtxType from,
                                   Value bits) {
  auto has = [&](StringRef word) { return llvm::is_contained(modifiers, word); };
  bool toFloat = to.kind == PtxType::Float || to.kind == PtxType::BFloat;
  bool fromFloat = from.kind == PtxType::Float || from.kind == PtxType::BFloat;
  if (!toFloat && !fromFloat)
    return has("sat") ? Value() : resize(bits, to.width, from.kind == PtxType::Signed);
  if (!fromFloat) {
    if (from.kind == PtxType::Signed)
      return asBits(LLVM::SIToFPOp::create(rewriter, loc, floatType(to), bits));
    return asBits(LLVM::UIToFPOp::create(rewriter, loc, floatType(to), bits));
  }
  Value value = asFloat(bits, from);
  Type type = value.getType();
  if (has("rni"))
    value = LLVM::RoundEvenOp::create(rewriter, loc, type, value);
  else if (has("rmi"))
    value = LLVM::FFloorOp::create(rewriter, loc, type, value);
  else if (has("rpi"))
    value = LLVM::FCeilOp::create(rewriter, loc, type, value);
  else if (has("rzi"))
    value = LLVM::FTruncOp::create(rewriter, loc, type, value);
  else if (has("rz") || has("rm") || has("rp"))
    return {};
  if (!toFloat) {
    StringRef name = to.kind == PtxType::Signed ? "llvm.fptosi.sat" : "llvm.fptoui.sat";
    return LLVM::CallIntrinsicOp::create(rewriter, loc, integer(to.width),
                                         rewriter.getStringAttr(name), ValueRange(value))
        .getResults();
  }
  Type wanted = floatType(to);
  if (to.width < from.width)
    value = LLVM::FPTruncOp::create(rewriter, loc, wanted, value);
  else if (to.width > from.width)
    value = LLVM::FPExtOp::create(rewriter, loc, wanted, value);
  else if (wanted != type)
    return {};
  return asBits(value);
}
