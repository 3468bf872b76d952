// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Python text from expressions. Every expression has a binding strength; a child that binds more
// loosely than its place allows gets parentheses.

#include "tilec/Syntax/ASTPrinter.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace tilec;
using namespace tilec::ast;

namespace {

/// From loosest to tightest.
enum Strength : unsigned {
  Walrus,
  Ternary,
  Or,
  And,
  Not,
  Comparison,
  BitOr,
  BitXor,
  BitAnd,
  Shift,
  Sum,
  Product,
  Sign,
  Power,
  Postfix,
};

Strength getStrength(BinaryOp op) {
  switch (op) {
  case BinaryOp::BitOr:
    return BitOr;
  case BinaryOp::BitXor:
    return BitXor;
  case BinaryOp::BitAnd:
    return BitAnd;
  case BinaryOp::LShift:
  case BinaryOp::RShift:
    return Shift;
  case BinaryOp::Add:
  case BinaryOp::Sub:
    return Sum;
  case BinaryOp::Mul:
  case BinaryOp::MatMul:
  case BinaryOp::Div:
  case BinaryOp::FloorDiv:
  case BinaryOp::Mod:
    return Product;
  case BinaryOp::Pow:
    return Power;
  }
  return Sum;
}

Strength getStrength(const Expr *expr) {
  switch (expr->kind) {
  case ExprKind::NamedExpr:
  case ExprKind::Starred:
  case ExprKind::Slice:
    return Walrus;
  case ExprKind::Conditional:
  case ExprKind::Lambda:
    return Ternary;
  case ExprKind::BoolOp:
    return llvm::cast<BoolOp>(expr)->op == BoolOpKind::Or ? Or : And;
  case ExprKind::Compare:
    return Comparison;
  case ExprKind::Unary:
    return llvm::cast<Unary>(expr)->op == UnaryOp::Not ? Not : Sign;
  case ExprKind::Binary:
    return getStrength(llvm::cast<Binary>(expr)->op);
  default:
    return Postfix;
  }
}

class SourcePrinter {
public:
  explicit SourcePrinter(std::string &text) : out(text) {}

  /// Prints with parentheses unless the expression binds at least as tightly as `minimum`.
  void print(const Expr *expr, unsigned minimum) {
    bool parenthesize = getStrength(expr) < minimum;
    if (parenthesize)
      out << '(';
    printBare(expr);
    if (parenthesize)
      out << ')';
  }

private:
  void printList(llvm::StringRef open, llvm::ArrayRef<Expr *> exprs, llvm::StringRef close) {
    out << open;
    llvm::ListSeparator separator;
    for (const Expr *expr : exprs) {
      out << separator;
      print(expr, Walrus);
    }
    out << close;
  }

  /// Literals and names; whether it was one.
  bool printAtom(const Expr *expr) {
    switch (expr->kind) {
    case ExprKind::Name:
      out << llvm::cast<Name>(expr)->id;
      return true;
    case ExprKind::IntLiteral:
      out << llvm::cast<IntLiteral>(expr)->spelling;
      return true;
    case ExprKind::FloatLiteral:
      out << llvm::cast<FloatLiteral>(expr)->spelling;
      return true;
    case ExprKind::StringLiteral:
      if (llvm::cast<StringLiteral>(expr)->isBytes)
        out << 'b';
      printQuoted(llvm::cast<StringLiteral>(expr)->value, llvm::cast<StringLiteral>(expr)->isBytes);
      return true;
    case ExprKind::BoolLiteral:
      out << (llvm::cast<BoolLiteral>(expr)->value ? "True" : "False");
      return true;
    case ExprKind::NoneLiteral:
      out << "None";
      return true;
    case ExprKind::EllipsisLiteral:
      out << "...";
      return true;
    case ExprKind::FString:
      out << "f'";
      printParts(llvm::cast<FString>(expr)->parts, /*isSpec=*/false);
      out << '\'';
      return true;
    case ExprKind::Unsupported:
      out << '<' << llvm::cast<UnsupportedExpr>(expr)->what << '>';
      return true;
    default:
      return false;
    }
  }

