// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tl.extern_elementwise: the table gives a symbol for the types of the arguments. Symbols of CUDA's
// libdevice are known by what they compute; no other library is linked.

#include "Generator.h"

#include "llvm/ADT/StringSwitch.h"

namespace tilec::irgen {
namespace {

enum ExternParam { LibName, LibPath, SymbolArgs, SymbolTable };

/// The name of libdevice's function in the language: "__nv_sinf" and "__nv_sin" are "sin". Empty
/// for symbols that are none of libdevice's.
std::string getLibdeviceName(llvm::StringRef symbol) {
  if (!symbol.consume_front("__nv_"))
    return "";
  llvm::StringRef special = llvm::StringSwitch<llvm::StringRef>(symbol)
                                .Cases({"clzll"}, "clz")
                                .Cases({"popcll"}, "popc")
                                .Cases({"brevll"}, "brev")
                                .Cases({"ffsll"}, "ffs")
                                .Cases({"umulhi", "mul64hi", "umul64hi"}, "mulhi")
                                .Case("umul24", "mul24")
                                .Case("usad", "sad")
                                .Case("uhadd", "hadd")
                                .Case("urhadd", "rhadd")
                                .Cases({"umax", "llmax", "ullmax", "fmaxf", "fmax"}, "max")
                                .Cases({"umin", "llmin", "ullmin", "fminf", "fmin"}, "min")
                                .Cases({"llabs", "abs"}, "abs")
                                .Cases({"isnanf", "isnand"}, "isnan")
                                .Cases({"isinff", "isinfd"}, "isinf")
                                .Cases({"signbitf", "signbitd"}, "signbit")
                                .Cases({"llrintf", "llrint"}, "llrint")
                                .Cases({"llroundf", "llround"}, "llround")
                                .Cases({"powif", "powi"}, "pow")
                                .Default("");
  if (!special.empty())
    return special.str();
  // `fadd_rn` and `dadd_rn`, but not `fma_rn` and `fdim`.
  auto [operation, mode] = symbol.rsplit('_');
  bool isRounded = mode == "rn" || mode == "rz" || mode == "rd" || mode == "ru";
  if (isRounded && findBuiltin(symbol, inLibdevice))
    return symbol.str();
  if (isRounded) {
    llvm::StringRef plain = operation;
    if (plain == "fmaf")
      plain = "fma";
    else if (plain.starts_with("f") || plain.starts_with("d"))
      plain = plain.drop_front();
    std::string rounded = (plain + "_" + mode).str();
    return findBuiltin(rounded, inLibdevice) ? rounded : "";
  }
  auto isKnown = [](llvm::StringRef name) {
    return findBuiltin(name, inLibdevice) || getLibraryModule().scope.find(("_nv_" + name).str());
  };
  if (isKnown(symbol))
    return symbol.str();
  if (symbol.ends_with("f") && isKnown(symbol.drop_back()))
    return symbol.drop_back().str();
  return "";
}

/// "(fp32, int32)", as the keys of the table are written.
std::string printTypes(llvm::ArrayRef<Value> operands) {
  std::string text = "(";
  for (const Value &operand : operands)
    text += (text.size() > 1 ? ", " : "") + operand.getRuntime()->type.element.str();
  return text + ")";
}

FailureOr<Value> genExtern(Generator &g, const BoundArgs &a) {
  const std::vector<Value> *given = a[SymbolArgs].value.getTuple();
  const DictValue *table = a[SymbolTable].value.getIf<DictValue>();
  if (!given || given->empty())
    return g.error(a[SymbolArgs].range, "'tl.extern_elementwise' needs a list of arguments, got " +
                                            a[SymbolArgs].value.describe());
  if (!table || table->entries->empty())
    return g.error(a[SymbolTable].range,
                   "'tl.extern_elementwise' needs a dict from types to symbols, "
                   "got " +
                       a[SymbolTable].value.describe());
  std::vector<Value> operands;
  for (const Value &value : *given) {
    FailureOr<Value> operand = g.toRuntime(value, a[SymbolArgs].range);
    if (mlir::failed(operand))
      return failure();
    operands.push_back(*operand);
  }
  const Value *entry = nullptr;
  auto find = [&] {
    for (const auto &[types, value] : *table->entries)
      if (types == printTypes(operands))
        entry = &value;
  };
  find();
  // As operators do, where the types as they stand have no entry.
  std::string asGiven = printTypes(operands);
  for (size_t i = 1; i < operands.size() && !entry; ++i)
    if (mlir::failed(g.unifyElements(operands[0], operands[i], /*relaxed=*/true,
                                     /*isDivision=*/false, a[SymbolArgs].range)))
      return failure();
  for (size_t i = 1; i < operands.size() && !entry; ++i)
    if (mlir::failed(g.unifyElements(operands[0], operands[i], /*relaxed=*/true,
                                     /*isDivision=*/false, a[SymbolArgs].range)))
      return failure();
  find();
  if (!entry) {
    std::string known;
    for (const auto &[types, value] : *table->entries)
      known += (known.empty() ? "" : ", ") + types;
    return g.error(a[SymbolArgs].range,
                   "no symbol for arguments of types " + asGiven + "; there are " + known);
  }
  const std::vector<Value> *target = entry->getTuple();
  if (!target || target->size() != 2)
    return g.error(a[SymbolTable].range,
                   "an entry of the table must be a symbol and a type, got " + entry->describe());
  FailureOr<std::string> symbol = g.toString((*target)[0], a[SymbolTable].range, "the symbol");
  FailureOr<DType> type = g.toDType((*target)[1], a[SymbolTable].range, "the type of the result");
  if (mlir::failed(symbol) || mlir::failed(type))
    return failure();
  std::string name = getLibdeviceName(*symbol);
  if (name.empty())
    return g.error(a[SymbolTable].range,
                   "the symbol '" + *symbol +
                       "' is none of libdevice's functions; libraries of your own "
                       "are not linked, use tl.inline_asm_elementwise or write the "
                       "function in the language");
  FailureOr<Value> callee =
      g.getModules().getModuleMember("triton.language.extra.libdevice", name, a[SymbolTable].range);
  if (mlir::failed(callee) || mlir::failed(g.unifyShapes(operands, a[SymbolArgs].range)))
    return failure();
  std::vector<CallArg> args;
  for (const Value &operand : operands)
    args.push_back({"", operand, a[SymbolArgs].range});
  FailureOr<Value> result = g.call(*callee, args, a.range);
  return mlir::failed(result) ? result : g.cast(*result, *type, a.range);
}

/// `tl.core.aggregate_replace(object, field=value)`
FailureOr<Value> genReplace(Generator &g, const BoundArgs &a) {
  return g.replaceFields(a[0].value, a.keywords, a.range);
}

constexpr Handler externHandlers[] = {
    {"extern_elementwise", inLanguage, genExtern},
    {"aggregate_replace", inLanguage, genReplace},
};

} // namespace

llvm::ArrayRef<Handler> getExternHandlers() { return externHandlers; }

} // namespace tilec::irgen
