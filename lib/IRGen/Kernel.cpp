// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The way in: choosing the kernel, giving each parameter a type or a value, making the function,
// and emitting its body.

#include "BlockPointer.h"
#include "KernelBinding.h"
#include "Trial.h"

#include "tilec/IRGen/KernelSelection.h"
#include "tilec/Sema/Signature.h"
#include "tilec/Syntax/Parser.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/StringSet.h"

namespace tilec::irgen {

/// Whether a function belongs to the objects of an aggregate.
static bool isMethod(const ast::FunctionDef &function) {
  auto *classDef = llvm::dyn_cast_or_null<ast::ClassDef>(function.parent);
  return classDef && isAggregateClass(*classDef);
}

std::vector<const ast::FunctionDef *> getKernels(const ast::Module &module, bool hidden) {
  std::vector<const ast::FunctionDef *> kernels;
  auto jitFunctions = module.getJitFunctions();
  // The last definition of each name with those around it.
  llvm::StringMap<const ast::FunctionDef *> others;
  auto isHidden = [&](const ast::FunctionDef *function) {
    return hidden && function->isJit && function->parent &&
           jitFunctions.lookup(function->name) != function;
  };
  for (const ast::FunctionDef *function : module.deviceFunctions)
    if (isHidden(function))
      others[ast::getQualifiedName(*function)] = function;
  for (const ast::FunctionDef *function : module.deviceFunctions) {
    bool isListed = jitFunctions.lookup(function->name) == function ||
                    (isHidden(function) && others[ast::getQualifiedName(*function)] == function);
    if (isListed && !isMethod(*function))
      kernels.push_back(function);
  }
  return kernels;
}

/// Names of functions that some other jit function mentions.
static llvm::StringSet<> getMentionedNames(const ast::Module &module) {
  llvm::StringSet<> mentioned;
  for (const ast::FunctionDef *function : module.deviceFunctions) {
    ast::NameSet used;
    ast::collectUsedNames(function->body, used);
    for (llvm::StringRef name : used)
      if (name != function->name)
        mentioned.insert(name);
  }
  return mentioned;
}

/// Whether a statement of these returns a value, as no kernel may.
static bool returnsValue(ast::Block block) {
  return llvm::any_of(block, [](const ast::Stmt *stmt) {
    if (auto *ret = llvm::dyn_cast<ast::Return>(stmt))
      return ret->value && !llvm::isa<ast::NoneLiteral>(ret->value);
    if (auto *branch = llvm::dyn_cast<ast::If>(stmt))
      return returnsValue(branch->thenBody) || returnsValue(branch->elseBody);
    return false;
  });
}

std::vector<const ast::FunctionDef *> getEntryKernels(const ast::Module &module, bool hidden) {
  llvm::StringSet<> mentioned = getMentionedNames(module);
  std::vector<const ast::FunctionDef *> entries;
  for (const ast::FunctionDef *kernel : getKernels(module, hidden))
    if (!mentioned.contains(kernel->name) && !returnsValue(kernel->body))
      entries.push_back(kernel);
  return entries;
}

FailureOr<Value> Generator::evaluateConstantText(const SourceModule &module, llvm::StringRef name,
                                                 llvm::StringRef text) {
  std::string bufferName = ("<constant " + name + ">").str();
  llvm::Expected<FileId> file = sources.addBufferOnce(bufferName, text);
  if (!file) {
    std::string message = llvm::toString(file.takeError());
    return error(SourceRange(), "value of '" + name + "': " + message);
  }
  ParsedExpr parsed = parseExpression(sources, *file, diagnostics);
  if (!parsed.expr)
    return failure();
  const ast::Expr *expr = parsed.expr;
  constantTrees.push_back(std::move(parsed.owner));

  Frame inner;
  inner.module = &module;
  inner.keepsConstants = true;
  // Types may be written as in signatures, and tl needs no import here.
  inner.variables["tl"] = ModuleValue{"triton.language"};
  for (llvm::StringRef typeName : getSignatureTypeNames())
    inner.variables[typeName] = Value(Constant(*parseSignatureType(typeName)));
  return evaluateApart(inner, expr->range, "the value of '" + name + "'",
                       [&] { return evaluate(expr); });
}

LogicalResult Generator::bindKernelParams(const SourceModule &module,
                                          const ast::FunctionDef &kernel, KernelBinding &binding) {
  std::vector<llvm::StringRef> names;
  for (const ast::Param &param : kernel.params)
    names.push_back(param.name);
  LogicalResult result = success();
  binding.constants = options.constants;
  auto expanded = expandTuples(options.arguments, binding.constants);
  if (!expanded)
    return error(kernel.nameRange, "the arguments of '" + kernel.name + "' have more than " +
                                       llvm::Twine(argumentLimit) + " elements");
  binding.arguments = std::move(*expanded);
  auto checkName = [&](llvm::StringRef path, llvm::StringRef what) {
    // An element of a tuple is named after it.
    llvm::StringRef name = path.split('.').first;
    if (!llvm::is_contained(names, name))
      result = errorUnknown(kernel.nameRange,
                            "kernel '" + kernel.name + "' has no parameter '" + name +
                                "' to give " + what + " to",
                            name, names);
  };
  for (const ArgumentSpec &argument : binding.arguments)
    checkName(argument.name, "a type");
  for (const ConstantSpec &constant : binding.constants) {
    checkName(constant.name, "a value");
    if (!llvm::is_contained(names, constant.name))
      continue;
    FailureOr<Value> value = evaluateConstantText(module, constant.name, constant.value);
    if (mlir::failed(value))
      result = failure();
    else
      binding.values[constant.name] = *value;
  }
  if (mlir::failed(result))
    return failure();

  KernelInfo info;
  readDecorators(module, kernel, info, /*complain=*/false);
  applyAutotune(module, info, binding, names);
  for (const ast::Param &param : kernel.params)
    if (mlir::failed(bindKernelParam(module, kernel, param, binding)))
      result = failure();
  if (mlir::failed(result))
    return failure();
  return runHeuristics(module, kernel, binding);
}

/// Whether two types are descriptors of the same blocks, or none at all.
static bool describesSame(const std::optional<DescriptorBlock> &a,
                          const std::optional<DescriptorBlock> &b) {
  if (!a || !b)
    return !a && !b;
  return a->shape == b->shape && a->padsWithNan == b->padsWithNan;
}

/// "low=..., width=..."
static std::string describeFields(const ClassValue &type) {
  std::string text;
  for (const std::string &name : type.fields->names)
    text += (text.empty() ? "" : ", ") + name + "=...";
  return text;
}

LogicalResult Generator::bindKernelParam(const SourceModule &module, const ast::FunctionDef &kernel,
                                         const ast::Param &param, KernelBinding &binding) {
  if (param.kind == ast::ParamKind::VarArgs || param.kind == ast::ParamKind::VarKeywords)
    return error(param.range, "a kernel cannot have variadic parameters");
  ParamAnnotation annotation = classifyAnnotation(param.annotation);
  std::optional<ClassValue> aggregate = modules.findAggregate(module, param.annotation);
  bool isConstexpr = annotation.kind == ParamAnnotation::Kind::Constexpr;
  const ArgumentSpec *spec = nullptr;
  for (const ArgumentSpec &argument : binding.arguments)
    if (argument.name == param.name)
      spec = &argument;

  SignatureType type;
  bool hasType = false;
  if (spec) {
    auto parsed = parseSignature(spec->type);
    if (auto *message = std::get_if<std::string>(&parsed))
      return error(param.nameRange, "argument '" + param.name + "': " + *message);
    type = std::get<SignatureType>(parsed);
    hasType = !type.isConstexpr;
  }
  FailureOr<bool> isTuple = bindTupleParam(module, param, binding);
  if (mlir::failed(isTuple))
    return failure();
  if (*isTuple && (spec || binding.values.count(param.name)))
    return error(param.nameRange,
                 "argument '" + param.name + "' is given both as a whole and by elements");
  if (aggregate && *isTuple)
    binding.aggregates[param.name] = *aggregate;
  else if (aggregate)
    return error(param.range, "'" + param.name + "' is an object of the aggregate '" +
                                  aggregate->name + "' and is given by its fields, as in '(" +
                                  describeFields(*aggregate) + ")'");
  if (*isTuple || binding.values.count(param.name))
    return success();
  if (isConstexpr && hasType)
    return error(param.nameRange, "'" + param.name +
                                      "' is a constexpr parameter: give it a value, "
                                      "not a type");
  if (!isConstexpr && annotation.kind == ParamAnnotation::Kind::Typed) {
    SignatureType declared = std::get<SignatureType>(parseSignature(annotation.typeText));
    if (hasType && !describesSame(declared.descriptor, type.descriptor))
      return error(param.nameRange, "argument '" + param.name + "' is declared as " +
                                        annotation.typeText + ", got " + spec->type);
    bool sameButConst = hasType && declared.type.getKind() == type.type.getKind() &&
                        declared.type.isPointer() == type.type.isPointer();
    if (hasType && !sameButConst)
      return error(param.nameRange, "argument '" + param.name + "' is declared as " +
                                        declared.type.getSignatureText() + ", got " +
                                        type.type.getSignatureText());
    declared.divisibility = std::max(declared.divisibility, type.divisibility);
    type = declared;
    hasType = true;
  }
  if (hasType) {
    if (type.type.isVoid())
      return error(param.nameRange,
                   "argument '" + param.name + "': type " + type.type.str() + " is not supported");
    if (type.descriptor && mlir::failed(checkDescriptorBlock(
                               *this, *type.descriptor, type.type.getElement(), param.nameRange)))
      return failure();
    binding.runtime.push_back({&param, type, param.name.str()});
    return success();
  }
  if (binding.fromHeuristics.contains(param.name))
    return success();
  // Launch options that kernels may ask for by name.
  if (isConstexpr && (param.name == "num_warps" || param.name == "num_stages")) {
    binding.values[param.name] =
        Value::integer(param.name == "num_warps" ? binding.numWarps : binding.numStages);
    return success();
  }
  if (param.defaultValue) {
    FailureOr<Value> value = evaluateInModule(module, param.defaultValue);
    if (mlir::failed(value))
      return failure();
    binding.values[param.name] = *value;
    return success();
  }
  if (isConstexpr || (spec && type.isConstexpr))
    return error(param.nameRange, "missing value for constexpr parameter '" + param.name + "'");
  return error(param.nameRange, "missing type for argument '" + param.name + "'");
}

/// A `while` that only reads may wait for what others write.
static bool mayWait(mlir::Operation *op) {
  return op->walk([](mlir::scf::WhileOp) { return mlir::WalkResult::interrupt(); })
      .wasInterrupted();
}

/// Erases operations without effect whose results nobody uses, last ones first.
static void eraseDeadOps(mlir::Operation *root) {
  for (mlir::Region &region : root->getRegions())
    for (mlir::Block &block : region)
      for (mlir::Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
        if (mlir::isOpTriviallyDead(&op) && !mayWait(&op))
          op.erase();
        else
          eraseDeadOps(&op);
      }
}

namespace {
/// An argument of the emitted function.
struct FunctionArgument {
  const RuntimeParam *param;
  std::string name;
  DType type;
  unsigned divisibility = 1;
};
} // namespace

/// Those of a parameter: one, or what a tensor descriptor consists of, which is the pointer, the
/// sizes (`x.shape0`, ...) and the strides but the last, which is 1 (`x.stride0`, ...).
static void addArguments(const RuntimeParam &param, std::vector<FunctionArgument> &arguments) {
  constexpr unsigned alignment = 16;
  const std::string &name = param.path;
  const SignatureType &type = param.type;
  if (!type.descriptor) {
    arguments.push_back({&param, name, type.type, type.divisibility});
    return;
  }
  arguments.push_back({&param, name, type.type, alignment});
  size_t rank = type.descriptor->shape.size();
  for (size_t dim = 0; dim < rank; ++dim)
    arguments.push_back(
        {&param, name + ".shape" + std::to_string(dim), ScalarKind::Int32, type.divisibility});
  unsigned bytes = (type.type.getElement().getBitWidth() + 7) / 8;
  for (size_t dim = 0; dim + 1 < rank; ++dim)
    arguments.push_back({&param, name + ".stride" + std::to_string(dim), ScalarKind::Int64,
                         std::max(1u, alignment / bytes)});
}

mlir::OwningOpRef<mlir::ModuleOp> Generator::generate(const ast::Module &module) {
  llvm::StringRef fileName;
  if (const SourceBuffer *buffer = sources.getBuffer(module.file))
    fileName = buffer->getName();
  SourceModule source(module, /*library=*/false, /*predefined=*/!fileName.ends_with(".py"),
                      fileName);
  Frame top;
  top.module = &source;
  top.keepsConstants = true;
  llvm::SaveAndRestore<Frame *> enterFrame(frame, &top);
  const ast::FunctionDef *kernel = selectKernel(module, options.kernel, diagnostics);
  if (!kernel)
    return nullptr;
  KernelBinding binding;
  if (mlir::failed(bindKernelParams(source, *kernel, binding)))
    return nullptr;
  kernelWarps = binding.numWarps;

  lint(*kernel, /*isKernel=*/true);
  current = kernel->nameRange;
  mlir::OwningOpRef<mlir::ModuleOp> result(mlir::ModuleOp::create(getLocation()));
  (*result)->setAttr(tile::TileDialect::kNumWarpsAttr, builder.getI32IntegerAttr(binding.numWarps));
  (*result)->setAttr(tile::TileDialect::kNumStagesAttr,
                     builder.getI32IntegerAttr(binding.numStages));
  (*result)->setAttr(tile::TileDialect::kTargetAttr,
                     builder.getStringAttr(options.processor->name));
  builder.setInsertionPointToEnd(result->getBody());

  Frame activation;
  activation.function = kernel;
  activation.around = getFunctionAround(*kernel);
  activation.module = &source;
  activation.isKernel = true;
  for (const ast::Param &param : kernel->params) {
    if (classifyAnnotation(param.annotation).kind == ParamAnnotation::Kind::Constexpr)
      activation.constexprNames.insert(param.name);
    auto value = binding.values.find(param.name);
    if (value != binding.values.end())
      activation.variables[param.name] = value->second;
  }
  std::vector<FunctionArgument> arguments;
  for (const RuntimeParam &param : binding.runtime)
    addArguments(param, arguments);
  llvm::SmallVector<mlir::Type> types;
  for (const FunctionArgument &argument : arguments)
    types.push_back(lower(Type(argument.type)));
  frame = &activation;
  auto function = create<mlir::func::FuncOp>(kernel->name, builder.getFunctionType(types, {}));
  function->setAttr(tile::TileDialect::kKernelAttr, builder.getUnitAttr());
  mlir::Block *entry = function.addEntryBlock();
  builder.setInsertionPointToEnd(entry);
  // Those of all arguments at once: each change makes a new list of all.
  std::vector<mlir::DictionaryAttr> attributes;
  for (auto [index, argument] : llvm::enumerate(arguments)) {
    mlir::NamedAttrList list;
    list.set(tile::TileDialect::kNameAttr, builder.getStringAttr(argument.name));
    list.set(tile::TileDialect::kTypeTextAttr,
             builder.getStringAttr(argument.type.getSignatureText()));
    if (argument.divisibility > 1)
      list.set(tile::TileDialect::kDivisibilityAttr,
               builder.getI32IntegerAttr(static_cast<int32_t>(argument.divisibility)));
    attributes.push_back(list.getDictionary(&context));
    current = argument.param->param->nameRange;
    entry->getArgument(index).setLoc(getLocation());
  }
  function.setAllArgAttrs(attributes);
  size_t next = 0;
  std::map<std::string, Value> leaves;
  for (const RuntimeParam &param : binding.runtime) {
    current = param.param->nameRange;
    llvm::SmallVector<mlir::Value> values;
    for (; next < arguments.size() && arguments[next].param == &param; ++next)
      values.push_back(entry->getArgument(next));
    leaves[param.path] = param.type.descriptor
                             ? makeDescriptorOfArguments(*this, param.type, values)
                             : Value::runtime(values.front(), Type(param.type.type));
    observe(param.param->nameRange, leaves[param.path]);
    if (param.path == param.param->name)
      activation.variables[param.param->name] = leaves[param.path];
  }
  for (const ast::Param &param : kernel->params) {
    auto tuple = binding.tuples.find(param.name);
    if (tuple == binding.tuples.end())
      continue;
    FailureOr<Value> value = fillTuple(tuple->second, leaves);
    if (auto type = binding.aggregates.find(param.name); type != binding.aggregates.end())
      value = makeObject(type->second, *value, param.nameRange);
    if (mlir::failed(value)) {
      frame = &top;
      return nullptr;
    }
    activation.variables[param.name] = *value;
  }
  beginBody();
  execute(kernel->body, nullptr);
  current = SourceRange(kernel->range.file, kernel->range.end, kernel->range.end);
  builder.setInsertionPointToEnd(entry);
  create<mlir::func::ReturnOp>();
  frame = &top;
  if (diagnostics.hasErrors())
    return nullptr;
  eraseDeadOps(*result);
  if (mlir::succeeded(verifyResult(*result, kernel->nameRange)))
    return result;
  return nullptr;
}

LogicalResult Generator::verifyResult(mlir::ModuleOp module, SourceRange range) {
  std::string text;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    if (text.empty())
      text = diagnostic.str();
    return success();
  });
  if (mlir::succeeded(mlir::verify(module)))
    return success();
  return error(range, "internal error: the emitted program is not valid: " + text);
}

} // namespace tilec::irgen

