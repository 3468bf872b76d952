// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expression nodes. Nodes are plain structs in the arena of their Module: never deleted one by
// one, trivially destructible, pointers and ArrayRefs stay valid as long as the Module. Names are
// slices of the source text, so the SourceManager must outlive the Module. Use llvm::isa, cast,
// dyn_cast. No expression and no function is higher than ast::maxNesting, so that recursion over
// them is safe.

#ifndef TILEC_SYNTAX_EXPR_H
#define TILEC_SYNTAX_EXPR_H

#include "tilec/Support/SourceBuffer.h"

#include "llvm/ADT/APInt.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Casting.h"

namespace tilec::ast {

/// The greatest height of a tree: brackets, operators, blocks and elif chains together.
inline constexpr unsigned maxNesting = 256;

enum class ExprKind : uint8_t {
  Name,
  IntLiteral,
  FloatLiteral,
  StringLiteral,
  BoolLiteral,
  NoneLiteral,
  EllipsisLiteral,
  FString,
  Tuple,
  List,
  Set,
  Dict,
  Comprehension,
  Attribute,
  Subscript,
  Slice,
  Call,
  Starred,
  Unary,
  Binary,
  BoolOp,
  Compare,
  Conditional,
  NamedExpr,
  Lambda,
  Unsupported,
};

enum class UnaryOp : uint8_t { Plus, Minus, Invert, Not };

enum class BinaryOp : uint8_t {
  Add,
  Sub,
  Mul,
  MatMul,
  Div,
  FloorDiv,
  Mod,
  Pow,
  LShift,
  RShift,
  BitAnd,
  BitOr,
  BitXor,
};

enum class BoolOpKind : uint8_t { And, Or };

enum class CompareOp : uint8_t { Eq, NotEq, Lt, LtE, Gt, GtE, Is, IsNot, In, NotIn };

/// The source spelling: "+", "not", "is not", ...
llvm::StringRef getSpelling(UnaryOp op);
llvm::StringRef getSpelling(BinaryOp op);
llvm::StringRef getSpelling(BoolOpKind op);
llvm::StringRef getSpelling(CompareOp op);
/// The name of a node kind, as the AST dump prints it: "Name", "IntLiteral", ...
llvm::StringRef getKindName(ExprKind kind);

struct Expr {
  ExprKind kind;
  /// Height of this tree; 1 for a leaf.
  uint16_t height = 1;
  /// From the first to the last token; brackets of a parenthesised expression are not part of it,
  /// those of a tuple display are.
  SourceRange range;

  Expr(ExprKind nodeKind, SourceRange nodeRange) : kind(nodeKind), range(nodeRange) {}
};

/// A variable name.
struct Name : Expr {
  llvm::StringRef id;

  Name(SourceRange r, llvm::StringRef name) : Expr(ExprKind::Name, r), id(name) {}
  static bool classof(const Expr *e) { return e->kind == ExprKind::Name; }
};

/// An integer of any size; never negative (`-1` is a Unary).
struct IntLiteral : Expr {
  /// Spelling in the source, underscores and base prefix included.
  llvm::StringRef spelling;
  /// Little-endian words of the value; at least one.
  llvm::ArrayRef<uint64_t> words;

  IntLiteral(SourceRange r, llvm::StringRef text, llvm::ArrayRef<uint64_t> valueWords)
      : Expr(ExprKind::IntLiteral, r), spelling(text), words(valueWords) {}
  /// The value, with a bit width that leaves the top bit clear: it reads the same as signed and
  /// as unsigned.
  llvm::APInt getValue() const;
  static bool classof(const Expr *e) { return e->kind == ExprKind::IntLiteral; }
};

/// A floating-point number; its value is the nearest double (infinity when it is too large).
struct FloatLiteral : Expr {
  llvm::StringRef spelling;
  double value;

