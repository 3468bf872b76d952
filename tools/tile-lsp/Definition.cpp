// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Definition.h. Local names are looked up in the text of the function; module-level names in
// the scope of the module, through imports from file to file.

#include "Definition.h"

#include "tilec/Syntax/Parser.h"
#include "tilec/Syntax/Walk.h"

using namespace tilec;
using namespace tilec::ast;

namespace tilec::lsp {

static bool contains(SourceRange range, uint32_t offset) {
  return range.begin <= offset && offset <= range.end;
}

namespace {
/// Goes down to the expressions at an offset.
class ExprFinder {
public:
  explicit ExprFinder(uint32_t position) : offset(position) {}

  void visit(const Stmt *stmt) {
    if (!contains(stmt->range, offset) && !llvm::isa<FunctionDef>(stmt))
      return;
    forEachChild(
        stmt, [&](const Expr *expr) { visit(expr); }, [&](const Stmt *child) { visit(child); });
  }
  void visit(const Expr *expr) {
    if (!contains(expr->range, offset))
      return;
    found.push_back(expr);
    forEachChild(expr, [&](const Expr *child) { visit(child); });
  }

  std::vector<const Expr *> found;

private:
  uint32_t offset;
};
} // namespace

std::vector<const Expr *> findExprs(const DocumentAnalysis &analysis, uint32_t offset) {
  ExprFinder finder(offset);
  if (const Module *tree = analysis.getTree())
    for (const Stmt *stmt : tree->body)
      finder.visit(stmt);
  return finder.found;
}

const FunctionDef *findFunction(const Module &tree, uint32_t offset) {
  const FunctionDef *innermost = nullptr;
  for (const FunctionDef *function : tree.deviceFunctions)
    if (contains(function->range, offset) &&
        (!innermost || function->range.size() < innermost->range.size()))
      innermost = function;
  return innermost;
}

std::string findLanguageModule(const DocumentAnalysis &analysis, llvm::StringRef dotted) {
  auto [first, rest] = dotted.split('.');
  std::string path;
  const ModuleBinding *binding = analysis.getScope() ? analysis.getScope()->find(first) : nullptr;
  bool isPython = getSourceLanguage(analysis.getBuffer().getName()) == SourceLanguage::Python;
  if (binding && binding->kind == ModuleBinding::Kind::Module)
    path = binding->path;
  else if (binding && binding->kind == ModuleBinding::Kind::Member)
    path = binding->path + "." + binding->member;
  else if (!binding && !isPython && (first == "tl" || first == "triton"))
    path = first == "tl" ? "triton.language" : "triton";
  if (path.empty() || !llvm::StringRef(path).starts_with("triton"))
    return "";
  return rest.empty() ? path : path + "." + rest.str();
}

std::string findLanguageModule(const DocumentAnalysis &analysis, const Expr *expr) {
  std::string dotted = getDottedName(expr);
  return dotted.empty() ? "" : findLanguageModule(analysis, dotted);
}

//===----------------------------------------------------------------------===//
// Names of a function
//===----------------------------------------------------------------------===//

namespace {
/// The assignment to a name that is the last one before an offset, or the first one at all.
class AssignmentFinder {
public:
  AssignmentFinder(llvm::StringRef wanted, uint32_t position) : name(wanted), offset(position) {}

  void visit(Block block) {
    for (const Stmt *stmt : block)
      visit(stmt);
  }

