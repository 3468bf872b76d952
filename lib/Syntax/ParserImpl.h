// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parser's class: recursive descent over a token list, precedence climbing for operators.
// Logical lines and blocks are made here from the tokens' line flags and the open brackets.
//
// Errors: a parse function that fails has reported it, sets `panicking` and returns null. The
// statement loop then goes on at the next line that is not deeper than the statement; a broken
// header of a compound statement still gets its block parsed.

#ifndef TILEC_LIB_SYNTAX_PARSERIMPL_H
#define TILEC_LIB_SYNTAX_PARSERIMPL_H

#include "StringScanner.h"

#include "tilec/Support/Diagnostic.h"
#include "tilec/Syntax/AST.h"
#include "tilec/Syntax/Lexer.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <optional>

namespace tilec {

/// What all parsers of one file share.
struct ParseContext {
  const SourceBuffer &buffer;
  ast::Module &module;
  /// Functions with device decorators, in source order.
  llvm::SmallVector<ast::FunctionDef *, 0> deviceFunctions;
  /// Names that come from packages whose `jit` is not a kernel decorator.
  llvm::StringSet<> foreignNames;
  /// Decorators that are applied after the definition, `f = triton.jit(f)`, by the name of the
  /// function; the outermost one first.
  llvm::StringMap<llvm::SmallVector<ast::Expr *, 2>> lateDecorators;
};

/// What the decorators of a function say about it.
struct DecoratorFacts {
  /// The function is compiled for the device or at compile time: its body must be parsed.
  bool isDevice = false;
  bool isJit = false;
  bool isConstexprFunction = false;
  bool noinline = false;
};
DecoratorFacts analyzeDecorators(llvm::ArrayRef<ast::Expr *> decorators,
                                 const llvm::StringSet<> &foreignNames);

struct ParameterState;

class Parser {
public:
  Parser(ParseContext &parseContext, DiagnosticEngine &diagnosticEngine, TokenList tokenList)
      : context(parseContext), module(parseContext.module), diagnostics(diagnosticEngine),
        list(std::move(tokenList)), tokens(list.tokens) {}

  /// Parses all tokens as statements that are indented by `indent`.
  ast::Block parseStatementList(uint32_t indent = 0, ast::Stmt *parentNode = nullptr);

  /// Parses one statement that is indented by `indent` and ignores what follows; null after an
  /// error that cost the statement.
  ast::Stmt *parseSingleStatement(uint32_t indent, ast::Stmt *parentNode);

  /// Parses all tokens as one expression; line ends mean nothing.
  ast::Expr *parseWholeExpression(unsigned outerDepth = 0);

  /// Parses all tokens as decorators, `@expr` one a line.
  bool parseDecoratorList(llvm::SmallVectorImpl<ast::Expr *> &decorators);

  /// Parse all tokens as the header of a compound statement, up to its colon. They are for host
  /// code, whose blocks are parsed separately or not at all.
  bool parseFunctionHeader(ast::FunctionDef &function);
  bool parseClassHeader(ast::ClassDef &classDef);
  ast::Expr *parseConditionHeader();

  bool failed() const { return hadError; }

private:
  //===- Tokens (Parser.cpp) ---------------------------------------------------------------===//
  TokenKind kind() const { return atNewline ? TokenKind::Newline : tokens[index].kind; }
  const Token &token() const { return tokens[index]; }
  bool is(TokenKind wanted) const { return kind() == wanted; }
  bool atEnd() const { return !atNewline && token().kind == TokenKind::EndOfFile; }
  TokenKind peekKind() const;
  void advance();
  bool accept(TokenKind wanted);
  llvm::StringRef textOf(const Token &t) const {
    return context.buffer.getText().slice(t.begin, t.end);
  }
  SourceRange rangeOf(const Token &t) const { return {module.file, t.begin, t.end}; }
  /// From an offset to the end of the last token consumed.
  SourceRange rangeFrom(uint32_t begin) const { return {module.file, begin, previousEnd}; }
  SourceRange currentRange() const;
  std::string describeCurrent() const;

