// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Statement nodes. As for expressions: arena structs, LLVM-style casts, everything stays valid as
// long as the Module. What kernels may not contain (try, class, del, ...) is parsed into nodes too;
// rejecting it is the business of whoever gives the statement a meaning.

#ifndef TILEC_SYNTAX_STMT_H
#define TILEC_SYNTAX_STMT_H

#include "tilec/Syntax/Expr.h"

namespace tilec::ast {

enum class StmtKind : uint8_t {
  Expr,
  Assign,
  AnnAssign,
  AugAssign,
  Return,
  If,
  For,
  While,
  With,
  Try,
  Assert,
  Raise,
  Pass,
  Break,
  Continue,
  Delete,
  Scope,
  Import,
  ImportFrom,
  FunctionDef,
  ClassDef,
  Unsupported,
};

/// The name of a node kind, as the AST dump prints it: "Assign", "For", ...
llvm::StringRef getKindName(StmtKind kind);

struct Stmt {
  StmtKind kind;
  /// Height of the deepest tree below this statement; 1 for a leaf.
  uint16_t height = 1;
  /// From the first to the last token, the blocks of a compound statement included.
  SourceRange range;

  Stmt(StmtKind nodeKind, SourceRange nodeRange) : kind(nodeKind), range(nodeRange) {}
};

/// The statements of one suite, in source order.
using Block = llvm::ArrayRef<Stmt *>;

/// An expression as a statement; a docstring or string used as a comment is one of these.
struct ExprStmt : Stmt {
  Expr *value;

  ExprStmt(SourceRange r, Expr *expr) : Stmt(StmtKind::Expr, r), value(expr) {}
  static bool classof(const Stmt *s) { return s->kind == StmtKind::Expr; }
};

/// `a = b = value`: targets {a, b}. A target is a Name, Tuple, List, Starred, Attribute or
/// Subscript; the parser has rejected everything else.
struct Assign : Stmt {
  llvm::ArrayRef<Expr *> targets;
  Expr *value;

  Assign(SourceRange r, llvm::ArrayRef<Expr *> assigned, Expr *source)
      : Stmt(StmtKind::Assign, r), targets(assigned), value(source) {}
  static bool classof(const Stmt *s) { return s->kind == StmtKind::Assign; }
};

/// `target: annotation [= value]`; value is null for a bare annotation.
struct AnnAssign : Stmt {
  Expr *target;
  Expr *annotation;
  Expr *value;

  AnnAssign(SourceRange r, Expr *assigned, Expr *type, Expr *source)
      : Stmt(StmtKind::AnnAssign, r), target(assigned), annotation(type), value(source) {}
  static bool classof(const Stmt *s) { return s->kind == StmtKind::AnnAssign; }
};

/// `target op= value`; the target is a Name, Attribute or Subscript.
struct AugAssign : Stmt {
  Expr *target;
  BinaryOp op;
  Expr *value;
  SourceRange opRange;

  AugAssign(SourceRange r, Expr *assigned, BinaryOp binaryOp, Expr *source, SourceRange opToken)
      : Stmt(StmtKind::AugAssign, r), target(assigned), op(binaryOp), value(source),
        opRange(opToken) {}
  static bool classof(const Stmt *s) { return s->kind == StmtKind::AugAssign; }
};

/// `return [value]`; `return a, b` has a Tuple.
struct Return : Stmt {
  Expr *value;

  Return(SourceRange r, Expr *result) : Stmt(StmtKind::Return, r), value(result) {}
  static bool classof(const Stmt *s) { return s->kind == StmtKind::Return; }
};

/// An `elif` is an If that is the only statement of the elseBody, with isElif set.
struct If : Stmt {
  Expr *condition;
  Block thenBody;
  Block elseBody;
  bool isElif;
  /// `if` to the colon, for messages about the condition as a whole.
  SourceRange headerRange;

  If(SourceRange r, Expr *test, Block onTrue, Block onFalse, bool elif, SourceRange header)
      : Stmt(StmtKind::If, r), condition(test), thenBody(onTrue), elseBody(onFalse), isElif(elif),
        headerRange(header) {}
  static bool classof(const Stmt *s) { return s->kind == StmtKind::If; }
};

/// `for target in iter: body [else: elseBody]`
struct For : Stmt {
  Expr *target;
  Expr *iter;
  Block body;
  Block elseBody;
  SourceRange headerRange;