  SourceRange found;
  /// What is assigned there, where it is one value.
  const Expr *value = nullptr;

private:
  void visit(const Stmt *stmt) {
    if (const auto *assignment = llvm::dyn_cast<Assign>(stmt)) {
      for (const Expr *target : assignment->targets)
        take(target, assignment->value);
    } else if (const auto *annotated = llvm::dyn_cast<AnnAssign>(stmt)) {
      take(annotated->target, annotated->value);
    } else if (const auto *loop = llvm::dyn_cast<For>(stmt)) {
      take(loop->target);
    } else if (const auto *function = llvm::dyn_cast<FunctionDef>(stmt)) {
      if (function->name == name)
        take(function->nameRange);
      return;
    }
    forEachChild(
        stmt, [&](const Expr *expr) { visitExpr(expr); }, [&](const Stmt *child) { visit(child); });
  }
  void visitExpr(const Expr *expr) {
    if (const auto *named = llvm::dyn_cast<NamedExpr>(expr))
      take(named->target);
    forEachChild(expr, [&](const Expr *child) { visitExpr(child); });
  }
  void take(const Expr *target, const Expr *assigned = nullptr) {
    if (const auto *single = llvm::dyn_cast<Name>(target)) {
      if (single->id == name)
        take(single->range, assigned);
      return;
    }
    if (llvm::isa<Tuple, List, Starred>(target))
      forEachChild(target, [&](const Expr *child) { take(child); });
  }
  void take(SourceRange range, const Expr *assigned = nullptr) {
    if (found.isValid() && (range.begin > offset || range.begin <= found.begin))
      return;
    found = range;
    value = assigned;
  }

  llvm::StringRef name;
  uint32_t offset;
};
} // namespace

static SourceRange findLocal(const FunctionDef &function, llvm::StringRef name, uint32_t offset) {
  AssignmentFinder finder(name, offset);
  finder.visit(function.body);
  for (const Param &param : function.params)
    if (param.name == name && (!finder.found.isValid() || finder.found.begin > offset))
      return param.nameRange;
  return finder.found;
}

const Expr *findAssignedValue(const Module &tree, llvm::StringRef name, uint32_t offset) {
  const FunctionDef *function = findFunction(tree, offset);
  if (!function)
    return nullptr;
  AssignmentFinder finder(name, offset);
  finder.visit(function->body);
  return finder.found.isValid() && finder.found.begin <= offset ? finder.value : nullptr;
}

//===----------------------------------------------------------------------===//
// Names of modules
//===----------------------------------------------------------------------===//

namespace {
/// Follows imports. Reads files again, so that what is found does not depend on the analysis.
class ImportFollower {
public:
  explicit ImportFollower(const Settings &settings)
      : sources(std::make_shared<SourceManager>()),
        loader(*sources, ModuleSearch{settings.importRoots, {}}) {}

  /// The member of a module; of the module itself when the member is empty.
  std::optional<FilePlace> find(llvm::StringRef module, llvm::StringRef member,
                                const std::string &importer, unsigned depth = 0) {
    constexpr unsigned maxDepth = 8;
    if (depth > maxDepth)
      return std::nullopt;
    if (!member.empty()) {
      // A submodule, or a name in the module.
      std::string path =
          module.ends_with(".") ? (module + member).str() : (module + "." + member).str();
      FoundModule direct = loader.find(module, importer);
      if (direct.kind == FoundModule::Kind::File)
        if (std::optional<FilePlace> place = findMember(direct.file, member, depth))
          return place;
      return find(path, "", importer, depth + 1);
    }
    FoundModule found = loader.find(module, importer);
    if (found.kind != FoundModule::Kind::File)
      return std::nullopt;
    const ModuleLoader::File &file = loader.load(found.file);
    return file.tree ? makePlace(found.file, SourceRange(file.tree->file, 0, 0)) : std::nullopt;
  }

private:
  std::optional<FilePlace> findMember(const std::string &path, llvm::StringRef member,
                                      unsigned depth) {
    const ModuleLoader::File &file = loader.load(path);
    if (!file.tree)
      return std::nullopt;
    ModuleScope scope(*file.tree);
    if (const ModuleBinding *binding = scope.find(member)) {
      if (binding->kind == ModuleBinding::Kind::Module)
        return find(binding->path, "", path, depth + 1);
      if (binding->kind == ModuleBinding::Kind::Member)
        return find(binding->path, binding->member, path, depth + 1);
      return makePlace(path, binding->function ? binding->function->nameRange : binding->range);
    }
    for (const std::string &star : scope.getStarImports())
      if (std::optional<FilePlace> place = find(star, member, path, depth + 1))
        return place;
    return std::nullopt;
  }

