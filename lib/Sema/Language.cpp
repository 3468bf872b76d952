// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the table of the language, language/*.inc, which says what its lines mean.

#include "tilec/Sema/Language.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"

#include <deque>

using namespace tilec;

static constexpr llvm::StringLiteral kTexts[] = {
#include "language/tl.inc"
    ,
#include "language/libdevice.inc"
    ,
#include "language/python.inc"
};

static unsigned readPlaces(llvm::StringRef words) {
  unsigned places = 0;
  for (llvm::StringRef word : llvm::split(words, ' '))
    places |= llvm::StringSwitch<unsigned>(word)
                  .Case("tl", inLanguage)
                  .Case("math", inMath)
                  .Case("libdevice", inLibdevice)
                  .Case("triton", inTriton)
                  .Case("decorator", asDecorator)
                  .Case("cuda", inExtra)
                  .Case("python", inPython)
                  .Case("itertools", inItertools)
                  .Case("functools", inFunctools)
                  .Case("library", inLibrary)
                  .Case("type", asType)
                  .Case("method", asMethod)
                  .Case("tensor_descriptor", asDescriptorMethod)
                  .Case("dtype", asTypeMethod)
                  .Case("int", asIntMethod)
                  .Case("str", asTextMethod)
                  .Case("dict", asDictMethod)
                  .Case("set", asSetMethod)
                  .Default(0);
  return places;
}

static ParamRole readRole(llvm::StringRef type) {
  for (llvm::StringRef word : llvm::split(type, " | ")) {
    ParamRole role = llvm::StringSwitch<ParamRole>(word)
                         .Case("Pointer", ParamRole::Pointer)
                         .Case("Mask", ParamRole::Mask)
                         .Case("Values", ParamRole::Index)
                         .Case("Shape", ParamRole::Extent)
                         .Case("Type", ParamRole::Type)
                         .Case("Real", ParamRole::Real)
                         .Default(ParamRole::Other);
    if (role != ParamRole::Other)
      return role;
  }
  return ParamRole::Other;
}

/// "pointer: Pointer, mask: Mask = None, *, other=None": commas in brackets are part of types.
static std::vector<LanguageParam> readParams(llvm::StringRef text) {
  std::vector<LanguageParam> params;
  bool keywordOnly = false;
  for (unsigned depth = 0, begin = 0, i = 0; i <= text.size(); ++i) {
    if (i < text.size() && (depth > 0 || text[i] != ',')) {
      depth += llvm::StringRef("[({").contains(text[i]) ? 1 : 0;
      depth -= llvm::StringRef("])}").contains(text[i]) ? 1 : 0;
      continue;
    }
    llvm::StringRef word = text.slice(begin, i).trim();
    begin = i + 1;
    keywordOnly |= word == "*";
    if (word.empty() || word == "*")
      continue;
    LanguageParam param;
    llvm::StringRef typed = word.split('=').first;
    auto [name, type] = typed.split(':');
    name = name.trim();
    param.anyKeyword = name.consume_front("**");
    param.variadic = name.consume_front("*");
    param.keywordOnly = keywordOnly |= param.anyKeyword;
    keywordOnly |= param.variadic;
    param.optional = typed.size() != word.size() || param.variadic || param.anyKeyword;
    param.name = name;
    param.role = readRole(type.trim());
    params.push_back(param);
  }
  return params;
}

/// "to nearest" for `_rn`; "fp32" for the `float` of a conversion.
static llvm::StringRef explainWord(llvm::StringRef word) {
  return llvm::StringSwitch<llvm::StringRef>(word)
      .Case("rn", "to nearest")
      .Case("rz", "towards zero")
      .Case("rd", "down")
      .Case("ru", "up")
      .Case("float", "fp32")
      .Case("double", "fp64")
      .Case("int", "int32")
      .Case("uint", "uint32")
      .Case("ll", "int64")
      .Case("ull", "uint64")
      .Default(word);
}

