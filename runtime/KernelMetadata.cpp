// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernel metadata to JSON and back. Writing keeps the keys in one fixed order. Reading checks the
// kind and range of every value by hand, because the text may come from a damaged cache entry or
// from another version; a JsonReader keeps the first failure and makes later reads do nothing.

#include "tilecrt/KernelMetadata.h"

#include <nlohmann/json.hpp>

#include <limits>

namespace tilecrt {

namespace {

using Json = nlohmann::ordered_json;

const char *kindName(ArgumentKind kind) {
  switch (kind) {
  case ArgumentKind::pointer:
    return "pointer";
  case ArgumentKind::integer:
    return "integer";
  case ArgumentKind::floating:
    return "floating";
  }
  return "integer";
}

/// Typed reads from JSON objects; remembers the first thing that was wrong.
class JsonReader {
public:
  const Status &status() const { return failure; }

  void read(const Json &object, const char *key, std::string &out, bool required = false) {
    if (const Json *value = find(object, key, required)) {
      if (!value->is_string())
        return wrongKind(key, "a string", *value);
      out = value->get<std::string>();
    }
  }

  void read(const Json &object, const char *key, bool &out) {
    if (const Json *value = find(object, key, false)) {
      if (!value->is_boolean())
        return wrongKind(key, "true or false", *value);
      out = value->get<bool>();
    }
  }

  template <typename Int> void readInteger(const Json &object, const char *key, Int &out) {
    const Json *value = find(object, key, false);
    if (!value)
      return;
    if (!value->is_number_integer())
      return wrongKind(key, "an integer", *value);
    // Above the signed range the library keeps an unsigned value, which no member can hold.
    bool tooLarge = value->is_number_unsigned() &&
                    value->get<uint64_t>() > uint64_t(std::numeric_limits<Int>::max());
    int64_t number = tooLarge ? 0 : value->get<int64_t>();
    if (tooLarge || number < int64_t(std::numeric_limits<Int>::min()) ||
        number > int64_t(std::numeric_limits<Int>::max()))
      return fail("'" + std::string(key) + "' is " + value->dump() + ", expected " +
                  std::to_string(std::numeric_limits<Int>::min()) + " to " +
                  std::to_string(std::numeric_limits<Int>::max()));
    out = static_cast<Int>(number);
  }

  void read(const Json &object, const char *key, std::vector<std::string> &out) {
    readElements(object, key, "an array of strings", [&](const Json &element) {
      if (!element.is_string())
        return false;
      out.push_back(element.get<std::string>());
      return true;
    });
  }

  void read(const Json &object, const char *key, std::vector<uint32_t> &out) {
    readElements(object, key, "an array of numbers below 2^32", [&](const Json &element) {
      if (!element.is_number_unsigned() || element.get<uint64_t>() > UINT32_MAX)
        return false;
      out.push_back(element.get<uint32_t>());
      return true;
    });
  }

  /// Calls `each` with every object of the array under `key`.
  template <typename Fn> void readObjects(const Json &object, const char *key, Fn each) {
    const Json *value = find(object, key, false);
    if (!value)
      return;
    if (!value->is_array())
      return wrongKind(key, "an array", *value);
    for (const Json &element : *value) {
      if (!element.is_object())
        return wrongKind(key, "an array of objects", element);
      each(element);
      if (!failure.ok())
        return;
    }
  }

  /// Calls `use` with the object under `key`, if there is one.
  template <typename Fn> void readObject(const Json &object, const char *key, Fn use) {
    const Json *value = find(object, key, false);
    if (!value)
      return;
    if (!value->is_object())
      return wrongKind(key, "an object", *value);
    use(*value);
  }

  void fail(const std::string &message) {
    if (failure.ok())
      failure = invalidArgument("kernel metadata: " + message);
  }

private:
  /// Calls `each` with every element of the array under `key`, until it says no.
  template <typename Fn>
  void readElements(const Json &object, const char *key, const char *expected, Fn each) {
    const Json *value = find(object, key, false);
    if (!value)
      return;
    if (!value->is_array())
      return wrongKind(key, expected, *value);
    for (const Json &element : *value)
      if (!each(element))
        return wrongKind(key, expected, element);
  }

  const Json *find(const Json &object, const char *key, bool required) {
    if (!failure.ok())
      return nullptr;
    auto it = object.find(key);
    if (it != object.end())
      return &*it;
    if (required)
      fail("'" + std::string(key) + "' is missing");
    return nullptr;
  }

  void wrongKind(const char *key, const char *expected, const Json &got) {
    fail("'" + std::string(key) + "' must be " + expected + ", got " + got.type_name());
  }