  FloatLiteral(SourceRange r, llvm::StringRef text, double number)
      : Expr(ExprKind::FloatLiteral, r), spelling(text), value(number) {}
  static bool classof(const Expr *e) { return e->kind == ExprKind::FloatLiteral; }
};

/// A string or bytes literal, adjacent literals concatenated, escapes resolved (UTF-8).
struct StringLiteral : Expr {
  llvm::StringRef value;
  bool isBytes;

  StringLiteral(SourceRange r, llvm::StringRef text, bool bytes)
      : Expr(ExprKind::StringLiteral, r), value(text), isBytes(bytes) {}
  static bool classof(const Expr *e) { return e->kind == ExprKind::StringLiteral; }
};

struct BoolLiteral : Expr {
  bool value;

  BoolLiteral(SourceRange r, bool truth) : Expr(ExprKind::BoolLiteral, r), value(truth) {}
  static bool classof(const Expr *e) { return e->kind == ExprKind::BoolLiteral; }
};

struct NoneLiteral : Expr {
  explicit NoneLiteral(SourceRange r) : Expr(ExprKind::NoneLiteral, r) {}
  static bool classof(const Expr *e) { return e->kind == ExprKind::NoneLiteral; }
};

struct EllipsisLiteral : Expr {
  explicit EllipsisLiteral(SourceRange r) : Expr(ExprKind::EllipsisLiteral, r) {}
  static bool classof(const Expr *e) { return e->kind == ExprKind::EllipsisLiteral; }
};

struct FString;

/// One piece of an f-string: literal text (then `value` is null) or a `{value!c:spec}` field.
struct FStringPart {
  SourceRange range;
  /// Literal text with escapes and doubled braces resolved; for a `{x=}` field the text "x=".
  llvm::StringRef text;
  Expr *value = nullptr;
  /// 'r', 's', 'a', or 0 for none.
  char conversion = 0;
  /// The format specification (itself an f-string), or null.
  FString *spec = nullptr;
};

/// An f-string; plain literals next to it are concatenated into its parts.
struct FString : Expr {
  llvm::ArrayRef<FStringPart> parts;

  FString(SourceRange r, llvm::ArrayRef<FStringPart> pieces)
      : Expr(ExprKind::FString, r), parts(pieces) {}
  static bool classof(const Expr *e) { return e->kind == ExprKind::FString; }
};

struct Tuple : Expr {
  llvm::ArrayRef<Expr *> elements;

  Tuple(SourceRange r, llvm::ArrayRef<Expr *> items) : Expr(ExprKind::Tuple, r), elements(items) {}
  static bool classof(const Expr *e) { return e->kind == ExprKind::Tuple; }
};

struct List : Expr {
  llvm::ArrayRef<Expr *> elements;

  List(SourceRange r, llvm::ArrayRef<Expr *> items) : Expr(ExprKind::List, r), elements(items) {}
  static bool classof(const Expr *e) { return e->kind == ExprKind::List; }
};

struct Set : Expr {
  llvm::ArrayRef<Expr *> elements;

  Set(SourceRange r, llvm::ArrayRef<Expr *> items) : Expr(ExprKind::Set, r), elements(items) {}
  static bool classof(const Expr *e) { return e->kind == ExprKind::Set; }
};

/// `{k: v}`; an entry with a null key is `**v`.
struct DictEntry {
  Expr *key;
  Expr *value;
};

struct Dict : Expr {
  llvm::ArrayRef<DictEntry> entries;

  Dict(SourceRange r, llvm::ArrayRef<DictEntry> items) : Expr(ExprKind::Dict, r), entries(items) {}
  static bool classof(const Expr *e) { return e->kind == ExprKind::Dict; }
};

/// One `for target in iter if cond...` clause of a comprehension.
struct ComprehensionClause {
  Expr *target;
  Expr *iter;
  llvm::ArrayRef<Expr *> conditions;
  bool isAsync;
};

enum class ComprehensionKind : uint8_t { List, Set, Dict, Generator };

struct Comprehension : Expr {
  ComprehensionKind form;
  /// The element, or the key of a dict comprehension.
  Expr *element;
  /// The value of a dict comprehension, otherwise null.
  Expr *value;
  llvm::ArrayRef<ComprehensionClause> clauses;

