// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A walk over names, from the kernel on. It takes too much rather than too little: every word of a
// reached text is a name that may be meant, those behind a dot and inside of string literals (an
// f-string's expressions) as well.

#include "KernelTokens.h"

#include "tilec/Sema/ModuleScope.h"
#include "tilec/Syntax/Lexer.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

#include <deque>

using llvm::StringRef;

namespace tilec {

namespace {

class Collector {
public:
  Collector(const SourceBuffer &sourceBuffer, const ast::Module &astModule)
      : buffer(sourceBuffer), module(astModule), scope(astModule) {}

  void addFunction(const ast::FunctionDef &function);
  void addWords(StringRef words);
  /// Follows the names until nothing new is reached.
  void run();
  void addStarImports();
  void addWholeFile() { addRange("file", 0, buffer.size()); }

  KernelTokens result;

private:
  void addName(StringRef name);
  void addBinding(StringRef name, const ModuleBinding &binding);
  void addRange(StringRef what, uint32_t begin, uint32_t end);
  /// A labelled part of the text.
  void addText(StringRef text) {
    result.text += llvm::utostr(text.size());
    result.text += ':';
    result.text += text;
  }

  const SourceBuffer &buffer;
  const ast::Module &module;
  ModuleScope scope;
  llvm::StringSet<> seen;
  std::deque<std::string> pending;
  std::vector<const ast::FunctionDef *> functions;
};

} // namespace

void Collector::addRange(StringRef what, uint32_t begin, uint32_t end) {
  addText(what);
  StringRef text = buffer.getText();
  // Indentations are right from the start of a line on.
  uint32_t lineStart = begin;
  while (lineStart > 0 && text[lineStart - 1] != '\n')
    --lineStart;
  for (const Token &token : tokenize(text, lineStart, end).tokens) {
    if (token.kind == TokenKind::EndOfFile || token.begin < begin)
      continue;
    result.places.push_back(buffer.getLineColumn(token.begin));
    result.text += char(token.kind);
    result.text += token.startsLine ? llvm::utostr(token.indent) + "\n" : " ";
    StringRef spelling = text.slice(token.begin, token.end);
    addText(spelling);
    if (token.kind == TokenKind::Identifier || token.kind == TokenKind::String)
      addWords(spelling);
  }
}

void Collector::addWords(StringRef words) {
  auto isWord = [](char c) { return llvm::isAlnum(c) || c == '_' || (c & 0x80) != 0; };
  while (!words.empty()) {
    words = words.drop_until(isWord);
    StringRef word = words.take_while(isWord);
    words = words.drop_front(word.size());
    if (!word.empty() && seen.insert(word).second)
      pending.push_back(word.str());
  }
}

void Collector::addFunction(const ast::FunctionDef &function) {
  if (llvm::is_contained(functions, &function))
    return;
  functions.push_back(&function);
  uint32_t begin = function.range.begin;
  for (const ast::Expr *decorator : function.decorators)
    begin = std::min(begin, decorator->range.begin);
  addRange("function", begin, function.range.end);
}

void Collector::addBinding(StringRef name, const ModuleBinding &binding) {
  addText(name);
  switch (binding.kind) {
  case ModuleBinding::Kind::Module:
  case ModuleBinding::Kind::Member:
    addText("import");
    addText(binding.path);
    addText(binding.member);
    break;
  case ModuleBinding::Kind::Function:
    addFunction(*binding.function);
    break;
  case ModuleBinding::Kind::Assignment:
    addText(llvm::itostr(binding.index));
    addRange("value", std::min(binding.range.begin, binding.value->range.begin),
             std::max(binding.value->range.end, binding.range.end));
    break;
  case ModuleBinding::Kind::Class:
    addWholeFile();
    break;
  }
}

void Collector::addName(StringRef name) {
  if (const ModuleBinding *binding = scope.find(name))
    addBinding(name, *binding);
  for (const ast::FunctionDef *function : module.deviceFunctions)
    if (function->name == name)
      addFunction(*function);
}

void Collector::run() {
  while (!pending.empty()) {
    std::string name = std::move(pending.front());
    pending.pop_front();
    addName(name);
  }
}

void Collector::addStarImports() {
  for (const std::string &path : scope.getStarImports())
    addText(path);
}

KernelTokens collectKernelTokens(const SourceManager &sources, const ast::Module &module,
                                 const ast::FunctionDef &kernel,
                                 llvm::ArrayRef<StringRef> constants) {
  Collector collector(*sources.getBuffer(module.file), module);
  collector.addFunction(kernel);
  for (StringRef text : constants)
    collector.addWords(text);
  collector.run();
  collector.addStarImports();
  return std::move(collector.result);
}

} // namespace tilec