  std::optional<FilePlace> makePlace(const std::string &path, SourceRange range) {
    return FilePlace{path, sources->getBuffer(range.file), range, sources};
  }

  std::shared_ptr<SourceManager> sources;
  ModuleLoader loader;
};
} // namespace

static std::optional<FilePlace> followBinding(const DocumentAnalysis &analysis,
                                              const ModuleBinding &binding,
                                              const Settings &settings) {
  std::string path = analysis.getBuffer().getName().str();
  switch (binding.kind) {
  case ModuleBinding::Kind::Module:
    return ImportFollower(settings).find(binding.path, "", path);
  case ModuleBinding::Kind::Member:
    return ImportFollower(settings).find(binding.path, binding.member, path);
  case ModuleBinding::Kind::Function:
    return FilePlace{path, &analysis.getBuffer(), binding.function->nameRange};
  case ModuleBinding::Kind::Assignment:
  case ModuleBinding::Kind::Class:
    return FilePlace{path, &analysis.getBuffer(), binding.range};
  }
  return std::nullopt;
}

/// The name in an import statement at an offset.
static std::optional<FilePlace> findImported(const DocumentAnalysis &analysis, uint32_t offset,
                                             const Settings &settings) {
  std::string path = analysis.getBuffer().getName().str();
  for (const Stmt *stmt : analysis.getTree()->body) {
    if (!contains(stmt->range, offset))
      continue;
    if (const auto *from = llvm::dyn_cast<ImportFrom>(stmt)) {
      std::string module = std::string(from->level, '.') + from->module.str();
      for (const ImportedName &name : from->names)
        if (contains(name.range, offset))
          return ImportFollower(settings).find(module, name.name, path);
      if (contains(from->moduleRange, offset))
        return ImportFollower(settings).find(module, "", path);
    }
    if (const auto *import = llvm::dyn_cast<Import>(stmt))
      for (const ImportedName &name : import->names)
        if (contains(name.range, offset))
          return ImportFollower(settings).find(name.name, "", path);
  }
  return std::nullopt;
}

std::optional<FilePlace> findDefinition(const DocumentAnalysis &analysis, uint32_t offset,
                                        const Settings &settings) {
  const Module *tree = analysis.getTree();
  if (!tree)
    return std::nullopt;
  std::string path = analysis.getBuffer().getName().str();
  if (std::optional<FilePlace> place = findImported(analysis, offset, settings))
    return place;
  std::vector<const Expr *> exprs = findExprs(analysis, offset);
  for (const Expr *expr : llvm::reverse(exprs)) {
    if (const auto *name = llvm::dyn_cast<Name>(expr)) {
      if (const FunctionDef *function = findFunction(*tree, offset))
        if (SourceRange local = findLocal(*function, name->id, offset); local.isValid())
          return FilePlace{path, &analysis.getBuffer(), local};
      const ModuleBinding *binding = analysis.getScope()->find(name->id);
      return binding ? followBinding(analysis, *binding, settings) : std::nullopt;
    }
    const auto *attribute = llvm::dyn_cast<Attribute>(expr);
    if (!attribute || !contains(attribute->nameRange, offset))
      continue;
    // A member of an imported module.
    std::string dotted = getDottedName(attribute->base);
    auto [first, rest] = llvm::StringRef(dotted).split('.');
    const ModuleBinding *binding = analysis.getScope()->find(first);
    if (dotted.empty() || !binding)
      return std::nullopt;
    std::string module = binding->kind == ModuleBinding::Kind::Module ? binding->path
                         : binding->kind == ModuleBinding::Kind::Member
                             ? (llvm::StringRef(binding->path).ends_with(".")
                                    ? binding->path + binding->member
                                    : binding->path + "." + binding->member)
                             : "";
    if (module.empty())
      return std::nullopt;
    if (!rest.empty())
      module += "." + rest.str();
    return ImportFollower(settings).find(module, attribute->name, path);
  }
  return std::nullopt;
}

} // namespace tilec::lsp