  For(SourceRange r, Expr *variable, Expr *iterable, Block loopBody, Block otherwise,
      SourceRange header)
      : Stmt(StmtKind::For, r), target(variable), iter(iterable), body(loopBody),
        elseBody(otherwise), headerRange(header) {}
  static bool classof(const Stmt *s) { return s->kind == StmtKind::For; }
};

struct While : Stmt {
  Expr *condition;
  Block body;
  Block elseBody;
  SourceRange headerRange;

  While(SourceRange r, Expr *test, Block loopBody, Block otherwise, SourceRange header)
      : Stmt(StmtKind::While, r), condition(test), body(loopBody), elseBody(otherwise),
        headerRange(header) {}
  static bool classof(const Stmt *s) { return s->kind == StmtKind::While; }
};

/// `context [as target]`
struct WithItem {
  Expr *context;
  Expr *target;
};

struct With : Stmt {
  llvm::ArrayRef<WithItem> items;
  Block body;
  SourceRange headerRange;

  With(SourceRange r, llvm::ArrayRef<WithItem> contexts, Block withBody, SourceRange header)
      : Stmt(StmtKind::With, r), items(contexts), body(withBody), headerRange(header) {}
  static bool classof(const Stmt *s) { return s->kind == StmtKind::With; }
};

/// `except [type] [as name]: body`
struct ExceptHandler {
  Expr *type;
  llvm::StringRef name;
  Block body;
};

struct Try : Stmt {
  Block body;
  llvm::ArrayRef<ExceptHandler> handlers;
  Block elseBody;
  Block finallyBody;

  Try(SourceRange r, Block tryBody, llvm::ArrayRef<ExceptHandler> excepts, Block otherwise,
      Block always)
      : Stmt(StmtKind::Try, r), body(tryBody), handlers(excepts), elseBody(otherwise),
        finallyBody(always) {}
  static bool classof(const Stmt *s) { return s->kind == StmtKind::Try; }
};

/// `assert condition[, message]`
struct Assert : Stmt {
  Expr *condition;
  Expr *message;

  Assert(SourceRange r, Expr *test, Expr *text)
      : Stmt(StmtKind::Assert, r), condition(test), message(text) {}
  static bool classof(const Stmt *s) { return s->kind == StmtKind::Assert; }
};

/// `raise [exception [from cause]]`
struct Raise : Stmt {
  Expr *exception;
  Expr *cause;

  Raise(SourceRange r, Expr *raised, Expr *from)
      : Stmt(StmtKind::Raise, r), exception(raised), cause(from) {}
  static bool classof(const Stmt *s) { return s->kind == StmtKind::Raise; }
};

struct Pass : Stmt {
  explicit Pass(SourceRange r) : Stmt(StmtKind::Pass, r) {}
  static bool classof(const Stmt *s) { return s->kind == StmtKind::Pass; }
};

struct Break : Stmt {
  explicit Break(SourceRange r) : Stmt(StmtKind::Break, r) {}
  static bool classof(const Stmt *s) { return s->kind == StmtKind::Break; }
};

struct Continue : Stmt {
  explicit Continue(SourceRange r) : Stmt(StmtKind::Continue, r) {}
  static bool classof(const Stmt *s) { return s->kind == StmtKind::Continue; }
};

/// `del a, b`
struct Delete : Stmt {
  llvm::ArrayRef<Expr *> targets;

  Delete(SourceRange r, llvm::ArrayRef<Expr *> deleted)
      : Stmt(StmtKind::Delete, r), targets(deleted) {}
  static bool classof(const Stmt *s) { return s->kind == StmtKind::Delete; }
};

/// `global a, b` or `nonlocal a, b`
struct Scope : Stmt {
  llvm::ArrayRef<llvm::StringRef> names;
  bool isNonlocal;

