// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What calls of the language's functions tell about parameters: a table from names to rules. What
// is not in it computes with its arguments.

#include "ParamUseScan.h"

#include "llvm/ADT/StringSwitch.h"

using namespace tilec;
using namespace tilec::ast;
using namespace tilec::paramuse;

FunctionScan::BuiltinRule FunctionScan::findBuiltinRule(llvm::StringRef name) {
  using Scan = FunctionScan;
  return llvm::StringSwitch<BuiltinRule>(name)
      .Cases({"load", "store"}, &Scan::evaluateAccess)
      .StartsWith("atomic_", &Scan::evaluateAccess)
      .Cases({"_experimental_descriptor_load", "_experimental_descriptor_store"},
             &Scan::evaluateDescriptorAccess)
      .Cases({"load_tensor_descriptor", "store_tensor_descriptor"}, &Scan::evaluateDescriptorAccess)
      .Cases({"make_block_ptr", "make_tensor_descriptor", "_experimental_make_tensor_descriptor"},
             &Scan::evaluateBlockAccess)
      .Case("arange", &Scan::evaluateArange)
      .Cases({"program_id", "num_programs"}, &Scan::evaluateProgramIndex)
      .Cases({"range", "cdiv", "static_range"}, &Scan::evaluateRange)
      .Cases({"zeros", "full", "empty"}, &Scan::evaluateFilled)
      .Cases({"broadcast_to", "reshape", "view"}, &Scan::evaluateReshaped)
      .Cases({"trans", "permute", "expand_dims"}, &Scan::evaluateMovedBlock)
      .Cases({"split", "sum", "argmax", "argmin", "cumsum"}, &Scan::evaluateReduced)
      .Cases({"dot", "dot_scaled"}, &Scan::evaluateDot)
      .Case("where", &Scan::evaluateWhere)
      .Case("len", &Scan::evaluateLen)
      .Case("clamp", &Scan::evaluateClamp)
      .Case("pointer_type", &Scan::evaluatePointerType)
      .Cases({"to", "cast"}, &Scan::evaluateCast)
      .Cases({"multiple_of", "max_contiguous"}, &Scan::evaluateAlignment)
      // Those that hand on their first argument.
      .Cases({"max_constancy", "assume", "advance", "ravel", "flip"}, &Scan::evaluateFirst)
      .Cases({"constexpr", "int", "to_tensor"}, &Scan::evaluateFirst)
      // Those that need floating-point operands.
      .Cases({"exp", "exp2", "log", "log2", "sqrt", "sqrt_rn", "rsqrt", "sin", "cos", "sigmoid"},
             &Scan::evaluateReal)
      .Cases({"tanh", "erf", "pow", "fma", "floor", "ceil", "div_rn", "fdiv", "softmax"},
             &Scan::evaluateReal)
      .Default(&Scan::evaluateArithmetic);
}

Flow FunctionScan::evaluateBuiltin(llvm::StringRef name, Args &args, const Flow *self) {
  if (self)
    args.insert(args.begin(), Arg{"", nullptr, *self});
  return (this->*findBuiltinRule(name))({name, args, self});
}

Flow FunctionScan::evaluateArithmetic(const BuiltinCall &call) {
  Flow result;
  for (const Arg &each : call.args)
    result.add(each.flow.scaled());
  return result;
}

Flow FunctionScan::evaluateFirst(const BuiltinCall &call) {
  return call.args.empty() ? Flow() : call.args[0].flow;
}

Flow FunctionScan::evaluateReal(const BuiltinCall &call) {
  for (const Arg &each : call.args)
    if (!each.flow.isIndex)
      markReal(each.flow);
  return evaluateArithmetic(call);
}

/// Whether an argument is written as a list of indices: that of a descriptor's method.
static bool isIndexList(const Expr *expr) { return expr && llvm::isa<Tuple, List>(expr); }

Flow FunctionScan::evaluateAccess(const BuiltinCall &call) {
  const Arg *offsets = call.self ? call.find(1, "offsets") : nullptr;
  bool hasOffsets = offsets && isIndexList(offsets->expr);
  if (hasOffsets && call.self->isExact)
    return evaluateDescriptorAccess(call);
  const Flow *pointer = call.flow(0, "pointer");
  if (!pointer)
    return {};
  follow(*pointer);
  llvm::StringRef name = call.name;
  bool isLoad = name == "load" || name == "atomic_load";
  // `descriptor.store([i, j], value)` has no mask.
  bool hasMask = !hasOffsets && name != "atomic_cas";
  const Flow *mask = hasMask ? call.flow(isLoad ? 1 : 2, "mask") : nullptr;
  if (mask && mask->isLoad)
    markLoaded(*mask, &ParamUse::loadsConditions);
  bool isExchange = name == "atomic_xchg" || name == "atomic_cas" || name == "atomic_and" ||
                    name == "atomic_or" || name == "atomic_xor";
  for (unsigned term : pointer->terms) {
    use(term).loadsBits |= isExchange;
    use(term).isAtomic |= name.starts_with("atomic_");
  }
  Flow result;
  result.isLoad = isLoad;
  // The data of a block pointer or of a table of addresses come from there as well.
  result.loaded = pointer->terms.empty() ? pointer->loaded : pointer->terms;
  return result;
}

