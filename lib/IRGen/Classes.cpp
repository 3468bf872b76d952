// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Classes: named tuples and aggregates. An object of an aggregate is a tuple with names that knows
// its class; '__init__' fills it field by field. It is a value: what sets a field gives the
// variable another object. Its methods are found in the text of the class and of those that it
// extends.

#include "Generator.h"

namespace tilec::irgen {

bool isAggregateClass(const ast::ClassDef &classDef) {
  return llvm::any_of(classDef.decorators, [](const ast::Expr *decorator) {
    if (auto *call = llvm::dyn_cast<ast::Call>(decorator))
      decorator = call->callee;
    std::string name = ast::getDottedName(decorator);
    llvm::StringRef last = llvm::StringRef(name).rsplit('.').second;
    return (last.empty() ? name : last) == "aggregate" || last == "_aggregate" ||
           name == "_aggregate";
  });
}

/// The field that a statement of a class declares, or nothing.
static llvm::StringRef getField(const ast::Stmt *stmt) {
  auto *declaration = llvm::dyn_cast<ast::AnnAssign>(stmt);
  auto *name = declaration ? llvm::dyn_cast<ast::Name>(declaration->target) : nullptr;
  return name ? name->id : llvm::StringRef();
}

/// The declaration of a field in a class or in one that it extends, and the file it is in.
static std::pair<const ast::AnnAssign *, const SourceModule *>
findDeclaration(const TupleFields &fields, llvm::StringRef name) {
  for (const TupleFields *type = &fields; type; type = type->base.get())
    for (const ast::Stmt *stmt : type->aggregate->body)
      if (getField(stmt) == name)
        return {llvm::cast<ast::AnnAssign>(stmt), type->module};
  return {nullptr, nullptr};
}

/// The function of that name in a class or in one that it extends, and the file it is in.
static std::pair<const ast::FunctionDef *, const SourceModule *>
findMethod(const TupleFields &fields, llvm::StringRef name) {
  for (const TupleFields *type = &fields; type; type = type->base.get())
    for (const ast::Stmt *stmt : type->aggregate->body)
      if (auto *function = llvm::dyn_cast<ast::FunctionDef>(stmt);
          function && function->name == name)
        return {function, type->module};
  return {nullptr, nullptr};
}

static bool hasDecorator(const ast::FunctionDef &function, llvm::StringRef name) {
  return llvm::any_of(function.decorators, [&](const ast::Expr *decorator) {
    return ast::getDottedName(decorator) == name;
  });
}

/// Whether it has the parameters that libraries hand on to operations.
static bool isLibraryMethod(const ast::FunctionDef &function) {
  return llvm::any_of(function.params, [](const ast::Param &param) {
    return param.name == "_semantic" || param.name == "_builder";
  });
}

//===- Classes of modules -------------------------------------------------------------------===//

FailureOr<Value> ModuleEvaluator::makeClass(const SourceModule &module,
                                            const ast::ClassDef &classDef) {
  ClassValue type{&classDef, &module, classDef.name.str()};
  bool isAggregate = isAggregateClass(classDef);
  bool isNamedTuple = llvm::any_of(classDef.bases, [](const ast::Expr *base) {
    return llvm::StringRef(ast::getDottedName(base)).ends_with("NamedTuple");
  });
  if (!isNamedTuple && !isAggregate)
    return Value(type);
  auto fields = std::make_shared<TupleFields>();
  if (!isAggregate)
    fields->tupleClass = &classDef;
  if (isAggregate) {
    fields->aggregate = &classDef;
    fields->module = &module;
    for (const ast::Expr *base : classDef.bases) {
      if (ast::getDottedName(base) == "object")
        continue;
      FailureOr<Value> extended = expressions.evaluateInModule(module, base);
      if (mlir::failed(extended))
        return failure();
      const ClassValue *parent = extended->getIf<ClassValue>();
      if (!parent || !parent->fields || !parent->fields->aggregate || fields->base)
        return state.error(base->range, "an aggregate can extend one other aggregate, got " +
                                            extended->describe());
      fields->base = parent->fields;
      fields->names = parent->fields->names;
    }
  }
  for (const ast::Stmt *stmt : classDef.body)
    if (llvm::StringRef field = getField(stmt);
        !field.empty() && !llvm::is_contained(fields->names, field))
      fields->names.push_back(field.str());
  type.fields = std::move(fields);
  return Value(type);
}

const ModuleScope &ModuleEvaluator::getClassScope(const SourceModule &module,
                                                  const ast::ClassDef &classDef) {
  std::unique_ptr<ModuleScope> &scope = imported->bodies[&classDef];
  if (!scope)
    scope = std::make_unique<ModuleScope>(module.scope.getModule(), classDef.body);
  return *scope;
}

std::optional<ClassValue> ModuleEvaluator::findAggregate(const SourceModule &module,
                                                         const ast::Expr *annotation) {
  bool isPlain = classifyAnnotation(annotation).kind == ParamAnnotation::Kind::Plain;
  if (!annotation || !isPlain || !llvm::isa<ast::Name, ast::Attribute>(annotation))
    return std::nullopt;
  // Annotations may name anything, also what is not there.
  FailureOr<Value> named = evaluateAside(module, annotation);
  const ClassValue *type = mlir::succeeded(named) ? named->getIf<ClassValue>() : nullptr;
  if (!type || !type->fields || !type->fields->aggregate)
    return std::nullopt;
  return *type;
}

//===- Making objects -----------------------------------------------------------------------===//

/// Checks that all fields are there and are what the class says.
static FailureOr<Value> finishAggregate(Generator &g, const FieldsPtr &fields,
                                        std::vector<Value> elements, SourceRange range) {
  for (auto [name, value] : llvm::zip(fields->names, elements)) {
    if (const PoisonValue *poison = value.getIf<PoisonValue>())
      return poison->message.empty() ? failure() : g.error(range, poison->message);
    const ast::Expr *annotation = findDeclaration(*fields, name).first->annotation;
    bool isConstexpr = classifyAnnotation(annotation).kind == ParamAnnotation::Kind::Constexpr;
    std::string described = "field '" + name + "' of '" + fields->aggregate->name.str() + "'";
    if (isConstexpr && value.isRuntime())
      return g.error(range, described +
                                " is a constexpr and cannot be given a runtime value of type " +
                                value.describe());
    // A tensor may be given as a number.
    if (value.isNumber() && llvm::StringRef(ast::getDottedName(annotation)).ends_with("tensor")) {
      FailureOr<Value> runtime = g.toRuntime(value, range);
      if (mlir::failed(runtime))
        return failure();
      value = *runtime;
    }
  }
  return Value::tuple(std::move(elements), fields);
}

/// The fields of a named tuple or an aggregate from the arguments, and from their defaults.
static FailureOr<std::vector<Value>> bindFields(Generator &g, const ClassValue &type,
                                                llvm::ArrayRef<CallArg> args, SourceRange range) {
  const std::vector<std::string> &names = type.fields->names;
  std::vector<Value> elements(names.size());
  std::vector<bool> given(names.size());
  size_t next = 0;
  for (const CallArg &arg : args) {
    size_t index = next;
    if (arg.keyword.empty())
      ++next;
    else
      index = llvm::find(names, arg.keyword) - names.begin();
    if (index >= elements.size())
      return arg.keyword.empty()
                 ? g.error(arg.range, "too many values for '" + type.name + "'")
                 : g.error(arg.range, "'" + type.name + "' has no field '" + arg.keyword + "'");
    if (given[index])
      return g.error(arg.range, "field '" + names[index] + "' is given twice");
    given[index] = true;
    elements[index] = arg.value;
  }
  for (size_t i = 0; i < elements.size(); ++i) {
    if (given[i])
      continue;
    const ast::AnnAssign *declaration = nullptr;
    const SourceModule *module = type.module;
    if (type.fields->aggregate)
      std::tie(declaration, module) = findDeclaration(*type.fields, names[i]);
    else if (type.classDef)
      for (const ast::Stmt *stmt : type.classDef->body)
        if (getField(stmt) == names[i])
          declaration = llvm::cast<ast::AnnAssign>(stmt);
    if (!declaration || !declaration->value)
      return g.error(range, "missing field '" + names[i] + "' of '" + type.name + "'");
    FailureOr<Value> value = g.evaluateInModule(*module, declaration->value);
    if (mlir::failed(value))
      return failure();
    elements[i] = *value;
  }
  return elements;
}

FailureOr<Value> Generator::callClass(const ClassValue &callee, llvm::ArrayRef<CallArg> args,
                                      SourceRange range) {
  if (!callee.fields)
    return error(range, "class '" + callee.name +
                            "' is host code; of classes only named tuples and aggregates can be "
                            "made in a kernel");
  if (callee.fields->aggregate && findMethod(*callee.fields, "__init__").first)
    return initAggregate(callee, args, range);
  FailureOr<std::vector<Value>> elements = bindFields(*this, callee, args, range);
  if (mlir::failed(elements))
    return failure();
  if (!callee.fields->aggregate)
    return Value::tuple(std::move(*elements), callee.fields);
  FailureOr<Value> object = finishAggregate(*this, callee.fields, std::move(*elements), range);
  auto [check, module] = findMethod(*callee.fields, "__post_init__");
  if (mlir::failed(object) || !check)
    return object;
  FunctionValue function{check, module, std::make_shared<const Value>(*object)};
  if (mlir::failed(callFunction(function, {}, range, &*object)))
    return failure();
  return finishAggregate(*this, callee.fields, *object->getTuple(), range);
}

FailureOr<Value> Generator::makeObject(const ClassValue &type, const Value &fields,
                                       SourceRange range) {
  FieldsPtr names = fields.getFields();
  std::vector<CallArg> args;
  for (auto [index, value] : llvm::enumerate(*fields.getTuple()))
    args.push_back({names ? llvm::StringRef(names->names[index]) : "", value, range});
  FailureOr<std::vector<Value>> elements = bindFields(*this, type, args, range);
  if (mlir::failed(elements))
    return failure();
  for (auto [name, value] : llvm::zip_equal(type.fields->names, *elements)) {
    auto [declaration, module] = findDeclaration(*type.fields, name);
    if (!value.getTuple() || value.isAggregate())
      continue;
    std::optional<ClassValue> inner = modules.findAggregate(*module, declaration->annotation);
    if (!inner)
      continue;
    FailureOr<Value> object = makeObject(*inner, value, range);
    if (mlir::failed(object))
      return failure();
    value = *object;
  }
  return finishAggregate(*this, type.fields, std::move(*elements), range);
}

FailureOr<Value> Generator::initAggregate(const ClassValue &callee, llvm::ArrayRef<CallArg> args,
                                          SourceRange range) {
  std::vector<Value> elements;
  for (const std::string &name : callee.fields->names) {
    auto [declaration, module] = findDeclaration(*callee.fields, name);
    FailureOr<Value> value =
        Value::poison("field '" + name + "' of '" + callee.name + "' is not set by '__init__'");
    if (declaration && declaration->value)
      value = evaluateInModule(*module, declaration->value);
    if (mlir::failed(value))
      return failure();
    elements.push_back(*value);
  }
  auto [init, module] = findMethod(*callee.fields, "__init__");
  Value object = Value::tuple(std::move(elements), callee.fields);
  if (init->params.empty())
    return error(range, "'__init__' of '" + callee.name + "' has no parameter 'self'");
  FunctionValue function{init, module, std::make_shared<const Value>(object)};
  if (mlir::failed(callFunction(function, args, range, &object)))
    return failure();
  if (!object.isAggregate())
    return error(range, "'__init__' of '" + callee.name + "' replaces the object");
  return finishAggregate(*this, callee.fields, *object.getTuple(), range);
}

//===- Fields and methods -------------------------------------------------------------------===//

static std::vector<llvm::StringRef> getFieldNames(const TupleFields &fields) {
  return std::vector<llvm::StringRef>(fields.names.begin(), fields.names.end());
}

LogicalResult Generator::assignField(const ast::Attribute &target, const Value &value) {
  FailureOr<Value> object = failure();
  auto *name = llvm::dyn_cast<ast::Name>(target.base);
  if (!name && llvm::isa<ast::Attribute>(target.base)) {
    object = evaluate(target.base);
    if (mlir::failed(object))
      return failure();
  } else if (name) {
    auto variable = frame->variables.find(name->id);
    if (variable != frame->variables.end())
      object = variable->second;
  }
  if (mlir::failed(object) || !object->isAggregate())
    return error(target.range, "cannot assign to this expression in a kernel; blocks are values, "
                               "use tl.where or tl.store");
  FieldsPtr fields = object->getFields();
  size_t index = llvm::find(fields->names, target.name) - fields->names.begin();
  if (index == fields->names.size())
    return errorUnknown(target.nameRange,
                        "class '" + fields->aggregate->name.str() + "' declares no field '" +
                            target.name + "'",
                        target.name, getFieldNames(*fields));
  std::vector<Value> elements = *object->getTuple();
  elements[index] = value;
  // Until '__init__' is through, fields lack their values.
  if (name && frame->constructed == name->id) {
    frame->variables[name->id] = Value::tuple(std::move(elements), fields);
    return success();
  }
  FailureOr<Value> changed = finishAggregate(*this, fields, std::move(elements), target.range);
  return mlir::failed(changed) ? failure() : assign(target.base, *changed, target.range);
}

FailureOr<Value> Generator::getFieldOrMethod(const Value &object, llvm::StringRef name,
                                             SourceRange range, bool &found) {
  FieldsPtr fields = object.getFields();
  found = true;
  for (auto [field, value] : llvm::zip(fields->names, *object.getTuple())) {
    if (field != name)
      continue;
    if (const PoisonValue *poison = value.getIf<PoisonValue>(); poison && !poison->message.empty())
      return error(range, poison->message + " before it is used");
    return value;
  }
  found = fields->aggregate;
  if (!found)
    return failure();
  auto [method, module] = findMethod(*fields, name);
  if (method) {
    if (!method->isJit && !method->isConstexprFunction && !frame->keepsConstants &&
        !isLibraryMethod(*method))
      return error(range, "method '" + name +
                              "' is a host function; methods need @triton.jit or "
                              "@triton.constexpr_function");
    FunctionValue function{method, module};
    if (!hasDecorator(*method, "staticmethod"))
      function.self = std::make_shared<const Value>(object);
    if (hasDecorator(*method, "property"))
      return callFunction(function, {}, range);
    return Value(function);
  }
  // Constants of the class.
  for (const TupleFields *type = fields.get(); type; type = type->base.get()) {
    const ModuleScope &names = modules.getClassScope(*type->module, *type->aggregate);
    if (!names.findAll(name).empty())
      return modules.evaluateBindings(*type->module, names, name, range, frame->around);
  }
  std::vector<llvm::StringRef> candidates = getFieldNames(*fields);
  for (const TupleFields *type = fields.get(); type; type = type->base.get())
    for (const ast::Stmt *stmt : type->aggregate->body)
      if (auto *function = llvm::dyn_cast<ast::FunctionDef>(stmt))
        candidates.push_back(function->name);
  return errorUnknown(range, object.describe() + " has no attribute '" + name + "'", name,
                      candidates);
}

std::optional<FailureOr<Value>> Generator::callMethod(const Value &object, llvm::StringRef name,
                                                      llvm::ArrayRef<CallArg> args,
                                                      SourceRange range) {
  if (!object.isAggregate() || !findMethod(*object.getFields(), name).first)
    return std::nullopt;
  bool found = false;
  FailureOr<Value> method = getFieldOrMethod(object, name, range, found);
  if (mlir::failed(method))
    return method;
  return call(*method, args, range);
}

FailureOr<Value> Generator::getClassAttribute(const ClassValue &base, const Value &self,
                                              llvm::StringRef name, SourceRange range) {
  if (!base.classDef)
    return error(range, self.describe() + " has no attribute '" + name + "'");
  const ModuleScope &names = modules.getClassScope(*base.module, *base.classDef);
  if (!names.findAll(name).empty())
    return modules.evaluateBindings(*base.module, names, name, range, frame->around);
  if (base.fields && base.fields->base) {
    const TupleFields &parent = *base.fields->base;
    ClassValue extended{parent.aggregate, parent.module, parent.aggregate->name.str(),
                        base.fields->base};
    return getClassAttribute(extended, self, name, range);
  }
  return errorUnknown(range, self.describe() + " has no attribute '" + name + "'", name,
                      names.getNames());
}

FailureOr<Value> Generator::replaceFields(const Value &object, llvm::ArrayRef<CallArg> changes,
                                          SourceRange range) {
  FieldsPtr fields = object.getFields();
  if (!fields)
    return error(range, "'tl.aggregate_replace' needs an object of an aggregate, got " +
                            object.describe());
  std::vector<Value> elements = *object.getTuple();
  for (const CallArg &change : changes) {
    size_t index = llvm::find(fields->names, change.keyword) - fields->names.begin();
    if (index == fields->names.size())
      return errorUnknown(change.range,
                          object.describe() + " has no field '" + change.keyword + "'",
                          change.keyword, getFieldNames(*fields));
    elements[index] = change.value;
  }
  if (!fields->aggregate)
    return Value::tuple(std::move(elements), fields);
  return finishAggregate(*this, fields, std::move(elements), range);
}

} // namespace tilec::irgen
