// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inline PTX of a kernel, statement by statement: a register is a name with integer bits, an
// instruction finds its meaning in a table by its first word, and the type at its end says how the
// bits are read. Instructions that compute with registers are known, and single accesses of global
// memory; any other is an error that names it. docs/language.md has the list.

#include "InlineAsmTranslator.h"

#include "dialects/TileGPU/TileGPUOps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <functional>

using namespace mlir;
using namespace tilec;

static std::optional<PtxType> parseType(StringRef text) {
  if (text == "pred")
    return PtxType{PtxType::Predicate, 1};
  if (text == "f16x2" || text == "bf16x2")
    return PtxType{text == "f16x2" ? PtxType::Float : PtxType::BFloat, 16, true};
  PtxType::Kind kind = PtxType::Bits;
  if (text.consume_front("bf"))
    kind = PtxType::BFloat;
  else if (text.consume_front("u"))
    kind = PtxType::Unsigned;
  else if (text.consume_front("s"))
    kind = PtxType::Signed;
  else if (text.consume_front("f"))
    kind = PtxType::Float;
  else if (!text.consume_front("b"))
    return std::nullopt;
  unsigned width;
  if (text.getAsInteger(10, width) || !llvm::is_contained({8u, 16u, 32u, 64u}, width))
    return std::nullopt;
  return PtxType{kind, width};
}

Value InlineAsmTranslator::resize(Value bits, unsigned width, bool isSigned) {
  unsigned from = bits.getType().getIntOrFloatBitWidth();
  if (from == width)
    return bits;
  if (from > width)
    return LLVM::TruncOp::create(rewriter, loc, integer(width), bits);
  if (isSigned)
    return LLVM::SExtOp::create(rewriter, loc, integer(width), bits);
  return LLVM::ZExtOp::create(rewriter, loc, integer(width), bits);
}

Value InlineAsmTranslator::read(StringRef operand, unsigned width) {
  operand = operand.trim();
  auto known = registers.find(operand);
  if (known != registers.end())
    return resize(known->second, width);
  if (widths.count(operand)) { // Declared and never written.
    return constant(width, 0);
  }
  StringRef number = operand;
  uint64_t bits = 0;
  if ((number.consume_front("0f") || number.consume_front("0F") || number.consume_front("0d") ||
       number.consume_front("0D")) &&
      !number.getAsInteger(16, bits))
    return constant(width, bits);
  number = operand;
  bool isNegative = number.consume_front("-");
  number.consume_back("U");
  if (!number.getAsInteger(0, bits))
    return constant(width, isNegative ? -bits : bits);
  problem = ("the operand '" + operand + "'").str();
  return {};
}

bool InlineAsmTranslator::write(StringRef operand, Value bits) {
  operand = operand.trim();
  auto width = widths.find(operand);
  if (width == widths.end()) {
    problem = ("the register '" + operand + "'").str();
    return false;
  }
  registers[operand] = resize(bits, width->second);
  return true;
}

/// `.b32 a, b;` and `.b32 r<4>;`
bool InlineAsmTranslator::declare(StringRef rest) {
  auto [typeText, names] = rest.trim().split(' ');
  typeText.consume_front(".");
  std::optional<PtxType> type = parseType(typeText);
  if (!type) {
    problem = ("the type '" + typeText + "'").str();
    return false;
  }
  SmallVector<StringRef> list;
  names.split(list, ',');
  for (StringRef name : list) {
    name = name.trim();
    size_t open = name.find('<');
    unsigned count;
    if (open == StringRef::npos) {
      widths[name] = type->width * (type->isPair ? 2 : 1);
    } else if (!name.slice(open + 1, name.find('>')).getAsInteger(10, count) && count <= 1024) {
      for (unsigned i = 0; i < count; ++i)
        widths[(name.take_front(open) + Twine(i)).str()] = type->width;
    }
  }
  return true;
}

