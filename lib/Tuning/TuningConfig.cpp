// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See TuningConfig.h.

#include "tilec/Tuning/TuningConfig.h"

#include "tilec/Driver/CompileOptions.h"
#include "tilec/Support/Processor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

using llvm::StringRef;
namespace json = llvm::json;

namespace tilec {

namespace {

struct LaunchOption {
  llvm::StringLiteral name;
  std::optional<int> TuningConfig::*member;
  int least, most;
};
constexpr LaunchOption kLaunchOptions[] = {
    {"num_warps", &TuningConfig::numWarps, 1, 32},
    {"num_stages", &TuningConfig::numStages, 1, 16},
    {"num_ctas", &TuningConfig::numCtas, 1, 16},
    {"split_k", &TuningConfig::splitK, 1, mostSplitK},
    {"max_registers", &TuningConfig::maxRegisters, Processor::kMinRegistersPerThread,
     Processor::kMaxRegistersPerThread},
};

const LaunchOption *findLaunchOption(StringRef name) {
  for (const LaunchOption &option : kLaunchOptions)
    if (option.name == name)
      return &option;
  return nullptr;
}

llvm::Error wrong(StringRef key, StringRef text) {
  return llvm::createStringError("'" + key.str() + "' " + text.str());
}

/// A JSON value as a Python literal; a string is source text as it is.
llvm::Expected<int> launchValue(const LaunchOption &option, const json::Value &value) {
  auto number = value.getAsInteger();
  if (!number || *number < option.least || *number > option.most)
    return wrong(option.name, "expects numbers from " + std::to_string(option.least) + " to " +
                                  std::to_string(option.most));
  return int(*number);
}

/// Every configuration with every value of a list.
llvm::Error multiply(std::vector<TuningConfig> &configs, StringRef key, const json::Value &list,
                     llvm::function_ref<llvm::Error(TuningConfig &, const json::Value &)> put) {
  const json::Array *values = list.getAsArray();
  if (!values || values->empty())
    return wrong(key, "expects a list of values");
  if (configs.size() > mostConfigs / values->size())
    return llvm::createStringError("the space has more than " + std::to_string(mostConfigs) +
                                   " configurations");
  std::vector<TuningConfig> more;
  for (const TuningConfig &config : configs)
    for (const json::Value &value : *values) {
      more.push_back(config);
      if (llvm::Error error = put(more.back(), value))
        return error;
    }
  configs = std::move(more);
  return llvm::Error::success();
}

} // namespace

std::optional<std::string> literalOf(const json::Value &value) {
  if (auto text = value.getAsString())
    return text->str();
  if (value.getAsNull())
    return "None";
  if (auto truth = value.getAsBoolean())
    return *truth ? "True" : "False";
  if (auto integer = value.getAsInteger())
    return std::to_string(*integer);
  if (auto number = value.getAsNumber())
    return llvm::formatv("{0}", json::Value(*number)).str();
  return std::nullopt;
}

const std::string *TuningConfig::find(StringRef name) const {
  for (const auto &[constant, value] : constants)
    if (constant == name)
      return &value;
  return nullptr;
}

void TuningConfig::set(StringRef name, StringRef value) {
  auto place = llvm::find_if(constants, [&](const auto &entry) { return entry.first >= name; });
  if (place != constants.end() && place->first == name)
    place->second = value.str();
  else
    constants.insert(place, {name.str(), value.str()});
}

std::string TuningConfig::describe() const {
  std::string text;
  auto add = [&](StringRef name, StringRef value) {
    text += (text.empty() ? "" : ", ") + name.str() + "=" + value.str();
  };
  for (const auto &[name, value] : constants)
    add(name, value);
  for (const LaunchOption &option : kLaunchOptions)
    if (const std::optional<int> &value = this->*option.member)
      add(option.name, std::to_string(*value));
  return text.empty() ? "the defaults" : text;
}

bool TuningConfig::operator==(const TuningConfig &other) const {
  return constants == other.constants && numWarps == other.numWarps &&
         numStages == other.numStages && numCtas == other.numCtas && splitK == other.splitK &&
         maxRegisters == other.maxRegisters;
}

json::Value toJson(const TuningConfig &config) {
  json::Object constants, object;
  for (const auto &[name, value] : config.constants)
    constants[name] = value;
  object["constants"] = std::move(constants);
  for (const LaunchOption &option : kLaunchOptions)
    if (const std::optional<int> &value = config.*option.member)
      object[option.name] = *value;
  return object;
}

llvm::Expected<TuningConfig> configFromJson(const json::Value &value) {
  const json::Object *object = value.getAsObject();
  if (!object)
    return llvm::createStringError("a configuration is not an object");
  TuningConfig config;
  for (const auto &[key, content] : *object) {
    if (key == "constants") {
      const json::Object *constants = content.getAsObject();
      if (!constants)
        return wrong("constants", "of a configuration expects an object");
      for (const auto &[name, text] : *constants) {
        std::optional<std::string> literal = literalOf(text);
        if (!literal)
          return wrong(name, "expects a number, a string, true, false or null");
        config.set(StringRef(name), *literal);
      }
      continue;
    }
    const LaunchOption *option = findLaunchOption(key);
    if (!option)
      return wrong(key, "is not known in a configuration");
    llvm::Expected<int> number = launchValue(*option, content);
    if (!number)
      return number.takeError();
    config.*option->member = *number;
  }
  return config;
}

llvm::Expected<std::vector<TuningConfig>> parseSearchSpace(StringRef text,
                                                           ProductExpander expand) {
  llvm::Expected<json::Value> value = json::parse(text);
  if (!value)
    return value.takeError();
  const json::Object *object = value->getAsObject();
  if (!object)
    return llvm::createStringError("a search space is an object");
  std::vector<TuningConfig> configs(1);
  for (const auto &[key, content] : *object)
    if (key != "configs" && key != "product" && key != "constants" && !findLaunchOption(key))
      return wrong(key, "is not known in a search space");
  if (const json::Value *given = object->get("product")) {
    const json::Object *product = given->getAsObject();
    if (!product)
      return wrong("product", "expects an object");
    if (object->get("configs"))
      return llvm::createStringError("'configs' and 'product' both say what is tried");
    if (!expand)
      return wrong("product", "needs a launch whose sizes are known");
    llvm::Expected<std::vector<TuningConfig>> likely = expand(*product);
    if (!likely)
      return likely.takeError();
    configs = std::move(*likely);
  }
  if (const json::Value *list = object->get("configs")) {
    const json::Array *array = list->getAsArray();
    if (!array || array->empty() || array->size() > mostConfigs)
      return wrong("configs", "expects a list of configurations");
    configs.clear();
    for (const json::Value &item : *array) {
      llvm::Expected<TuningConfig> config = configFromJson(item);
      if (!config)
        return config.takeError();
      configs.push_back(std::move(*config));
    }
  }
  if (const json::Value *lists = object->get("constants")) {
    const json::Object *constants = lists->getAsObject();
    if (!constants)
      return wrong("constants", "expects an object of lists");
    // In the order of the names, which is the order of the result.
    std::vector<StringRef> names;
    for (const auto &[name, list] : *constants)
      names.push_back(name);
    llvm::sort(names);
    for (StringRef name : names)
      if (llvm::Error error =
              multiply(configs, name, *constants->get(name),
                       [&](TuningConfig &config, const json::Value &item) -> llvm::Error {
                         std::optional<std::string> literal = literalOf(item);
                         if (!literal)
                           return wrong(name, "expects numbers, strings, true, false or null");
                         if (!config.find(name))
                           config.set(name, *literal);
                         return llvm::Error::success();
                       }))
        return std::move(error);
  }
  for (const LaunchOption &option : kLaunchOptions)
    if (const json::Value *list = object->get(option.name))
      if (llvm::Error error =
              multiply(configs, option.name, *list,
                       [&](TuningConfig &config, const json::Value &item) -> llvm::Error {
                         llvm::Expected<int> number = launchValue(option, item);
                         if (!number)
                           return number.takeError();
                         if (!(config.*option.member))
                           config.*option.member = *number;
                         return llvm::Error::success();
                       }))
        return std::move(error);
  removeDuplicates(configs);
  return configs;
}

void removeDuplicates(std::vector<TuningConfig> &configs) {
  llvm::StringSet<> seen;
  llvm::erase_if(
      configs, [&](const TuningConfig &config) { return !seen.insert(config.describe()).second; });
}

} // namespace tilec
