// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What calls of the language's functions tell about parameters: first what the table of the
// language says about the parameters of the function, then by a rule what the result is made of.
// What has no rule computes with its arguments.

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
      .Cases({"zeros", "full"}, &Scan::evaluateFilled)
      .Cases({"trans", "permute", "expand_dims", "broadcast_to", "reshape"},
             &Scan::evaluateMovedBlock)
      .Cases({"split", "sum", "argmax", "argmin", "cumsum"}, &Scan::evaluateReduced)
      .Cases({"dot", "dot_scaled"}, &Scan::evaluateDot)
      .Case("where", &Scan::evaluateWhere)
      .Case("len", &Scan::evaluateLen)
      .Case("clamp", &Scan::evaluateClamp)
      .Case("pointer_type", &Scan::evaluateType)
      .Cases({"to", "cast"}, &Scan::evaluateCast)
      .Cases({"multiple_of", "max_contiguous"}, &Scan::evaluateAlignment)
      // Those that hand on their first argument.
      .Cases({"max_constancy", "assume", "advance", "ravel", "view", "flip"}, &Scan::evaluateFirst)
      .Cases({"constexpr", "int", "to_tensor"}, &Scan::evaluateFirst)
      .Default(&Scan::evaluateArithmetic);
}

const LanguageParam *FunctionScan::BuiltinCall::findParam(size_t position) const {
  if (!function)
    return nullptr;
  if (!args[position].keyword.empty())
    return function->findParam(args[position].keyword);
  for (const auto &[index, param] : llvm::enumerate(function->params))
    if (param.variadic || (index == position && !param.keywordOnly))
      return &param;
  return nullptr;
}

const FunctionScan::Arg *FunctionScan::BuiltinCall::find(llvm::StringRef param) const {
  for (size_t i = 0; i < args.size(); ++i)
    if (const LanguageParam *found = findParam(i); found && found->name == param)
      return &args[i];
  return nullptr;
}

/// Whether an argument is written as a list of indices: that of a descriptor's method.
static bool isIndexList(const Expr *expr) { return expr && llvm::isa<Tuple, List>(expr); }

Flow FunctionScan::evaluateBuiltin(llvm::StringRef name, Args &args, const Flow *self) {
  if (self)
    args.insert(args.begin(), Arg{"", nullptr, *self});
  constexpr unsigned methods = asMethod | asDescriptorMethod | asTypeMethod | asIntMethod |
                               asTextMethod | asDictMethod | asSetMethod;
  BuiltinCall call = {name, findLanguageFunction(name, self ? methods : ~methods), args, self};
  // `descriptor.store([i, j], value)`
  if (self)
    if (const LanguageFunction *method = findLanguageFunction(name, asDescriptorMethod)) {
      BuiltinCall access = {name, method, args, self};
      if (const Arg *offsets = access.find("offsets"); offsets && isIndexList(offsets->expr))
        call.function = method;
    }
  markRoles(call);
  return (this->*findBuiltinRule(name))(call);
}

