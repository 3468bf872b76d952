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
#include "llvm/Support/Path.h"

#include <deque>

using llvm::StringRef;

namespace tilec {

namespace {

class FileCollector;

/// The files that have been reached.
class Collector {
public:
  explicit Collector(ModuleLoader &moduleLoader) : modules(moduleLoader) {}

  /// The collector of an imported file; null when it cannot be read.
  FileCollector *open(StringRef path);
  FileCollector &addFile(const ast::Module &module, const SourceBuffer &buffer, StringRef folder,
                         bool isImported);
  /// Follows the names until nothing new is reached.
  void run();

  ModuleLoader &modules;
  KernelTokens result;

private:
  std::deque<FileCollector> files;
  llvm::StringMap<FileCollector *> byPath;
};

/// What of one file has been reached.
class FileCollector {
public:
  FileCollector(Collector &collector, const ast::Module &astModule,
                const SourceBuffer &sourceBuffer, StringRef packageFolder, bool imported)
      : all(collector), buffer(sourceBuffer), module(astModule), scope(astModule),
        folder(packageFolder), isImported(imported) {}

  void addFunction(const ast::FunctionDef &function);
  void addWords(StringRef words);
  void addWord(StringRef word);
  /// Follows one name that is pending; false when there is none.
  bool step();
  /// Words of this file may be names of that one.
  void link(FileCollector *other);
  void addStarImports();

private:
  void addName(StringRef name);
  void addBinding(StringRef name, const ModuleBinding &binding);
  void addImport(const ModuleBinding &binding);
  void addRange(StringRef what, uint32_t begin, uint32_t end);
  /// A labelled part of the text.
  void addText(StringRef words) {
    text() += llvm::utostr(words.size());
    text() += ':';
    text() += words;
  }
  std::string &text() { return isImported ? all.result.imports : all.result.text; }

