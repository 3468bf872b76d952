// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An absolute import is looked for in: the folder above the outermost package (folder with an
// `__init__.py`) around the importing file, the roots, the folder of the importing file, and the
// folder above one that has the name of the import's first part. A package comes before a module
// of its name, and both before a folder without `__init__.py`.

#include "tilec/Sema/ModuleLoader.h"

#include "tilec/Syntax/Parser.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using llvm::StringRef;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

namespace tilec {

/// Levels of folders that are looked at above a file.
static constexpr unsigned kMaxLevels = 64;

static std::string normalize(StringRef file) {
  llvm::SmallString<128> text = file;
  path::remove_dots(text, /*remove_dot_dot=*/true);
  return std::string(text);
}

static std::string joinPath(StringRef folder, StringRef name) {
  if (folder.empty() || folder == ".")
    return name.str();
  llvm::SmallString<128> text = folder;
  path::append(text, name);
  return std::string(text);
}

/// The folder of a file; "." for a plain name. Nothing for a text without a place, as "<text>".
static std::string folderOf(StringRef file) {
  if (file.empty() || file.starts_with("<"))
    return "";
  StringRef parent = path::parent_path(file);
  return parent.empty() ? "." : parent.str();
}

/// The folder above; empty above the topmost.
static std::string folderAbove(StringRef folder) {
  if (folder.empty())
    return "";
  if (folder == ".")
    return "..";
  if (path::filename(folder) == "..")
    return joinPath(folder, "..");
  StringRef parent = path::parent_path(folder);
  if (parent.empty())
    return path::is_absolute(folder) ? "" : ".";
  return parent == folder ? "" : parent.str();
}

ModuleLoader::ModuleLoader(SourceManager &sourceManager, ModuleSearch moduleSearch)
    : sources(sourceManager), search(std::move(moduleSearch)) {
  for (const ModuleText &text : search.texts) {
    std::string file = normalize(text.path);
    texts[file] = &text;
    for (StringRef folder = path::parent_path(file); !folder.empty();) {
      textFolders.try_emplace(folder);
      StringRef above = path::parent_path(folder);
      if (above == folder)
        break;
      folder = above;
    }
  }
}

bool ModuleLoader::isFile(StringRef file) {
  if (!texts.empty() && texts.count(normalize(file)))
    return true;
  auto [entry, isNew] = knownFiles.try_emplace(file, false);
  if (isNew)
    entry->second = fs::is_regular_file(file);
  return entry->second;
}

bool ModuleLoader::isFolder(StringRef folder) {
  if (!texts.empty() && textFolders.count(normalize(folder)))
    return true;
  return fs::is_directory(folder);
}

FoundModule ModuleLoader::findInside(StringRef folder, StringRef name) {
  using Kind = FoundModule::Kind;
  std::string base = joinPath(folder, name);
  std::string init = joinPath(base, "__init__.py");
  if (isFile(init))
    return {Kind::File, init, base};
  for (const char *extension : {".py", ".tile"})
    if (std::string file = base + extension; isFile(file))
      return {Kind::File, file};
  if (isFolder(base))
    return {Kind::Folder, "", base};
  return {};
}

FoundModule ModuleLoader::resolve(StringRef folder, StringRef modulePath) {
  std::string place = folder.str();
  while (true) {
    auto [name, rest] = modulePath.split('.');
    if (rest.empty())
      return findInside(place, name);
    place = joinPath(place, name);
    modulePath = rest;
  }
}

std::vector<std::string> ModuleLoader::getRoots(StringRef modulePath, StringRef importer) {
  std::vector<std::string> roots;
  auto add = [&](std::string root) {
    if (!root.empty() && !llvm::is_contained(roots, root))
      roots.push_back(std::move(root));
  };
  std::string folder = folderOf(importer), outermost = folder;
  for (unsigned level = 0; level < kMaxLevels && !outermost.empty(); ++level) {
    if (!isFile(joinPath(outermost, "__init__.py")))
      break;
    outermost = folderAbove(outermost);
  }
  add(outermost);
  for (const std::string &root : search.roots)
    add(root.empty() ? "." : root);
  if (!search.texts.empty())
    add(".");
  add(folder);
  // A package without __init__.py files is known by its name only.
  llvm::SmallString<128> absolute = StringRef(folder);
  StringRef first = modulePath.split('.').first;
  if (!folder.empty() && !first.empty() && !fs::make_absolute(absolute)) {
    path::remove_dots(absolute, /*remove_dot_dot=*/true);
    StringRef real = absolute;
    std::string place = folder;
    for (unsigned level = 0; level < kMaxLevels && !real.empty() && !place.empty(); ++level) {
      StringRef above = path::parent_path(real);
      bool isNamed = path::filename(real) == first;
      place = folderAbove(place);
      if (isNamed)
        add(place);
      if (above == real)
        break;
      real = above;
    }
  }
  return roots;
}

FoundModule ModuleLoader::find(StringRef modulePath, StringRef importer) {
  StringRef rest = modulePath.ltrim('.');
  size_t level = modulePath.size() - rest.size();
  std::string folder = folderOf(importer);
  std::string key = (modulePath + "\n" + folder).str();
  auto known = found.find(key);
  if (known != found.end())
    return known->second;

  FoundModule result;
  if (level > 0) {
    for (size_t i = 1; i < level; ++i)
      folder = folderAbove(folder);
    if (folder.empty())
      result = {};
    else if (!rest.empty())
      result = resolve(folder, rest);
    else if (std::string init = joinPath(folder, "__init__.py"); isFile(init))
      result = {FoundModule::Kind::File, init, folder};
    else
      result = {FoundModule::Kind::Folder, "", folder};
  } else if (!rest.empty()) {
    for (const std::string &root : getRoots(modulePath, importer)) {
      FoundModule candidate = resolve(root, rest);
      if (!candidate || (result && candidate.kind == FoundModule::Kind::Folder))
        continue;
      result = std::move(candidate);
      if (result.kind == FoundModule::Kind::File)
        break;
    }
  }
  found[key] = result;
  return result;
}

std::string ModuleLoader::findShadow(StringRef importer) {
  // Inside of a package the folder of a file is not searched.
  std::string above = folderOf(importer);
  for (unsigned level = 0; level < kMaxLevels && !above.empty(); ++level) {
    if (isFile(joinPath(above, "__init__.py")))
      return "";
    above = path::filename(above) == ".." && level > 8 ? "" : folderAbove(above);
  }
  for (const std::string &root : getRoots("triton", importer)) {
    FoundModule candidate = findInside(root, "triton");
    // Triton itself is no stranger, and a folder without __init__.py hides nothing.
    if (candidate.kind == FoundModule::Kind::File &&
        (candidate.folder.empty() || !findInside(candidate.folder, "language")))
      return candidate.file;
  }
  return "";
}

const ModuleLoader::File &ModuleLoader::load(StringRef file) {
  std::unique_ptr<File> &entry = files[normalize(file)];
  if (entry)
    return *entry;
  entry = std::make_unique<File>();
  auto text = texts.find(normalize(file));
  llvm::Expected<FileId> id =
      text != texts.end() ? sources.addBuffer(file, text->second->text) : sources.loadFile(file);
  if (!id) {
    entry->failure = llvm::toString(id.takeError());
    return *entry;
  }
  const SourceBuffer *buffer = sources.getBuffer(*id);
  // An empty __init__.py is the rule rather than an error.
  if (buffer->getText().trim().empty())
    entry->tree = std::make_unique<ast::Module>(*id);
  else
    entry->tree = parseModule(sources, *id, entry->problems);
  return *entry;
}

} // namespace tilec
