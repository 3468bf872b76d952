// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One index over the lists of builtins, and the names that are known but have no implementation.

#include "Builtins.h"

#include "SourceModule.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace tilec::irgen {
namespace {

using Index = llvm::StringMap<std::vector<const Builtin *>>;

/// All builtins, the most used groups first: of equally near names the first is suggested.
const std::vector<const Builtin *> &getAll() {
  static const std::vector<const Builtin *> all = [] {
    std::vector<const Builtin *> list;
    for (llvm::ArrayRef<Builtin> part :
         {getMemoryBuiltins(),      getAtomicBuiltins(),        getMatrixBuiltins(),
          getBlockAccessBuiltins(), getDescriptorRowBuiltins(), getProgramBuiltins(),
          getMathBuiltins(),        getShapeBuiltins(),         getReduceBuiltins(),
          getScanBuiltins(),        getHintBuiltins(),          getInlineBuiltins(),
          getPythonBuiltins(),      getTextBuiltins(),          getLibdeviceBuiltins(),
          getTypeBuiltins(),        getExternBuiltins(),        getClassBuiltins(),
          getCollectionBuiltins(),  getIteratorBuiltins()})
      for (const Builtin &builtin : part)
        list.push_back(&builtin);
    return list;
  }();
  return all;
}

const Index &getIndex() {
  static const Index index = [] {
    Index built;
    for (const Builtin *builtin : getAll())
      built[builtin->name].push_back(builtin);
    return built;
  }();
  return index;
}

} // namespace

std::string Builtin::getDisplayName() const {
  llvm::StringRef prefix = places & (inLanguage | internal) ? "tl."
                           : places & inTriton              ? "triton."
                           : places & inLibdevice           ? "libdevice."
                           : places & inMath                ? "tl.math."
                           : places & asDescriptorMethod    ? "descriptor."
                           : places & inExtra               ? "tl.extra.cuda."
                           : places & inItertools           ? "itertools."
                           : places & inFunctools           ? "functools."
                                                            : "";
  return (prefix + name).str();
}

const Builtin *findBuiltin(llvm::StringRef name, unsigned places) {
  auto entry = getIndex().find(name);
  if (entry == getIndex().end())
    return nullptr;
  for (const Builtin *builtin : entry->second)
    if (builtin->places & places)
      return builtin;
  return nullptr;
}

std::vector<llvm::StringRef> getBuiltinNames(unsigned places) {
  std::vector<llvm::StringRef> names;
  for (const Builtin *builtin : getAll())
    if (builtin->places & places)
      names.push_back(builtin->name);
  return names;
}

bool isLibraryMethod(llvm::StringRef name) {
  static const llvm::StringSet<> names = {
      "argmax", "argmin", "bitonic_merge", "cdiv", "cumprod",   "cumsum",  "flip",
      "item",   "join",   "max",           "min",  "reduce_or", "sigmoid", "softmax",
      "sort",   "split",  "sum",           "topk", "xor_sum"};
  return names.contains(name);
}

} // namespace tilec::irgen
