// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whole files. A `.tile` file is parsed from end to end. In a `.py` file the logical lines are
// sorted first: device functions go to the parser with their errors reported; imports, assignments
// and headers go to it with their errors ignored; everything else is skipped.

#include "DecoratorCode.h"
#include "tilec/Syntax/Parser.h"

#include "HostScanner.h"
#include "ParserImpl.h"

#include "llvm/ADT/StringSwitch.h"

#include <algorithm>

using namespace tilec;
using namespace tilec::ast;

//===- Decorators ---------------------------------------------------------------------------===//

/// Packages with a `jit` decorator that does not make a tile kernel.
static bool isForeignPackage(llvm::StringRef moduleName) {
  if (moduleName.starts_with("triton.experimental"))
    return true;
  return llvm::StringSwitch<bool>(moduleName.split('.').first)
      .Cases({"numba", "jax", "torch", "cupy", "cupyx", "taichi", "warp"}, true)
      .Cases({"tilelang", "cutlass", "flydsl", "helion", "tvm", "numpyro"}, true)
      .Default(false);
}

DecoratorFacts tilec::analyzeDecorators(llvm::ArrayRef<Expr *> decorators,
                                        const llvm::StringSet<> &foreignNames) {
  DecoratorFacts facts;
  for (const Expr *decorator : decorators) {
    llvm::ArrayRef<KeywordArg> keywords;
    while (const auto *call = llvm::dyn_cast<Call>(decorator)) {
      keywords = call->keywords;
      decorator = call->callee;
    }
    std::string dotted = getDottedName(decorator);
    llvm::StringRef name = dotted;
    llvm::StringRef first = name.split('.').first;
    // Some are imported where this does not look, inside of functions, under their usual names.
    bool isForeign = foreignNames.contains(first) || isForeignPackage(first) || first == "cute" ||
                     first == "gluon";
    if (name.empty() || isForeign)
      continue;
    llvm::StringRef last = name.rsplit('.').second.empty() ? name : name.rsplit('.').second;
    bool isJit = last == "jit";
    facts.isJit |= isJit;
    bool isConstexprFunction = last == "constexpr_function" || last == "constexpr";
    facts.isConstexprFunction |= isConstexprFunction;
    facts.isDevice |= isJit || isConstexprFunction || last == "autotune" || last == "heuristics";
    if (!isJit)
      continue;
    for (const KeywordArg &keyword : keywords)
      if (const auto *truth = llvm::dyn_cast<BoolLiteral>(keyword.value))
        facts.noinline |= keyword.name == "noinline" && truth->value;
  }
  return facts;
}

//===- Host code ----------------------------------------------------------------------------===//

namespace {

class HostParser {
public:
  HostParser(ParseContext &parseContext, DiagnosticEngine &diagnosticEngine,
             std::vector<LogicalLine> logicalLines)
      : context(parseContext), module(parseContext.module), diagnostics(diagnosticEngine),
        text(parseContext.buffer.getText()), lines(std::move(logicalLines)) {}

  Block run() {
    llvm::SmallVector<Stmt *, 16> statements;
    findLateDecorators();
    parseLines(0, lines.size(), nullptr, 0, statements);
    return module.copy(statements);
  }

private:
  using StmtList = llvm::SmallVectorImpl<Stmt *>;

  /// One `if`, `else`, `except`, ... with the lines of its block.
  struct Clause {
    size_t header;
    size_t bodyBegin;
    size_t bodyEnd;
  };

  llvm::StringRef wordAt(size_t line) const {
    return getFirstWord(text.slice(lines[line].begin, lines[line].end));
  }

  bool isFunctionAt(size_t line) const {
    llvm::StringRef word = wordAt(line);
    if (word != "async")
      return word == "def";
    llvm::StringRef rest = text.slice(lines[line].begin, lines[line].end).drop_front(5).ltrim();
    return getFirstWord(rest) == "def";
  }

