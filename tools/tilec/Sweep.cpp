// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Sweep.h.

#include "Sweep.h"

#include "tilecrt/data/GridExpr.h"

using llvm::StringRef;
using tilecrt::Result;
using tilecrt::Status;

namespace tilec::tool {

Result<std::string> fillSizes(StringRef text, const SweptSizes &sizes) {
  std::string filled;
  while (!text.empty()) {
    auto [before, after] = text.split('{');
    filled += before;
    if (before.size() == text.size())
      break;
    auto [expression, rest] = after.split('}');
    if (expression.size() == after.size())
      return tilecrt::invalidArgument("'{" + after.str() + "' has no '}'");
    Result<int64_t> value =
        tilecrt::evaluateExpression(std::string_view(expression), [&](std::string_view name) {
          for (const auto &[known, size] : sizes)
            if (known == name)
              return std::optional<int64_t>(size);
          return std::optional<int64_t>();
        });
    if (!value)
      return value.status().withContext("'{" + expression.str() + "}'");
    filled += std::to_string(*value);
    text = rest;
  }
  return filled;
}

Status fillSizes(RunCommand &command, const SweptSizes &sizes) {
  if (sizes.empty())
    return Status();
  auto fill = [&](const std::string &option, std::string &text) -> Status {
    Result<std::string> filled = fillSizes(text, sizes);
    if (!filled)
      return filled.status().withContext("'" + option + "'");
    text = std::move(*filled);
    return Status();
  };
  for (auto &[name, text] : command.kernel.arguments)
    TILECRT_RETURN_IF_ERROR(fill("--arg " + name, text));
  for (auto &[name, text] : command.buffers)
    TILECRT_RETURN_IF_ERROR(fill("--buffer " + name, text));
  for (ConstantSpec &constant : command.kernel.options.constants)
    TILECRT_RETURN_IF_ERROR(fill("--const " + constant.name, constant.value));
  TILECRT_RETURN_IF_ERROR(fill("--grid", command.grid));
  TILECRT_RETURN_IF_ERROR(fill("--bytes", command.bytes));
  return fill("--flops", command.flops);
}

} // namespace tilec::tool
