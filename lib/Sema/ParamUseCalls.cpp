// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What calls tell about parameters: those of other functions, and those of the language.

#include "ParamUseScan.h"
#include "tilec/Syntax/Walk.h"

#include "llvm/ADT/StringSwitch.h"

using namespace tilec;
using namespace tilec::ast;
using namespace tilec::paramuse;

/// Functions that need floating-point operands.
static bool isRealFunction(llvm::StringRef name) {
  return llvm::StringSwitch<bool>(name)
      .Cases({"exp", "exp2", "log", "log2", "sqrt", "sqrt_rn", "rsqrt", "sin", "cos", "sigmoid"},
             true)
      .Cases({"tanh", "erf", "pow", "fma", "floor", "ceil", "div_rn", "fdiv", "softmax"}, true)
      .Default(false);
}

/// Calls that hand on their first argument.
static bool isTransparent(llvm::StringRef name) {
  return llvm::StringSwitch<bool>(name)
      .Cases({"multiple_of", "max_contiguous", "max_constancy", "assume", "cast", "to"}, true)
      .Cases({"broadcast_to", "reshape", "view", "trans", "permute", "expand_dims", "advance"},
             true)
      .Cases({"ravel", "flip", "constexpr", "int", "to_tensor"}, true)
      .Default(false);
}

Flow FunctionScan::evaluateCall(const Call &call) {
  Args args;
  for (const Expr *arg : call.args)
    args.push_back({"", arg, evaluate(arg)});
  for (const KeywordArg &keyword : call.keywords)
    args.push_back({keyword.name, keyword.value, evaluate(keyword.value)});

  for (Arg &arg : args)
    if (const auto *starred = llvm::dyn_cast<Starred>(arg.expr)) {
      arg.flow = evaluate(starred->value);
      if (arg.flow.isExact && !use(arg.flow.terms.front()).isTuple)
        use(arg.flow.terms.front()).isSpread = true;
      arg.flow = arg.flow.scaled();
    }

  if (const auto *name = llvm::dyn_cast<Name>(call.callee)) {
    auto variable = variables.find(name->id);
    if (variable != variables.end()) {
      if (variable->second.isExact) {
        ParamUse &called = use(variable->second.terms.front());
        called.isCalled = true;
        bool isOpen = llvm::any_of(call.args, [](const Expr *a) { return llvm::isa<Starred>(a); });
        called.numArguments = isOpen ? ~0u : unsigned(args.size());
      }
      Flow flow;
      for (const Arg &arg : args)
        flow.add(arg.flow.scaled());
      return flow;
    }
    if (FunctionLookup::Found callee = analysis.findFunction(module, name->id))
      return evaluateFunction(callee, args);
    return evaluateBuiltin(name->id, args, nullptr);
  }
  if (const auto *attribute = llvm::dyn_cast<Attribute>(call.callee)) {
    std::string dotted = getDottedName(attribute->base);
    bool isModule = !dotted.empty() && !variables.count(llvm::StringRef(dotted).split('.').first);
    if (isModule) {
      if (FunctionLookup::Found callee =
              analysis.findFunction(module, dotted + "." + attribute->name.str()))
        return evaluateFunction(callee, args);
      return evaluateBuiltin(attribute->name, args, nullptr);
    }
    Flow self = evaluate(attribute->base);
    return evaluateBuiltin(attribute->name, args, &self);
  }
  Flow flow;
  for (const Arg &arg : args)
    flow.add(arg.flow.scaled());
  return flow;
}

