// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parameters of a kernel: which are constants, and what type the others have.

#include "KernelBinding.h"

#include "BlockPointer.h"

#include "tilec/Syntax/Parser.h"

namespace tilec::irgen {

FailureOr<Value> KernelBinding::evaluateConstantText(llvm::StringRef name, llvm::StringRef text) {
  std::string bufferName = ("<constant " + name + ">").str();
  llvm::Expected<FileId> file = g.getSources().addBufferOnce(bufferName, text);
  if (!file) {
    std::string message = llvm::toString(file.takeError());
    return g.error(SourceRange(), "value of '" + name + "': " + message);
  }
  ParsedExpr parsed = parseExpression(g.getSources(), *file, g.getDiagnostics());
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
  return g.evaluateApart(inner, expr->range, "the value of '" + name + "'",
                         [&] { return g.evaluate(expr); });
}

LogicalResult KernelBinding::bind() {
  std::vector<llvm::StringRef> names;
  for (const ast::Param &param : kernel.params)
    names.push_back(param.name);
  LogicalResult result = success();
  constants = g.getOptions().constants;
  auto expanded = expandTuples(g.getOptions().arguments, constants);
  if (!expanded)
    return g.error(kernel.nameRange, "the arguments of '" + kernel.name + "' have more than " +
                                         llvm::Twine(argumentLimit) + " elements");
  arguments = std::move(*expanded);
  auto checkName = [&](llvm::StringRef path, llvm::StringRef what) {
    // An element of a tuple is named after it.
    llvm::StringRef name = path.split('.').first;
    if (!llvm::is_contained(names, name))
      result = g.errorUnknown(kernel.nameRange,
                              "kernel '" + kernel.name + "' has no parameter '" + name +
                                  "' to give " + what + " to",
                              name, names);
  };
  for (const ArgumentSpec &argument : arguments)
    checkName(argument.name, "a type");
  for (const ConstantSpec &constant : constants) {
    checkName(constant.name, "a value");
    if (!llvm::is_contained(names, constant.name))
      continue;
    FailureOr<Value> value = evaluateConstantText(constant.name, constant.value);
    if (mlir::failed(value))
      result = failure();
    else
      values[constant.name] = *value;
  }
  if (mlir::failed(result))
    return failure();

  KernelInfo info;
  readDecorators(g, module, kernel, info, /*complain=*/false);
  applyAutotune(info, names);
  for (const ast::Param &param : kernel.params)
    if (mlir::failed(bindParam(param)))
      result = failure();
  if (mlir::failed(result))
    return failure();
  return runHeuristics();
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

LogicalResult KernelBinding::bindParam(const ast::Param &param) {
  if (param.kind == ast::ParamKind::VarArgs || param.kind == ast::ParamKind::VarKeywords)
    return g.error(param.range, "a kernel cannot have variadic parameters");
  ParamAnnotation annotation = classifyAnnotation(param.annotation);
  std::optional<ClassValue> aggregate = g.getModules().findAggregate(module, param.annotation);
  bool isConstexpr = annotation.kind == ParamAnnotation::Kind::Constexpr;
  const ArgumentSpec *spec = nullptr;
  for (const ArgumentSpec &argument : arguments)
    if (argument.name == param.name)
      spec = &argument;

  SignatureType type;
  bool hasType = false;
  if (spec) {
    auto parsed = parseSignature(spec->type);
    if (auto *message = std::get_if<std::string>(&parsed))
      return g.error(param.nameRange, "argument '" + param.name + "': " + *message);
    type = std::get<SignatureType>(parsed);
    hasType = !type.isConstexpr;
  }
  FailureOr<bool> isTuple = bindTupleParam(param);
  if (mlir::failed(isTuple))
    return failure();
  if (*isTuple && (spec || values.count(param.name)))
    return g.error(param.nameRange,
                   "argument '" + param.name + "' is given both as a whole and by elements");
  if (aggregate && *isTuple)
    aggregates[param.name] = *aggregate;
  else if (aggregate)
    return g.error(param.range, "'" + param.name + "' is an object of the aggregate '" +
                                    aggregate->name + "' and is given by its fields, as in '(" +
                                    describeFields(*aggregate) + ")'");
  if (*isTuple || values.count(param.name))
    return success();
  if (isConstexpr && hasType)
    return g.error(param.nameRange, "'" + param.name +
                                        "' is a constexpr parameter: give it a value, "
                                        "not a type");
  if (!isConstexpr && annotation.kind == ParamAnnotation::Kind::Typed) {
    SignatureType declared = std::get<SignatureType>(parseSignature(annotation.typeText));
    if (hasType && !describesSame(declared.descriptor, type.descriptor))
      return g.error(param.nameRange, "argument '" + param.name + "' is declared as " +
                                          annotation.typeText + ", got " + spec->type);
    bool sameButConst = hasType && declared.type.getKind() == type.type.getKind() &&
                        declared.type.isPointer() == type.type.isPointer();
    if (hasType && !sameButConst)
      return g.error(param.nameRange, "argument '" + param.name + "' is declared as " +
                                          declared.type.getSignatureText() + ", got " +
                                          type.type.getSignatureText());
    declared.divisibility = std::max(declared.divisibility, type.divisibility);
    type = declared;
    hasType = true;
  }
  if (hasType) {
    if (type.type.isVoid())
      return g.error(param.nameRange, "argument '" + param.name + "': type " + type.type.str() +
                                          " is not supported");
    if (type.descriptor && mlir::failed(checkDescriptorBlock(
                               g, *type.descriptor, type.type.getElement(), param.nameRange)))
      return failure();
    runtime.push_back({&param, type, param.name.str()});
    return success();
  }
  if (fromHeuristics.contains(param.name))
    return success();
  // Launch options that kernels may ask for by name.
  if (isConstexpr && (param.name == "num_warps" || param.name == "num_stages")) {
    values[param.name] = Value::integer(param.name == "num_warps" ? numWarps : numStages);
    return success();
  }
  if (param.defaultValue) {
    FailureOr<Value> value = g.evaluateInModule(module, param.defaultValue);
    if (mlir::failed(value))
      return failure();
    values[param.name] = *value;
    return success();
  }
  if (isConstexpr || (spec && type.isConstexpr))
    return g.error(param.nameRange, "missing value for constexpr parameter '" + param.name + "'");
  return g.error(param.nameRange, "missing type for argument '" + param.name + "'");
}

} // namespace tilec::irgen