  /// The end of the block of the statement at `header`.
  size_t findBlockEnd(size_t header, size_t end) const {
    size_t line = header + 1;
    while (line < end && lines[line].indent > lines[header].indent)
      ++line;
    return line;
  }

  /// The range of the lines [first, last).
  SourceRange rangeOf(size_t first, size_t last) const {
    return {module.file, lines[first].begin, lines[last - 1].end};
  }

  /// A parser over the lines [first, last) that reports to `engine`.
  Parser makeParser(size_t first, size_t last, DiagnosticEngine &engine) const {
    return Parser(context, engine, tokenize(text, lines[first].lineBegin, lines[last - 1].end));
  }

  /// Parses the lines as complete statements; nothing is kept when there is an error.
  void parseQuietly(size_t first, size_t last, StmtList &statements) {
    DiagnosticEngine ignored(1);
    Parser parser = makeParser(first, last, ignored);
    Block block = parser.parseStatementList(lines[first].indent);
    if (ignored.hasErrors())
      return;
    for (Stmt *statement : block) {
      noteImports(statement);
      statements.push_back(statement);
    }
  }

  /// `f = triton.jit(f)` and `f = triton.autotune(...)(f)` at module level, behind the definition.
  void findLateDecorators() {
    for (size_t line = 0; line != lines.size(); ++line) {
      llvm::StringRef written = text.slice(lines[line].begin, lines[line].end);
      if (lines[line].indent != 0 || wordAt(line) == "@" || !written.contains('=') ||
          !(written.contains("jit(") || written.contains("heuristics(") ||
            written.contains("autotune(")))
        continue;
      DiagnosticEngine ignored(1);
      Parser parser = makeParser(line, line + 1, ignored);
      Block block = parser.parseStatementList();
      for (Stmt *statement : block)
        if (auto *assign = llvm::dyn_cast<Assign>(statement); assign && !ignored.hasErrors())
          noteLateDecorators(assign->value);
    }
  }

  /// The decorators of `triton.autotune(...)(triton.jit(f))` are those of `f`.
  void noteLateDecorators(Expr *value) {
    llvm::SmallVector<Expr *, 2> decorators;
    bool isDevice = false;
    while (auto *call = llvm::dyn_cast<Call>(value)) {
      if (call->args.size() != 1)
        return;
      std::string callee = getDottedName(call->callee);
      bool isJit = callee == "jit" || llvm::StringRef(callee).ends_with(".jit");
      // The arguments of `triton.jit(f, noinline=True)` are seen where the call is the decorator.
      decorators.push_back(isJit ? call : call->callee);
      isDevice |= isJit || llvm::isa<Call>(call->callee);
      value = call->args.front();
    }
    auto *function = llvm::dyn_cast<Name>(value);
    if (!function || decorators.empty() || !isDevice ||
        !analyzeDecorators(decorators, context.foreignNames).isDevice)
      return;
    llvm::SmallVector<Expr *, 2> &all = context.lateDecorators[function->id];
    all.insert(all.begin(), decorators.begin(), decorators.end());
  }

  void noteImports(const Stmt *statement) {
    if (const auto *import = llvm::dyn_cast<Import>(statement)) {
      for (const ImportedName &name : import->names)
        if (isForeignPackage(name.name))
          context.foreignNames.insert(name.alias.empty() ? name.name.split('.').first : name.alias);
    } else if (const auto *from = llvm::dyn_cast<ImportFrom>(statement)) {
      if (from->level == 0 && isForeignPackage(from->module))
        for (const ImportedName &name : from->names)
          context.foreignNames.insert(name.getBoundName());
    }
  }