  void printBare(const Expr *expr) {
    if (printAtom(expr))
      return;
    switch (expr->kind) {
    case ExprKind::Tuple:
      return printTuple(llvm::cast<Tuple>(expr));
    case ExprKind::List:
      return printList("[", llvm::cast<List>(expr)->elements, "]");
    case ExprKind::Set:
      return printList("{", llvm::cast<Set>(expr)->elements, "}");
    case ExprKind::Dict:
      return printDict(llvm::cast<Dict>(expr));
    case ExprKind::Comprehension:
      return printComprehension(llvm::cast<Comprehension>(expr));
    case ExprKind::Attribute:
      return printAttribute(llvm::cast<Attribute>(expr));
    case ExprKind::Subscript: {
      const auto *node = llvm::cast<Subscript>(expr);
      print(node->base, Postfix);
      return printList("[", node->indices, node->hasTrailingComma ? ",]" : "]");
    }
    case ExprKind::Slice:
      return printSlice(llvm::cast<Slice>(expr));
    case ExprKind::Call:
      return printCall(llvm::cast<Call>(expr));
    case ExprKind::Starred:
      out << '*';
      return print(llvm::cast<Starred>(expr)->value, BitOr);
    case ExprKind::Unary:
      return printUnary(llvm::cast<Unary>(expr));
    case ExprKind::Binary:
      return printBinary(llvm::cast<Binary>(expr));
    case ExprKind::BoolOp:
      return printBoolOp(llvm::cast<BoolOp>(expr));
    case ExprKind::Compare:
      return printCompare(llvm::cast<Compare>(expr));
    case ExprKind::Conditional:
      return printConditional(llvm::cast<Conditional>(expr));
    case ExprKind::NamedExpr:
      out << llvm::cast<NamedExpr>(expr)->target->id << " := ";
      return print(llvm::cast<NamedExpr>(expr)->value, Ternary);
    case ExprKind::Lambda:
      out << "lambda";
      printParams(llvm::cast<Lambda>(expr)->params);
      out << ": ";
      return print(llvm::cast<Lambda>(expr)->body, Ternary);
    default:
      return;
    }
  }

  void printCall(const Call *node) {
    print(node->callee, Postfix);
    out << '(';
    llvm::ListSeparator separator;
    for (const Expr *arg : node->args) {
      out << separator;
      print(arg, Walrus);
    }
    for (const KeywordArg &keyword : node->keywords) {
      out << separator << (keyword.name.empty() ? "**" : keyword.name)
          << (keyword.name.empty() ? "" : "=");
      print(keyword.value, Ternary);
    }
    out << ')';
  }

  void printUnary(const Unary *node) {
    out << getSpelling(node->op) << (node->op == UnaryOp::Not ? " " : "");
    print(node->operand, node->op == UnaryOp::Not ? Not : Sign);
  }

  void printBinary(const Binary *node) {
    unsigned strength = getStrength(node->op);
    bool isPower = node->op == BinaryOp::Pow;
    print(node->lhs, isPower ? Postfix : strength);
    out << ' ' << getSpelling(node->op) << ' ';
    print(node->rhs, isPower ? Sign : strength + 1);
  }

  void printBoolOp(const BoolOp *node) {
    llvm::ListSeparator separator(node->op == BoolOpKind::Or ? " or " : " and ");
    for (const Expr *operand : node->operands) {
      out << separator;
      print(operand, getStrength(node) + 1);
    }
  }

  void printCompare(const Compare *node) {
    print(node->first, BitOr);
    for (size_t i = 0; i != node->ops.size(); ++i) {
      out << ' ' << getSpelling(node->ops[i]) << ' ';
      print(node->operands[i], BitOr);
    }
  }

  void printConditional(const Conditional *node) {
    print(node->thenValue, Or);
    out << " if ";
    print(node->condition, Or);
    out << " else ";
    print(node->elseValue, Ternary);
  }

  void printTuple(const Tuple *node) {
    printList("(", node->elements, node->elements.size() == 1 ? ",)" : ")");
  }

  void printAttribute(const Attribute *node) {
    // `1.real` would be read as a number.
    bool isInt = llvm::isa<IntLiteral>(node->base);
    out << (isInt ? "(" : "");
    print(node->base, Postfix);
    out << (isInt ? ")." : ".") << node->name;
  }

