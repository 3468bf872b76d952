// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What calls tell about parameters: those of the program's functions.

#include "ParamUseScan.h"
#include "tilec/Syntax/Walk.h"

using namespace tilec;
using namespace tilec::ast;
using namespace tilec::paramuse;

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