  //===- Errors ----------------------------------------------------------------------------===//
  /// Reports unless already panicking. Returns the diagnostic for notes, or null.
  Diagnostic *fail(SourceRange range, const llvm::Twine &message);
  /// "expected <what>, got <token>", or what is wrong with the token or the brackets around it.
  Diagnostic *failExpected(const llvm::Twine &what);
  bool expect(TokenKind wanted, llvm::StringRef where = "");
  std::nullptr_t failTooDeep(SourceRange range);
  const LexError *findLexError() const;
  bool isBracketClosedLater() const;
  void failIndentation(const llvm::Twine &message);
  void recover(uint32_t indent);
  bool recoverHeader();
  void stopParsing();

  /// Counts one level of recursion for as long as it lives.
  class Nesting {
  public:
    explicit Nesting(Parser &owner) : parser(owner), fits(++owner.depth <= ast::maxNesting) {
      if (!fits)
        parser.failTooDeep(parser.currentRange());
    }
    ~Nesting() { --parser.depth; }
    explicit operator bool() const { return fits; }

  private:
    Parser &parser;
    bool fits;
  };

  //===- Nodes -----------------------------------------------------------------------------===//
  static unsigned heightOf(const ast::Expr *expr) { return expr ? expr->height : 0; }
  static unsigned heightOf(llvm::ArrayRef<ast::Expr *> exprs);
  static unsigned heightOf(llvm::ArrayRef<ast::KeywordArg> keywords);
  static unsigned heightOf(llvm::ArrayRef<ast::Param> params);
  static unsigned heightOf(ast::Block block);

  /// Sets the height of a new node from those of its children; fails when it is too high.
  template <typename T, typename... Children> T *finish(T *node, const Children &...children) {
    unsigned height = 1;
    ((height = std::max(height, heightOf(children) + 1)), ...);
    if (height > ast::maxNesting)
      return failTooDeep(node->range);
    node->height = static_cast<uint16_t>(height);
    return node;
  }

  //===- Expressions (ParseExpr.cpp, ParseDisplay.cpp) ------------------------------------===//
  ast::Expr *parseExpression();
  ast::Expr *parseNamedExpression();
  ast::Expr *parseStarOrNamed();
  ast::Expr *parseExpressionList();
  ast::Expr *parseYield();
  ast::Expr *parseOr();
  ast::Expr *parseAnd();
  ast::Expr *parseNot();
  ast::Expr *parseComparison();
  ast::Expr *parseBinary(unsigned minPrecedence);
  ast::Expr *parseUnary();
  ast::Expr *parsePower();
  ast::Expr *parsePostfix();
  ast::Expr *parseAtom();
  ast::Expr *parseLambda();
  ast::Expr *parseParenthesized();
  ast::Expr *parseListDisplay();
  ast::Expr *parseBraces();
  ast::Expr *parseCallArguments(ast::Expr *callee, uint32_t begin);
  ast::Expr *parseSubscript(ast::Expr *base, uint32_t begin);
  ast::Expr *parseIndex();
  ast::Expr *parseConditionalTail(ast::Expr *value, uint32_t begin);
  ast::Expr *parseBoolOpTail(ast::Expr *first, TokenKind op, uint32_t begin);
  ast::Expr *parseComparisonTail(ast::Expr *first, uint32_t begin);
  ast::Expr *parseTupleTail(ast::Expr *first, uint32_t begin);
  ast::Expr *parseAwait();
  ast::Expr *parseTargetList();
  ast::Expr *parseTarget();
  std::optional<ast::CompareOp> acceptCompareOp();
  bool parseComprehensionClauses(llvm::SmallVectorImpl<ast::ComprehensionClause> &clauses);
  ast::Expr *parseComprehension(ast::ComprehensionKind form, ast::Expr *element, ast::Expr *value,
                                uint32_t begin, std::optional<TokenKind> close = std::nullopt);
  bool parseArguments(TokenKind close, llvm::SmallVectorImpl<ast::Expr *> &args,
                      llvm::SmallVectorImpl<ast::KeywordArg> &keywords);
  bool parseParameters(TokenKind close, bool annotated, llvm::SmallVectorImpl<ast::Param> &params);
  bool parseParameter(bool annotated, ParameterState &state,
                      llvm::SmallVectorImpl<ast::Param> &params);
  bool atExpressionEnd() const;