Flow FunctionScan::evaluateFunction(const FunctionLookup::Found &found, const Args &args) {
  const FunctionDef &callee = *found.function;
  // Summarised before a reference to the caller's uses is taken: the map may grow.
  const Summary &called = analysis.summarize(*found.module, callee);
  std::vector<const Flow *> flows(callee.params.size(), nullptr);
  for (size_t position = 0; position < args.size(); ++position) {
    const Arg &arg = args[position];
    size_t index = position;
    if (!arg.keyword.empty()) {
      auto param =
          llvm::find_if(callee.params, [&](const Param &p) { return p.name == arg.keyword; });
      index = size_t(param - callee.params.begin());
    }
    if (index < flows.size())
      flows[index] = &arg.flow;
  }
  for (auto [index, flow] : llvm::enumerate(flows)) {
    if (!flow)
      continue;
    const ParamUse inner = called.uses[index];
    if (inner.isPointer)
      follow(*flow);
    if (inner.isIndex)
      markIndex(*flow);
    if (inner.isReal && !flow->isIndex)
      markReal(*flow);
    if (inner.isExtent)
      markExtent(*flow);
    if (inner.feedsDot)
      markLoaded(*flow, &ParamUse::feedsDot);
    // A helper may declare constants and be given what is only known at run time.
    if (!flow->isIndex && flow->loaded.empty())
      for (unsigned term : flow->terms)
        use(term).isStatic |= inner.isStatic;
    if (inner.isPointer && !flow->terms.empty()) {
      auto known = llvm::find_if(flow->terms, [&](unsigned p) { return use(p).isPointer; });
      ParamUse &pointer = use(known == flow->terms.end() ? flow->terms.front() : *known);
      pointer.loadsIntegers |= inner.loadsIntegers;
      pointer.loadsBits |= inner.loadsBits;
      pointer.isAtomic |= inner.isAtomic;
      pointer.loadsAddresses |= inner.loadsAddresses;
      pointer.loadsConditions |= inner.loadsConditions;
      pointer.feedsDot |= inner.feedsDot;
      pointer.loadsScales |= inner.loadsScales;
      if (pointer.element.empty())
        pointer.element = inner.element;
    }
    if (inner.isTuple)
      markTuple(*flow, inner.tupleSize);
    if (flow->isExact) {
      ParamUse &outer = use(flow->terms.front());
      outer.isCondition |= inner.isCondition;
      outer.isOptional |= inner.isOptional;
      outer.isType |= inner.isType;
      outer.isBlock |= inner.isBlock;
      outer.isTerm |= inner.isTerm;
      if (inner.isCalled) {
        outer.isCalled = true;
        outer.numArguments = inner.numArguments;
      }
      if (inner.isDescriptor) {
        outer.isDescriptor = true;
        outer.descriptorRank = inner.descriptorRank;
        if (outer.element.empty())
          outer.element = inner.element;
      }
      for (const std::string &text : inner.strings)
        if (!llvm::is_contained(outer.strings, text))
          outer.strings.push_back(text);
      for (int64_t number : inner.numbers)
        if (!llvm::is_contained(outer.numbers, number))
          outer.numbers.push_back(number);
    }
  }
  Flow result;
  result.isIndex = called.result.isIndex;
  for (unsigned term : called.result.terms)
    if (term < flows.size() && flows[term])
      result.add(*flows[term]);
  for (unsigned factor : called.result.factors)
    if (factor < flows.size() && flows[factor])
      result.add(flows[factor]->scaled());
  for (unsigned loaded : called.result.loaded)
    if (loaded < flows.size() && flows[loaded])
      result.loaded.insert_range(flows[loaded]->terms);
  return result;
}

/// An operand of dot_scaled, its scales, and its format.
void FunctionScan::markScaled(const Args &args, size_t position, const std::string &name) {
  const Arg *format = find(args, position + 2, name + "_format");
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
  set(find(args, position, name), element);
  const Arg *scale = find(args, position + 1, name + "_scale");
  set(scale, "uint8");
  for (unsigned param : scale ? scale->flow.loaded : Params())
    use(param).loadsScales = true;
}

