// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See SemanticTokens.h.

#include "SemanticTokens.h"

#include "Definition.h"
#include "LanguageDocs.h"
#include "Positions.h"

#include "tilec/Syntax/AssignedNames.h"
#include "tilec/Syntax/Walk.h"

using namespace tilec;
using namespace tilec::ast;

namespace tilec::lsp {

namespace {

enum TokenType : unsigned { Namespace, Type, Function, Parameter, Variable };
enum TokenModifier : unsigned { Declaration = 1, Readonly = 2, DefaultLibrary = 4 };

struct SemanticToken {
  SourceRange range;
  unsigned type;
  unsigned modifiers;
};

class TokenCollector {
public:
  explicit TokenCollector(const DocumentAnalysis &owner) : analysis(owner) {}

  void addFunction(const FunctionDef &scanned);
  std::vector<SemanticToken> tokens;

private:
  void add(SourceRange range, unsigned type, unsigned modifiers = 0) {
    if (range.isValid() && range.size() != 0)
      tokens.push_back({range, type, modifiers});
  }
  void visit(const Stmt *stmt);
  void visit(const Expr *expr);
  void addName(const Name &name);

  const DocumentAnalysis &analysis;
  llvm::DenseMap<llvm::StringRef, unsigned> params;
  NameSet locals;
};

} // namespace

llvm::json::Object semanticTokensLegend() {
  return llvm::json::Object{
      {"tokenTypes", llvm::json::Array{"namespace", "type", "function", "parameter", "variable"}},
      {"tokenModifiers", llvm::json::Array{"declaration", "readonly", "defaultLibrary"}}};
}

void TokenCollector::addFunction(const FunctionDef &scanned) {
  params.clear();
  locals.clear();
  collectAssignedNames(scanned.body, locals);
  add(scanned.nameRange, Function, Declaration);
  for (const Param &param : scanned.params) {
    bool isConstant = classifyAnnotation(param.annotation).kind == ParamAnnotation::Kind::Constexpr;
    params[param.name] = isConstant ? Readonly : 0;
    add(param.nameRange, Parameter, Declaration | params[param.name]);
    if (param.annotation)
      visit(param.annotation);
    if (param.defaultValue)
      visit(param.defaultValue);
  }
  for (const Expr *decorator : scanned.decorators)
    visit(decorator);
  for (const Stmt *stmt : scanned.body)
    visit(stmt);
}

void TokenCollector::visit(const Stmt *stmt) {
  // Functions inside are among the device functions themselves, if they are any.
  if (llvm::isa<FunctionDef, ClassDef>(stmt))
    return;
  forEachChild(
      stmt, [&](const Expr *expr) { visit(expr); }, [&](const Stmt *child) { visit(child); });
}

void TokenCollector::visit(const Expr *expr) {
  if (const auto *name = llvm::dyn_cast<Name>(expr))
    return addName(*name);
  if (const auto *attribute = llvm::dyn_cast<Attribute>(expr)) {
    std::string module = findLanguageModule(analysis, attribute->base);
    if (!module.empty()) {
      if (std::optional<Member> member = findMember(module, attribute->name))
        add(attribute->nameRange, member->isType() ? Type : Function, DefaultLibrary);
      else if (!listMembers(module + "." + attribute->name.str()).empty())
        add(attribute->nameRange, Namespace, DefaultLibrary);
    } else if (findMember("method", attribute->name)) {
      add(attribute->nameRange, Function, DefaultLibrary);
    }
  }
  forEachChild(expr, [&](const Expr *child) { visit(child); });
}

void TokenCollector::addName(const Name &name) {
  auto param = params.find(name.id);
  if (param != params.end())
    return add(name.range, Parameter, param->second);
  if (locals.contains(name.id))
    return add(name.range, Variable);
  if (!findLanguageModule(analysis, name.id).empty())
    return add(name.range, Namespace, DefaultLibrary);
  const ModuleBinding *binding = analysis.getScope()->find(name.id);
  if (!binding) {
    if (findMember("python", name.id))
      add(name.range, Function, DefaultLibrary);
    return;
  }
  switch (binding->kind) {
  case ModuleBinding::Kind::Module:
    return add(name.range, Namespace);
  case ModuleBinding::Kind::Function:
  case ModuleBinding::Kind::Member:
    return add(name.range, Function);
  case ModuleBinding::Kind::Class:
    return add(name.range, Type);
  case ModuleBinding::Kind::Assignment:
    return add(name.range, Variable, Readonly);
  }
}

std::vector<unsigned> encodeSemanticTokens(const DocumentAnalysis &analysis) {
  std::vector<unsigned> numbers;
  if (!analysis.getTree() || !analysis.getScope())
    return numbers;
  TokenCollector collector(analysis);
  for (const FunctionDef *function : analysis.getTree()->deviceFunctions)
    collector.addFunction(*function);
  llvm::sort(collector.tokens, [](const SemanticToken &a, const SemanticToken &b) {
    return std::tie(a.range.begin, a.range.end, a.type) <
           std::tie(b.range.begin, b.range.end, b.type);
  });
  const SourceBuffer &buffer = analysis.getBuffer();
  llvm::lsp::Position before;
  uint32_t end = 0;
  for (const SemanticToken &token : collector.tokens) {
    // Tokens do not overlap.
    if (token.range.begin < end)
      continue;
    end = token.range.end;
    llvm::lsp::Position position = toPosition(buffer, token.range.begin);
    bool isSameLine = position.line == before.line;
    numbers.push_back(unsigned(position.line - before.line));
    numbers.push_back(unsigned(position.character - (isSameLine ? before.character : 0)));
    numbers.push_back(countUnits(analysis.getSources().getText(token.range)));
    numbers.push_back(token.type);
    numbers.push_back(token.modifiers);
    before = position;
  }
  return numbers;
}

} // namespace tilec::lsp
