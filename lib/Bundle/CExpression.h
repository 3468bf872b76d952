// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic of launches as C: grid expressions and those of tensor maps. The C calls functions of
// a bundle's loader, which note what does not fit 64 bits and divisions by zero in 'bundle_wrong'.

#ifndef TILEC_LIB_BUNDLE_CEXPRESSION_H
#define TILEC_LIB_BUNDLE_CEXPRESSION_H

#include "tilecrt/Result.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilec {

/// The C expression of a name, of type int64_t; none if there is no such name.
using CNameLookup = std::function<std::optional<std::string>(std::string_view)>;

/// One to three expressions of the grammar of tilecrt/data/GridExpr.h, in C. Nothing is computed:
/// what a launch would find wrong is found then.
tilecrt::Result<std::vector<std::string>> gridInC(std::string_view text, const CNameLookup &names);

/// An expression of a tensor map (tilecrt::TensorMapArgument) in C; '%N' is `arguments[N]`.
tilecrt::Result<std::string> postfixInC(std::string_view text,
                                        const std::vector<std::string> &arguments);

} // namespace tilec

#endif // TILEC_LIB_BUNDLE_CEXPRESSION_H