  Comprehension(SourceRange r, ComprehensionKind comprehensionKind, Expr *elementOrKey,
                Expr *dictValue, llvm::ArrayRef<ComprehensionClause> forClauses)
      : Expr(ExprKind::Comprehension, r), form(comprehensionKind), element(elementOrKey),
        value(dictValue), clauses(forClauses) {}
  static bool classof(const Expr *e) { return e->kind == ExprKind::Comprehension; }
};

/// `base.name`
struct Attribute : Expr {
  Expr *base;
  llvm::StringRef name;
  SourceRange nameRange;

  Attribute(SourceRange r, Expr *object, llvm::StringRef attribute, SourceRange attributeRange)
      : Expr(ExprKind::Attribute, r), base(object), name(attribute), nameRange(attributeRange) {}
  static bool classof(const Expr *e) { return e->kind == ExprKind::Attribute; }
};

/// `base[indices]`. `x[a, b]` has two indices; `x[(a, b)]` has one, a Tuple; `x[a,]` has one and
/// `hasTrailingComma`. An index may be a Slice, a NoneLiteral, an EllipsisLiteral or a Starred.
struct Subscript : Expr {
  Expr *base;
  llvm::ArrayRef<Expr *> indices;
  bool hasTrailingComma;

  Subscript(SourceRange r, Expr *object, llvm::ArrayRef<Expr *> items, bool trailingComma)
      : Expr(ExprKind::Subscript, r), base(object), indices(items),
        hasTrailingComma(trailingComma) {}
  static bool classof(const Expr *e) { return e->kind == ExprKind::Subscript; }
};

/// `lower:upper:step` inside a subscript; each part may be null.
struct Slice : Expr {
  Expr *lower;
  Expr *upper;
  Expr *step;

  Slice(SourceRange r, Expr *from, Expr *to, Expr *by)
      : Expr(ExprKind::Slice, r), lower(from), upper(to), step(by) {}
  /// Whether it is `:` or `::`, everything.
  bool isFull() const { return !lower && !upper && !step; }
  static bool classof(const Expr *e) { return e->kind == ExprKind::Slice; }
};

/// `name=value` in a call; with an empty name it is `**value`.
struct KeywordArg {
  llvm::StringRef name;
  SourceRange nameRange;
  Expr *value;
};

/// `callee(args, keywords)`; `*x` is a Starred among the positional arguments.
struct Call : Expr {
  Expr *callee;
  llvm::ArrayRef<Expr *> args;
  llvm::ArrayRef<KeywordArg> keywords;

  Call(SourceRange r, Expr *function, llvm::ArrayRef<Expr *> positional,
       llvm::ArrayRef<KeywordArg> named)
      : Expr(ExprKind::Call, r), callee(function), args(positional), keywords(named) {}
  static bool classof(const Expr *e) { return e->kind == ExprKind::Call; }
};

struct Starred : Expr {
  Expr *value;

  Starred(SourceRange r, Expr *operand) : Expr(ExprKind::Starred, r), value(operand) {}
  static bool classof(const Expr *e) { return e->kind == ExprKind::Starred; }
};

struct Unary : Expr {
  UnaryOp op;
  Expr *operand;

  Unary(SourceRange r, UnaryOp unaryOp, Expr *value)
      : Expr(ExprKind::Unary, r), op(unaryOp), operand(value) {}
  static bool classof(const Expr *e) { return e->kind == ExprKind::Unary; }
};

struct Binary : Expr {
  BinaryOp op;
  Expr *lhs;
  Expr *rhs;
  SourceRange opRange;

