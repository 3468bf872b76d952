// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Hover.h.

#include "Hover.h"

#include "Definition.h"
#include "LanguageDocs.h"

#include "llvm/ADT/StringExtras.h"

namespace tilec::lsp {

std::optional<std::pair<SourceRange, std::string>> describeAt(const DocumentAnalysis &analysis,
                                                              uint32_t offset) {
  const ast::Module *tree = analysis.getTree();
  if (!tree)
    return std::nullopt;
  // The layout is known where a tensor is computed: for a name, where it was assigned. What begins
  // at the same place may be of another shape.
  auto findLayout = [&](SourceRange range, llvm::StringRef value) -> std::string {
    size_t shape = value.find('[');
    const std::vector<std::string> *layouts = analysis.findLayouts(range);
    if (shape == llvm::StringRef::npos || !layouts)
      return "";
    for (const std::string &layout : *layouts)
      if (llvm::StringRef(layout).ends_with((", " + value.substr(shape) + ">").str()))
        return layout;
    return "";
  };
  auto describeValue = [&](SourceRange range, llvm::StringRef name,
                           const std::vector<std::string> &values) {
    std::string text = "```python\n" + name.str() + ": " + llvm::join(values, " or ") + "\n```";
    std::string layout = findLayout(range, values.front());
    if (layout.empty())
      if (const ast::Expr *assigned = findAssignedValue(*tree, name, offset))
        layout = findLayout(assigned->range, values.front());
    if (!layout.empty())
      text += "\nlayout: `" + layout + "`";
    return std::make_pair(range, text);
  };
  // Parameters and targets of assignments are no expressions that are evaluated.
  for (const ast::FunctionDef *function : tree->deviceFunctions)
    for (const ast::Param &param : function->params)
      if (param.nameRange.begin <= offset && offset <= param.nameRange.end)
        if (const std::vector<std::string> *values = analysis.findValues(param.nameRange))
          return describeValue(param.nameRange, param.name, *values);
  std::vector<const ast::Expr *> exprs = findExprs(analysis, offset);
  for (const ast::Expr *expr : llvm::reverse(exprs)) {
    if (const auto *attribute = llvm::dyn_cast<ast::Attribute>(expr)) {
      std::string module = findLanguageModule(analysis, attribute->base);
      bool isOnName = attribute->nameRange.begin <= offset && offset <= attribute->nameRange.end;
      std::optional<Member> member =
          findMember(module.empty() ? "method" : module, attribute->name);
      if (isOnName && member)
        return std::make_pair(attribute->nameRange, describe(*member));
    }
    if (!llvm::isa<ast::Name, ast::Attribute, ast::Call, ast::Binary, ast::Subscript, ast::Compare,
                   ast::Unary>(expr))
      continue;
    llvm::StringRef text = analysis.getSources().getText(expr->range);
    if (const std::vector<std::string> *values = analysis.findValues(expr->range))
      return describeValue(expr->range, text.split('\n').first, *values);
    if (const auto *name = llvm::dyn_cast<ast::Name>(expr))
      if (std::optional<Member> builtin = findMember("python", name->id))
        return std::make_pair(expr->range, describe(*builtin));
  }
  return std::nullopt;
}

} // namespace tilec::lsp
