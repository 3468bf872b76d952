// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options as JSON, one overload for each kind of option.

#include "tilec/Driver/CompileOptions.h"

namespace json = llvm::json;

namespace tilec {

namespace {

/// JSON cannot hold other bytes.
json::Value encode(const std::string &text) { return json::fixUTF8(text); }
json::Value encode(bool flag) { return flag; }
json::Value encode(uint64_t number) { return number; }
template <typename T> json::Value encode(const std::optional<T> &option) {
  return option ? json::Value(*option) : json::Value(nullptr);
}
json::Value encode(const ArgumentSpec &argument) {
  return json::Array{encode(argument.name), encode(argument.type)};
}
json::Value encode(const ConstantSpec &constant) {
  return json::Array{encode(constant.name), encode(constant.value)};
}
json::Value encode(const std::pair<std::string, int64_t> &pair) {
  return json::Array{encode(pair.first), pair.second};
}
json::Value encode(Stage stage) { return stageName(stage); }
json::Value encode(const ModuleText &module) {
  return json::Array{encode(module.path), encode(module.text)};
}
template <typename T> json::Value encode(const std::vector<T> &items) {
  json::Array list;
  for (const T &item : items)
    list.push_back(encode(item));
  return list;
}

json::Value encode(const WarningOptions &warnings) { return encode(warnings.getTexts()); }

/// Calls `visit(name, member)` for each member of an option that has several.
template <typename Search, typename Visitor> void visitMembers(Search &search, Visitor &&visit) {
  if constexpr (std::is_same_v<std::remove_const_t<Search>, ModuleSearch>) {
    auto &[roots, texts] = search;
    visit("roots", roots);
    visit("texts", texts);
  } else {
    auto &[ptxas, cudaHome, path, libclc, libdevice, executable] = search;
    visit("ptxas", ptxas);
    visit("cudaHome", cudaHome);
    visit("path", path);
    visit("libclc", libclc);
    visit("libdevice", libdevice);
    visit("executable", executable);
  }
}
json::Value encode(const ModuleSearch &modules);
json::Value encode(const ToolSearch &tools);

/// Writes options and members into an object.
struct Encoder {
  template <typename T> void operator()(const char *name, const T &option) {
    json::Value value = encode(option);
    if (!value.getAsNull())
      object[name] = std::move(value);
  }
  json::Object object;
};

template <typename Search> json::Value encodeMembers(const Search &search) {
  Encoder encoder;
  visitMembers(search, encoder);
  return std::move(encoder.object);
}
json::Value encode(const ModuleSearch &modules) { return encodeMembers(modules); }
json::Value encode(const ToolSearch &tools) { return encodeMembers(tools); }

/// Both parts of a list of two.
template <typename First, typename Second>
bool decodePair(const json::Value &value, First &first, Second &second, json::Path path) {
  const json::Array *pair = value.getAsArray();
  if (!pair || pair->size() != 2) {
    path.report("expected a name and a value");
    return false;
  }
  return fromJSON((*pair)[0], first, path.index(0)) && fromJSON((*pair)[1], second, path.index(1));
}

template <typename T> bool decode(const json::Value &value, T &option, json::Path path) {
  return fromJSON(value, option, path);
}
template <typename T>
bool decode(const json::Value &value, std::optional<T> &option, json::Path path) {
  return fromJSON(value, option.emplace(), path);
}
bool decode(const json::Value &value, ArgumentSpec &argument, json::Path path) {
  return decodePair(value, argument.name, argument.type, path);
}
bool decode(const json::Value &value, ConstantSpec &constant, json::Path path) {
  return decodePair(value, constant.name, constant.value, path);
}
bool decode(const json::Value &value, std::pair<std::string, int64_t> &pair, json::Path path) {
  return decodePair(value, pair.first, pair.second, path);
}
bool decode(const json::Value &value, ModuleText &module, json::Path path) {
  return decodePair(value, module.path, module.text, path);
}
bool decode(const json::Value &value, Stage &stage, json::Path path) {
  std::optional<Stage> known = parseStage(value.getAsString().value_or(""));
  if (known)
    stage = *known;
  else
    path.report("expected a stage");
  return known.has_value();
}
template <typename T>
bool decode(const json::Value &value, std::vector<T> &items, json::Path path) {
  const json::Array *list = value.getAsArray();
  if (!list) {
    path.report("expected array");
    return false;
  }
  items.clear();
  for (size_t i = 0; i < list->size(); ++i)
    if (!decode((*list)[i], items.emplace_back(), path.index(unsigned(i))))
      return false;
  return true;
}
bool decode(const json::Value &value, WarningOptions &warnings, json::Path path) {
  std::vector<std::string> texts;
  if (!decode(value, texts, path))
    return false;
  warnings = WarningOptions();
  for (size_t i = 0; i < texts.size(); ++i)
    if (warnings.apply(texts[i])) {
      path.index(unsigned(i)).report("expected an option of warnings");
      return false;
    }
  return true;
}
bool decode(const json::Value &value, ModuleSearch &modules, json::Path path);
bool decode(const json::Value &value, ToolSearch &tools, json::Path path);

/// Reads options and members from an object, up to the first that is wrong.
struct Decoder {
  Decoder(const json::Value &value, json::Path objectPath)
      : object(value.getAsObject()), path(objectPath), good(object != nullptr) {
    if (!object)
      path.report("expected object");
  }
  template <typename T> void operator()(const char *name, T &option) {
    if (const json::Value *member = good ? object->get(name) : nullptr)
      good = decode(*member, option, path.field(name));
  }
  const json::Object *object;
  json::Path path;
  bool good;
};

template <typename Search>
bool decodeMembers(const json::Value &value, Search &search, json::Path path) {
  Decoder decoder(value, path);
  visitMembers(search, decoder);
  return decoder.good;
}
bool decode(const json::Value &value, ModuleSearch &modules, json::Path path) {
  return decodeMembers(value, modules, path);
}
bool decode(const json::Value &value, ToolSearch &tools, json::Path path) {
  return decodeMembers(value, tools, path);
}

} // namespace

json::Object toJSON(const CodeOptions &options) {
  Encoder encoder;
  visitCodeOptions(options, encoder);
  return std::move(encoder.object);
}

json::Object toJSON(const CompileOptions &options) {
  Encoder encoder;
  visitOptions<OptionUse::Code, OptionUse::Result, OptionUse::Source, OptionUse::Machine>(options,
                                                                                          encoder);
  return std::move(encoder.object);
}

bool fromJSON(const json::Value &value, CodeOptions &options, json::Path path) {
  Decoder decoder(value, path);
  visitCodeOptions(options, decoder);
  return decoder.good;
}

bool fromJSON(const json::Value &value, CompileOptions &options, json::Path path) {
  Decoder decoder(value, path);
  visitOptions<OptionUse::Code, OptionUse::Result, OptionUse::Source, OptionUse::Machine>(options,
                                                                                          decoder);
  return decoder.good;
}

bool canBeCluster(int numCtas) {
  return numCtas >= 1 && numCtas <= mostNumCtas && llvm::has_single_bit(unsigned(numCtas));
}

std::optional<std::string> clusterProblem(std::optional<int> numCtas, std::optional<int> splitK) {
  int programs = numCtas.value_or(1), parts = splitK.value_or(1);
  if (!canBeCluster(programs))
    return "num_ctas is " + std::to_string(programs) +
           ", expected 1, 2, 4 or 8 programs of a cluster";
  if (parts < 1 || parts > mostSplitK || (parts & (parts - 1)) != 0)
    return "split_k is " + std::to_string(parts) + ", expected 1, 2, 4 or 8 CTAs of a program";
  if (programs > 1 && parts > 1)
    return "num_ctas is " + std::to_string(programs) + " and split_k is " + std::to_string(parts) +
           ": a cluster is for several programs or for one";
  return std::nullopt;
}

} // namespace tilec