namespace {

class TableReader {
public:
  void read(llvm::StringRef text) {
    for (llvm::StringRef line : llvm::split(text, '\n')) {
      if (line.consume_front("== "))
        place = readPlaces(line.split(':').first);
      else if (line.consume_front("    "))
        close(line);
      else if (auto [signature, sentence] = line.split("  # "); !signature.empty()) {
        open(signature);
        if (!sentence.empty())
          close(sentence);
      }
    }
  }
  std::vector<LanguageFunction> rows;

private:
  /// A signature; further ones of the same name are overloads.
  void open(llvm::StringRef signature) {
    size_t bar = signature.rfind(" | "), end = signature.rfind(')');
    bool hasPlaces = bar != llvm::StringRef::npos && (end == llvm::StringRef::npos || bar > end);
    places |= place | (hasPlaces ? readPlaces(signature.drop_front(bar + 3)) : 0);
    if (first.empty())
      first = signature.take_front(std::min(end, signature.size()));
  }
  /// What it does: the row is complete.
  void close(llvm::StringRef sentence) {
    auto [name, params] = first.split('(');
    expand(name.str(), sentence.str(), readParams(params));
    first = "";
    places = 0;
  }
  /// One row for each way to choose from the braces of a name.
  void expand(const std::string &name, const std::string &sentence,
              const std::vector<LanguageParam> &params) {
    size_t begin = name.find('{'), end = name.find('}');
    if (begin == std::string::npos) {
      // Names live as long as the table.
      static std::deque<std::string> names;
      rows.push_back({names.emplace_back(name), places, params, sentence});
      return;
    }
    for (llvm::StringRef word : llvm::split(llvm::StringRef(name).slice(begin + 1, end), ',')) {
      std::string said = sentence;
      llvm::StringRef kind = word.starts_with("r") ? "{mode}" : "{type}";
      if (size_t at = said.find(kind.str()); at != std::string::npos)
        said.replace(at, kind.size(), explainWord(word).str());
      expand(name.substr(0, begin) + word.str() + name.substr(end + 1), said, params);
    }
  }

  unsigned place = 0, places = 0;
  llvm::StringRef first;
};

} // namespace

llvm::ArrayRef<LanguageFunction> tilec::getLanguage() {
  static const std::vector<LanguageFunction> table = [] {
    TableReader reader;
    for (llvm::StringRef text : kTexts)
      reader.read(text);
    return std::move(reader.rows);
  }();
  return table;
}

const LanguageFunction *tilec::findLanguageFunction(llvm::StringRef name, unsigned places) {
  static const llvm::StringMap<std::vector<const LanguageFunction *>> index = [] {
    llvm::StringMap<std::vector<const LanguageFunction *>> built;
    for (const LanguageFunction &row : getLanguage())
      built[row.name].push_back(&row);
    return built;
  }();
  auto found = index.find(name);
  if (found != index.end())
    for (const LanguageFunction *row : found->second)
      if (row->places & places)
        return row;
  return nullptr;
}

llvm::StringRef tilec::getPlacePrefix(unsigned places) {
  return places & (inLanguage | inLibrary | asType) ? "tl."
         : places & (inTriton | asDecorator)        ? "triton."
         : places & inLibdevice                     ? "libdevice."
         : places & inMath                          ? "tl.math."
         : places & asDescriptorMethod              ? "descriptor."
         : places & inExtra                         ? "tl.extra.cuda."
         : places & inItertools                     ? "itertools."
         : places & inFunctools                     ? "functools."
                                                    : "";
}

std::string LanguageFunction::getDisplayName() const {
  return (getPlacePrefix(places) + name).str();
}

std::string LanguageFunction::getSignature(bool isMethod) const {
  std::string text;
  bool isKeyword = false;
  for (const LanguageParam &param : llvm::drop_begin(params, isMethod && !params.empty() ? 1 : 0)) {
    text += text.empty() ? "" : ", ";
    if (param.keywordOnly && !param.anyKeyword && !isKeyword)
      text += "*, ";
    isKeyword |= param.keywordOnly || param.variadic;
    text += (param.anyKeyword ? "**" : param.variadic ? "*" : "") + param.name.str();
    text += param.optional && !param.variadic && !param.anyKeyword ? "=..." : "";
  }
  return name.str() + "(" + text + ")";
}

const LanguageParam *LanguageFunction::findParam(llvm::StringRef keyword) const {
  auto found = llvm::find_if(params, [&](const LanguageParam &p) { return p.name == keyword; });
  return found == params.end() ? nullptr : &*found;
}