Flow FunctionScan::evaluateDescriptorAccess(const BuiltinCall &call) {
  const Arg *offsets = call.find(call.name == "_experimental_descriptor_store" ? 2 : 1, "offsets");
  if (!offsets || !isIndexList(offsets->expr) || call.args.empty() || !call.args[0].flow.isExact)
    return evaluateArithmetic(call);
  unsigned param = call.args[0].flow.terms.front();
  use(param).isDescriptor = true;
  const auto *tuple = llvm::dyn_cast<Tuple>(offsets->expr);
  use(param).descriptorRank =
      unsigned(tuple ? tuple->elements.size() : llvm::cast<List>(offsets->expr)->elements.size());
  markIndex(offsets->flow);
  if (call.name == "_experimental_descriptor_load") {
    if (const Flow *shape = call.flow(2, "shape"))
      markExtent(*shape);
    const Arg *type = call.find(3, "dtype");
    if (auto *attribute = llvm::dyn_cast_or_null<Attribute>(type ? type->expr : nullptr))
      use(param).element = attribute->name.str();
  }
  Flow result;
  result.loaded.insert(param);
  return result;
}

Flow FunctionScan::evaluateBlockAccess(const BuiltinCall &call) {
  const Flow *base = call.flow(0, "base");
  if (base)
    follow(*base);
  for (auto [position, keyword] : {std::pair(1, "shape"), std::pair(2, "strides")})
    if (const Flow *flow = call.flow(size_t(position), keyword))
      markIndex(*flow);
  bool isBlockPointer = call.name == "make_block_ptr";
  // The copy engine takes rows that begin at multiples of 16 bytes.
  const Arg *strides = isBlockPointer ? nullptr : call.find(2, "strides");
  auto *list = llvm::dyn_cast_or_null<List>(strides ? strides->expr : nullptr);
  for (const Expr *stride : list ? list->elements.drop_back() : llvm::ArrayRef<Expr *>())
    if (Flow flow = evaluate(stride); flow.isExact)
      use(flow.terms.front()).isAlignment = true;
  if (const Flow *offsets = isBlockPointer ? call.flow(3, "offsets") : nullptr)
    markIndex(*offsets);
  if (const Flow *block = call.flow(isBlockPointer ? 4 : 3, "block_shape"))
    markExtent(*block);
  Flow result;
  if (base) {
    result.terms = base->terms;
    result.loaded = base->loaded;
  }
  return result;
}

Flow FunctionScan::evaluateArange(const BuiltinCall &call) {
  for (const Arg &each : call.args)
    markExtent(each.flow);
  return evaluateProgramIndex(call);
}

Flow FunctionScan::evaluateProgramIndex(const BuiltinCall &) {
  Flow result;
  result.isIndex = true;
  return result;
}

Flow FunctionScan::evaluateRange(const BuiltinCall &call) {
  bool isStatic = call.name == "static_range";
  Flow result;
  for (const Arg &each : call.args) {
    if (each.keyword.empty())
      markIndex(each.flow);
    if (isStatic || !each.keyword.empty())
      for (unsigned term : each.flow.terms) {
        use(term).isStatic = true;
        use(term).isUnrolled |= isStatic;
      }
    // `static_range(1 - N, 1)`
    if (isStatic && !each.flow.isQuotient)
      for (unsigned factor : each.flow.factors)
        use(factor).isUnrolled = true;
    result.add(each.flow.scaled());
  }
  result.isIndex = true;
  return result;
}

Flow FunctionScan::evaluateFilled(const BuiltinCall &call) {
  bool hasValue = call.name == "full";
  if (const Flow *shape = call.flow(0, "shape"))
    markExtent(*shape);
  if (const Flow *type = call.flow(hasValue ? 2 : 1, "dtype"))
    markType(*type);
  Flow result;
  if (const Flow *value = hasValue ? call.flow(1, "value") : nullptr)
    result.add(value->scaled());
  return result;
}

Flow FunctionScan::evaluateReshaped(const BuiltinCall &call) {
  for (const Arg &each : llvm::drop_begin(call.args, call.args.empty() ? 0 : 1))
    markExtent(each.flow);
  return call.name == "view" ? evaluateFirst(call) : evaluateMovedBlock(call);
}

