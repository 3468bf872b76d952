// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tree dump: depth first, one line a node, each child labelled with its role.

#include "tilec/Syntax/ASTPrinter.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace tilec;
using namespace tilec::ast;

namespace {

class TreePrinter {
public:
  TreePrinter(std::string &text, const SourceManager *sourceManager)
      : out(text), sources(sourceManager) {}

  void printModule(const Module &module) {
    out << "Module\n";
    ++level;
    for (const Stmt *statement : module.body)
      print("", statement);
  }

  void print(llvm::StringRef role, const Expr *expr) {
    if (!expr)
      return;
    begin(role, getKindName(expr->kind));
    printAttributes(expr);
    finishLine(expr->range);
    ++level;
    printChildren(expr);
    --level;
  }

  void print(llvm::StringRef role, const Stmt *statement) {
    begin(role, getKindName(statement->kind));
    printAttributes(statement);
    finishLine(statement->range);
    ++level;
    printChildren(statement);
    --level;
  }

private:
  void begin(llvm::StringRef role, llvm::StringRef kind) {
    out.indent(2 * level);
    if (!role.empty())
      out << role << ": ";
    out << kind;
  }

  void finishLine(SourceRange range) {
    if (sources && range.isValid()) {
      LineColumn place = sources->getLineColumn(range);
      out << " <" << place.line << ':' << place.column << '>';
    }
    out << '\n';
  }

  void quote(llvm::StringRef text) {
    out << " \"";
    llvm::printEscapedString(text, out);
    out << '"';
  }

  void printAll(llvm::StringRef role, llvm::ArrayRef<Expr *> exprs) {
    for (const Expr *expr : exprs)
      print(role, expr);
  }

  void printBlock(llvm::StringRef role, Block block) {
    if (block.empty())
      return;
    begin("", role);
    out << '\n';
    ++level;
    for (const Stmt *statement : block)
      print("", statement);
    --level;
  }

  void printKeywords(llvm::ArrayRef<KeywordArg> keywords) {
    for (const KeywordArg &keyword : keywords)
      print(keyword.name.empty() ? "**" : (keyword.name + "=").str(), keyword.value);
  }

  void printParams(llvm::ArrayRef<Param> params) {
    static constexpr const char *kinds[] = {" positional-only", "", " keyword-only", " *", " **"};
    for (const Param &param : params) {
      begin("", "Param ");
      out << param.name << kinds[static_cast<unsigned>(param.kind)];
      finishLine(param.nameRange);
      ++level;
      print("annotation", param.annotation);
      print("default", param.defaultValue);
      --level;
    }
  }

  //===- Expressions -----------------------------------------------------------------------===//

  void printAttributes(const Expr *expr) {
    switch (expr->kind) {
    case ExprKind::Name:
      out << ' ' << llvm::cast<Name>(expr)->id;
      return;
    case ExprKind::IntLiteral: {
      llvm::SmallString<32> digits;
      llvm::cast<IntLiteral>(expr)->getValue().toStringUnsigned(digits);
      out << ' ' << digits;
      return;
    }
    case ExprKind::FloatLiteral:
      out << ' ' << llvm::cast<FloatLiteral>(expr)->spelling;
      return;
    case ExprKind::StringLiteral:
      if (llvm::cast<StringLiteral>(expr)->isBytes)
        out << " bytes";
      return quote(llvm::cast<StringLiteral>(expr)->value);
    case ExprKind::BoolLiteral:
      out << (llvm::cast<BoolLiteral>(expr)->value ? " True" : " False");
      return;
    case ExprKind::Attribute:
      out << " ." << llvm::cast<Attribute>(expr)->name;
      return;
    case ExprKind::Subscript:
      if (llvm::cast<Subscript>(expr)->hasTrailingComma)
        out << " trailing-comma";
      return;
    case ExprKind::Comprehension: {
      static constexpr const char *forms[] = {" list", " set", " dict", " generator"};
      out << forms[static_cast<unsigned>(llvm::cast<Comprehension>(expr)->form)];
      return;
    }
    case ExprKind::Unary:
      out << ' ' << getSpelling(llvm::cast<Unary>(expr)->op);
      return;
    case ExprKind::Binary:
      out << ' ' << getSpelling(llvm::cast<Binary>(expr)->op);
      return;
    case ExprKind::BoolOp:
      out << ' ' << getSpelling(llvm::cast<BoolOp>(expr)->op);
      return;
    case ExprKind::Compare:
      for (CompareOp op : llvm::cast<Compare>(expr)->ops)
        out << ' ' << getSpelling(op);
      return;
    case ExprKind::Unsupported:
      return quote(llvm::cast<UnsupportedExpr>(expr)->what);
    default:
      return;
    }
  }

