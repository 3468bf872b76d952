// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See OptionsJson.h.

#include "OptionsJson.h"

namespace json = llvm::json;

namespace tilec::api {

/// The texts of a compilation's options, by name.
static std::pair<const char *, std::string CompileOptions::*> texts[] = {
    {"kernel", &CompileOptions::kernel}, {"target", &CompileOptions::target}};
static std::pair<const char *, std::string ToolSearch::*> toolTexts[] = {
    {"libclc", &ToolSearch::libclc},
    {"libdevice", &ToolSearch::libdevice},
    {"executable", &ToolSearch::executable}};
static std::pair<const char *, bool CompileOptions::*> flags[] = {
    {"debug", &CompileOptions::debug},
    {"overflowChecks", &CompileOptions::overflowChecks},
    {"fpFusion", &CompileOptions::fpFusion},
    {"flushSubnormals", &CompileOptions::flushSubnormals},
    {"countInstructions", &CompileOptions::countInstructions}};
static std::pair<const char *, std::optional<int> CompileOptions::*> numbers[] = {
    {"numWarps", &CompileOptions::numWarps},
    {"numStages", &CompileOptions::numStages},
    {"maxRegisters", &CompileOptions::maxRegisters}};

json::Value encodeOptions(const CompileOptions &options) {
  json::Object object;
  for (auto [name, member] : texts)
    object[name] = options.*member;
  for (auto [name, member] : toolTexts)
    object[name] = options.tools.*member;
  for (auto [name, member] : flags)
    object[name] = options.*member;
  for (auto [name, member] : numbers)
    if (options.*member)
      object[name] = *(options.*member);
  json::Array arguments, constants;
  for (const ArgumentSpec &argument : options.arguments)
    arguments.push_back(json::Array{argument.name, argument.type});
  for (const ConstantSpec &constant : options.constants)
    constants.push_back(json::Array{constant.name, constant.value});
  json::Array modules;
  for (const ModuleText &module : options.modules.texts)
    modules.push_back(json::Array{module.path, module.text});
  object["modules"] = std::move(modules);
  object["roots"] = json::Array(options.modules.roots);
  object["arguments"] = std::move(arguments);
  object["constants"] = std::move(constants);
  return object;
}

template <typename Spec> static bool readPairs(const json::Array *array, std::vector<Spec> &specs) {
  if (!array)
    return false;
  for (const json::Value &item : *array) {
    const json::Array *pair = item.getAsArray();
    if (!pair || pair->size() != 2 || !(*pair)[0].getAsString() || !(*pair)[1].getAsString())
      return false;
    specs.push_back({(*pair)[0].getAsString()->str(), (*pair)[1].getAsString()->str()});
  }
  return true;
}

std::optional<CompileOptions> decodeOptions(const json::Value &value) {
  const json::Object *object = value.getAsObject();
  CompileOptions options;
  if (!object || !readPairs(object->getArray("arguments"), options.arguments) ||
      !readPairs(object->getArray("constants"), options.constants) ||
      !readPairs(object->getArray("modules"), options.modules.texts))
    return std::nullopt;
  if (const json::Array *roots = object->getArray("roots"))
    for (const json::Value &root : *roots)
      options.modules.roots.push_back(root.getAsString().value_or("").str());
  for (auto [name, member] : texts)
    options.*member = object->getString(name).value_or("").str();
  for (auto [name, member] : toolTexts)
    options.tools.*member = object->getString(name).value_or("").str();
  for (auto [name, member] : flags)
    options.*member = object->getBoolean(name).value_or(false);
  for (auto [name, member] : numbers)
    if (auto number = object->getInteger(name))
      options.*member = int(*number);
  options.stopAfter = Stage::Cubin;
  return options;
}

} // namespace tilec::api
