// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names that the language gives to kernels, with their parameters, for editors.

#ifndef TILEC_IRGEN_LANGUAGENAMES_H
#define TILEC_IRGEN_LANGUAGENAMES_H

#include <string>
#include <vector>

namespace tilec {

struct LanguageName {
  enum class Place { Language, Math, Libdevice, Extra, Triton, Python, Method, Type };
  Place place;
  std::string name;
  /// "load(pointer, mask=..., other=...)"; empty for types and modules.
  std::string signature;
};

/// All of them: operations, functions of the library, types. A name may be in several places.
std::vector<LanguageName> listLanguageNames();

} // namespace tilec

#endif // TILEC_IRGEN_LANGUAGENAMES_H