  Status failure;
};

Json argumentToJson(const KernelArgument &argument) {
  return Json{{"name", argument.name},
              {"type", argument.type},
              {"kind", kindName(argument.kind)},
              {"sizeBytes", argument.sizeBytes},
              {"divisibility", argument.divisibility},
              {"isConst", argument.isConst}};
}

KernelArgument argumentFromJson(JsonReader &reader, const Json &object) {
  KernelArgument argument;
  std::string kind = kindName(argument.kind);
  reader.read(object, "name", argument.name, true);
  reader.read(object, "type", argument.type, true);
  reader.read(object, "kind", kind, true);
  reader.readInteger(object, "sizeBytes", argument.sizeBytes);
  reader.readInteger(object, "divisibility", argument.divisibility);
  reader.read(object, "isConst", argument.isConst);
  if (kind == "pointer")
    argument.kind = ArgumentKind::pointer;
  else if (kind == "integer")
    argument.kind = ArgumentKind::integer;
  else if (kind == "floating")
    argument.kind = ArgumentKind::floating;
  else
    reader.fail("'kind' of argument '" + argument.name + "' is '" + kind +
                "', expected 'pointer', 'integer' or 'floating'");
  return argument;
}

Json mapToJson(const TensorMapArgument &map) {
  return Json{{"base", map.base},         {"elementType", map.elementType},
              {"shape", map.shape},       {"strides", map.strides},
              {"box", map.box},           {"swizzleBytes", map.swizzleBytes},
              {"fillsNan", map.fillsNan}, {"isInferred", map.isInferred}};
}

TensorMapArgument mapFromJson(JsonReader &reader, const Json &object) {
  TensorMapArgument map;
  reader.readInteger(object, "base", map.base);
  reader.read(object, "elementType", map.elementType, true);
  reader.read(object, "shape", map.shape);
  reader.read(object, "strides", map.strides);
  reader.read(object, "box", map.box);
  reader.readInteger(object, "swizzleBytes", map.swizzleBytes);
  reader.read(object, "fillsNan", map.fillsNan);
  reader.read(object, "isInferred", map.isInferred);
  return map;
}

Json lineToJson(const LineMapEntry &entry) {
  return Json{{"site", entry.site},
              {"file", entry.file},
              {"line", entry.line},
              {"column", entry.column},
              {"text", entry.text}};
}

LineMapEntry lineFromJson(JsonReader &reader, const Json &object) {
  LineMapEntry entry;
  reader.readInteger(object, "site", entry.site);
  reader.read(object, "file", entry.file);
  reader.readInteger(object, "line", entry.line);
  reader.readInteger(object, "column", entry.column);
  reader.read(object, "text", entry.text);
  return entry;
}

Json eventToJson(const TimelineEvent &event) {
  return Json{{"id", event.id},     {"kind", event.kind},     {"file", event.file},
              {"line", event.line}, {"column", event.column}, {"groups", event.groups}};
}

TimelineEvent eventFromJson(JsonReader &reader, const Json &object) {
  TimelineEvent event;
  reader.readInteger(object, "id", event.id);
  reader.read(object, "kind", event.kind, true);
  reader.read(object, "file", event.file);
  reader.readInteger(object, "line", event.line);
  reader.readInteger(object, "column", event.column);
  reader.readInteger(object, "groups", event.groups);
  return event;
}

Json timelineToJson(const KernelTimeline &timeline) {
  Json roles = Json::array(), events = Json::array();
  for (const TimelineRole &role : timeline.roles)
    roles.push_back(Json{{"name", role.name}, {"warps", role.warps}});
  for (const TimelineEvent &event : timeline.events)
    events.push_back(eventToJson(event));
  return Json{{"capacity", timeline.capacity},
              {"firstCta", timeline.firstCta},
              {"lastCta", timeline.lastCta},
              {"roles", std::move(roles)},
              {"events", std::move(events)}};
}

KernelTimeline timelineFromJson(JsonReader &reader, const Json &object) {
  KernelTimeline timeline;
  reader.readInteger(object, "capacity", timeline.capacity);
  reader.readInteger(object, "firstCta", timeline.firstCta);
  reader.readInteger(object, "lastCta", timeline.lastCta);
  reader.readObjects(object, "roles", [&](const Json &role) {
    TimelineRole read;
    reader.read(role, "name", read.name, true);
    reader.readInteger(role, "warps", read.warps);
    timeline.roles.push_back(std::move(read));
  });
  reader.readObjects(object, "events", [&](const Json &event) {
    timeline.events.push_back(eventFromJson(reader, event));
  });
  return timeline;
}

/// The plain members, named once for both directions.
template <typename Metadata, typename Visitor>
void visitIntegers(Metadata &metadata, Visitor visit) {
  visit("numWarps", metadata.numWarps);
  visit("numStages", metadata.numStages);
  visit("threadsPerCta", metadata.threadsPerCta);
  visit("dynamicSharedBytes", metadata.dynamicSharedBytes);
  visit("staticSharedBytes", metadata.staticSharedBytes);
  visit("registers", metadata.registers);
  visit("spillBytes", metadata.spillBytes);
  visit("clusterX", metadata.clusterX);
  visit("clusterY", metadata.clusterY);
  visit("clusterZ", metadata.clusterZ);
}

Json pairsToJson(const char *second,
                 const std::vector<std::pair<std::string, std::string>> &pairs) {
  Json array = Json::array();
  for (const auto &[name, text] : pairs)
    array.push_back(Json{{"name", name}, {second, text}});
  return array;
}

KernelMetadata readMetadata(JsonReader &reader, const Json &root) {
  KernelMetadata metadata;
  uint32_t version = kernelMetadataVersion;
  reader.readInteger(root, "metadataVersion", version);
  if (version > kernelMetadataVersion)
    reader.fail("'metadataVersion' is " + std::to_string(version) + ", this runtime reads up to " +
                std::to_string(kernelMetadataVersion));
  reader.read(root, "tilecVersion", metadata.tilecVersion);
  reader.read(root, "name", metadata.name, true);
  reader.read(root, "target", metadata.target, true);
  visitIntegers(metadata,
                [&](const char *key, auto &value) { reader.readInteger(root, key, value); });
  reader.read(root, "persistent", metadata.isPersistent);
  reader.read(root, "programCounter", metadata.hasProgramCounter);
  if (metadata.hasProgramCounter && !metadata.isPersistent)
    reader.fail("'programCounter' is true, but 'persistent' is not");
  reader.readInteger(root, "splitK", metadata.splitK);
  if (metadata.splitK != 1 && (metadata.splitK != metadata.clusterX || metadata.splitK == 0 ||
                               metadata.clusterY != 1 || metadata.clusterZ != 1))
    reader.fail("'splitK' is " + std::to_string(metadata.splitK) +
                ", expected 1 or the CTAs of a cluster along x, the only ones");
  reader.readObjects(root, "arguments", [&](const Json &object) {
    metadata.arguments.push_back(argumentFromJson(reader, object));
  });
  reader.readObjects(root, "tensorMaps", [&](const Json &object) {
    metadata.tensorMaps.push_back(mapFromJson(reader, object));
  });
  reader.readObjects(root, "constants", [&](const Json &object) {
    KernelConstant constant;
    reader.read(object, "name", constant.name, true);
    reader.read(object, "value", constant.value, true);
    metadata.constants.push_back(std::move(constant));
  });
  reader.readObjects(root, "lineMap", [&](const Json &object) {
    metadata.lineMap.push_back(lineFromJson(reader, object));
  });
  reader.readObject(root, "timeline", [&](const Json &object) {
    metadata.timeline = timelineFromJson(reader, object);
  });
  reader.readObjects(root, "properties", [&](const Json &object) {
    std::pair<std::string, std::string> property;
    reader.read(object, "name", property.first, true);
    reader.read(object, "value", property.second, true);
    metadata.properties.push_back(std::move(property));
  });
  return metadata;
}

} // namespace

std::string toJson(const KernelMetadata &metadata) {
  Json root = Json::object();
  root["metadataVersion"] = metadata.hasProgramCounter ? programCounterMetadataVersion
                            : metadata.splitK > 1      ? splitKMetadataVersion
                            : metadata.isPersistent    ? persistentMetadataVersion
                                                       : 1;
  root["tilecVersion"] = metadata.tilecVersion;
  root["name"] = metadata.name;
  root["target"] = metadata.target;
  visitIntegers(metadata, [&](const char *key, const auto &value) { root[key] = value; });

  // Kernels that any runtime can launch do not mention it.
  if (metadata.isPersistent)
    root["persistent"] = true;
  if (metadata.hasProgramCounter)
    root["programCounter"] = true;
  if (metadata.splitK > 1)
    root["splitK"] = metadata.splitK;

  Json arguments = Json::array();
  for (const KernelArgument &argument : metadata.arguments)
    arguments.push_back(argumentToJson(argument));
  root["arguments"] = std::move(arguments);
  Json maps = Json::array();
  for (const TensorMapArgument &map : metadata.tensorMaps)
    maps.push_back(mapToJson(map));
  root["tensorMaps"] = std::move(maps);

  std::vector<std::pair<std::string, std::string>> constants;
  for (const KernelConstant &constant : metadata.constants)
    constants.emplace_back(constant.name, constant.value);
  root["constants"] = pairsToJson("value", constants);
  root["properties"] = pairsToJson("value", metadata.properties);

  Json lineMap = Json::array();
  for (const LineMapEntry &entry : metadata.lineMap)
    lineMap.push_back(lineToJson(entry));
  root["lineMap"] = std::move(lineMap);
  if (metadata.timeline.capacity != 0)
    root["timeline"] = timelineToJson(metadata.timeline);
  return root.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<KernelMetadata> fromJson(const std::string &text) {
  try {
    Json root = Json::parse(text);
    if (!root.is_object())
      return invalidArgument(std::string("kernel metadata: expected a JSON object, got ") +
                             root.type_name());
    JsonReader reader;
    KernelMetadata metadata = readMetadata(reader, root);
    TILECRT_RETURN_IF_ERROR(reader.status());
    return metadata;
  } catch (const Json::exception &error) {
    return invalidArgument(std::string("kernel metadata is not valid JSON: ") + error.what());
  } catch (const std::bad_alloc &) {
    return outOfResources("kernel metadata: out of memory while reading JSON");
  }
}

} // namespace tilecrt
