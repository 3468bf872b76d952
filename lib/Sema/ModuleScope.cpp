// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One walk over the module-level statements; blocks of `if` and `try` are walked too because
// imports are often written there.

#include "tilec/Sema/ModuleScope.h"

#include "tilec/Sema/Signature.h"

using llvm::StringRef;

namespace tilec {

ModuleScope::ModuleScope(const ast::Module &astModule) : module(astModule) {
  addBlock(module.body);
  // Kernels inside host functions see each other; module-level names win.
  for (ast::FunctionDef *function : module.deviceFunctions)
    if (!bindings.count(function->name))
      bind(function->name, {ModuleBinding::Kind::Function, function->nameRange, {}, {}, function});
}

ModuleScope::ModuleScope(const ast::Module &astModule, ast::Block body) : module(astModule) {
  addBlock(body);
}

const ModuleBinding *ModuleScope::find(StringRef name) const {
  llvm::ArrayRef<ModuleBinding> all = findAll(name);
  return all.empty() ? nullptr : &all.front();
}

llvm::ArrayRef<ModuleBinding> ModuleScope::findAll(StringRef name) const {
  auto it = bindings.find(name);
  if (it == bindings.end())
    return {};
  return it->second;
}

std::vector<StringRef> ModuleScope::getNames() const {
  std::vector<StringRef> names;
  for (const auto &entry : bindings)
    names.push_back(entry.first);
  return names;
}

void ModuleScope::bind(StringRef name, ModuleBinding binding) {
  std::vector<ModuleBinding> &list = bindings[name];
  if (guards.empty())
    list.clear();
  binding.guards = guards;
  list.push_back(std::move(binding));
}

void ModuleScope::addGuardedBlock(ast::Block block, BindingGuard guard) {
  guards.push_back(guard);
  addBlock(block);
  guards.pop_back();
}

void ModuleScope::addBlock(ast::Block block) {
  using Guard = BindingGuard::Kind;
  for (const ast::Stmt *stmt : block) {
    switch (stmt->kind) {
    case ast::StmtKind::Import:
      addImport(*llvm::cast<ast::Import>(stmt));
      break;
    case ast::StmtKind::ImportFrom:
      addImportFrom(*llvm::cast<ast::ImportFrom>(stmt));
      break;
    case ast::StmtKind::FunctionDef: {
      auto *function = llvm::cast<ast::FunctionDef>(stmt);
      bind(function->name, {ModuleBinding::Kind::Function, function->nameRange, {}, {}, function});
      for (const ast::Stmt *inner : function->body)
        if (auto *declared = llvm::dyn_cast<ast::Scope>(inner); declared && !declared->isNonlocal)
          setByFunctions.insert(declared->names.begin(), declared->names.end());
      break;
    }
    case ast::StmtKind::ClassDef: {
      auto *classDef = llvm::cast<ast::ClassDef>(stmt);
      ModuleBinding binding{ModuleBinding::Kind::Class, classDef->nameRange};
      binding.classDef = classDef;
      bind(classDef->name, std::move(binding));
      break;
    }
    case ast::StmtKind::Assign: {
      auto *assign = llvm::cast<ast::Assign>(stmt);
      for (const ast::Expr *target : assign->targets)
        addTarget(target, assign->value, nullptr);
      break;
    }
    case ast::StmtKind::AnnAssign: {
      auto *assign = llvm::cast<ast::AnnAssign>(stmt);
      if (assign->value)
        addTarget(assign->target, assign->value, assign->annotation);
      break;
    }
    case ast::StmtKind::If: {
      auto *branch = llvm::cast<ast::If>(stmt);
      addGuardedBlock(branch->thenBody, {Guard::Then, branch->condition});
      addGuardedBlock(branch->elseBody, {Guard::Else, branch->condition});
      break;
    }
    case ast::StmtKind::Try: {
      auto *attempt = llvm::cast<ast::Try>(stmt);
      addGuardedBlock(attempt->body, {Guard::Attempt});
      for (const ast::ExceptHandler &handler : attempt->handlers)
        addGuardedBlock(handler.body, {Guard::Handler});
      addGuardedBlock(attempt->elseBody, {Guard::Attempt});
      addBlock(attempt->finallyBody);
      break;
    }
    case ast::StmtKind::With:
      addBlock(llvm::cast<ast::With>(stmt)->body);
      break;
    default:
      break;
    }
  }
}

void ModuleScope::addImport(const ast::Import &import) {
  for (const ast::ImportedName &name : import.names) {
    ModuleBinding binding{ModuleBinding::Kind::Module, name.range};
    // `import a.b` binds `a`; `import a.b as c` binds the module a.b.
    StringRef root = name.name.split('.').first;
    binding.path = (name.alias.empty() ? root : name.name).str();
    bind(name.alias.empty() ? root : name.alias, std::move(binding));
  }
}

void ModuleScope::addImportFrom(const ast::ImportFrom &import) {
  std::string path = std::string(import.level, '.') + import.module.str();
  for (const ast::ImportedName &name : import.names) {
    if (name.name == "*") {
      starImports.insert(starImports.begin(), path);
      continue;
    }
    bind(name.getBoundName(), {ModuleBinding::Kind::Member, name.range, path, name.name.str()});
  }
}

const ast::FunctionDef *ModuleScope::findDecorated(const ast::Name &target,
                                                   const ast::Expr *value) const {
  bool isWrapped = false, isCall = llvm::isa<ast::Call>(value);
  while (auto *call = llvm::dyn_cast<ast::Call>(value)) {
    if (call->args.size() != 1)
      return nullptr;
    const ast::Expr *callee = call->callee;
    if (auto *outer = llvm::dyn_cast<ast::Call>(callee))
      callee = outer->callee;
    std::string dotted = ast::getDottedName(callee);
    StringRef last = StringRef(dotted).substr(StringRef(dotted).rfind('.') + 1);
    isWrapped |= last == "jit" || last == "autotune" || last == "heuristics";
    value = call->args.front();
  }
  auto *name = llvm::dyn_cast<ast::Name>(value);
  auto known = name ? bindings.find(name->id) : bindings.end();
  // What is put around a kernel under its own name leaves it a kernel.
  bool isRebound = name && name->id == target.id && isCall;
  if (known == bindings.end() || !(isWrapped || isRebound))
    return nullptr;
  for (const ModuleBinding &binding : known->second)
    if (binding.kind == ModuleBinding::Kind::Function && binding.function->isJit)
      return binding.function;
  return nullptr;
}

void ModuleScope::addTarget(const ast::Expr *target, const ast::Expr *value,
                            const ast::Expr *annotation) {
  auto makeBinding = [&](const ast::Expr *name, int index) {
    ModuleBinding binding{ModuleBinding::Kind::Assignment, name->range};
    binding.value = value;
    binding.annotation = annotation;
    binding.index = index;
    return binding;
  };
  if (auto *name = llvm::dyn_cast<ast::Name>(target)) {
    if (const ast::FunctionDef *function = findDecorated(*name, value)) {
      bind(name->id, {ModuleBinding::Kind::Function, function->nameRange, {}, {}, function});
      return;
    }
    bind(name->id, makeBinding(name, -1));
    return;
  }
  auto *tuple = llvm::dyn_cast<ast::Tuple>(target);
  if (!tuple)
    return;
  for (auto [index, element] : llvm::enumerate(tuple->elements))
    if (auto *name = llvm::dyn_cast<ast::Name>(element))
      bind(name->id, makeBinding(name, static_cast<int>(index)));
}

ParamAnnotation classifyAnnotation(const ast::Expr *annotation) {
  ParamAnnotation result;
  if (!annotation)
    return result;
  std::string text = ast::getDottedName(annotation);
  if (auto *string = llvm::dyn_cast<ast::StringLiteral>(annotation))
    text = string->value.trim().str();
  StringRef last = StringRef(text).rsplit('.').second;
  if (last.empty())
    last = text;
  if (last == "constexpr") {
    result.kind = ParamAnnotation::Kind::Constexpr;
    return result;
  }
  auto parsed = parseSignature(last);
  if (auto *type = std::get_if<SignatureType>(&parsed); type && !type->type.isVoid()) {
    result.kind = ParamAnnotation::Kind::Typed;
    result.typeText = last.str();
  }
  return result;
}

} // namespace tilec
