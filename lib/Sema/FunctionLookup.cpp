// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See FunctionLookup.h. Imports are followed from file to file for a few steps.

#include "tilec/Sema/FunctionLookup.h"

#include "tilec/Support/SourceBuffer.h"

using namespace tilec;

/// Re-exports of re-exports; circles of imports end here.
static constexpr unsigned depthLimit = 8;

const ModuleScope &FunctionLookup::getScope(const ast::Module &module) {
  std::unique_ptr<ModuleScope> &scope = scopes[&module];
  if (!scope)
    scope = std::make_unique<ModuleScope>(module);
  return *scope;
}

FunctionLookup::Found FunctionLookup::findImported(const ast::Module &importer,
                                                   llvm::StringRef path, llvm::StringRef name,
                                                   unsigned depth) {
  llvm::StringRef package = path.split('.').first;
  const SourceBuffer *buffer = loader->getSources().getBuffer(importer.file);
  if (package == "triton" || package == "torch" || !buffer)
    return {};
  FoundModule found = loader->find(path, buffer->getName());
  if (found.kind == FoundModule::Kind::File)
    if (const ast::Module *tree = loader->load(found.file).tree.get())
      if (Found function = findInside(*tree, name, depth + 1))
        return function;
  // `from package import module`
  auto [module, member] = name.split('.');
  if (found && !member.empty() && !found.folder.empty())
    if (FoundModule inside = loader->findInside(found.folder, module);
        inside.kind == FoundModule::Kind::File)
      if (const ast::Module *tree = loader->load(inside.file).tree.get())
        return findInside(*tree, member, depth + 1);
  return {};
}

bool FunctionLookup::isOfLanguage(const ast::Module &module, const ModuleBinding &binding) {
  auto isTriton = [](llvm::StringRef path) { return path.split('.').first == "triton"; };
  if (binding.kind != ModuleBinding::Kind::Assignment)
    return isTriton(binding.path);
  std::string alias = binding.value ? ast::getDottedName(binding.value) : "";
  llvm::StringRef root = llvm::StringRef(alias).split('.').first;
  // Under the names that projects hand the language on by.
  if (root.size() < alias.size() && (root == "tl" || root == "triton"))
    return true;
  const ModuleBinding *source = getScope(module).find(root);
  return source && source != &binding && isTriton(source->path);
}

FunctionLookup::Found FunctionLookup::findThrough(const ast::Module &module,
                                                  const ModuleBinding &binding,
                                                  llvm::StringRef rest, unsigned depth) {
  std::string member = binding.member;
  if (!rest.empty())
    member += (member.empty() ? "" : ".") + rest.str();
  switch (binding.kind) {
  case ModuleBinding::Kind::Module:
    return rest.empty() ? Found() : findImported(module, binding.path, rest, depth);
  case ModuleBinding::Kind::Member:
    return findImported(module, binding.path, member, depth);
  case ModuleBinding::Kind::Assignment: {
    std::string alias = binding.value && binding.index < 0 ? ast::getDottedName(binding.value) : "";
    return alias.empty() || !rest.empty() ? Found() : findInside(module, alias, depth + 1);
  }
  case ModuleBinding::Kind::Function:
  case ModuleBinding::Kind::Class:
    return {};
  }
  return {};
}

FunctionLookup::Found FunctionLookup::findInside(const ast::Module &module, llvm::StringRef name,
                                                 unsigned depth) {
  auto [first, rest] = name.split('.');
  // What stands in for a function of the language that may be missing is not meant.
  if (llvm::ArrayRef<ModuleBinding> alternatives = getScope(module).findAll(first);
      alternatives.size() > 1)
    for (const ModuleBinding &binding : alternatives)
      if (isOfLanguage(module, binding))
        return {};
  if (rest.empty())
    if (const ast::FunctionDef *function = module.findJitFunction(name))
      return {&module, function};
  if (!loader || depth >= depthLimit)
    return {};
  const ModuleScope &scope = getScope(module);
  for (const ModuleBinding &binding : scope.findAll(first))
    if (Found found = findThrough(module, binding, rest, depth))
      return found;
  if (scope.findAll(first).empty() && rest.empty())
    for (const std::string &path : scope.getStarImports())
      if (Found found = findImported(module, path, name, depth))
        return found;
  return {};
}
