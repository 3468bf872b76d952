// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls: evaluation of arguments, binding to parameters, and what happens for each kind of callee.
// Functions are specialised and inlined at every call.

#include "Generator.h"

namespace tilec::irgen {

static constexpr unsigned callDepthLimit = 64;

FailureOr<Value> Generator::evaluateCall(const ast::Call &expr) {
  FailureOr<Value> callee = evaluate(expr.callee);
  std::vector<CallArg> args;
  bool failed = mlir::failed(callee);
  for (const ast::Expr *arg : expr.args) {
    auto *starred = llvm::dyn_cast<ast::Starred>(arg);
    FailureOr<Value> value = evaluate(starred ? starred->value : arg);
    if (mlir::failed(value)) {
      failed = true;
      continue;
    }
    if (!starred) {
      args.push_back({"", *value, arg->range});
      continue;
    }
    FailureOr<std::vector<Value>> items = enumerateIterable(*value, arg->range);
    if (mlir::failed(items))
      return failure();
    for (const Value &item : *items)
      args.push_back({"", item, arg->range});
  }
  for (const ast::KeywordArg &keyword : expr.keywords) {
    if (keyword.name.empty())
      return error(keyword.value->range, "'**' in a call is not supported in a kernel");
    // A hook of a triton.Config is the host's business.
    if (frame->keepsConstants && keyword.name == "pre_hook")
      continue;
    FailureOr<Value> value = evaluate(keyword.value);
    if (mlir::failed(value)) {
      failed = true;
      continue;
    }
    args.push_back({keyword.name, *value, keyword.value->range});
  }
  if (failed)
    return failure();
  return call(*callee, args, expr.range);
}

/// The product of a tuple's elements.
static FailureOr<Value> multiplyAll(Generator &g, llvm::ArrayRef<Value> factors,
                                    SourceRange range) {
  Value product = Value::integer(1);
  for (const Value &factor : factors) {
    FailureOr<Value> next = g.binary(ast::BinaryOp::Mul, product, factor, range);
    if (mlir::failed(next))
      return failure();
    product = *next;
  }
  return product;
}

static FailureOr<Value> callPartial(Generator &g, const PartialValue &callee,
                                    llvm::ArrayRef<CallArg> args, SourceRange range) {
  // Arguments of the call come behind those that there are, and in place of those of their keyword.
  std::vector<CallArg> all;
  for (const auto &[keyword, value] : *callee.args)
    if (keyword.empty())
      all.push_back({"", value, range});
  llvm::append_range(all, args);
  for (const auto &[keyword, value] : *callee.args) {
    llvm::StringRef name = keyword;
    bool isReplaced = llvm::any_of(args, [&](const CallArg &arg) { return arg.keyword == name; });
    if (!name.empty() && !isReplaced)
      all.push_back({name, value, range});
  }
  return g.call(*callee.callee, all, range);
}

FailureOr<Value> Generator::call(const Value &callee, llvm::ArrayRef<CallArg> args,
                                 SourceRange range) {
  if (const FunctionValue *function = callee.getIf<FunctionValue>())
    return callFunction(*function, args, range);
  if (const BuiltinValue *builtin = callee.getIf<BuiltinValue>())
    return callBuiltin(*builtin, args, range);
  if (const LambdaValue *lambda = callee.getIf<LambdaValue>())
    return callLambda(*lambda, args, range);
  if (const PartialValue *partial = callee.getIf<PartialValue>())
    return callPartial(*this, *partial, args, range);
  if (const ClassValue *type = callee.getIf<ClassValue>())
    return callClass(*type, args, range);
  if (const TypeNameValue *type = callee.getIf<TypeNameValue>())
    if (const LanguageFunction *known = findBuiltin(type->name, inPython | inLanguage))
      return callBuiltin(BuiltinValue{known}, args, range);
  // `tl.float32(x)` converts.
  const Constant *constant = callee.getConstant();
  if (constant && constant->isDType() && args.size() == 1 && args[0].keyword.empty())
    return cast(args[0].value, constant->getDType(), range);
  if (const ModuleValue *module = callee.getIf<ModuleValue>()) {
    const std::vector<Value> *factors = args.size() == 1 ? args[0].value.getTuple() : nullptr;
    return module->path == "math.prod" && factors ? multiplyAll(*this, *factors, range)
                                                  : modules.callHost(*module, args, range);
  }
  if (std::optional<FailureOr<Value>> result = callMethod(callee, "__call__", args, range))
    return *result;
  if (callee.isPoison())
    return failure();
  return error(range, callee.describe() + " cannot be called");
}

/// The name in front of an argument's value; the value where the name does not stand there.
static SourceRange placeOfKeyword(const SourceManager &sources, const CallArg &arg) {
  const SourceBuffer *buffer = sources.getBuffer(arg.range.file);
  if (!buffer)
    return arg.range;
  llvm::StringRef before = buffer->getText().take_front(arg.range.begin).rtrim(" \t\r\n(");
  if (!before.consume_back("="))
    return arg.range;
  before = before.rtrim();
  if (!before.ends_with(arg.keyword))
    return arg.range;
  auto end = static_cast<uint32_t>(before.size());
  return {arg.range.file, end - static_cast<uint32_t>(arg.keyword.size()), end};
}

FailureOr<Value> Generator::callFunction(const FunctionValue &callee, llvm::ArrayRef<CallArg> args,
                                         SourceRange range, Value *constructed) {
  const ast::FunctionDef &function = *callee.function;
  bool isHost = !function.isJit && !function.isConstexprFunction && callee.definedIn == 0;
  const Frame *outer = frame;
  while (callee.definedIn != 0 && outer && outer->id != callee.definedIn)
    outer = outer->caller;
  if (!outer)
    return error(range, "'" + function.name + "' is called outside of the function it is in");
  if (isHost)
    if (std::optional<bool> answer = modules.answerHostPredicate(function.name))
      return Value::boolean(*answer);
  if (frame->depth >= callDepthLimit) {
    aborted = true;
    return error(range, "calls are nested more than " + llvm::Twine(callDepthLimit) +
                            " deep; is '" + function.name + "' called recursively without end?");
  }
  if (function.bodySkipped && !modules.parseHostBody(*callee.module, function))
    return error(range, "the body of '" + function.name + "' is host code");
  std::vector<CallArg> allArgs;
  if (callee.self)
    allArgs.push_back({"", *callee.self, range});
  allArgs.insert(allArgs.end(), args.begin(), args.end());

  Frame activation;
  activation.function = &function;
  activation.module = callee.module;
  activation.around = getFunctionAround(function);
  activation.callSite = range;
  activation.caller = frame;
  activation.depth = frame->depth + 1;
  activation.keepsConstants = callee.definedIn != 0 ? outer->keepsConstants : !function.isJit;
  if (callee.definedIn != 0) {
    activation.defaults = callee.defaults.get();
    charge(outer->variables.size());
    activation.variables = outer->variables;
    activation.around = outer->around;
  }
  activation.callLocation = getLocation();
  if (mlir::failed(bindParams(function.params, function.name, allArgs, range, activation)))
    return failure();

  if (!callee.module->isLibrary)
    lint(function, /*isKernel=*/false);
  llvm::SaveAndRestore<Frame *> enterFrame(frame, &activation);
  llvm::SaveAndRestore<SourceRange> place(current, function.range);
  // Of an imported file only the functions that are used have to be right.
  if (callee.module->problems)
    for (const Diagnostic &problem : callee.module->problems->getDiagnostics())
      if (problem.severity == Severity::Error && problem.range.begin >= function.range.begin &&
          problem.range.begin <= function.range.end)
        return error(problem.range, problem.message);
  unsigned errorsBefore = diagnostics.getNumErrors();
  if (constructed)
    activation.constructed = function.params.front().name;
  Flow flow = execute(function.body, nullptr);
  if (isAborted() || diagnostics.getNumErrors() != errorsBefore)
    return failure();
  if (constructed)
    *constructed = activation.variables.lookup(activation.constructed);
  Value result = flow == Flow::Return ? activation.returnValue : Value::none();
  if (result.isPoison())
    return failure();
  return result;
}

FailureOr<Value> Generator::callLambda(const LambdaValue &callee, llvm::ArrayRef<CallArg> args,
                                       SourceRange range) {
  if (frame->depth >= callDepthLimit)
    return error(range, "calls are nested more than " + llvm::Twine(callDepthLimit) + " deep");
  Frame activation;
  activation.module = callee.module;
  activation.callSite = range;
  activation.caller = frame;
  activation.depth = frame->depth + 1;
  activation.keepsConstants = true;
  activation.isLambda = true;
  activation.callLocation = getLocation();
  if (mlir::failed(bindParams(callee.lambda->params, "lambda", args, range, activation)))
    return failure();
  llvm::SaveAndRestore<Frame *> enterFrame(frame, &activation);
  return evaluate(callee.lambda->body);
}

LogicalResult Generator::bindParams(llvm::ArrayRef<ast::Param> params, llvm::StringRef functionName,
                                    llvm::ArrayRef<CallArg> args, SourceRange range,
                                    Frame &callee) {
  std::string shown = "'" + functionName.str() + "'";
  size_t positional = 0, numPositional = 0;
  for (const CallArg &arg : args)
    numPositional += arg.keyword.empty();
  auto findKeyword = [&](llvm::StringRef name) -> const CallArg * {
    for (const CallArg &arg : args)
      if (!arg.keyword.empty() && arg.keyword == name)
        return &arg;
    return nullptr;
  };

  std::vector<llvm::StringRef> names;
  bool takesAllKeywords = false;
  for (const ast::Param &param : params) {
    if (param.kind == ast::ParamKind::VarKeywords) {
      // A function of the host that runs at compile time.
      if (!callee.keepsConstants)
        return error(range, shown + " has '**" + param.name + "', which is not supported");
      KeyedValues rest;
      for (const CallArg &arg : args)
        if (!arg.keyword.empty() && !llvm::is_contained(names, arg.keyword))
          rest.emplace_back(arg.keyword.str(), arg.value);
      callee.variables[param.name] = Value::dict(std::move(rest));
      takesAllKeywords = true;
      continue;
    }
    if (param.kind == ast::ParamKind::VarArgs) {
      std::vector<Value> rest;
      for (; positional < numPositional; ++positional)
        rest.push_back(args[positional].value);
      callee.variables[param.name] = Value::tuple(std::move(rest));
      continue;
    }
    if (param.kind != ast::ParamKind::PositionalOnly)
      names.push_back(param.name);
    const CallArg *keyword =
        param.kind == ast::ParamKind::PositionalOnly ? nullptr : findKeyword(param.name);
    const CallArg *given = keyword;
    if (positional < numPositional && param.kind != ast::ParamKind::KeywordOnly) {
      if (keyword)
        return error(keyword->range,
                     "argument '" + param.name + "' of " + shown + " is given twice");
      given = &args[positional++];
    }
    bool isConstexpr =
        classifyAnnotation(param.annotation).kind == ParamAnnotation::Kind::Constexpr;
    // A called function takes a runtime value too; what needs a constant says so where it does.
    if (isConstexpr && !(given && given->value.isRuntime()))
      callee.constexprNames.insert(param.name);
    if (given) {
      callee.variables[param.name] = given->value;
      continue;
    }
    if (!param.defaultValue && param.kind == ast::ParamKind::KeywordOnly &&
        positional < numPositional)
      return error(args[positional].range,
                   "'" + param.name + "' of " + shown + " is given by keyword only");
    if (!param.defaultValue)
      return error(range, "missing argument '" + param.name + "' in the call of " + shown);
    bool isKnown = false;
    if (callee.defaults)
      for (const auto &[name, value] : *callee.defaults)
        if (name == param.name) {
          callee.variables[param.name] = value;
          isKnown = true;
        }
    if (isKnown)
      continue;
    FailureOr<Value> value = evaluateInModule(*callee.module, param.defaultValue, callee.around);
    if (mlir::failed(value))
      return failure();
    callee.variables[param.name] = *value;
  }
  if (positional < numPositional)
    return error(args[positional].range, "too many arguments for " + shown + ": expected " +
                                             llvm::Twine(positional) + ", got " +
                                             llvm::Twine(numPositional));
  for (const CallArg &arg : args)
    if (!takesAllKeywords && !arg.keyword.empty() && !llvm::is_contained(names, arg.keyword))
      return errorUnknown(placeOfKeyword(sources, arg),
                          shown + " has no parameter '" + arg.keyword + "'", arg.keyword, names);
  return success();
}

/// What functions of `@tl.extern` hand on to the operations of the language: nothing here.
static bool isCompilerState(llvm::StringRef keyword) {
  return keyword == "_semantic" || keyword == "_builder" || keyword == "_generator";
}

FailureOr<Value> Generator::callBuiltin(const BuiltinValue &callee, llvm::ArrayRef<CallArg> args,
                                        SourceRange range) {
  const LanguageFunction &builtin = *callee.builtin;
  std::string shown = "'" + builtin.getDisplayName() + "'";
  llvm::ArrayRef<LanguageParam> params = builtin.params;
  BoundArgs bound;
  bound.builtin = &builtin;
  bound.range = range;
  bound.args.resize(params.size());

  size_t next = 0;
  auto bindPositional = [&](const Value &value, SourceRange argRange) -> LogicalResult {
    if (next < params.size() && params[next].variadic) {
      bound.rest.push_back({value, argRange, true});
      return success();
    }
    if (next >= params.size() || params[next].keywordOnly || params[next].anyKeyword)
      return error(argRange, "too many arguments for " + shown);
    bound.args[next++] = {value, argRange, true};
    return success();
  };
  if (callee.self && mlir::failed(bindPositional(*callee.self, range)))
    return failure();
  for (const CallArg &arg : args) {
    if (arg.keyword.empty()) {
      if (mlir::failed(bindPositional(arg.value, arg.range)))
        return failure();
      continue;
    }
    auto param = llvm::find_if(
        params, [&](const LanguageParam &p) { return p.name == arg.keyword && !p.variadic; });
    // `shape=(...)` for `*shape`.
    auto variadic = llvm::find_if(
        params, [&](const LanguageParam &p) { return p.name == arg.keyword && p.variadic; });
    if (variadic != params.end() && bound.rest.empty()) {
      bound.rest.push_back({arg.value, arg.range, true});
      continue;
    }
    if (!params.empty() && params.back().anyKeyword && param == params.end()) {
      bound.keywords.push_back({arg.keyword, arg.value, arg.range});
      continue;
    }
    if (param == params.end() && isCompilerState(arg.keyword))
      continue;
    if (param == params.end()) {
      std::vector<llvm::StringRef> names;
      for (const LanguageParam &candidate : params)
        names.push_back(candidate.name);
      return errorUnknown(placeOfKeyword(sources, arg),
                          shown + " has no parameter '" + arg.keyword + "'", arg.keyword, names);
    }
    BoundArg &slot = bound.args[param - params.begin()];
    if (slot)
      return error(arg.range, "argument '" + arg.keyword + "' of " + shown + " is given twice");
    slot = {arg.value, arg.range, true};
  }
  for (auto [slot, param] : llvm::zip(bound.args, params))
    if (!slot && !param.optional)
      return error(range, "missing argument '" + param.name + "' in the call of " + shown);
  llvm::SaveAndRestore<SourceRange> place(current, range);
  return getHandler(builtin)(*this, bound);
}

} // namespace tilec::irgen
