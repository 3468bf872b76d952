// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Spellings of operators and node kinds, and the few questions that nodes answer themselves.

#include "tilec/Syntax/AST.h"

using namespace tilec;
using namespace tilec::ast;

llvm::StringRef ast::getSpelling(UnaryOp op) {
  switch (op) {
  case UnaryOp::Plus:
    return "+";
  case UnaryOp::Minus:
    return "-";
  case UnaryOp::Invert:
    return "~";
  case UnaryOp::Not:
    return "not";
  }
  return "";
}

llvm::StringRef ast::getSpelling(BinaryOp op) {
  static constexpr const char *spellings[] = {"+",  "-",  "*",  "@", "/", "//", "%",
                                              "**", "<<", ">>", "&", "|", "^"};
  return spellings[static_cast<unsigned>(op)];
}

llvm::StringRef ast::getSpelling(BoolOpKind op) { return op == BoolOpKind::And ? "and" : "or"; }

llvm::StringRef ast::getSpelling(CompareOp op) {
  static constexpr const char *spellings[] = {"==", "!=", "<",      "<=", ">",
                                              ">=", "is", "is not", "in", "not in"};
  return spellings[static_cast<unsigned>(op)];
}

llvm::StringRef ast::getKindName(ExprKind kind) {
  static constexpr const char *names[] = {"Name",
                                          "IntLiteral",
                                          "FloatLiteral",
                                          "StringLiteral",
                                          "BoolLiteral",
                                          "NoneLiteral",
                                          "EllipsisLiteral",
                                          "FString",
                                          "Tuple",
                                          "List",
                                          "Set",
                                          "Dict",
                                          "Comprehension",
                                          "Attribute",
                                          "Subscript",
                                          "Slice",
                                          "Call",
                                          "Starred",
                                          "Unary",
                                          "Binary",
                                          "BoolOp",
                                          "Compare",
                                          "Conditional",
                                          "NamedExpr",
                                          "Lambda",
                                          "Unsupported"};
  static_assert(std::size(names) == static_cast<size_t>(ExprKind::Unsupported) + 1);
  return names[static_cast<unsigned>(kind)];
}

llvm::StringRef ast::getKindName(StmtKind kind) {
  static constexpr const char *names[] = {
      "Expr",       "Assign",      "AnnAssign", "AugAssign",  "Return", "If",
      "For",        "While",       "With",      "Try",        "Assert", "Raise",
      "Pass",       "Break",       "Continue",  "Delete",     "Scope",  "Import",
      "ImportFrom", "FunctionDef", "ClassDef",  "Unsupported"};
  static_assert(std::size(names) == static_cast<size_t>(StmtKind::Unsupported) + 1);
  return names[static_cast<unsigned>(kind)];
}

llvm::APInt IntLiteral::getValue() const {
  llvm::APInt value(static_cast<unsigned>(words.size()) * 64, words);
  return value.isNegative() ? value.zext(value.getBitWidth() + 64) : value;
}

std::string ast::getQualifiedName(const FunctionDef &function) {
  std::string name = function.name.str();
  for (const Stmt *around = function.parent; around;) {
    auto *classDef = llvm::dyn_cast<ClassDef>(around);
    auto *host = llvm::dyn_cast<FunctionDef>(around);
    if (!classDef && !host)
      break;
    name = ((classDef ? classDef->name : host->name) + "." + name).str();
    around = classDef ? classDef->parent : host->parent;
  }
  return name;
}

std::string ast::getDottedName(const Expr *expr) {
  llvm::SmallVector<llvm::StringRef, 4> names;
  while (const auto *attribute = llvm::dyn_cast_or_null<Attribute>(expr)) {
    names.push_back(attribute->name);
    expr = attribute->base;
  }
  const auto *root = llvm::dyn_cast_or_null<Name>(expr);
  if (!root)
    return {};
  std::string text = root->id.str();
  for (llvm::StringRef name : llvm::reverse(names))
    text += ("." + name).str();
  return text;
}