Value InlineAsmTranslator::compute(StringRef name, ArrayRef<StringRef> modifiers, PtxType type,
                                   ArrayRef<StringRef> sources) {
  auto each = [&](unsigned half) -> Value {
    SmallVector<Value> v;
    for (auto [i, source] : llvm::enumerate(sources)) {
      bool isAmount = i == 1 && (name == "shl" || name == "shr");
      bool isSum = i == 2 && name == "mad" && llvm::is_contained(modifiers, "wide");
      unsigned width = isAmount ? 32 : isSum ? 2 * type.width : type.width;
      Value bits = read(source, type.isPair ? 32 : width);
      if (!bits)
        return {};
      if (type.isPair)
        bits = resize(make<LLVM::LShrOp>(bits, constant(32, 16 * half)), 16);
      v.push_back(bits);
    }
    bool isFloat = type.kind == PtxType::Float || type.kind == PtxType::BFloat;
    return isFloat ? computeFloat(name, type, v) : computeInteger(name, modifiers, type, v);
  };
  Value low = each(0);
  if (!type.isPair || !low)
    return low;
  Value high = each(1);
  if (!high)
    return {};
  return joinHalves(low, high);
}

bool InlineAsmTranslator::access(StringRef name, ArrayRef<StringRef> modifiers, PtxType type,
                                 ArrayRef<StringRef> operands, Value guard) {
  bool isLoad = name == "ld";
  StringRef place = operands[isLoad ? 1 : 0], reg = operands[isLoad ? 0 : 1];
  bool isPlain = llvm::all_of(modifiers.drop_front(), [](StringRef word) {
    return llvm::is_contained({"ca", "cg", "cs", "cv", "nc", "wb", "wt"}, word);
  });
  if (!isPlain || operands.size() != 2 || type.isPair || type.width < 8 ||
      !place.consume_front("[") || !place.consume_back("]"))
    return false;
  auto [base, distance] = place.split('+');
  Value address = read(base, 64), step = constant(64, 0);
  if (!distance.empty())
    step = read(distance, 64);
  if (!address || !step)
    return false;
  auto pointer = LLVM::LLVMPointerType::get(rewriter.getContext(), 1);
  address = LLVM::IntToPtrOp::create(rewriter, loc, pointer, make<LLVM::AddOp>(address, step));
  if (!isLoad) {
    Value bits = read(reg, type.width);
    if (!bits)
      return false;
    auto store = tilegpu::StGlobalOp::create(rewriter, loc, bits, address, guard);
    return lowerMemory(store, b) == Lowered::Yes;
  }
  Value other = guard ? read(reg, type.width) : Value();
  if (guard && !other)
    return false;
  auto load =
      tilegpu::LdGlobalOp::create(rewriter, loc, integer(type.width), address, guard, other);
  // A use that keeps what takes the load's place.
  auto loaded = LLVM::FreezeOp::create(rewriter, loc, load.getResult());
  rewriter.setInsertionPoint(load);
  bool isLowered = lowerMemory(load, b) == Lowered::Yes;
  rewriter.setInsertionPoint(op);
  bool isSigned = type.kind == PtxType::Signed;
  auto width = widths.find(reg.trim());
  Value bits = loaded;
  if (isLowered && isSigned && width != widths.end())
    bits = resize(bits, std::max(width->second, type.width), /*isSigned=*/true);
  return isLowered && write(reg, bits);
}

/// "{a, b}, c" at the commas outside of braces.
static SmallVector<StringRef> splitOperands(StringRef text) {
  SmallVector<StringRef> parts;
  int depth = 0;
  size_t start = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i == text.size() || (text[i] == ',' && depth == 0)) {
      if (StringRef part = text.slice(start, i).trim(); !part.empty())
        parts.push_back(part);
      start = i + 1;
    } else if (text[i] == '{' || text[i] == '}') {
      depth += text[i] == '{' ? 1 : -1;
    }
  }
  return parts;
}

bool InlineAsmTranslator::store(const Instruction &instr, StringRef target, Value bits) {
  if (!bits)
    return false;
  if (instr.guard) {
    Value old = read(target, bits.getType().getIntOrFloatBitWidth());
    if (!old)
      return false;
    bits = LLVM::SelectOp::create(rewriter, loc, instr.guard, bits, old);
  }
  return write(target, bits);
}

Value InlineAsmTranslator::joinHalves(Value low, Value high) {
  return make<LLVM::OrOp>(resize(low, 32), make<LLVM::ShlOp>(resize(high, 32), constant(32, 16)));
}

/// `mov.b64 {a, b}, c;`
bool InlineAsmTranslator::unpack(const Instruction &instr) {
  SmallVector<StringRef> parts;
  instr.operands[0].trim("{} ").split(parts, ',');
  unsigned width = instr.type.width / parts.size();
  Value whole = width == 0 ? Value() : read(instr.operands[1], instr.type.width);
  if (!whole)
    return false;
  for (auto [i, part] : llvm::enumerate(parts)) {
    Value shifted = make<LLVM::LShrOp>(whole, constant(instr.type.width, i * width));
    if (!store(instr, part, resize(shifted, width)))
      return false;
  }
  return true;
}