  /// The host code in the lines [first, last).
  void parseLines(size_t first, size_t last, Stmt *parent, unsigned depth, StmtList &statements) {
    // Deeper nesting is only searched for device functions.
    constexpr unsigned maxDepth = 16;
    if (depth == maxDepth)
      return collectDeviceFunctions(first, last, parent, statements);
    uint32_t indent = first < last ? lines[first].indent : 0;
    for (size_t line = first; line < last;) {
      // Deeper lines here belong to a statement that was not understood.
      indent = std::min(indent, lines[line].indent);
      if (lines[line].indent > indent) {
        size_t end = line;
        while (end < last && lines[end].indent > indent)
          ++end;
        collectDeviceFunctions(line, end, parent, statements);
        line = end;
        continue;
      }
      llvm::StringRef word = wordAt(line);
      if (word == "@" || word == "class" || isFunctionAt(line)) {
        line = parseDefinition(line, last, parent, depth, statements);
      } else if (word == "if" || word == "try" || word == "with") {
        line = parseCompound(line, last, parent, depth, statements);
      } else if (word == "for" || word == "while" || word == "match" || word == "async") {
        size_t end = findBlockEnd(line, last);
        collectDeviceFunctions(line + 1, end, parent, statements);
        line = end;
      } else {
        parseSimple(line, statements);
        ++line;
      }
    }
  }

  /// Keeps imports, assignments and `pass`; calls and the like are for the host to run.
  void parseSimple(size_t line, StmtList &statements) {
    llvm::SmallVector<Stmt *, 2> parsed;
    parseQuietly(line, line + 1, parsed);
    for (Stmt *statement : parsed)
      if (llvm::isa<Import, ImportFrom, Assign, AnnAssign, AugAssign, Pass>(statement))
        statements.push_back(statement);
  }

  /// Decorator lines and the definition after them. Returns the line behind it all.
  size_t parseDefinition(size_t first, size_t last, Stmt *parent, unsigned depth,
                         StmtList &statements) {
    size_t header = first;
    while (header < last && wordAt(header) == "@" && lines[header].indent == lines[first].indent)
      ++header;
    bool isClass = header < last && wordAt(header) == "class";
    bool isDefinition = header < last && lines[header].indent == lines[first].indent &&
                        (isClass || isFunctionAt(header));
    if (!isDefinition)
      return std::max(header, first + 1);

    size_t end = findBlockEnd(header, last);
    llvm::SmallVector<Expr *, 2> decorators;
    if (header != first) {
      DiagnosticEngine ignored(1);
      Parser parser = makeParser(first, header, ignored);
      if (!parser.parseDecoratorList(decorators))
        decorators.clear();
      if (ignored.hasErrors() && mentionsJit(first, header)) {
        reportDevice(first, end, parent, statements);
        return end;
      }
    }
    bool isDevice = analyzeDecorators(decorators, context.foreignNames).isDevice;
    if (!isClass && !isDevice && !parent && !context.lateDecorators.empty()) {
      llvm::StringRef name = text.slice(lines[header].begin, lines[header].end);
      isDevice =
          name.consume_front("def ") && context.lateDecorators.count(getFirstWord(name.ltrim()));
    }
    if (!isClass && isDevice)
      reportDevice(first, end, parent, statements);
    else if (isClass)
      addClass(first, header, end, decorators, parent, depth, statements);
    else
      addHostFunction(first, header, end, decorators, parent, statements);
    return end;
  }

  /// Whether malformed decorators are those of a kernel.
  bool mentionsJit(size_t first, size_t header) const {
    return text.slice(lines[first].begin, lines[header - 1].end).contains("triton");
  }

  /// A device function: from here on errors count.
  void reportDevice(size_t first, size_t end, Stmt *parent, StmtList &statements) {
    if (diagnostics.isErrorLimitReached())
      return;
    Parser parser = makeParser(first, end, diagnostics);
    if (Stmt *statement = parser.parseSingleStatement(lines[first].indent, parent))
      statements.push_back(statement);
  }

