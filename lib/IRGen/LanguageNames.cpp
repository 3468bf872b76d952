// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See LanguageNames.h.

#include "tilec/IRGen/LanguageNames.h"

#include "Builtins.h"
#include "SourceModule.h"

using namespace tilec;
using namespace tilec::irgen;

/// "pointer mask? | *shape" as "(pointer, mask=..., *, *shape)"; a method's first parameter is
/// what it is called on.
static std::string describeParams(llvm::StringRef params, bool isMethod) {
  std::string text;
  bool isFirst = true;
  while (!params.empty()) {
    auto [word, rest] = params.split(' ');
    params = rest;
    if (word.empty() || (isMethod && std::exchange(isFirst, false)))
      continue;
    bool isOptional = word.consume_back("?");
    text += text.empty() ? "" : ", ";
    text += word == "|" ? "*" : word.str() + (isOptional ? "=..." : "");
  }
  return "(" + text + ")";
}

static std::string describeParams(llvm::ArrayRef<ast::Param> params, bool isMethod) {
  std::string text;
  for (const ast::Param &param : params.drop_front(isMethod && !params.empty() ? 1 : 0)) {
    text += text.empty() ? "" : ", ";
    text += param.name.str() + (param.defaultValue ? "=..." : "");
  }
  return "(" + text + ")";
}

std::vector<LanguageName> tilec::listLanguageNames() {
  using Place = LanguageName::Place;
  std::vector<LanguageName> names;
  static constexpr std::pair<unsigned, Place> places[] = {
      {inLanguage, Place::Language},   {inMath, Place::Math},
      {inLibdevice, Place::Libdevice}, {inExtra, Place::Extra},
      {inTriton, Place::Triton},       {inPython, Place::Python},
      {asMethod, Place::Method},       {asDescriptorMethod, Place::Method}};
  for (auto [flag, place] : places)
    for (llvm::StringRef name : getBuiltinNames(flag))
      if (const Builtin *builtin = name.starts_with("_") ? nullptr : findBuiltin(name, flag))
        names.push_back({place, name.str(),
                         name.str() + describeParams(builtin->params, place == Place::Method)});
  const SourceModule &library = getLibraryModule();
  for (llvm::StringRef name : library.scope.getNames()) {
    const ModuleBinding *binding = library.scope.find(name);
    if (!binding || !binding->function)
      continue;
    llvm::ArrayRef<ast::Param> params = binding->function->params;
    // What is libdevice's has a name of its own in the library.
    if (name.consume_front("_nv_"))
      names.push_back({Place::Libdevice, name.str(), name.str() + describeParams(params, false)});
    if (name.starts_with("_") || binding->function->name != name)
      continue;
    names.push_back({Place::Language, name.str(), name.str() + describeParams(params, false)});
    if (isLibraryMethod(name))
      names.push_back({Place::Method, name.str(), name.str() + describeParams(params, true)});
  }
  for (llvm::StringRef name : getLanguageTypeNames())
    names.push_back({Place::Type, name.str(), ""});
  return names;
}