/// `mov.b64 c, {a, b};`
bool InlineAsmTranslator::pack(const Instruction &instr) {
  SmallVector<StringRef> parts;
  instr.operands[1].trim("{} ").split(parts, ',');
  unsigned whole = instr.type.width, width = whole / parts.size();
  if (width == 0)
    return false;
  Value packed = constant(whole, 0);
  for (auto [i, part] : llvm::enumerate(parts)) {
    Value bits = read(part, width);
    if (!bits)
      return false;
    Value shifted = make<LLVM::ShlOp>(resize(bits, whole), constant(whole, i * width));
    packed = make<LLVM::OrOp>(packed, shifted);
  }
  return store(instr, instr.operands[0], packed);
}

bool InlineAsmTranslator::convertOperands(const Instruction &instr) {
  ArrayRef<StringRef> sources = instr.sources();
  std::optional<PtxType> to = parseType(instr.modifiers.back());
  if (!to || sources.size() != (to->isPair ? 2 : 1))
    return false;
  ArrayRef<StringRef> modifiers = ArrayRef(instr.modifiers).drop_back();
  PtxType element{to->kind, to->isPair ? 16 : to->width};
  SmallVector<Value> converted;
  for (StringRef source : sources) {
    Value bits = read(source, instr.type.width);
    converted.push_back(bits ? convert(modifiers, element, instr.type, bits) : Value());
    if (!converted.back())
      return false;
  }
  // The first source becomes the upper half.
  return store(instr, instr.operands[0],
               to->isPair ? joinHalves(converted[1], converted[0]) : converted[0]);
}

/// `setp`, `selp` and `lop3`, whose operands have types of their own; null for what is not known.
Value InlineAsmTranslator::select(const Instruction &instr) {
  ArrayRef<StringRef> sources = instr.sources();
  bool isLogic = instr.name == "lop3";
  SmallVector<Value> v;
  for (StringRef source : sources.take_front(isLogic ? 3 : 2))
    v.push_back(read(source, isLogic ? 32 : instr.type.width));
  if (llvm::is_contained(v, Value()))
    return {};
  if (instr.name == "setp")
    return compare(instr.modifiers[0], instr.type, v[0], v[1]);
  if (instr.name == "selp") {
    Value predicate = read(sources[2], 1);
    return predicate ? LLVM::SelectOp::create(rewriter, loc, predicate, v[0], v[1]).getResult()
                     : Value();
  }
  unsigned table;
  return sources[3].getAsInteger(0, table) ? Value() : logic3(v, table);
}

bool InlineAsmTranslator::parse(StringRef text, Instruction &instr) {
  size_t space = text.find_first_of(" \t\n");
  if (space == StringRef::npos)
    return false;
  SmallVector<StringRef> words;
  text.take_front(space).split(words, '.');
  instr.operands = splitOperands(text.drop_front(space));
  instr.name = words.front();
  std::optional<PtxType> type = parseType(words.back());
  if (!type || instr.operands.size() < 2)
    return false;
  instr.type = *type;
  instr.modifiers.assign(words.begin() + 1, words.end() - 1);
  return true;
}

bool InlineAsmTranslator::execute(StringRef statement) {
  // Braces limit names, which no other part of the text has.
  statement = statement.trim();
  while (statement.consume_front("{") || statement.consume_front("}"))
    statement = statement.ltrim();
  if (statement.empty())
    return true;
  problem = ("the instruction '" + statement + "'").str();
  if (statement.consume_front(".reg"))
    return declare(statement);
  Instruction instr;
  if (statement.consume_front("@")) {
    bool isInverted = statement.consume_front("!");
    auto [predicate, rest] = statement.split(' ');
    instr.guard = read(predicate, 1);
    if (!instr.guard)
      return false;
    if (isInverted)
      instr.guard = make<LLVM::XOrOp>(instr.guard, constant(1, 1));
    statement = rest.trim();
  }
  return parse(statement, instr) && executeInstruction(instr);
}