  void addHostFunction(size_t first, size_t header, size_t end, llvm::ArrayRef<Expr *> decorators,
                       Stmt *parent, StmtList &statements) {
    FunctionDef *function = module.make<FunctionDef>(rangeOf(first, end));
    DiagnosticEngine ignored(1);
    Parser parser = makeParser(header, header + 1, ignored);
    bool good = parser.parseFunctionHeader(*function);
    if (!good) {
      function->headerSkipped = true;
      function->params = {};
      function->returns = nullptr;
    }
    function->bodySkipped = true;
    function->decorators = module.copy(decorators);
    function->parent = parent;
    llvm::SmallVector<Stmt *, 4> nested;
    collectDeviceFunctions(header + 1, end, function, nested);
    function->body = module.copy(nested);
    setHeight(function, nested);
    if (!function->name.empty() || !nested.empty())
      statements.push_back(function);
  }

  void addClass(size_t first, size_t header, size_t end, llvm::ArrayRef<Expr *> decorators,
                Stmt *parent, unsigned depth, StmtList &statements) {
    ClassDef *classDef = module.make<ClassDef>(rangeOf(first, end));
    DiagnosticEngine ignored(1);
    Parser parser = makeParser(header, header + 1, ignored);
    if (!parser.parseClassHeader(*classDef)) {
      classDef->bases = {};
      classDef->keywords = {};
    }
    classDef->decorators = module.copy(decorators);
    classDef->parent = parent;
    llvm::SmallVector<Stmt *, 8> body;
    parseLines(header + 1, end, classDef, depth + 1, body);
    classDef->body = module.copy(body);
    setHeight(classDef, body);
    if (!classDef->name.empty())
      statements.push_back(classDef);
  }

  /// Looks for device functions in code that is otherwise skipped.
  void collectDeviceFunctions(size_t first, size_t last, Stmt *parent, StmtList &statements) {
    for (size_t line = first; line < last;) {
      if (wordAt(line) != "@") {
        // What host code sets later is kept in mind.
        if (wordAt(line) == "global" && llvm::isa_and_nonnull<FunctionDef>(parent))
          parseQuietly(line, line + 1, statements);
        ++line;
        continue;
      }
      size_t header = line;
      while (header < last && wordAt(header) == "@" && lines[header].indent == lines[line].indent)
        ++header;
      bool isFunction =
          header < last && lines[header].indent == lines[line].indent && isFunctionAt(header);
      if (isFunction) {
        llvm::SmallVector<Expr *, 2> decorators;
        DiagnosticEngine ignored(1);
        Parser parser = makeParser(line, header, ignored);
        if (parser.parseDecoratorList(decorators) &&
            analyzeDecorators(decorators, context.foreignNames).isDevice) {
          size_t end = findBlockEnd(header, last);
          reportDevice(line, end, parent, statements);
          line = end;
          continue;
        }
      }
      line = std::max(header, line + 1);
    }
  }

  /// `if`, `try` and `with`, whose blocks may define what kernels use.
  size_t parseCompound(size_t first, size_t last, Stmt *parent, unsigned depth,
                       StmtList &statements) {
    llvm::SmallVector<Clause, 4> clauses;
    size_t line = first;
    do {
      size_t end = findBlockEnd(line, last);
      clauses.push_back({line, line + 1, end});
      line = end;
    } while (line < last && lines[line].indent == lines[first].indent && isClauseAt(first, line));

    bool hasBlocks = std::any_of(clauses.begin(), clauses.end(), [](const Clause &clause) {
      return clause.bodyBegin != clause.bodyEnd;
    });
    if (!hasBlocks) {
      parseQuietly(first, line, statements);
      return line;
    }
    llvm::SmallVector<Block, 4> bodies;
    llvm::SmallVector<Stmt *, 8> all;
    for (const Clause &clause : clauses) {
      llvm::SmallVector<Stmt *, 8> body;
      parseLines(clause.bodyBegin, clause.bodyEnd, parent, depth + 1, body);
      bodies.push_back(module.copy(body));
      all.append(body.begin(), body.end());
    }
    Stmt *statement = wordAt(first) == "if"    ? buildIf(clauses, bodies, 0)
                      : wordAt(first) == "try" ? buildTry(clauses, bodies)
                                               : buildWith(clauses, bodies);
    if (statement)
      statements.push_back(statement);
    return line;
  }

