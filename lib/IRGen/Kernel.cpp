// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The way in: choosing the kernel, making the function of its bound parameters, and emitting its
// body.

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

static LogicalResult verifyResult(Generator &g, mlir::ModuleOp module, SourceRange range) {
  std::string text;
  mlir::ScopedDiagnosticHandler handler(module.getContext(), [&](mlir::Diagnostic &diagnostic) {
    if (text.empty())
      text = diagnostic.str();
    return success();
  });
  if (mlir::succeeded(mlir::verify(module)))
    return success();
  return g.error(range, "internal error: the emitted program is not valid: " + text);
}

mlir::OwningOpRef<mlir::ModuleOp> Generator::generate(const ast::Module &module) {
  SourceModule source(module, sources);
  Frame top;
  top.module = &source;
  top.keepsConstants = true;
  llvm::SaveAndRestore<Frame *> enterFrame(frame, &top);
  const ast::FunctionDef *kernel = selectKernel(module, options.kernel, diagnostics);
  if (!kernel)
    return nullptr;
  KernelBinding binding(*this, source, *kernel);
  if (mlir::failed(binding.bind()))
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
  if (mlir::succeeded(verifyResult(*this, *result, kernel->nameRange)))
    return result;
  return nullptr;
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

} // namespace tilec