Flow FunctionScan::evaluateBuiltin(llvm::StringRef name, Args &args, const Flow *self) {
  if (self)
    args.insert(args.begin(), Arg{"", nullptr, *self});
  auto arg = [&](size_t position, llvm::StringRef keyword) {
    const Arg *found = find(args, position, keyword);
    return found ? &found->flow : nullptr;
  };
  Flow result;
  bool isDescriptorLoad = name == "_experimental_descriptor_load" ||
                          name == "_experimental_descriptor_store" ||
                          name == "load_tensor_descriptor" || name == "store_tensor_descriptor";
  if ((self && self->isExact &&
       (name == "load" || name == "store" || name.starts_with("atomic_"))) ||
      isDescriptorLoad) {
    const Arg *offsets = find(args, name == "_experimental_descriptor_store" ? 2 : 1, "offsets");
    bool hasOffsets =
        offsets && offsets->expr && llvm::isa<Tuple, List>(offsets->expr) && !args.empty();
    if (hasOffsets && args[0].flow.isExact) {
      ParamUse &descriptor = use(args[0].flow.terms.front());
      descriptor.isDescriptor = true;
      const auto *tuple = llvm::dyn_cast<Tuple>(offsets->expr);
      descriptor.descriptorRank = unsigned(
          tuple ? tuple->elements.size() : llvm::cast<List>(offsets->expr)->elements.size());
      markIndex(offsets->flow);
      if (name == "_experimental_descriptor_load") {
        if (const Flow *shape = arg(2, "shape"))
          markExtent(*shape);
        const Arg *type = find(args, 3, "dtype");
        if (auto *attribute = llvm::dyn_cast_or_null<Attribute>(type ? type->expr : nullptr))
          use(args[0].flow.terms.front()).element = attribute->name.str();
      }
      result.loaded.insert(args[0].flow.terms.front());
      return result;
    }
  }
  if (name == "load" || name == "store" || name.starts_with("atomic_")) {
    const Flow *pointer = arg(0, "pointer");
    if (!pointer)
      return result;
    follow(*pointer);
    // `descriptor.store([i, j], value)` has no mask.
    const Arg *offsets = self ? find(args, 1, "offsets") : nullptr;
    bool hasOffsets = offsets && offsets->expr && llvm::isa<Tuple, List>(offsets->expr);
    bool isLoad = name == "load" || name == "atomic_load";
    bool hasMask = !hasOffsets && name != "atomic_cas";
    const Flow *mask = hasMask ? arg(isLoad ? 1 : 2, "mask") : nullptr;
    if (mask && mask->isLoad)
      markLoaded(*mask, &ParamUse::loadsConditions);
    bool isExchange = name == "atomic_xchg" || name == "atomic_cas" || name == "atomic_and" ||
                      name == "atomic_or" || name == "atomic_xor";
    for (unsigned term : pointer->terms) {
      use(term).loadsBits |= isExchange;
      use(term).isAtomic |= name.starts_with("atomic_");
    }
    result.isLoad = isLoad;
    result.loaded = pointer->terms;
    // The data of a block pointer or of a table of addresses come from there as well.
    if (pointer->terms.empty())
      result.loaded = pointer->loaded;
    return result;
  }
  if (name == "make_block_ptr" || name == "make_tensor_descriptor" ||
      name == "_experimental_make_tensor_descriptor") {
    const Flow *base = arg(0, "base");
    if (base)
      follow(*base);
    for (auto [position, keyword] : {std::pair(1, "shape"), std::pair(2, "strides")})
      if (const Flow *flow = arg(size_t(position), keyword))
        markIndex(*flow);
    bool isBlockPointer = name == "make_block_ptr";
    // The copy engine takes rows that begin at multiples of 16 bytes.
    const Arg *strides = isBlockPointer ? nullptr : find(args, 2, "strides");
    auto *list = llvm::dyn_cast_or_null<List>(strides ? strides->expr : nullptr);
    for (const Expr *stride : list ? list->elements.drop_back() : llvm::ArrayRef<Expr *>())
      if (Flow flow = evaluate(stride); flow.isExact)
        use(flow.terms.front()).isAlignment = true;
    if (const Flow *offsets = isBlockPointer ? arg(3, "offsets") : nullptr)
      markIndex(*offsets);
    if (const Flow *block = arg(isBlockPointer ? 4 : 3, "block_shape"))
      markExtent(*block);
    if (base) {
      result.terms = base->terms;
      result.loaded = base->loaded;
    }
    return result;
  }
  if (name == "arange") {
    for (const Arg &each : args)
      markExtent(each.flow);
    result.isIndex = true;
    return result;
  }
  if (name == "program_id" || name == "num_programs") {
    result.isIndex = true;
    return result;
  }
  if (name == "range" || name == "cdiv" || name == "static_range") {
    for (const Arg &each : args) {
      if (each.keyword.empty())
        markIndex(each.flow);
      if (name == "static_range" || !each.keyword.empty())
        for (unsigned term : each.flow.terms) {
          use(term).isStatic = true;
          use(term).isUnrolled |= name == "static_range";
        }
      // `static_range(1 - N, 1)`
      if (name == "static_range" && !each.flow.isQuotient)
        for (unsigned factor : each.flow.factors)
          use(factor).isUnrolled = true;
      result.add(each.flow.scaled());
    }
    result.isIndex = true;
    return result;
  }
  if (name == "zeros" || name == "full" || name == "empty") {
    if (const Flow *shape = arg(0, "shape"))
      markExtent(*shape);
    if (const Flow *type = arg(name == "full" ? 2 : 1, "dtype"))
      markType(*type);
    if (const Flow *value = name == "full" ? arg(1, "value") : nullptr)
      result.add(value->scaled());
    return result;
  }
  if (name == "broadcast_to" || name == "reshape" || name == "view")
    for (size_t i = 1; i < args.size(); ++i)
      markExtent(args[i].flow);
  bool needsBlock = name == "reshape" || name == "trans" || name == "permute" || name == "split" ||
                    name == "dot" || name == "expand_dims" || name == "broadcast_to" ||
                    name == "sum" || name == "argmax" || name == "argmin" || name == "cumsum";
  if (needsBlock && !args.empty() && args.front().flow.isExact)
    use(args.front().flow.terms.front()).isBlock = true;
  if (name == "dot" && args.size() > 1 && args[1].flow.isExact)
    use(args[1].flow.terms.front()).isBlock = true;
  if (name == "dot" || name == "dot_scaled") {
    for (const Arg &each : args)
      if (each.keyword.empty() || each.keyword == "input" || each.keyword == "other")
        markLoaded(each.flow, &ParamUse::feedsDot);
    if (name == "dot_scaled") {
      markScaled(args, 0, "lhs");
      markScaled(args, 3, "rhs");
    } else if (const Flow *type = arg(6, "out_dtype")) {
      markType(*type);
    }
    const Flow *precision = arg(3, "input_precision");
    if (precision && precision->isExact)
      use(precision->terms.front()).strings = {"ieee"};
    for (const Arg &each : args)
      result.loaded.insert_range(each.flow.loaded);
    return result;
  }
  if (name == "where") {
    if (const Flow *condition = arg(0, "condition"); condition && condition->isLoad)
      markLoaded(*condition, &ParamUse::loadsConditions);
    if (const Flow *one = arg(1, "x"))
      if (const Flow *other = arg(2, "y"))
        noteChoice(*one, *other);
    for (size_t i = 1; i < args.size(); ++i)
      result.add(args[i].flow);
    return result;
  }
  if (name == "len" && args.size() == 1)
    markTuple(args[0].flow, 0);
  if (name == "clamp" && !args.empty() && !args[0].flow.loaded.empty())
    for (auto [position, keyword] : {std::pair(1, "min"), std::pair(2, "max")})
      if (const Flow *bound = arg(size_t(position), keyword))
        markReal(*bound);
  if (name == "pointer_type")
    return result;
  if (isRealFunction(name))
    for (const Arg &each : args)
      if (!each.flow.isIndex)
        markReal(each.flow);
  if ((name == "to" || name == "cast") && args.size() > 1) {
    markType(args[1].flow);
    result = args[0].flow;
    const auto *type = args[1].expr ? llvm::dyn_cast<Call>(args[1].expr) : nullptr;
    if (type && llvm::StringRef(getDottedName(type->callee)).ends_with("pointer_type")) {
      if (!result.loaded.empty() && result.terms.empty()) {
        markLoaded(result, &ParamUse::loadsAddresses);
        result.loaded.clear();
        result.isAddress = true;
      } else if (result.isExact)
        use(result.terms.front()).isPointer = true;
    }
    return result;
  }
  if (isTransparent(name) && !args.empty()) {
    if (name == "multiple_of" || name == "max_contiguous")
      for (size_t i = 1; i < args.size(); ++i)
        for (unsigned term : args[i].flow.terms)
          use(term).isAlignment = true;
    result = args[0].flow;
    return result;
  }
  for (const Arg &each : args)
    result.add(each.flow.scaled());
  return result;
}