  bool isClauseAt(size_t first, size_t line) const {
    llvm::StringRef owner = wordAt(first), word = wordAt(line);
    if (owner == "if")
      return word == "elif" || word == "else";
    if (owner == "try")
      return word == "except" || word == "else" || word == "finally";
    return false;
  }

  /// The clauses from `position` on; null when a condition does not parse or the chain is long.
  Stmt *buildIf(llvm::ArrayRef<Clause> clauses, llvm::ArrayRef<Block> bodies, unsigned position) {
    constexpr unsigned maxChain = 64;
    if (position == maxChain)
      return nullptr;
    DiagnosticEngine ignored(1);
    size_t header = clauses[position].header;
    Parser parser = makeParser(header, header + 1, ignored);
    Expr *condition = parser.parseConditionHeader();
    if (!condition || ignored.hasErrors())
      return nullptr;
    Block elseBody;
    if (position + 1 < clauses.size()) {
      if (wordAt(clauses[position + 1].header) == "else")
        elseBody = bodies[position + 1];
      else if (Stmt *elif = buildIf(clauses, bodies, position + 1))
        elseBody = module.copy(llvm::ArrayRef<Stmt *>(elif));
    }
    If *node = module.make<If>(rangeOf(header, clauses.back().bodyEnd), condition, bodies[position],
                               elseBody, position != 0, rangeOf(header, header + 1));
    setHeight(node, bodies[position]);
    setHeight(node, elseBody);
    node->height = std::max<uint16_t>(node->height, condition->height + 1);
    return node;
  }

  Stmt *buildTry(llvm::ArrayRef<Clause> clauses, llvm::ArrayRef<Block> bodies) {
    llvm::SmallVector<ExceptHandler, 2> handlers;
    Block elseBody, finallyBody;
    for (size_t i = 1; i != clauses.size(); ++i) {
      llvm::StringRef word = wordAt(clauses[i].header);
      if (word == "except") {
        ExceptHandler handler = {};
        handler.body = bodies[i];
        handlers.push_back(handler);
      } else {
        (word == "else" ? elseBody : finallyBody) = bodies[i];
      }
    }
    Try *node = module.make<Try>(rangeOf(clauses.front().header, clauses.back().bodyEnd),
                                 bodies.front(), module.copy(handlers), elseBody, finallyBody);
    for (Block body : bodies)
      setHeight(node, body);
    return node;
  }

  /// The context managers of host code are of no interest.
  Stmt *buildWith(llvm::ArrayRef<Clause> clauses, llvm::ArrayRef<Block> bodies) {
    size_t header = clauses.front().header;
    With *node =
        module.make<With>(rangeOf(header, clauses.front().bodyEnd), llvm::ArrayRef<WithItem>(),
                          bodies.front(), rangeOf(header, header + 1));
    setHeight(node, bodies.front());
    return node;
  }

  /// The height limit is not checked here: nesting is bounded by maxDepth, and what a parser made
  /// has been checked by it.
  static void setHeight(Stmt *node, llvm::ArrayRef<Stmt *> body) {
    for (const Stmt *child : body)
      node->height = std::max<uint16_t>(node->height, child->height + 1);
  }

  ParseContext &context;
  Module &module;
  DiagnosticEngine &diagnostics;
  llvm::StringRef text;
  std::vector<LogicalLine> lines;
};

} // namespace

//===- Entry points -------------------------------------------------------------------------===//

SourceLanguage tilec::getSourceLanguage(llvm::StringRef fileName) {
  return fileName.ends_with(".py") ? SourceLanguage::Python : SourceLanguage::Tile;
}

