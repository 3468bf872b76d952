// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options as JSON, one overload for each kind of option.

#include "tilec/Driver/CodeOptions.h"

namespace json = llvm::json;

namespace tilec {

namespace {

/// JSON cannot hold other bytes.
json::Value encode(const std::string &text) { return json::fixUTF8(text); }
json::Value encode(bool flag) { return flag; }
json::Value encode(uint64_t number) { return number; }
json::Value encode(const std::optional<int> &number) {
  return number ? json::Value(*number) : json::Value(nullptr);
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
template <typename T> json::Value encode(const std::vector<T> &items) {
  json::Array list;
  for (const T &item : items)
    list.push_back(encode(item));
  return list;
}

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
bool decode(const json::Value &value, std::optional<int> &number, json::Path path) {
  return fromJSON(value, number.emplace(), path);
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

} // namespace

json::Object toJSON(const CodeOptions &options) {
  json::Object object;
  visitCodeOptions(options, [&](const char *name, const auto &option) {
    json::Value value = encode(option);
    if (!value.getAsNull())
      object[name] = std::move(value);
  });
  return object;
}

bool fromJSON(const json::Value &value, CodeOptions &options, json::Path path) {
  const json::Object *object = value.getAsObject();
  if (!object) {
    path.report("expected object");
    return false;
  }
  bool good = true;
  visitCodeOptions(options, [&](const char *name, auto &option) {
    if (const json::Value *member = object->get(name); good && member)
      good = decode(*member, option, path.field(name));
  });
  return good;
}

} // namespace tilec
