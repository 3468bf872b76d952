// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See LaunchGrid.h.

#include "LaunchGrid.h"

#include "tilec/Syntax/ASTPrinter.h"

using llvm::StringRef;
using tilecrt::Result;

namespace tilec::tool {

Result<std::array<uint32_t, 3>> evaluateLaunchGrid(const std::string &text,
                                                   const tilecrt::NameLookup &lookup) {
  Result<std::vector<int64_t>> sizes = tilecrt::evaluateGrid(text, lookup);
  if (!sizes.ok())
    return sizes.status();
  constexpr int64_t mostYZ = 65535;
  std::array<uint32_t, 3> grid = {1, 1, 1};
  for (size_t axis = 0; axis < sizes->size(); ++axis) {
    int64_t size = (*sizes)[axis];
    if (axis > 0 && size > mostYZ)
      return tilecrt::invalidArgument("grid '" + text + "': " + std::to_string(size) +
                                      " programs in " + "xyz"[axis] + ", at most " +
                                      std::to_string(mostYZ) + " can be launched");
    grid[axis] = uint32_t(size);
  }
  return grid;
}

static std::optional<std::string> constantText(const ParsedSource &source, const KernelInfo &kernel,
                                               llvm::ArrayRef<ConstantSpec> constants,
                                               StringRef name) {
  for (const ConstantSpec &constant : constants)
    if (constant.name == name)
      return constant.value;
  if (!kernel.configs.empty())
    for (const auto &[constant, value] : kernel.configs.front().constants)
      if (constant == name)
        return value;
  const ast::FunctionDef *function = source.tree->findJitFunction(kernel.name);
  if (function)
    for (const ast::Param &param : function->params)
      if (param.name == name && param.defaultValue)
        return ast::printSource(param.defaultValue);
  return std::nullopt;
}

std::optional<int64_t> constantNumber(const ParsedSource &source, const KernelInfo &kernel,
                                      llvm::ArrayRef<ConstantSpec> constants, StringRef name) {
  std::optional<std::string> text = constantText(source, kernel, constants, name);
  if (!text)
    return std::nullopt;
  if (*text == "True" || *text == "False")
    return *text == "True";
  Result<int64_t> value = tilecrt::evaluateExpression(*text, nullptr);
  return value.ok() ? std::optional<int64_t>(*value) : std::nullopt;
}

} // namespace tilec::tool