  Scope(SourceRange r, llvm::ArrayRef<llvm::StringRef> declared, bool nonlocal)
      : Stmt(StmtKind::Scope, r), names(declared), isNonlocal(nonlocal) {}
  static bool classof(const Stmt *s) { return s->kind == StmtKind::Scope; }
};

/// `name as alias` of an import. For `import a.b as c`: name "a.b", alias "c"; for
/// `from m import x`: name "x", alias "". A star import has the name "*".
struct ImportedName {
  SourceRange range;
  llvm::StringRef name;
  llvm::StringRef alias;

  /// The name that a `from` import binds.
  llvm::StringRef getBoundName() const { return alias.empty() ? name : alias; }
};

struct Import : Stmt {
  llvm::ArrayRef<ImportedName> names;

  Import(SourceRange r, llvm::ArrayRef<ImportedName> imported)
      : Stmt(StmtKind::Import, r), names(imported) {}
  static bool classof(const Stmt *s) { return s->kind == StmtKind::Import; }
};

/// `from ..module import names`: level 2, module "module" (which may be empty).
struct ImportFrom : Stmt {
  llvm::StringRef module;
  unsigned level;
  llvm::ArrayRef<ImportedName> names;
  SourceRange moduleRange;

  ImportFrom(SourceRange r, llvm::StringRef moduleName, unsigned dots,
             llvm::ArrayRef<ImportedName> imported, SourceRange moduleNameRange)
      : Stmt(StmtKind::ImportFrom, r), module(moduleName), level(dots), names(imported),
        moduleRange(moduleNameRange) {}
  static bool classof(const Stmt *s) { return s->kind == StmtKind::ImportFrom; }
};

struct FunctionDef : Stmt {
  llvm::StringRef name;
  SourceRange nameRange;
  llvm::ArrayRef<Param> params;
  /// Expressions after the `@`s, in source order.
  llvm::ArrayRef<Expr *> decorators;
  /// The annotation after `->`, or null.
  Expr *returns = nullptr;
  Block body;
  /// The first statement of the body when it is a string, or null. It is part of the body too.
  StringLiteral *docstring = nullptr;
  /// `def` to the colon.
  SourceRange headerRange;
  /// The function or class around it; null at module level.
  Stmt *parent = nullptr;

  /// Decorated with something whose dotted name is or ends in `jit`.
  bool isJit = false;
  /// Decorated with `constexpr_function`.
  bool isConstexprFunction = false;
  /// `@triton.jit(noinline=True)`
  bool noinline = false;
  bool isAsync = false;
  /// The body was not parsed: host code. `body` then holds only the jit and constexpr functions
  /// nested in it, and parseSkippedBody parses the whole.
  bool bodySkipped = false;
  /// The header could not be parsed either (host code only): params and returns are empty.
  bool headerSkipped = false;

  explicit FunctionDef(SourceRange r) : Stmt(StmtKind::FunctionDef, r) {}
  static bool classof(const Stmt *s) { return s->kind == StmtKind::FunctionDef; }
};

struct ClassDef : Stmt {
  llvm::StringRef name;
  SourceRange nameRange;
  llvm::ArrayRef<Expr *> decorators;
  llvm::ArrayRef<Expr *> bases;
  llvm::ArrayRef<KeywordArg> keywords;
  Block body;
  /// The function or class around it; null at module level.
  Stmt *parent = nullptr;

  explicit ClassDef(SourceRange r) : Stmt(StmtKind::ClassDef, r) {}
  static bool classof(const Stmt *s) { return s->kind == StmtKind::ClassDef; }
};

/// The name of a function with those of the functions and classes around it: "Class.method".
std::string getQualifiedName(const FunctionDef &function);

/// Valid Python without a node of its own: `match`, `async for`, `async with`, `type`. Its blocks
/// are skipped.
struct UnsupportedStmt : Stmt {
  /// For messages: "match", "async for", ...
  llvm::StringRef what;

  UnsupportedStmt(SourceRange r, llvm::StringRef construct)
      : Stmt(StmtKind::Unsupported, r), what(construct) {}
  static bool classof(const Stmt *s) { return s->kind == StmtKind::Unsupported; }
};

} // namespace tilec::ast

#endif // TILEC_SYNTAX_STMT_H