  void printQuoted(llvm::StringRef text, bool isBytes) {
    out << '\'';
    printEscaped(text, isBytes);
    out << '\'';
  }

  void printEscaped(llvm::StringRef text, bool isBytes) {
    for (char c : text) {
      bool isUtf8 = static_cast<unsigned char>(c) >= 0x80 && !isBytes;
      if (c == '\'' || c == '\\')
        out << '\\' << c;
      else if (c == '\n')
        out << "\\n";
      else if (c == '\t')
        out << "\\t";
      else if (llvm::isPrint(c) || isUtf8)
        out << c;
      else
        out << "\\x" << llvm::utohexstr(static_cast<unsigned char>(c), /*LowerCase=*/true, 2);
    }
  }

  void printParts(llvm::ArrayRef<FStringPart> parts, bool isSpec) {
    for (const FStringPart &part : parts) {
      if (!part.value) {
        llvm::SmallString<32> doubled;
        for (char c : part.text) {
          if (!isSpec && (c == '{' || c == '}'))
            doubled += c;
          doubled += c;
        }
        printEscaped(doubled, /*isBytes=*/false);
        continue;
      }
      out << '{';
      if (part.text.empty())
        print(part.value, Ternary);
      else
        out << part.text;
      if (part.conversion)
        out << '!' << part.conversion;
      if (part.spec) {
        out << ':';
        printParts(part.spec->parts, /*isSpec=*/true);
      }
      out << '}';
    }
  }

  void printDict(const Dict *dict) {
    out << '{';
    llvm::ListSeparator separator;
    for (const DictEntry &entry : dict->entries) {
      out << separator;
      if (entry.key) {
        print(entry.key, Ternary);
        out << ": ";
        print(entry.value, Ternary);
      } else {
        out << "**";
        print(entry.value, BitOr);
      }
    }
    out << '}';
  }

  void printComprehension(const Comprehension *node) {
    static constexpr const char brackets[] = {'[', '{', '{', '(', ']', '}', '}', ')'};
    unsigned form = static_cast<unsigned>(node->form);
    out << brackets[form];
    print(node->element, node->value ? Ternary : Walrus);
    if (node->value) {
      out << ": ";
      print(node->value, Ternary);
    }
    for (const ComprehensionClause &clause : node->clauses) {
      out << (clause.isAsync ? " async for " : " for ");
      print(clause.target, BitOr);
      out << " in ";
      print(clause.iter, Or);
      for (const Expr *condition : clause.conditions) {
        out << " if ";
        print(condition, Or);
      }
    }
    out << brackets[form + 4];
  }

  void printSlice(const Slice *slice) {
    if (slice->lower)
      print(slice->lower, Ternary);
    out << ':';
    if (slice->upper)
      print(slice->upper, Ternary);
    if (slice->step) {
      out << ':';
      print(slice->step, Ternary);
    }
  }

  void printParams(llvm::ArrayRef<Param> params) {
    bool first = true, hasStar = false;
    auto separate = [&] {
      out << (first ? " " : ", ");
      first = false;
    };
    for (size_t i = 0; i != params.size(); ++i) {
      const Param &param = params[i];
      if (param.kind == ParamKind::KeywordOnly && !hasStar) {
        separate();
        out << '*';
        hasStar = true;
      }
      hasStar |= param.kind == ParamKind::VarArgs;
      separate();
      out << (param.kind == ParamKind::VarArgs       ? "*"
              : param.kind == ParamKind::VarKeywords ? "**"
                                                     : "")
          << param.name;
      if (param.defaultValue) {
        out << '=';
        print(param.defaultValue, Ternary);
      }
      bool isLastPositional =
          param.kind == ParamKind::PositionalOnly &&
          (i + 1 == params.size() || params[i + 1].kind != ParamKind::PositionalOnly);
      if (isLastPositional) {
        separate();
        out << '/';
      }
    }
  }

  llvm::raw_string_ostream out;
};

} // namespace

std::string ast::printSource(const Expr *expr) {
  std::string text;
  SourcePrinter(text).print(expr, Walrus);
  return text;
}