void FunctionScan::markBlock(const BuiltinCall &call, size_t position) {
  if (position < call.args.size() && call.args[position].flow.isExact)
    use(call.args[position].flow.terms.front()).isBlock = true;
}

Flow FunctionScan::evaluateMovedBlock(const BuiltinCall &call) {
  markBlock(call, 0);
  return evaluateFirst(call);
}

Flow FunctionScan::evaluateReduced(const BuiltinCall &call) {
  markBlock(call, 0);
  return evaluateArithmetic(call);
}

/// An operand of dot_scaled, its scales, and its format.
void FunctionScan::markScaled(const BuiltinCall &call, size_t position, const std::string &name) {
  const Arg *format = call.find(position + 2, name + "_format");
  llvm::StringRef element;
  if (auto *text = llvm::dyn_cast_or_null<StringLiteral>(format ? format->expr : nullptr))
    element = llvm::StringSwitch<llvm::StringRef>(text->value)
                  .Case("e2m1", "uint8")
                  .Case("e4m3", "float8e4nv")
                  .Case("e5m2", "float8e5")
                  .Case("bf16", "bfloat16")
                  .Case("fp16", "float16")
                  .Default("");
  auto set = [&](const Arg *arg, llvm::StringRef type) {
    for (unsigned param : arg ? arg->flow.loaded : Params())
      if (use(param).element.empty())
        use(param).element = type.str();
  };
  set(call.find(position, name), element);
  const Arg *scale = call.find(position + 1, name + "_scale");
  set(scale, "uint8");
  for (unsigned param : scale ? scale->flow.loaded : Params())
    use(param).loadsScales = true;
}

Flow FunctionScan::evaluateDot(const BuiltinCall &call) {
  bool isScaled = call.name == "dot_scaled";
  for (const Arg &each : call.args)
    if (each.keyword.empty() || each.keyword == "input" || each.keyword == "other")
      markLoaded(each.flow, &ParamUse::feedsDot);
  if (isScaled) {
    markScaled(call, 0, "lhs");
    markScaled(call, 3, "rhs");
  } else {
    markBlock(call, 0);
    markBlock(call, 1);
    if (const Flow *type = call.flow(6, "out_dtype"))
      markType(*type);
  }
  const Flow *precision = call.flow(3, "input_precision");
  if (precision && precision->isExact)
    use(precision->terms.front()).strings = {"ieee"};
  Flow result;
  for (const Arg &each : call.args)
    result.loaded.insert_range(each.flow.loaded);
  return result;
}

Flow FunctionScan::evaluateWhere(const BuiltinCall &call) {
  if (const Flow *condition = call.flow(0, "condition"); condition && condition->isLoad)
    markLoaded(*condition, &ParamUse::loadsConditions);
  if (const Flow *one = call.flow(1, "x"))
    if (const Flow *other = call.flow(2, "y"))
      noteChoice(*one, *other);
  Flow result;
  for (size_t i = 1; i < call.args.size(); ++i)
    result.add(call.args[i].flow);
  return result;
}

Flow FunctionScan::evaluateLen(const BuiltinCall &call) {
  if (call.args.size() == 1)
    markTuple(call.args[0].flow, 0);
  return evaluateArithmetic(call);
}

Flow FunctionScan::evaluateClamp(const BuiltinCall &call) {
  if (!call.args.empty() && !call.args[0].flow.loaded.empty())
    for (auto [position, keyword] : {std::pair(1, "min"), std::pair(2, "max")})
      if (const Flow *bound = call.flow(size_t(position), keyword))
        markReal(*bound);
  return evaluateArithmetic(call);
}

Flow FunctionScan::evaluatePointerType(const BuiltinCall &) { return {}; }

Flow FunctionScan::evaluateCast(const BuiltinCall &call) {
  Flow result = evaluateFirst(call);
  if (call.args.size() < 2)
    return result;
  markType(call.args[1].flow);
  const Expr *expr = call.args[1].expr;
  const auto *type = expr ? llvm::dyn_cast<Call>(expr) : nullptr;
  if (!type || !llvm::StringRef(getDottedName(type->callee)).ends_with("pointer_type"))
    return result;
  if (!result.loaded.empty() && result.terms.empty()) {
    markLoaded(result, &ParamUse::loadsAddresses);
    result.loaded.clear();
    result.isAddress = true;
  } else if (result.isExact) {
    use(result.terms.front()).isPointer = true;
  }
  return result;
}

Flow FunctionScan::evaluateAlignment(const BuiltinCall &call) {
  for (size_t i = 1; i < call.args.size(); ++i)
    for (unsigned term : call.args[i].flow.terms)
      use(term).isAlignment = true;
  return evaluateFirst(call);
}
