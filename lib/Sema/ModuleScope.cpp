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
  addBlock(module.body, /*conditional=*/false);
  // Kernels inside host functions see each other; module-level names win.
  for (ast::FunctionDef *function : module.deviceFunctions) {
    ModuleBinding binding{ModuleBinding::Kind::Function, function->nameRange, {}, {}, function};
    bind(function->name, std::move(binding), /*conditional=*/true);
  }
}

const ModuleBinding *ModuleScope::find(StringRef name) const {
  auto it = bindings.find(name);
  return it == bindings.end() ? nullptr : &it->second;
}

std::vector<StringRef> ModuleScope::getNames() const {
  std::vector<StringRef> names;
  for (const auto &entry : bindings)
    names.push_back(entry.first);
  return names;
}

void ModuleScope::bind(StringRef name, ModuleBinding binding, bool conditional) {
  if (conditional && bindings.count(name))
    return;
  bindings[name] = std::move(binding);
}

void ModuleScope::addBlock(ast::Block block, bool conditional) {
  for (const ast::Stmt *stmt : block) {
    switch (stmt->kind) {
    case ast::StmtKind::Import:
      addImport(*llvm::cast<ast::Import>(stmt), conditional);
      break;
    case ast::StmtKind::ImportFrom:
      addImportFrom(*llvm::cast<ast::ImportFrom>(stmt), conditional);
      break;
    case ast::StmtKind::FunctionDef: {
      auto *function = llvm::cast<ast::FunctionDef>(stmt);
      ModuleBinding binding{ModuleBinding::Kind::Function, function->nameRange, {}, {}, function};
      bind(function->name, std::move(binding), conditional);
      break;
    }
    case ast::StmtKind::ClassDef: {
      auto *classDef = llvm::cast<ast::ClassDef>(stmt);
      bind(classDef->name, {ModuleBinding::Kind::Class, classDef->nameRange}, conditional);
      break;
    }
    case ast::StmtKind::Assign: {
      auto *assign = llvm::cast<ast::Assign>(stmt);
      for (const ast::Expr *target : assign->targets)
        addTarget(target, assign->value, nullptr, conditional);
      break;
    }
    case ast::StmtKind::AnnAssign: {
      auto *assign = llvm::cast<ast::AnnAssign>(stmt);
      if (assign->value)
        addTarget(assign->target, assign->value, assign->annotation, conditional);
      break;
    }
    case ast::StmtKind::If: {
      auto *branch = llvm::cast<ast::If>(stmt);
      addBlock(branch->thenBody, /*conditional=*/true);
      addBlock(branch->elseBody, /*conditional=*/true);
      break;
    }
    case ast::StmtKind::Try: {
      auto *attempt = llvm::cast<ast::Try>(stmt);
      addBlock(attempt->body, /*conditional=*/true);
      for (const ast::ExceptHandler &handler : attempt->handlers)
        addBlock(handler.body, /*conditional=*/true);
      addBlock(attempt->elseBody, /*conditional=*/true);
      break;
    }
    default:
      break;
    }
  }
}

void ModuleScope::addImport(const ast::Import &import, bool conditional) {
  for (const ast::ImportedName &name : import.names) {
    ModuleBinding binding{ModuleBinding::Kind::Module, name.range};
    // `import a.b` binds `a`; `import a.b as c` binds the module a.b.
    StringRef root = name.name.split('.').first;
    binding.path = (name.alias.empty() ? root : name.name).str();
    bind(name.alias.empty() ? root : name.alias, std::move(binding), conditional);
  }
}

void ModuleScope::addImportFrom(const ast::ImportFrom &import, bool conditional) {
  std::string path = std::string(import.level, '.') + import.module.str();
  for (const ast::ImportedName &name : import.names) {
    if (name.name == "*") {
      starImports.insert(starImports.begin(), path);
      continue;
    }
    ModuleBinding binding{ModuleBinding::Kind::Member, name.range, path, name.name.str()};
    bind(name.getBoundName(), std::move(binding), conditional);
  }
}

void ModuleScope::addTarget(const ast::Expr *target, const ast::Expr *value,
                            const ast::Expr *annotation, bool conditional) {
  auto makeBinding = [&](const ast::Expr *name, int index) {
    ModuleBinding binding{ModuleBinding::Kind::Assignment, name->range};
    binding.value = value;
    binding.annotation = annotation;
    binding.index = index;
    return binding;
  };
  if (auto *name = llvm::dyn_cast<ast::Name>(target)) {
    bind(name->id, makeBinding(name, -1), conditional);
    return;
  }
  auto *tuple = llvm::dyn_cast<ast::Tuple>(target);
  if (!tuple)
    return;
  for (auto [index, element] : llvm::enumerate(tuple->elements))
    if (auto *name = llvm::dyn_cast<ast::Name>(element))
      bind(name->id, makeBinding(name, static_cast<int>(index)), conditional);
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