  Collector &all;
  const SourceBuffer &buffer;
  const ast::Module &module;
  ModuleScope scope;
  std::string folder;
  bool isImported;
  llvm::StringSet<> seen;
  std::deque<std::string> pending;
  std::vector<const ast::FunctionDef *> functions;
  std::vector<FileCollector *> links;
};

} // namespace

//===- Files --------------------------------------------------------------------------------===//

FileCollector &Collector::addFile(const ast::Module &module, const SourceBuffer &buffer,
                                  StringRef folder, bool isImported) {
  return files.emplace_back(*this, module, buffer, folder, isImported);
}

FileCollector *Collector::open(StringRef path) {
  auto [entry, isNew] = byPath.try_emplace(path, nullptr);
  if (!isNew)
    return entry->second;
  const ModuleLoader::File &file = modules.load(path);
  if (!file.tree)
    return nullptr;
  StringRef name = llvm::sys::path::filename(path);
  StringRef folder = name == "__init__.py" ? llvm::sys::path::parent_path(path) : StringRef();
  const SourceBuffer &buffer = *modules.getSources().getBuffer(file.tree->file);
  FileCollector &collector = addFile(*file.tree, buffer, folder, /*isImported=*/true);
  byPath[path] = &collector;
  collector.addStarImports();
  return &collector;
}

void Collector::run() {
  for (bool isDone = false; !isDone;) {
    isDone = true;
    // The list grows while it is walked.
    for (size_t i = 0; i < files.size(); ++i)
      while (files[i].step())
        isDone = false;
  }
}

//===- Parts of a file ----------------------------------------------------------------------===//

void FileCollector::addRange(StringRef what, uint32_t begin, uint32_t end) {
  if (isImported)
    addText(buffer.getName());
  addText(what);
  std::vector<LineColumn> &places = isImported ? all.result.importPlaces : all.result.places;
  StringRef content = buffer.getText();
  // Indentations are right from the start of a line on.
  uint32_t lineStart = begin;
  while (lineStart > 0 && content[lineStart - 1] != '\n')
    --lineStart;
  for (const Token &token : tokenize(content, lineStart, end).tokens) {
    if (token.kind == TokenKind::EndOfFile || token.begin < begin)
      continue;
    places.push_back(buffer.getLineColumn(token.begin));
    text() += char(token.kind);
    text() += token.startsLine ? llvm::utostr(token.indent) + "\n" : " ";
    StringRef spelling = content.slice(token.begin, token.end);
    addText(spelling);
    if (token.kind == TokenKind::Identifier || token.kind == TokenKind::String)
      addWords(spelling);
  }
}

void FileCollector::addWord(StringRef word) {
  if (!seen.insert(word).second)
    return;
  pending.push_back(word.str());
  for (FileCollector *other : links)
    other->addWord(word);
}

void FileCollector::addWords(StringRef words) {
  auto isWord = [](char c) { return llvm::isAlnum(c) || c == '_' || (c & 0x80) != 0; };
  while (!words.empty()) {
    words = words.drop_until(isWord);
    StringRef word = words.take_while(isWord);
    words = words.drop_front(word.size());
    if (!word.empty())
      addWord(word);
  }
}

void FileCollector::link(FileCollector *other) {
  if (!other || other == this || llvm::is_contained(links, other))
    return;
  links.push_back(other);
  for (const auto &word : seen)
    other->addWord(word.getKey());
}

void FileCollector::addFunction(const ast::FunctionDef &function) {
  // The names of host functions around a kernel are visible in it.
  const ast::Stmt *outermost = &function;
  for (const ast::Stmt *parent = function.parent; parent;) {
    outermost = parent;
    auto *around = llvm::dyn_cast<ast::FunctionDef>(parent);
    parent = around ? around->parent : llvm::cast<ast::ClassDef>(parent)->parent;
  }
  if (auto *around = llvm::dyn_cast<ast::FunctionDef>(outermost); around && around != &function)
    return addFunction(*around);
  if (llvm::is_contained(functions, &function))
    return;
  functions.push_back(&function);
  uint32_t begin = function.range.begin;
  for (const ast::Expr *decorator : function.decorators)
    begin = std::min(begin, decorator->range.begin);
  addRange("function", begin, function.range.end);
}

//===- Names --------------------------------------------------------------------------------===//

void FileCollector::addImport(const ModuleBinding &binding) {
  addText("import");
  addText(binding.path);
  addText(binding.member);
  FoundModule found = all.modules.find(binding.path, buffer.getName());
  if (!found)
    return;
  FileCollector *file = found.kind == FoundModule::Kind::File ? all.open(found.file) : nullptr;
  if (binding.kind == ModuleBinding::Kind::Module) {
    link(file);
    return;
  }
  if (file)
    file->addWord(binding.member);
  if (found.folder.empty())
    return;
  FoundModule inside = all.modules.findInside(found.folder, binding.member);
  if (inside.kind == FoundModule::Kind::File)
    link(all.open(inside.file));
}

void FileCollector::addBinding(StringRef name, const ModuleBinding &binding) {
  addText(name);
  for (const BindingGuard &guard : binding.guards) {
    addText(llvm::utostr(unsigned(guard.kind)));
    if (guard.condition)
      addRange("condition", guard.condition->range.begin, guard.condition->range.end);
  }
  switch (binding.kind) {
  case ModuleBinding::Kind::Module:
  case ModuleBinding::Kind::Member:
    addImport(binding);
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
    addRange("class", binding.classDef->range.begin, binding.classDef->range.end);
    break;
  }
}

void FileCollector::addName(StringRef name) {
  llvm::ArrayRef<ModuleBinding> bindings = scope.findAll(name);
  for (const ModuleBinding &binding : bindings)
    addBinding(name, binding);
  for (const ast::FunctionDef *function : module.deviceFunctions)
    if (function->name == name)
      addFunction(*function);
  if (!bindings.empty() || folder.empty())
    return;
  FoundModule inside = all.modules.findInside(folder, name);
  if (inside.kind == FoundModule::Kind::File)
    link(all.open(inside.file));
}

bool FileCollector::step() {
  if (pending.empty())
    return false;
  std::string name = std::move(pending.front());
  pending.pop_front();
  addName(name);
  return true;
}

void FileCollector::addStarImports() {
  for (const std::string &path : scope.getStarImports()) {
    addText(path);
    FoundModule found = all.modules.find(path, buffer.getName());
    if (found.kind == FoundModule::Kind::File)
      link(all.open(found.file));
  }
}

KernelTokens collectKernelTokens(const SourceManager &sources, const ast::Module &module,
                                 const ast::FunctionDef &kernel,
                                 llvm::ArrayRef<StringRef> constants, ModuleLoader &modules) {
  Collector collector(modules);
  FileCollector &file =
      collector.addFile(module, *sources.getBuffer(module.file), "", /*isImported=*/false);
  file.addFunction(kernel);
  for (StringRef text : constants)
    file.addWords(text);
  file.addStarImports();
  collector.run();
  return std::move(collector.result);
}

} // namespace tilec
