// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See LanguageDocs.h.

#include "LanguageDocs.h"

#include "llvm/ADT/StringSwitch.h"

using namespace tilec;

static unsigned findPlaces(llvm::StringRef modulePath) {
  if (modulePath.ends_with("libdevice"))
    return inLibdevice;
  return llvm::StringSwitch<unsigned>(modulePath)
      .Case("triton", inTriton | asDecorator)
      .Cases({"triton.language", "triton.language.core"}, inLanguage | asType)
      .Case("triton.language.math", inMath)
      .Cases({"triton.language.extra", "triton.language.extra.cuda"}, inExtra)
      .Case("method", asMethod | asDescriptorMethod)
      .Case("python", inPython)
      .Default(0);
}

std::string lsp::Member::getSignature() const {
  if (place & asType)
    return "";
  return function->getSignature(place & (asMethod | asDescriptorMethod));
}

std::vector<lsp::Member> lsp::listMembers(llvm::StringRef modulePath) {
  std::vector<Member> members;
  unsigned places = findPlaces(modulePath);
  for (const LanguageFunction &function : getLanguage())
    if (function.places & places && !function.name.starts_with("_"))
      members.push_back({&function, function.places & places});
  return members;
}

std::optional<lsp::Member> lsp::findMember(llvm::StringRef modulePath, llvm::StringRef name) {
  unsigned places = findPlaces(modulePath);
  if (const LanguageFunction *function = findLanguageFunction(name, places))
    return Member{function, function->places & places};
  return std::nullopt;
}

std::string lsp::describe(const Member &member) {
  bool isMethod = member.place & (asMethod | asDescriptorMethod);
  std::string signature = member.getSignature();
  return "```python\n" + (isMethod ? "" : getPlacePrefix(member.place).str()) +
         (signature.empty() ? member.function->name.str() : signature) + "\n```\n" +
         member.function->sentence;
}