  Binary(SourceRange r, BinaryOp binaryOp, Expr *left, Expr *right, SourceRange operatorRange)
      : Expr(ExprKind::Binary, r), op(binaryOp), lhs(left), rhs(right), opRange(operatorRange) {}
  static bool classof(const Expr *e) { return e->kind == ExprKind::Binary; }
};

/// `a and b and c` is one node with three operands.
struct BoolOp : Expr {
  BoolOpKind op;
  llvm::ArrayRef<Expr *> operands;

  BoolOp(SourceRange r, BoolOpKind boolOp, llvm::ArrayRef<Expr *> values)
      : Expr(ExprKind::BoolOp, r), op(boolOp), operands(values) {}
  static bool classof(const Expr *e) { return e->kind == ExprKind::BoolOp; }
};

/// `first op[0] operands[0] op[1] operands[1] ...`; a chain has more than one op.
struct Compare : Expr {
  Expr *first;
  llvm::ArrayRef<CompareOp> ops;
  llvm::ArrayRef<Expr *> operands;

  Compare(SourceRange r, Expr *left, llvm::ArrayRef<CompareOp> compareOps,
          llvm::ArrayRef<Expr *> right)
      : Expr(ExprKind::Compare, r), first(left), ops(compareOps), operands(right) {}
  bool isChain() const { return ops.size() > 1; }
  static bool classof(const Expr *e) { return e->kind == ExprKind::Compare; }
};

/// `thenValue if condition else elseValue`
struct Conditional : Expr {
  Expr *condition;
  Expr *thenValue;
  Expr *elseValue;

  Conditional(SourceRange r, Expr *test, Expr *onTrue, Expr *onFalse)
      : Expr(ExprKind::Conditional, r), condition(test), thenValue(onTrue), elseValue(onFalse) {}
  static bool classof(const Expr *e) { return e->kind == ExprKind::Conditional; }
};

/// `target := value`
struct NamedExpr : Expr {
  Name *target;
  Expr *value;

  NamedExpr(SourceRange r, Name *name, Expr *init)
      : Expr(ExprKind::NamedExpr, r), target(name), value(init) {}
  static bool classof(const Expr *e) { return e->kind == ExprKind::NamedExpr; }
};

enum class ParamKind : uint8_t {
  PositionalOnly,
  Normal,
  KeywordOnly,
  /// `*args`
  VarArgs,
  /// `**kwargs`
  VarKeywords,
};

/// A parameter of a function or lambda.
struct Param {
  /// From the name to the end of the default value, stars included.
  SourceRange range;
  llvm::StringRef name;
  SourceRange nameRange;
  ParamKind kind = ParamKind::Normal;
  /// Null when absent.
  Expr *annotation = nullptr;
  Expr *defaultValue = nullptr;
};

struct Lambda : Expr {
  llvm::ArrayRef<Param> params;
  Expr *body;

  Lambda(SourceRange r, llvm::ArrayRef<Param> parameters, Expr *result)
      : Expr(ExprKind::Lambda, r), params(parameters), body(result) {}
  static bool classof(const Expr *e) { return e->kind == ExprKind::Lambda; }
};

/// Valid Python that has no meaning in any kernel: `yield`, `await`, complex numbers. Whoever
/// evaluates it reports "'<what>' is not supported in a kernel".
struct UnsupportedExpr : Expr {
  /// For messages: "yield", "await", "complex number", ...
  llvm::StringRef what;

  UnsupportedExpr(SourceRange r, llvm::StringRef construct)
      : Expr(ExprKind::Unsupported, r), what(construct) {}
  static bool classof(const Expr *e) { return e->kind == ExprKind::Unsupported; }
};

/// The text of a dotted name `a.b.c`, or the empty string when the expression is anything else.
std::string getDottedName(const Expr *expr);

} // namespace tilec::ast

#endif // TILEC_SYNTAX_EXPR_H
