// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See OptionsJson.h.

#include "OptionsJson.h"

namespace json = llvm::json;

namespace tilec::api {

static std::pair<const char *, std::string ToolSearch::*> toolTexts[] = {
    {"libclc", &ToolSearch::libclc},
    {"libdevice", &ToolSearch::libdevice},
    {"executable", &ToolSearch::executable}};

json::Value encodeOptions(const CompileOptions &options) {
  json::Object object = toJSON(options.code());
  object["kernel"] = json::fixUTF8(options.kernel);
  for (auto [name, member] : toolTexts)
    object[name] = json::fixUTF8(options.tools.*member);
  json::Array modules;
  for (const ModuleText &module : options.modules.texts)
    modules.push_back(json::Array{json::fixUTF8(module.path), json::fixUTF8(module.text)});
  object["modules"] = std::move(modules);
  object["roots"] = json::Array(options.modules.roots);
  return object;
}

static bool readModules(const json::Array *array, std::vector<ModuleText> &modules) {
  if (!array)
    return false;
  for (const json::Value &item : *array) {
    const json::Array *pair = item.getAsArray();
    if (!pair || pair->size() != 2 || !(*pair)[0].getAsString() || !(*pair)[1].getAsString())
      return false;
    modules.push_back({(*pair)[0].getAsString()->str(), (*pair)[1].getAsString()->str()});
  }
  return true;
}

std::optional<CompileOptions> decodeOptions(const json::Value &value) {
  const json::Object *object = value.getAsObject();
  CompileOptions options;
  json::Path::Root root("options");
  if (!object || !fromJSON(value, options.code(), root) ||
      !readModules(object->getArray("modules"), options.modules.texts))
    return std::nullopt;
  if (const json::Array *roots = object->getArray("roots"))
    for (const json::Value &folder : *roots)
      options.modules.roots.push_back(folder.getAsString().value_or("").str());
  options.kernel = object->getString("kernel").value_or("").str();
  for (auto [name, member] : toolTexts)
    options.tools.*member = object->getString(name).value_or("").str();
  options.stopAfter = Stage::Cubin;
  return options;
}

} // namespace tilec::api
