// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host functions that the decorators of kernels call, `configs=get_configs()`, are host code like
// any other to the parser. Those that a decorator's names lead to are parsed after all; one that
// does not parse stays skipped.

#ifndef TILEC_LIB_SYNTAX_DECORATORCODE_H
#define TILEC_LIB_SYNTAX_DECORATORCODE_H

#include "tilec/Syntax/AST.h"

namespace tilec {

/// Parses the bodies of the functions that decorators of device functions can reach.
void parseDecoratorCode(const SourceManager &sources, ast::Module &module);

} // namespace tilec

#endif // TILEC_LIB_SYNTAX_DECORATORCODE_H
