// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The portable package's one program: tilec, or tilec-examples, tilec-language-tests or tile-lsp
// when called by that name. LLVM is linked statically, so four programs would be the same 50 MB
// each.

#include <cstring>

int tilecMain(int argc, char **argv);
int tilecExamplesMain(int argc, char **argv);
int tilecLanguageTestsMain(int argc, char **argv);
int tileLspMain(int argc, char **argv);

int main(int argc, char **argv) {
  const char *name = argc > 0 ? argv[0] : "";
  if (const char *slash = std::strrchr(name, '/'))
    name = slash + 1;
  if (std::strcmp(name, "tilec-examples") == 0)
    return tilecExamplesMain(argc, argv);
  if (std::strcmp(name, "tilec-language-tests") == 0)
    return tilecLanguageTestsMain(argc, argv);
  if (std::strcmp(name, "tile-lsp") == 0)
    return tileLspMain(argc, argv);
  return tilecMain(argc, argv);
}