namespace tilec {

mlir::OwningOpRef<mlir::ModuleOp> generateTile(mlir::MLIRContext &context,
                                               const ast::Module &module, SourceManager &sources,
                                               const IRGenOptions &options,
                                               DiagnosticEngine &diagnostics) {
  irgen::Generator generator(context, sources, options, diagnostics);
  mlir::OwningOpRef<mlir::ModuleOp> result = generator.generate(module);
  if (options.statistics)
    *options.statistics = generator.getStatistics();
  return result;
}

llvm::Expected<std::vector<AutotuneConfig>>
pruneConfigs(const ast::Module &module, SourceManager &sources, llvm::StringRef kernel,
             llvm::ArrayRef<std::pair<std::string, int64_t>> integers, ModuleLoader *modules) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  DiagnosticEngine aside;
  IRGenOptions options;
  options.modules = modules;
  mlir::FailureOr<std::vector<AutotuneConfig>> configs =
      irgen::Generator(context, sources, options, aside).pruneConfigs(module, kernel, integers);
  if (mlir::succeeded(configs))
    return std::move(*configs);
  for (const Diagnostic &diagnostic : aside.getDiagnostics())
    if (diagnostic.severity == Severity::Error) {
      std::string place;
      if (diagnostic.range.isValid())
        place = "line " + std::to_string(sources.getLineColumn(diagnostic.range).line) + ": ";
      return llvm::createStringError(place + diagnostic.message);
    }
  return llvm::createStringError("its result is no list of configurations");
}

std::vector<KernelInfo> listKernels(const ast::Module &module, SourceManager &sources,
                                    DiagnosticEngine &diagnostics, ModuleLoader *modules,
                                    bool hidden) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  IRGenOptions options;
  options.modules = modules;
  return irgen::Generator(context, sources, options, diagnostics).listKernels(module, hidden);
}

} // namespace tilec