  void printChildren(const Expr *expr) {
    switch (expr->kind) {
    case ExprKind::FString:
      return printParts(llvm::cast<FString>(expr)->parts);
    case ExprKind::Tuple:
      return printAll("", llvm::cast<Tuple>(expr)->elements);
    case ExprKind::List:
      return printAll("", llvm::cast<List>(expr)->elements);
    case ExprKind::Set:
      return printAll("", llvm::cast<Set>(expr)->elements);
    case ExprKind::Dict:
      for (const DictEntry &entry : llvm::cast<Dict>(expr)->entries) {
        print("key", entry.key);
        print(entry.key ? "value" : "**", entry.value);
      }
      return;
    case ExprKind::Comprehension: {
      const auto *node = llvm::cast<Comprehension>(expr);
      print(node->value ? "key" : "element", node->element);
      print("value", node->value);
      for (const ComprehensionClause &clause : node->clauses) {
        print(clause.isAsync ? "async for" : "for", clause.target);
        print("in", clause.iter);
        printAll("if", clause.conditions);
      }
      return;
    }
    case ExprKind::Attribute:
      return print("", llvm::cast<Attribute>(expr)->base);
    case ExprKind::Subscript:
      print("base", llvm::cast<Subscript>(expr)->base);
      return printAll("index", llvm::cast<Subscript>(expr)->indices);
    case ExprKind::Slice:
      print("lower", llvm::cast<Slice>(expr)->lower);
      print("upper", llvm::cast<Slice>(expr)->upper);
      return print("step", llvm::cast<Slice>(expr)->step);
    case ExprKind::Call:
      print("callee", llvm::cast<Call>(expr)->callee);
      printAll("arg", llvm::cast<Call>(expr)->args);
      return printKeywords(llvm::cast<Call>(expr)->keywords);
    case ExprKind::Starred:
      return print("", llvm::cast<Starred>(expr)->value);
    case ExprKind::Unary:
      return print("", llvm::cast<Unary>(expr)->operand);
    case ExprKind::Binary:
      print("", llvm::cast<Binary>(expr)->lhs);
      return print("", llvm::cast<Binary>(expr)->rhs);
    case ExprKind::BoolOp:
      return printAll("", llvm::cast<BoolOp>(expr)->operands);
    case ExprKind::Compare:
      print("", llvm::cast<Compare>(expr)->first);
      return printAll("", llvm::cast<Compare>(expr)->operands);
    case ExprKind::Conditional:
      print("condition", llvm::cast<Conditional>(expr)->condition);
      print("then", llvm::cast<Conditional>(expr)->thenValue);
      return print("else", llvm::cast<Conditional>(expr)->elseValue);
    case ExprKind::NamedExpr:
      print("target", llvm::cast<NamedExpr>(expr)->target);
      return print("value", llvm::cast<NamedExpr>(expr)->value);
    case ExprKind::Lambda:
      printParams(llvm::cast<Lambda>(expr)->params);
      return print("body", llvm::cast<Lambda>(expr)->body);
    default:
      return;
    }
  }

  void printParts(llvm::ArrayRef<FStringPart> parts) {
    for (const FStringPart &part : parts) {
      begin("", part.value ? "Field" : "Text");
      if (!part.text.empty())
        quote(part.text);
      if (part.conversion)
        out << " !" << part.conversion;
      finishLine(part.range);
      ++level;
      print("", part.value);
      print("spec", part.spec);
      --level;
    }
  }

  //===- Statements ------------------------------------------------------------------------===//

  void printNames(llvm::ArrayRef<ImportedName> names) {
    for (const ImportedName &name : names) {
      out << ' ' << name.name;
      if (!name.alias.empty())
        out << " as " << name.alias;
      if (&name != &names.back())
        out << ',';
    }
  }

  void printAttributes(const Stmt *statement) {
    switch (statement->kind) {
    case StmtKind::AugAssign:
      out << ' ' << getSpelling(llvm::cast<AugAssign>(statement)->op) << '=';
      return;
    case StmtKind::If:
      if (llvm::cast<If>(statement)->isElif)
        out << " elif";
      return;
    case StmtKind::Scope:
      out << (llvm::cast<Scope>(statement)->isNonlocal ? " nonlocal" : " global");
      for (llvm::StringRef name : llvm::cast<Scope>(statement)->names)
        out << ' ' << name;
      return;
    case StmtKind::Import:
      return printNames(llvm::cast<Import>(statement)->names);
    case StmtKind::ImportFrom:
      out << ' ' << std::string(llvm::cast<ImportFrom>(statement)->level, '.')
          << llvm::cast<ImportFrom>(statement)->module << " import";
      return printNames(llvm::cast<ImportFrom>(statement)->names);
    case StmtKind::FunctionDef: {
      const auto *node = llvm::cast<FunctionDef>(statement);
      out << ' ' << node->name;
      out << (node->isAsync ? " async" : "") << (node->isJit ? " jit" : "")
          << (node->isConstexprFunction ? " constexpr-function" : "")
          << (node->noinline ? " noinline" : "") << (node->bodySkipped ? " body-skipped" : "")
          << (node->headerSkipped ? " header-skipped" : "");
      return;
    }
    case StmtKind::ClassDef:
      out << ' ' << llvm::cast<ClassDef>(statement)->name;
      return;
    case StmtKind::Unsupported:
      return quote(llvm::cast<UnsupportedStmt>(statement)->what);
    default:
      return;
    }
  }