  //===- Literals (ParseString.cpp) --------------------------------------------------------===//
  ast::Expr *parseInteger();
  ast::Expr *parseFloat();
  ast::Expr *parseStrings();
  struct FStringBuilder;
  ast::Expr *parseFormattedStrings(llvm::ArrayRef<Token> pieces, SourceRange range);
  bool decodeInto(uint32_t begin, uint32_t end, const ScannedString &style, bool isFormat,
                  llvm::SmallVectorImpl<char> &value);
  bool parseFormatContent(uint32_t begin, uint32_t end, const ScannedString &style, bool isSpec,
                          FStringBuilder &builder);
  bool parseFormatField(uint32_t open, const ScannedField &field, const ScannedString &style,
                        ast::FStringPart &part);

  //===- Statements (ParseStmt.cpp, ParseCompound.cpp) -------------------------------------===//
  using StmtList = llvm::SmallVectorImpl<ast::Stmt *>;
  void parseStatements(uint32_t indent, StmtList &statements);
  void parseStatementLine(StmtList &statements);
  void parseSimpleLine(StmtList &statements);
  ast::Stmt *parseSimple();
  ast::Stmt *parseExpressionStatement();
  ast::Stmt *parseAssignment(ast::Expr *first, uint32_t begin);
  ast::Stmt *parseAnnotated(ast::Expr *target, uint32_t begin);
  ast::Stmt *parseReturn();
  ast::Stmt *parseAssert();
  ast::Stmt *parseRaise();
  ast::Stmt *parseDelete();
  ast::Stmt *parseScope();
  ast::Stmt *parseImport();
  ast::Stmt *parseImportFrom();
  ast::Stmt *parseTypeAlias();
  bool parseDottedName(llvm::StringRef &name, SourceRange &range);
  bool parseAlias(llvm::StringRef &alias);
  bool checkTarget(const ast::Expr *target, llvm::StringRef verb, bool insideTuple = false);
  void checkTabs(const Token &first, uint32_t blockBytes, bool isNewBlock);
  uint32_t indentBytes(const Token &t) const;

  /// Parses the statement if it is a compound one. `handled` says whether it was.
  ast::Stmt *parseCompound(bool &handled);
  ast::Stmt *parseIf(bool isElif);
  ast::Stmt *parseFor();
  ast::Stmt *parseWhile();
  ast::Stmt *parseWith();
  bool parseWithItems(llvm::SmallVectorImpl<ast::WithItem> &items);
  ast::Stmt *parseTry();
  ast::Stmt *parseDecorated();
  ast::Stmt *parseFunction(llvm::ArrayRef<ast::Expr *> decorators, uint32_t begin);
  ast::Stmt *parseClass(llvm::ArrayRef<ast::Expr *> decorators, uint32_t begin);
  ast::Stmt *parseAsync();
  ast::Stmt *parseOrphanClause();
  bool parseFunctionSignature(ast::FunctionDef &function);
  bool parseClassSignature(ast::ClassDef &classDef);
  bool parseSuite(llvm::StringRef what, uint32_t headerBegin, ast::Block &body,
                  SourceRange *header = nullptr);
  bool parseElse(llvm::StringRef what, ast::Block &body);
  bool skipTypeParameters();
  bool looksLikeMatch() const;
  ast::Stmt *skipUnsupportedBlock(llvm::StringRef what, uint32_t begin);

  ParseContext &context;
  ast::Module &module;
  DiagnosticEngine &diagnostics;
  TokenList list;
  std::vector<Token> &tokens;

  uint32_t index = 0;
  /// End of the last token consumed.
  uint32_t previousEnd = 0;
  /// The logical line ends before tokens[index].
  bool atNewline = false;
  /// Line ends mean nothing at all.
  bool joinLines = false;
  bool panicking = false;
  bool hadError = false;
  bool reportedTabs = false;
  bool reportedTooDeep = false;
  unsigned depth = 0;
  /// Indices of the brackets that are open.
  llvm::SmallVector<uint32_t, 16> brackets;
  /// First token of the statement being parsed, and the indentation of its block.
  uint32_t statementStart = 0;
  uint32_t blockIndent = 0;
  /// Indentation of the block that ended just before this line, 0 when none did.
  uint32_t closedBlockIndent = 0;
  /// The token whose indentation was reported last.
  uint32_t badIndentToken = ~0u;
  ast::Stmt *parent = nullptr;
};

} // namespace tilec

#endif // TILEC_LIB_SYNTAX_PARSERIMPL_H