void FunctionScan::markRoles(const BuiltinCall &call) {
  for (const auto &[position, arg] : llvm::enumerate(call.args)) {
    const LanguageParam *param = call.findParam(position);
    switch (param ? param->role : ParamRole::Other) {
    case ParamRole::Other:
      break;
    case ParamRole::Pointer:
      follow(arg.flow);
      break;
    case ParamRole::Mask:
      if (arg.flow.isLoad)
        markLoaded(arg.flow, &ParamUse::loadsConditions);
      break;
    case ParamRole::Index:
      markIndex(arg.flow);
      break;
    case ParamRole::Extent:
      markExtent(arg.flow);
      break;
    case ParamRole::Type:
      markType(arg.flow);
      break;
    case ParamRole::Real:
      if (!arg.flow.isIndex)
        markReal(arg.flow);
      break;
    }
  }
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

Flow FunctionScan::evaluateAccess(const BuiltinCall &call) {
  bool isMethod = call.function && call.function->places & asDescriptorMethod;
  if (isMethod && call.self->isExact)
    return evaluateDescriptorAccess(call);
  const Flow *pointer = isMethod ? call.self : call.flow("pointer");
  if (!pointer)
    return {};
  if (isMethod)
    follow(*pointer);
  llvm::StringRef name = call.name;
  bool isExchange = name == "atomic_xchg" || name == "atomic_cas" || name == "atomic_and" ||
                    name == "atomic_or" || name == "atomic_xor";
  for (unsigned term : pointer->terms) {
    use(term).loadsBits |= isExchange;
    use(term).isAtomic |= name.starts_with("atomic_");
  }
  Flow result;
  result.isLoad = name == "load" || name == "atomic_load";
  // The data of a block pointer or of a table of addresses come from there as well.
  result.loaded = pointer->terms.empty() ? pointer->loaded : pointer->terms;
  return result;
}

Flow FunctionScan::evaluateDescriptorAccess(const BuiltinCall &call) {
  const Arg *offsets = call.find("offsets");
  if (!offsets || !isIndexList(offsets->expr) || call.args.empty() || !call.args[0].flow.isExact)
    return evaluateArithmetic(call);
  unsigned param = call.args[0].flow.terms.front();
  use(param).isDescriptor = true;
  const auto *tuple = llvm::dyn_cast<Tuple>(offsets->expr);
  use(param).descriptorRank =
      unsigned(tuple ? tuple->elements.size() : llvm::cast<List>(offsets->expr)->elements.size());
  const Arg *type = call.find("dtype");
  if (auto *attribute = llvm::dyn_cast_or_null<Attribute>(type ? type->expr : nullptr))
    use(param).element = attribute->name.str();
  Flow result;
  result.loaded.insert(param);
  return result;
}

Flow FunctionScan::evaluateBlockAccess(const BuiltinCall &call) {
  // The copy engine takes rows that begin at multiples of 16 bytes.
  const Arg *strides = call.name == "make_block_ptr" ? nullptr : call.find("strides");
  auto *list = llvm::dyn_cast_or_null<List>(strides ? strides->expr : nullptr);
  for (const Expr *stride : list ? list->elements.drop_back() : llvm::ArrayRef<Expr *>())
    if (Flow flow = evaluate(stride); flow.isExact)
      use(flow.terms.front()).isAlignment = true;
  Flow result;
  if (const Flow *base = call.flow("base")) {
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
  Flow result;
  if (const Flow *value = call.flow("value"))
    result.add(value->scaled());
  return result;
}

void FunctionScan::markBlock(const Flow *flow) {
  if (flow && flow->isExact)
    use(flow->terms.front()).isBlock = true;
}

Flow FunctionScan::evaluateMovedBlock(const BuiltinCall &call) {
  markBlock(call.args.empty() ? nullptr : &call.args[0].flow);
  return evaluateFirst(call);
}

Flow FunctionScan::evaluateReduced(const BuiltinCall &call) {
  evaluateMovedBlock(call);
  return evaluateArithmetic(call);
}

/// An operand of dot_scaled, its scales, and its format.
void FunctionScan::markScaled(const BuiltinCall &call, const std::string &name) {
  const Arg *format = call.find(name + "_format");
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
  set(call.find(name), element);
  const Arg *scale = call.find(name + "_scale");
  set(scale, "uint8");
  for (unsigned param : scale ? scale->flow.loaded : Params())
    use(param).loadsScales = true;
}

Flow FunctionScan::evaluateDot(const BuiltinCall &call) {
  for (const Arg &each : call.args)
    if (each.keyword.empty() || each.keyword == "input" || each.keyword == "other")
      markLoaded(each.flow, &ParamUse::feedsDot);
  if (call.name == "dot_scaled") {
    markScaled(call, "lhs");
    markScaled(call, "rhs");
  } else {
    markBlock(call.flow("input"));
    markBlock(call.flow("other"));
  }
  const Flow *precision = call.flow("input_precision");
  if (precision && precision->isExact)
    use(precision->terms.front()).strings = {"ieee"};
  Flow result;
  for (const Arg &each : call.args)
    result.loaded.insert_range(each.flow.loaded);
  return result;
}

Flow FunctionScan::evaluateWhere(const BuiltinCall &call) {
  if (const Flow *condition = call.flow("condition"); condition && condition->isLoad)
    markLoaded(*condition, &ParamUse::loadsConditions);
  if (const Flow *one = call.flow("x"))
    if (const Flow *other = call.flow("y"))
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
    for (llvm::StringRef param : {"min", "max"})
      if (const Flow *bound = call.flow(param))
        markReal(*bound);
  return evaluateArithmetic(call);
}

Flow FunctionScan::evaluateType(const BuiltinCall &) { return {}; }

Flow FunctionScan::evaluateCast(const BuiltinCall &call) {
  Flow result = evaluateFirst(call);
  const Arg *target = call.find("dtype");
  const auto *type = target ? llvm::dyn_cast<Call>(target->expr) : nullptr;
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