bool InlineAsmTranslator::executeInstruction(const Instruction &instr) {
  StringRef name = instr.name;
  ArrayRef<StringRef> modifiers = instr.modifiers, operands = instr.operands;
  size_t numSources = instr.sources().size();
  if ((name == "ld" || name == "st") && !modifiers.empty() && modifiers.front() == "global")
    return access(name, modifiers, instr.type, operands, instr.guard);
  if (llvm::any_of(operands, [](StringRef operand) { return operand.starts_with("["); }))
    return false;
  if (name == "mov" && operands[0].starts_with("{"))
    return unpack(instr);
  if (name == "mov" && operands[1].starts_with("{"))
    return pack(instr);
  if (name == "cvt" && !modifiers.empty())
    return convertOperands(instr);
  bool isSelection = (name == "setp" && !modifiers.empty() && numSources == 2) ||
                     (name == "selp" && numSources == 3) || (name == "lop3" && numSources == 4);
  if (isSelection)
    return store(instr, operands[0], select(instr));
  // Rounding other than to nearest, saturation and carries are not computed.
  if (llvm::any_of(modifiers, [](StringRef word) {
        return llvm::is_contained({"rz", "rm", "rp", "sat", "relu", "cc"}, word);
      }))
    return false;
  return store(instr, operands[0], compute(name, modifiers, instr.type, instr.sources()));
}

std::optional<SmallVector<Value>> InlineAsmTranslator::run(ArrayRef<Type> results) {
  for (auto [i, type] : llvm::enumerate(results))
    widths[("$" + Twine(i)).str()] = type.getIntOrFloatBitWidth();
  for (auto [i, operand] : llvm::enumerate(op.getOperands())) {
    std::string name = ("$" + Twine(results.size() + i)).str();
    if (isa<LLVM::LLVMPointerType>(operand.getType()))
      registers[name] = LLVM::PtrToIntOp::create(rewriter, loc, integer(64), operand);
    else if (operand.getType().isIntOrFloat())
      registers[name] = asBits(operand);
    else
      return std::nullopt;
    widths[name] = registers[name].getType().getIntOrFloatBitWidth();
  }
  // An operand tied to a result starts as that result's value.
  SmallVector<StringRef> constraints;
  op.getConstraints().split(constraints, ',', -1, /*KeepEmpty=*/false);
  for (auto [i, constraint] : llvm::enumerate(constraints)) {
    unsigned tied;
    if (!constraint.trim().getAsInteger(10, tied) && tied < results.size())
      registers[("$" + Twine(tied)).str()] = registers[("$" + Twine(i)).str()];
  }
  // Comments go.
  std::string text;
  StringRef rest = op.getAsmString();
  while (!rest.empty()) {
    if (rest.starts_with("//"))
      rest = rest.drop_front(std::min(rest.find('\n'), rest.size()));
    else if (rest.starts_with("/*"))
      rest = rest.drop_front(std::min(rest.find("*/"), rest.size() - 2) + 2);
    else {
      text += rest.front();
      rest = rest.drop_front();
    }
  }
  SmallVector<StringRef> statements;
  StringRef(text).split(statements, ';');
  for (StringRef statement : statements)
    if (!execute(statement))
      return std::nullopt;
  SmallVector<Value> values;
  for (auto [i, type] : llvm::enumerate(results)) {
    Value bits = read(("$" + Twine(i)).str(), type.getIntOrFloatBitWidth());
    values.push_back(isa<FloatType>(type)
                         ? LLVM::BitcastOp::create(rewriter, loc, type, bits).getResult()
                         : bits);
  }
  return values;
}

Lowered tilec::lowerInlineAsm(Operation *op, SimBuilder &b) {
  auto assembly = dyn_cast<LLVM::InlineAsmOp>(op);
  if (!assembly || !assembly.getRes())
    return Lowered::No;
  Type type = assembly.getRes().getType();
  SmallVector<Type> types{type};
  if (auto structure = dyn_cast<LLVM::LLVMStructType>(type))
    types.assign(structure.getBody().begin(), structure.getBody().end());
  InlineAsmTranslator translator(assembly, b);
  std::optional<SmallVector<Value>> values = translator.run(types);
  if (!values)
    return reportUnsupported(op, "inline PTX with " + translator.problem);
  Value result = types.size() == 1 && !isa<LLVM::LLVMStructType>(type)
                     ? values->front()
                     : b.pack(op->getLoc(), type, *values);
  b.rewriter.replaceOp(op, result);
  return Lowered::Yes;
}