  void printChildren(const Stmt *statement) {
    switch (statement->kind) {
    case StmtKind::Expr:
      return print("", llvm::cast<ExprStmt>(statement)->value);
    case StmtKind::Assign:
      printAll("target", llvm::cast<Assign>(statement)->targets);
      return print("value", llvm::cast<Assign>(statement)->value);
    case StmtKind::AnnAssign:
      print("target", llvm::cast<AnnAssign>(statement)->target);
      print("annotation", llvm::cast<AnnAssign>(statement)->annotation);
      return print("value", llvm::cast<AnnAssign>(statement)->value);
    case StmtKind::AugAssign:
      print("target", llvm::cast<AugAssign>(statement)->target);
      return print("value", llvm::cast<AugAssign>(statement)->value);
    case StmtKind::Return:
      return print("", llvm::cast<Return>(statement)->value);
    case StmtKind::If:
      print("condition", llvm::cast<If>(statement)->condition);
      printBlock("then", llvm::cast<If>(statement)->thenBody);
      return printBlock("else", llvm::cast<If>(statement)->elseBody);
    case StmtKind::For:
      print("target", llvm::cast<For>(statement)->target);
      print("iter", llvm::cast<For>(statement)->iter);
      printBlock("body", llvm::cast<For>(statement)->body);
      return printBlock("else", llvm::cast<For>(statement)->elseBody);
    case StmtKind::While:
      print("condition", llvm::cast<While>(statement)->condition);
      printBlock("body", llvm::cast<While>(statement)->body);
      return printBlock("else", llvm::cast<While>(statement)->elseBody);
    case StmtKind::With:
      for (const WithItem &item : llvm::cast<With>(statement)->items) {
        print("context", item.context);
        print("as", item.target);
      }
      return printBlock("body", llvm::cast<With>(statement)->body);
    case StmtKind::Try: {
      const auto *node = llvm::cast<Try>(statement);
      printBlock("body", node->body);
      for (const ExceptHandler &handler : node->handlers) {
        begin("", "except");
        out << (handler.name.empty() ? "" : " as ") << handler.name << '\n';
        ++level;
        print("type", handler.type);
        printBlock("body", handler.body);
        --level;
      }
      printBlock("else", node->elseBody);
      return printBlock("finally", node->finallyBody);
    }
    case StmtKind::Assert:
      print("condition", llvm::cast<Assert>(statement)->condition);
      return print("message", llvm::cast<Assert>(statement)->message);
    case StmtKind::Raise:
      print("exception", llvm::cast<Raise>(statement)->exception);
      return print("cause", llvm::cast<Raise>(statement)->cause);
    case StmtKind::Delete:
      return printAll("", llvm::cast<Delete>(statement)->targets);
    case StmtKind::FunctionDef: {
      const auto *node = llvm::cast<FunctionDef>(statement);
      printAll("decorator", node->decorators);
      printParams(node->params);
      print("returns", node->returns);
      return printBlock("body", node->body);
    }
    case StmtKind::ClassDef: {
      const auto *node = llvm::cast<ClassDef>(statement);
      printAll("decorator", node->decorators);
      printAll("base", node->bases);
      printKeywords(node->keywords);
      return printBlock("body", node->body);
    }
    default:
      return;
    }
  }

  llvm::raw_string_ostream out;
  const SourceManager *sources;
  unsigned level = 0;
};

} // namespace

std::string ast::printTree(const Module &module, const SourceManager *sources) {
  std::string text;
  TreePrinter(text, sources).printModule(module);
  return text;
}

std::string ast::printTree(const Stmt *statement, const SourceManager *sources) {
  std::string text;
  TreePrinter(text, sources).print("", statement);
  return text;
}

std::string ast::printTree(const Expr *expr, const SourceManager *sources) {
  std::string text;
  TreePrinter(text, sources).print("", expr);
  return text;
}
