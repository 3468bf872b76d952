// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See PlanLaunch.h. Tables of addresses are filled in once the arrays have places.

#include "PlanLaunch.h"

#include "Environment.h"

#include <cstring>

using llvm::StringRef;
using tilecrt::NumberData;
using tilecrt::Result;

namespace tilec::tool {

/// The bytes of a number as an argument of this type.
static Result<std::vector<char>> encodeNumber(const NumberData &number,
                                              const tilecrt::KernelArgument &argument) {
  StringRef typeName = StringRef(argument.type).split(':').first;
  std::optional<tilecrt::DType> type =
      typeName == "u1" ? tilecrt::DType::boolean : tilecrt::parseDType(typeName.str());
  if (!type || tilecrt::dtypeSize(*type) > argument.sizeBytes)
    return tilecrt::invalidArgument("argument '" + argument.name +
                                    "': a number cannot be passed "
                                    "as '" +
                                    argument.type + "'");
  if (!number.isInteger && !tilecrt::isFloat(*type))
    return tilecrt::invalidArgument("argument '" + argument.name + "' has type '" + argument.type +
                                    "', got a number with a fraction");
  if (number.isInteger && tilecrt::isInteger(*type)) {
    uint32_t bits = tilecrt::integerValueBits(*type);
    bool fits = bits >= 63 || (number.integer >> bits) == 0 ||
                (tilecrt::isSignedInteger(*type) && (number.integer >> bits) == -1);
    if (!fits)
      return tilecrt::invalidArgument("argument '" + argument.name +
                                      "': " + std::to_string(number.integer) +
                                      " is outside the range of '" + argument.type + "'");
  }
  std::vector<char> bytes(argument.sizeBytes);
  storeNumber(number, *type, bytes.data());
  return bytes;
}

Result<std::vector<std::vector<char>>> encodeArguments(const RunPlan &plan,
                                                       const tilecrt::KernelMetadata &metadata,
                                                       const std::vector<uint64_t> &addresses) {
  std::vector<std::vector<char>> result;
  for (const tilecrt::KernelArgument &argument : metadata.arguments) {
    auto value = plan.arguments.find(argument.name);
    if (value == plan.arguments.end())
      return tilecrt::internalError("the kernel has an argument '" + argument.name +
                                    "' that was not given");
    if (const size_t *index = std::get_if<size_t>(&value->second)) {
      if (argument.kind != tilecrt::ArgumentKind::pointer)
        return tilecrt::invalidArgument("argument '" + argument.name + "' has type '" +
                                        argument.type + "', got an array");
      std::vector<char> bytes(sizeof(uint64_t));
      std::memcpy(bytes.data(), &addresses[*index], sizeof(uint64_t));
      result.push_back(std::move(bytes));
      continue;
    }
    if (argument.kind == tilecrt::ArgumentKind::pointer)
      return tilecrt::invalidArgument("argument '" + argument.name + "' is a pointer ('" +
                                      argument.type + "'), got a number");
    Result<std::vector<char>> bytes = encodeNumber(std::get<NumberData>(value->second), argument);
    if (!bytes.ok())
      return bytes.status();
    result.push_back(std::move(*bytes));
  }
  return result;
}

Result<std::unique_ptr<ArrayLaunch>> bindPlan(const std::shared_ptr<RunDevice> &device,
                                              const CompiledKernel &kernel, RunPlan &plan) {
  Result<std::unique_ptr<ArrayLaunch>> launch = ArrayLaunch::create(device);
  if (!launch)
    return launch;
  for (RunArray &array : plan.arrays) {
    LaunchArray added{array.name, array.data.as<char>(), array.data.byteSize()};
    added.isReadOnly = llvm::any_of(kernel.metadata.arguments, [&](const auto &argument) {
      return argument.isConst && argument.name == array.name;
    });
    TILECRT_RETURN_IF_ERROR((*launch)->add(std::move(added)));
  }
  const std::vector<uint64_t> &addresses = (*launch)->addresses();
  fillTables(plan.arrays, addresses);
  TILECRT_RETURN_IF_ERROR((*launch)->upload());
  Result<std::vector<std::vector<char>>> values = encodeArguments(plan, kernel.metadata, addresses);
  if (!values)
    return values.status();
  TILECRT_RETURN_IF_ERROR((*launch)->bind(kernel, std::move(*values), plan.grid));
  return launch;
}

Result<std::shared_ptr<LaunchSaver>> makeSaver(const RunCommand &command) {
  SaveOptions options;
  options.folder = command.saveLaunches.empty() ? readSaveFolder() : command.saveLaunches;
  if (options.folder.empty())
    return std::shared_ptr<LaunchSaver>();
  llvm::Expected<std::shared_ptr<LaunchSaver>> saver = LaunchSaver::create(std::move(options));
  if (!saver)
    return tilecrt::ioError(llvm::toString(saver.takeError()));
  return std::move(*saver);
}

} // namespace tilec::tool