/// The buffer of a file, if there is one and it holds text.
static const SourceBuffer *getTextBuffer(const SourceManager &sources, FileId file,
                                         DiagnosticEngine &diagnostics) {
  const SourceBuffer *buffer = sources.getBuffer(file);
  if (!buffer) {
    diagnostics.error({}, "no source file with the number " + llvm::Twine(file), "syntax");
    return nullptr;
  }
  if (std::optional<SourceBuffer::BadByte> bad = buffer->findBadByte()) {
    diagnostics.error({file, bad->offset, bad->offset + 1},
                      llvm::Twine("not a text file: ") + bad->what + " at byte offset " +
                          llvm::Twine(bad->offset),
                      "syntax");
    return nullptr;
  }
  return buffer;
}

std::unique_ptr<Module> tilec::parseModule(const SourceManager &sources, FileId file,
                                           DiagnosticEngine &diagnostics) {
  const SourceBuffer *buffer = sources.getBuffer(file);
  return parseModule(sources, file, diagnostics,
                     getSourceLanguage(buffer ? buffer->getName() : llvm::StringRef()));
}

std::unique_ptr<Module> tilec::parseModule(const SourceManager &sources, FileId file,
                                           DiagnosticEngine &diagnostics, SourceLanguage language) {
  const SourceBuffer *buffer = getTextBuffer(sources, file, diagnostics);
  if (!buffer)
    return nullptr;
  auto module = std::make_unique<Module>(file);
  ParseContext context{*buffer, *module, {}, {}, {}};
  bool isEmpty = false;
  if (language == SourceLanguage::Tile) {
    TokenList list = tokenize(buffer->getText(), 0, buffer->size());
    isEmpty = list.tokens.size() == 1;
    Parser parser(context, diagnostics, std::move(list));
    module->body = parser.parseStatementList();
  } else {
    std::vector<LogicalLine> lines = splitLogicalLines(buffer->getText());
    isEmpty = lines.empty();
    module->body = HostParser(context, diagnostics, std::move(lines)).run();
  }
  if (isEmpty)
    diagnostics.error({file, 0, 0}, "no kernel: the file is empty", "syntax");
  module->deviceFunctions = module->copy(context.deviceFunctions);
  if (language == SourceLanguage::Python)
    parseDecoratorCode(sources, *module);
  return module;
}

ParsedExpr tilec::parseExpression(const SourceManager &sources, FileId file,
                                  DiagnosticEngine &diagnostics) {
  ParsedExpr result;
  const SourceBuffer *buffer = getTextBuffer(sources, file, diagnostics);
  if (!buffer)
    return result;
  result.owner = std::make_unique<Module>(file);
  ParseContext context{*buffer, *result.owner, {}, {}, {}};
  Parser parser(context, diagnostics, tokenize(buffer->getText(), 0, buffer->size()));
  result.expr = parser.parseWholeExpression();
  return result;
}

bool tilec::parseSkippedBody(const SourceManager &sources, Module &module, FunctionDef &function,
                             DiagnosticEngine &diagnostics) {
  if (!function.bodySkipped)
    return true;
  const SourceBuffer *buffer = sources.getBuffer(module.file);
  if (!buffer)
    return false;
  llvm::StringRef text = buffer->getText();
  uint32_t lineBegin = buffer->getLineStart(buffer->getLineColumn(function.range.begin).line);
  unsigned errorsBefore = diagnostics.getNumErrors();
  ParseContext context{*buffer, module, {}, {}, {}};
  TokenList list = tokenize(text, lineBegin, function.range.end);
  uint32_t indent = list.tokens.front().indent;
  Parser parser(context, diagnostics, std::move(list));
  auto *parsed =
      llvm::dyn_cast_or_null<FunctionDef>(parser.parseSingleStatement(indent, function.parent));
  if (!parsed || diagnostics.getNumErrors() != errorsBefore)
    return false;
  for (FunctionDef *nested : context.deviceFunctions)
    if (nested->parent == parsed)
      nested->parent = &function;
  function.params = parsed->params;
  function.returns = parsed->returns;
  function.body = parsed->body;
  function.docstring = parsed->docstring;
  function.headerRange = parsed->headerRange;
  function.height = parsed->height;
  function.bodySkipped = function.headerSkipped = false;
  return true;
}
