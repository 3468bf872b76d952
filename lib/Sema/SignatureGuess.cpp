// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From uses and names to types and values. What the code does with a parameter comes first; names
// decide between what it leaves open.

#include "tilec/Sema/SignatureGuess.h"

#include "tilec/Sema/DType.h"
#include "tilec/Sema/ModuleScope.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace tilec;

namespace {

/// The words of a name: "stride_am" and "strideAM" have "stride" among theirs.
bool hasWord(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> words) {
  std::string lower = name.lower();
  llvm::SmallVector<llvm::StringRef, 6> parts;
  llvm::StringRef(lower).split(parts, '_', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  return llvm::any_of(parts, [&](llvm::StringRef part) { return llvm::is_contained(words, part); });
}

bool hasPart(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> pieces) {
  std::string lower = name.lower();
  return llvm::any_of(
      pieces, [&](llvm::StringRef piece) { return llvm::StringRef(lower).contains(piece); });
}

bool looksReal(llvm::StringRef name) {
  return hasWord(name, {"eps",      "epsilon", "scale",  "alpha",   "beta",  "lr",
                        "momentum", "dropout", "p",      "prob",    "rate",  "temperature",
                        "decay",    "theta",   "tau",    "softcap", "cap",   "factor",
                        "value",    "slope",   "lambda", "beta1",   "beta2", "smoothing"}) ||
         hasPart(name, {"scale", "softcap", "eps", "dropout_p", "weight_decay", "smoothing"});
}

bool looksLikePointer(llvm::StringRef name) {
  return hasWord(name, {"ptr", "ptrs", "pointer", "out", "output", "input", "bias", "weight"}) ||
         hasPart(name, {"_ptr", "ptr_", "pointer"});
}

bool looksLikeIndices(llvm::StringRef name) {
  return hasWord(name, {"idx", "index", "indices", "ids", "offsets", "lens", "lengths", "slots",
                        "mapping", "labels", "targets", "starts", "loc", "indptr", "chunks"}) ||
         hasPart(name, {"seqlen", "cu_", "indices", "seq_len", "block_table", "offsets_ptr"});
}

bool looksLikeFlag(llvm::StringRef name) {
  return hasWord(name, {"is",    "has",    "use",   "enable",  "causal", "with",  "should",
                        "need",  "needs",  "apply", "even",    "fuse",   "fused", "inplace",
                        "store", "output", "allow", "reverse", "add",    "do",    "no"});
}

/// A count or length that is no block size.
bool looksLikeLength(llvm::StringRef name) {
  return hasWord(name, {"ctx", "seq", "seqlen", "len", "length", "hidden", "vocab", "numel",
                        "total", "elements", "rows", "cols", "n", "m", "k", "t", "l"});
}

/// The text has no quotes in it that would end it: it comes from a literal of one line.
std::string quoteLine(llvm::StringRef text) {
  std::string quoted = "'";
  for (char c : text) {
    if (c == '\'' || c == '\\')
      quoted += '\\';
    quoted += llvm::isPrint(c) ? c : ' ';
  }
  return quoted + "'";
}

/// Of tuples, and of loops that are unrolled.
constexpr unsigned kOpenLength = 4;

class Guesser {
public:
  Guesser(const ast::Module &sourceModule, llvm::ArrayRef<ParamUse> paramUses,
          const GuessVariant &chosen)
      : module(sourceModule), uses(paramUses), variant(chosen) {}

  std::vector<ParamGuess> run(const ast::FunctionDef &kernel, llvm::ArrayRef<std::string> known,
                              llvm::ArrayRef<std::string> asked);

private:
  std::string guessType(llvm::StringRef name, const ParamUse &use) const;
  std::string guessValue(llvm::StringRef name, const ParamUse &use) const;
  /// The value of a compile-time number by its name, empty where that says nothing.
  std::string guessByName(llvm::StringRef name) const;
  std::string elementOf(llvm::StringRef name, const ParamUse &use) const;
  std::string guessTuple(llvm::StringRef name, const ParamUse &use, bool isConstant) const;
  std::string findFunction(const ParamUse &use) const;
  std::string size() const;

  const ast::Module &module;
  llvm::ArrayRef<ParamUse> uses;
  const GuessVariant &variant;
  bool hasDot = false;
  unsigned numExtents = 0;
};

} // namespace

std::string Guesser::size() const {
  if (variant.size != 0)
    return std::to_string(variant.size);
  return numExtents <= 1 ? "256" : numExtents <= 3 ? "64" : "32";
}

std::string Guesser::elementOf(llvm::StringRef name, const ParamUse &use) const {
  if (std::optional<DType> type = findLanguageType(use.element))
    return type->getSignatureText();
  if (use.loadsAddresses)
    return "i64";
  if (use.loadsBits)
    return variant.index;
  if (use.feedsDot)
    return variant.element.empty() ? "fp16" : variant.element;
  if (use.loadsIntegers || looksLikeIndices(name))
    return variant.index;
  if (use.loadsConditions)
    return "i1";
  if (!variant.element.empty())
    return variant.element;
  if (use.isAtomic)
    return "fp32";
  return hasDot ? "fp16" : "fp32";
}

std::string Guesser::guessType(llvm::StringRef name, const ParamUse &use) const {
  if (use.isDescriptor) {
    std::string shape;
    for (unsigned i = 0; i < use.descriptorRank; ++i)
      shape += (i == 0 ? "" : ", ") + (i + 2 < use.descriptorRank ? std::string("1") : size());
    return "tensordesc<" + elementOf(name, use) + "[" + shape + "]>";
  }
  if (use.isPointer)
    return "*" + elementOf(name, use) + ":16";
  if (use.isIndex)
    return "i32";
  if (looksReal(name) || (use.isReal && !use.isCondition))
    return "fp32";
  bool isUnused = !use.isIndex && !use.isReal && !use.isCondition;
  if (isUnused && looksLikePointer(name))
    return "*" + elementOf(name, use) + ":16";
  return "i32";
}

std::string Guesser::guessTuple(llvm::StringRef name, const ParamUse &use, bool isConstant) const {
  std::string element = isConstant ? guessValue(name, use) : guessType(name, use);
  auto repeat = [&](unsigned size) {
    std::string text = "(";
    for (unsigned i = 0; i < (size ? size : kOpenLength); ++i)
      text += element + ",";
    return text + ")";
  };
  if (use.holdsTuples)
    element = repeat(use.innerSize);
  return repeat(use.tupleSize);
}

std::string Guesser::findFunction(const ParamUse &use) const {
  for (const ast::FunctionDef *function : module.deviceFunctions)
    if (function->isJit && !function->parent && function->params.size() == use.numArguments)
      return function->name.str();
  return "None";
}

std::string Guesser::guessByName(llvm::StringRef name) const {
  if (hasPart(name, {"stride"}))
    return "1";
  if (hasWord(name, {"stages"}))
    return "2";
  if (hasWord(name, {"warps"}))
    return "4";
  if (hasWord(name, {"group", "groups", "heads", "num", "h", "g", "hq", "splits", "split"}))
    return "8";
  if (hasPart(name, {"block", "tile", "chunk"}) || hasWord(name, {"bm", "bn", "bk", "bt", "bv"}))
    return size();
  if (hasPart(name, {"dim", "dhead"}) || name == "D")
    return size();
  if (looksLikeLength(name))
    return "1024";
  return "";
}

std::string Guesser::guessValue(llvm::StringRef name, const ParamUse &use) const {
  if (use.isCalled)
    return findFunction(use);
  if (use.isType || (!use.isReal && hasWord(name, {"dtype", "type"})))
    return "tl." + std::string(hasDot ? "float16" : "float32");
  if (!use.strings.empty())
    return quoteLine(use.strings.front());
  if (!use.numbers.empty() && !use.isExtent && !use.isReal)
    return std::to_string(use.numbers.front());
  if (use.isAlignment && !use.isExtent)
    return "16";
  if (use.isExponent)
    return "4";
  // Loops over the elements of a block that are unrolled are long soon.
  if (use.isUnrolled && use.isExtent && variant.size == 0)
    return "16";
  if (use.isUnrolled && !use.isExtent)
    return std::to_string(kOpenLength);
  if (use.isExtent)
    return hasWord(name, {"group"}) && !hasPart(name, {"block"}) ? "8" : size();
  if (looksReal(name) && !use.isIndex)
    return hasPart(name, {"eps"}) ? "1e-05" : "0.5";
  if (!use.isIndex && (use.isCondition || looksLikeFlag(name)))
    return variant.flag ? "True" : "False";
  if (std::string number = guessByName(name); !number.empty())
    return number;
  if (use.isIndex)
    return use.isDivisor ? "2" : "128";
  if (use.isReal)
    return "0.5";
  return variant.flag ? "True" : "False";
}

std::vector<ParamGuess> Guesser::run(const ast::FunctionDef &kernel,
                                     llvm::ArrayRef<std::string> known,
                                     llvm::ArrayRef<std::string> asked) {
  for (const ParamUse &use : uses) {
    hasDot |= use.feedsDot;
    numExtents += use.isExtent ? 1 : 0;
  }
  std::vector<ParamGuess> guesses;
  for (auto [param, use] : llvm::zip(kernel.params, uses)) {
    bool isVariadic =
        param.kind == ast::ParamKind::VarArgs || param.kind == ast::ParamKind::VarKeywords;
    ParamAnnotation annotation = classifyAnnotation(param.annotation);
    bool hasDefault = param.defaultValue && !llvm::is_contained(asked, param.name);
    if (isVariadic || hasDefault || annotation.kind == ParamAnnotation::Kind::Typed ||
        llvm::is_contained(known, param.name))
      continue;
    if (param.name == "num_warps" || param.name == "num_stages")
      continue;
    bool isConstant = annotation.kind == ParamAnnotation::Kind::Constexpr || use.isExtent ||
                      use.isStatic || use.isType || use.isCalled || !use.strings.empty();
    std::string name = param.name.str();
    if (use.isSpread && !use.isTuple)
      guesses.push_back({name, isConstant, "()"});
    else if (use.isTuple && !use.isBlock && !use.isDescriptor && !(use.isTerm && use.isPointer))
      guesses.push_back({name, isConstant, guessTuple(name, use, isConstant)});
    else if (isConstant && !use.isPointer)
      guesses.push_back({name, true, guessValue(name, use)});
    else if (isConstant)
      guesses.push_back({name, true, "None"});
    else if (variant.withoutOptional && use.isOptional)
      guesses.push_back({name, true, "None"});
    else
      guesses.push_back({name, false, guessType(name, use)});
  }
  return guesses;
}

llvm::ArrayRef<GuessVariant> tilec::guessVariants() {
  static const GuessVariant variants[] = {
      {},
      {"fp32", "i32", false, 0, false},
      {"", "i32", true, 0, false},
      {"fp32", "i32", true, 0, false},
      {"", "i64", false, 0, false},
      {"", "i32", false, 128, false},
      {"", "i32", false, 16, false},
      {"bf16", "i32", false, 0, false},
      {"", "i32", false, 0, true},
      {"i32", "i32", false, 0, false},
      {"i8", "i32", false, 0, false},
      {"", "i32", true, 0, true},
  };
  return variants;
}

std::vector<ParamGuess>
tilec::guessSignature(const ast::Module &module, const ast::FunctionDef &kernel,
                      llvm::ArrayRef<ParamUse> uses, llvm::ArrayRef<std::string> known,
                      const GuessVariant &variant, llvm::ArrayRef<std::string> asked) {
  return Guesser(module, uses, variant).run(kernel, known, asked);
}

/// The entry of a dict with that key, or null.
static const ast::Dict *findDict(const ast::Dict *dict, llvm::StringRef key) {
  for (const ast::DictEntry &entry : dict ? dict->entries : llvm::ArrayRef<ast::DictEntry>())
    if (auto *text = llvm::dyn_cast_or_null<ast::StringLiteral>(entry.key))
      if (text->value == key)
        return llvm::dyn_cast<ast::Dict>(entry.value);
  return nullptr;
}

/// The parameter that a key of a signature stands for: its name or its number.
static llvm::StringRef getParamName(const ast::FunctionDef &kernel, const ast::Expr *key) {
  if (auto *text = llvm::dyn_cast_or_null<ast::StringLiteral>(key)) {
    for (const ast::Param &param : kernel.params)
      if (param.name == text->value)
        return param.name;
  } else if (auto *number = llvm::dyn_cast_or_null<ast::IntLiteral>(key)) {
    if (number->words.size() == 1 && number->words.front() < kernel.params.size())
      return kernel.params[number->words.front()].name;
  }
  return {};
}

std::vector<ParamGuess> tilec::readSignature(const ast::FunctionDef &kernel) {
  std::vector<ParamGuess> guesses;
  for (const ast::Expr *decorator : kernel.decorators) {
    auto *call = llvm::dyn_cast<ast::Call>(decorator);
    for (const ast::KeywordArg &keyword :
         call ? call->keywords : llvm::ArrayRef<ast::KeywordArg>()) {
      auto *meta = llvm::dyn_cast<ast::Dict>(keyword.value);
      if (!meta || (keyword.name != "triton_meta" && keyword.name != "meta"))
        continue;
      auto add = [&](const ast::Dict *entries, bool isConstant) {
        for (const ast::DictEntry &entry :
             entries ? entries->entries : llvm::ArrayRef<ast::DictEntry>()) {
          llvm::StringRef name = getParamName(kernel, entry.key);
          auto *type = llvm::dyn_cast<ast::StringLiteral>(entry.value);
          auto *number = llvm::dyn_cast<ast::IntLiteral>(entry.value);
          bool isKnown =
              llvm::any_of(guesses, [&](const ParamGuess &guess) { return guess.name == name; });
          if (name.empty() || isKnown)
            continue;
          if (isConstant && number)
            guesses.push_back({name.str(), true, number->spelling.str()});
          else if (!isConstant && type && parseSignatureType(type->value))
            guesses.push_back({name.str(), false,
                               type->value.str() + (type->value.starts_with("*") ? ":16" : "")});
        }
      };
      add(findDict(meta, "constants"), true);
      add(findDict(meta, "signature"), false);
    }
  }
  return guesses;
}

bool tilec::needsBlocks(llvm::ArrayRef<ParamUse> uses) {
  return llvm::any_of(uses, [](const ParamUse &use) {
    return use.isBlock && !use.isPointer && !use.isDescriptor && !use.isStatic;
  });
}

std::vector<ParamGuess> tilec::findAlternatives(const ast::Module &module, const ParamUse &use,
                                                const ParamGuess &guess) {
  std::vector<ParamGuess> found;
  auto add = [&](bool isConstant, llvm::StringRef text) {
    ParamGuess other{guess.name, isConstant, text.str()};
    if (!(other == guess) && !llvm::is_contained(found, other))
      found.push_back(std::move(other));
  };
  auto addPointers = [&] {
    for (const char *element :
         {"fp32", "fp16", "i32", "bf16", "i64", "i8", "u8", "i1", "fp8e4nv", "u32", "fp64"})
      add(false, "*" + std::string(element) + ":16");
  };
  if (llvm::StringRef text = guess.text; text.starts_with("(")) {
    if (use.holdsTuples || text == "()")
      return found;
    llvm::StringRef element = text.drop_front().split(',').first;
    unsigned size = unsigned(text.count(','));
    auto addTuple = [&](llvm::StringRef of, unsigned length) {
      add(guess.isConstant,
          ("(" + llvm::join(std::vector<llvm::StringRef>(length, of), ",") + ",)"));
    };
    for (llvm::StringRef of : {"*fp32:16", "*fp16:16", "*i32:16", "*i64:16", "i32", "fp32"})
      if (!guess.isConstant)
        addTuple(of, size);
    for (llvm::StringRef of : {"1", "2", "16", "64", "True", "False", "None", "tl.float32"})
      if (guess.isConstant)
        addTuple(of, size);
    for (unsigned length : {1u, 2u, 3u, 4u, 8u})
      addTuple(element, length);
    return found;
  }
  if (!guess.isConstant) {
    llvm::StringRef text = guess.text;
    if (text.consume_front("tensordesc<")) {
      llvm::StringRef shape = text.drop_until([](char c) { return c == '['; });
      for (const char *element : {"fp16", "fp32", "bf16", "i8", "u8", "fp8e4nv"})
        add(false, "tensordesc<" + std::string(element) + shape.str());
      llvm::SmallVector<llvm::StringRef, 4> extents;
      llvm::StringRef element = text.take_until([](char c) { return c == '['; });
      shape.trim("[]>").split(extents, ", ");
      auto addExtents = [&] {
        add(false, ("tensordesc<" + element + "[" + llvm::join(extents, ", ") + "]>").str());
      };
      static constexpr llvm::StringLiteral sizes[] = {"16", "32", "64", "128"};
      for (llvm::StringRef &extent : extents)
        for (llvm::StringRef size : sizes) {
          llvm::SaveAndRestore<llvm::StringRef> changed(extent, size);
          addExtents();
        }
      for (llvm::StringRef rows : sizes)
        for (llvm::StringRef columns : sizes) {
          if (extents.size() < 2)
            continue;
          extents[extents.size() - 2] = rows;
          extents.back() = columns;
          addExtents();
        }
      return found;
    }
    if (text.starts_with("*")) {
      addPointers();
      add(false, "i32");
      add(false, "fp32");
    } else {
      for (const char *type : {"i32", "fp32", "i64", "i1"})
        add(false, type);
      addPointers();
    }
    if (use.isOptional || !text.starts_with("*"))
      add(true, "None");
    for (const char *value : {"1", "64"})
      if (!text.starts_with("*"))
        add(true, value);
    return found;
  }
  for (const std::string &text : use.strings)
    add(true, quoteLine(text));
  for (int64_t number : use.numbers)
    add(true, std::to_string(number));
  if (use.isCalled) {
    for (const ast::FunctionDef *function : module.deviceFunctions)
      if (function->isJit && !function->parent)
        add(true, function->name);
    add(true, "None");
    return found;
  }
  if (use.isPointer || use.isOptional)
    addPointers();
  if (!use.isExtent)
    for (const char *value : {"True", "False"})
      add(true, value);
  for (const char *value : {"16", "32", "64", "128", "1", "2", "3", "4", "8", "256"})
    add(true, value);
  if (!use.isExtent)
    for (const char *value : {"None", "tl.float32", "tl.float16", "tl.int32", "0.5", "'ieee'", "0",
                              "tl.bfloat16", "tl.float8e4nv", "tl.int8", "tl.uint8"})
      add(true, value);
  return found;
}
