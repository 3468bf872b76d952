// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lists of handlers, attached to the rows of the table of the language, and the check that
// every row has one or is a function of the embedded library.

#include "Builtins.h"

#include "SourceModule.h"

#include "tilec/IRGen/IRGen.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

namespace tilec::irgen {
namespace {

/// The lists, the most used groups first: of equally near names the first is suggested.
std::vector<llvm::ArrayRef<Handler>> getLists() {
  return {getMemoryHandlers(),      getAtomicHandlers(),        getMatrixHandlers(),
          getBlockAccessHandlers(), getDescriptorRowHandlers(), getProgramHandlers(),
          getMathHandlers(),        getShapeHandlers(),         getReduceHandlers(),
          getScanHandlers(),        getHintHandlers(),          getInlineHandlers(),
          getPythonHandlers(),      getTextHandlers(),          getLibdeviceHandlers(),
          getTypeHandlers(),        getExternHandlers(),        getClassHandlers(),
          getCollectionHandlers(),  getIteratorHandlers()};
}

struct Attached {
  std::vector<const LanguageFunction *> functions;
  llvm::StringMap<std::vector<const LanguageFunction *>> byName;
  llvm::DenseMap<const LanguageFunction *, BuiltinHandler> handlers;
  std::vector<std::string> problems;

  Attached() {
    for (llvm::ArrayRef<Handler> list : getLists())
      for (const Handler &each : list) {
        const LanguageFunction *row = findLanguageFunction(each.name, each.place);
        if (!row || !handlers.try_emplace(row, each.handler).second) {
          problems.push_back(each.name.str() + (row ? ": two handlers" : ": no row"));
          continue;
        }
        functions.push_back(row);
        byName[row->name].push_back(row);
      }
  }
};

const Attached &getAttached() {
  static const Attached attached;
  return attached;
}

/// The function of the embedded library that a row is about, or null.
const ast::FunctionDef *findLibraryFunction(const LanguageFunction &row) {
  std::string name = ((row.places & inLibdevice ? "_nv_" : "") + row.name).str();
  const ModuleBinding *binding = getLibraryModule().scope.find(name);
  return binding && row.places & (inLanguage | inLibdevice) ? binding->function : nullptr;
}

} // namespace

const LanguageFunction *findBuiltin(llvm::StringRef name, unsigned places) {
  auto entry = getAttached().byName.find(name);
  if (entry == getAttached().byName.end())
    return nullptr;
  for (const LanguageFunction *function : entry->second)
    if (function->places & places)
      return function;
  return nullptr;
}

BuiltinHandler getHandler(const LanguageFunction &function) {
  return getAttached().handlers.lookup(&function);
}

std::vector<llvm::StringRef> getBuiltinNames(unsigned places) {
  std::vector<llvm::StringRef> names;
  for (const LanguageFunction *function : getAttached().functions)
    if (function->places & places)
      names.push_back(function->name);
  return names;
}

bool isLibraryMethod(llvm::StringRef name) {
  const LanguageFunction *row = findLanguageFunction(name, asMethod);
  return row && !getHandler(*row);
}

} // namespace tilec::irgen

std::vector<std::string> tilec::checkLanguage() {
  using namespace irgen;
  std::vector<std::string> problems = getAttached().problems;
  for (const LanguageFunction &row : getLanguage()) {
    const ast::FunctionDef *function = findLibraryFunction(row);
    bool hasHandler = getHandler(row) != nullptr;
    if (!(row.places & (asType | asDecorator)) && hasHandler == (function != nullptr))
      problems.push_back(row.getDisplayName() + (hasHandler
                                                     ? ": a handler and a function of the library"
                                                     : ": no handler"));
    if (function &&
        !std::equal(row.params.begin(), row.params.end(), function->params.begin(),
                    function->params.end(), [](const LanguageParam &a, const ast::Param &b) {
                      return a.name == b.name && a.optional == (b.defaultValue != nullptr);
                    }))
      problems.push_back(row.getDisplayName() + ": other parameters in the library");
  }
  for (llvm::StringRef name : getLibraryModule().scope.getNames()) {
    LanguagePlace place = name.consume_front("_nv_") ? inLibdevice : inLanguage;
    if (!name.starts_with("_") && !findLanguageFunction(name, place))
      problems.push_back(name.str() + ": a function of the library without a row");
  }
  for (llvm::StringRef name : getLanguageTypeNames())
    if (!findLanguageFunction(name, asType))
      problems.push_back(name.str() + ": a type without a row");
  return problems;
}
