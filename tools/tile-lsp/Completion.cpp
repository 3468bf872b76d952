// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Members after a dot, otherwise the names of the function around the place, of the file, and of
// Python.

#include "Completion.h"

#include "Definition.h"
#include "LanguageDocs.h"

#include "tilec/Syntax/AssignedNames.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm::lsp;

namespace tilec::lsp {

/// The dotted name that ends at an offset: "tl.math.ex" as {"tl.math", "ex"}.
static std::pair<std::string, std::string> splitBefore(llvm::StringRef text, uint32_t offset) {
  size_t begin = offset;
  auto isPart = [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; };
  while (begin > 0 && isPart(text[begin - 1]))
    --begin;
  llvm::StringRef dotted = text.slice(begin, offset);
  size_t dot = dotted.rfind('.');
  if (dot == llvm::StringRef::npos)
    return {"", dotted.str()};
  // What is before may be an expression, as in "f(x).to".
  std::string base = dotted.take_front(dot).str();
  return {base.empty() ? "(" : base, dotted.drop_front(dot + 1).str()};
}

static CompletionItem makeItem(const Member &member, CompletionItemKind kind) {
  CompletionItem item(member.function->name, kind);
  item.detail = member.getSignature();
  item.documentation = MarkupContent{MarkupKind::Markdown, member.function->sentence};
  return item;
}

CompletionList completeAt(const DocumentAnalysis &analysis, llvm::StringRef text, uint32_t offset) {
  CompletionList list;
  std::pair<std::string, std::string> before = splitBefore(text, offset);
  const std::string &base = before.first, &prefix = before.second;
  auto addNames = [&](llvm::StringRef place) {
    for (const Member &member : listMembers(place))
      if (member.function->name.starts_with(prefix))
        list.items.push_back(makeItem(member, member.isType() ? CompletionItemKind::TypeParameter
                                              : place == "method" ? CompletionItemKind::Method
                                                                  : CompletionItemKind::Function));
  };
  if (!base.empty()) {
    std::string module = base == "(" ? "" : findLanguageModule(analysis, base);
    addNames(module.empty() ? "method" : module);
    static constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral> children[] = {
        {"triton", "language"},
        {"triton.language", "math"},
        {"triton.language", "extra"},
        {"triton.language.extra", "cuda"},
        {"triton.language.extra", "libdevice"},
        {"triton.language.extra.cuda", "libdevice"}};
    for (const auto &[parent, child] : children)
      if (module == parent && child.starts_with(prefix))
        list.items.emplace_back(child, CompletionItemKind::Module);
  } else {
    llvm::SmallSetVector<llvm::StringRef, 16> names;
    if (const ast::Module *tree = analysis.getTree()) {
      if (const ast::FunctionDef *function = findFunction(*tree, offset)) {
        for (const ast::Param &param : function->params)
          names.insert(param.name);
        ast::NameSet assigned;
        ast::collectAssignedNames(function->body, assigned);
        names.insert_range(assigned);
      }
      for (llvm::StringRef name : analysis.getScope()->getNames())
        names.insert(name);
    }
    for (llvm::StringRef name : names)
      if (name.starts_with(prefix) && name != prefix)
        list.items.emplace_back(name, CompletionItemKind::Variable);
    addNames("python");
  }
  // Overloads are one entry.
  llvm::sort(list.items, [](const CompletionItem &a, const CompletionItem &b) {
    return std::tie(a.label, a.detail) < std::tie(b.label, b.detail);
  });
  list.items.erase(
      llvm::unique(list.items, [](const CompletionItem &a,
                                  const CompletionItem &b) { return a.label == b.label; }),
      list.items.end());
  return list;
}

} // namespace tilec::lsp
