// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See BundleFile.h.

#include "tilec/Bundle/BundleFile.h"

#include "tilec/Cache/BuildId.h"
#include "tilec/Driver/HostSections.h"
#include "tilec/Support/JsonError.h"

#include "llvm/Support/raw_ostream.h"

using llvm::StringRef;
using llvm::Twine;
namespace json = llvm::json;

namespace tilec {

/// Changes when the meaning of a file does.
static constexpr int64_t kFormat = 1;

static CacheKey keyOfBundles() { return hashOf("tilec bundle"); }

/// What host code is good for.
static std::string hostOf() { return compilerBuildId() + " " + hostIdentity(); }

//===----------------------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------------------===//

static json::Value toJSON(const BundleParameter &parameter) {
  json::Object object{{"name", parameter.name}};
  if (parameter.isConstexpr)
    object["constexpr"] = true;
  if (!parameter.defaultValue.empty())
    object["default"] = parameter.defaultValue;
  return object;
}

static json::Value toJSON(const BundleImage &image) {
  json::Object object{{"target", image.target},
                      {"computeCapability", image.computeCapability},
                      {"config", image.config},
                      {"options", toJSON(image.options)}};
  if (image.isPtx)
    object["ptx"] = true;
  if (image.driverVersion != 0)
    object["driverVersion"] = image.driverVersion;
  if (image.host)
    object["host"] = hostOf();
  json::Object integers;
  for (const auto &[name, value] : image.integers)
    integers[name] = value;
  object["integers"] = std::move(integers);
  return object;
}

static json::Value toJSON(const BundleKernel &kernel) {
  json::Object object{{"name", kernel.name}, {"kernel", kernel.kernel}};
  if (!kernel.grid.empty())
    object["grid"] = kernel.grid;
  object["cluster"] = json::Array(kernel.cluster);
  object["cooperative"] = kernel.isCooperative;
  object["programmatic"] = kernel.isProgrammatic;
  json::Array parameters, images;
  for (const BundleParameter &parameter : kernel.parameters)
    parameters.push_back(toJSON(parameter));
  for (const BundleImage &image : kernel.images)
    images.push_back(toJSON(image));
  object["parameters"] = std::move(parameters);
  object["images"] = std::move(images);
  return object;
}

json::Value describeBundle(const Bundle &bundle) {
  json::Array kernels;
  for (const BundleKernel &kernel : bundle.kernels)
    kernels.push_back(toJSON(kernel));
  return json::Object{{"format", kFormat},
                      {"version", TILEC_VERSION},
                      {"name", bundle.name},
                      {"kernels", std::move(kernels)}};
}

static std::string sourcePrefix(size_t kernel) { return "source." + std::to_string(kernel) + "."; }

static void addSource(CacheEntry &entry, size_t kernel, const BundleSource &source) {
  std::string prefix = sourcePrefix(kernel);
  entry.add(prefix + "name", source.file);
  entry.add(prefix + "text", source.text);
  for (auto [number, module] : llvm::enumerate(source.modules)) {
    entry.add(prefix + "path-" + std::to_string(number), module.path);
    entry.add(prefix + "module-" + std::to_string(number), module.text);
  }
}

std::string encodeBundle(const Bundle &bundle) {
  CacheEntry entry;
  std::string manifest;
  llvm::raw_string_ostream(manifest) << describeBundle(bundle);
  entry.add("manifest", manifest);
  for (auto [index, kernel] : llvm::enumerate(bundle.kernels))
    if (kernel.source)
      addSource(entry, index, *kernel.source);
  size_t number = 0;
  for (const BundleKernel &kernel : bundle.kernels)
    for (const BundleImage &image : kernel.images) {
      std::string prefix = std::to_string(number++) + ".";
      entry.add(prefix + "metadata", tilecrt::toJson(image.metadata));
      if (image.host)
        addHostSections(entry, *image.host, prefix);
      else
        entry.add(prefix + "code", image.bytes);
    }
  return encodeEntry(keyOfBundles(), entry);
}

//===----------------------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------------------===//

static bool fromJSON(const json::Value &value, BundleParameter &parameter, json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("name", parameter.name) &&
         map.mapOptional("constexpr", parameter.isConstexpr) &&
         map.mapOptional("default", parameter.defaultValue);
}

static bool fromJSON(const json::Value &value, BundleImage &image, json::Path path) {
  json::ObjectMapper map(value, path);
  if (!map || !map.map("target", image.target) ||
      !map.map("computeCapability", image.computeCapability) || !map.map("config", image.config) ||
      !map.map("options", image.options) || !map.mapOptional("ptx", image.isPtx) ||
      !map.mapOptional("driverVersion", image.driverVersion))
    return false;
  std::map<std::string, int64_t> integers;
  if (!map.map("integers", integers))
    return false;
  image.integers.assign(integers.begin(), integers.end());
  return !image.target.empty();
}

static bool fromJSON(const json::Value &value, BundleKernel &kernel, json::Path path) {
  json::ObjectMapper map(value, path);
  std::vector<int64_t> cluster;
  if (!map || !map.map("name", kernel.name) || !map.map("kernel", kernel.kernel) ||
      !map.mapOptional("grid", kernel.grid) || !map.map("cluster", cluster) ||
      !map.map("cooperative", kernel.isCooperative) ||
      !map.map("programmatic", kernel.isProgrammatic) ||
      !map.map("parameters", kernel.parameters) || !map.map("images", kernel.images))
    return false;
  if (cluster.size() != kernel.cluster.size() ||
      llvm::any_of(cluster, [](int64_t size) { return size < 1 || size > 16; })) {
    path.field("cluster").report("expected three sizes");
    return false;
  }
  llvm::copy(cluster, kernel.cluster.begin());
  return true;
}

static llvm::Error notABundle(const Twine &what) {
  return llvm::createStringError("not a bundle of tilec's: " + what);
}

/// Reads the sections of an image; `host` is what its host code is good for.
static llvm::Error readImage(const CacheEntry &entry, size_t number, StringRef host,
                             BundleImage &image) {
  std::string prefix = std::to_string(number) + ".";
  const std::string *metadata = entry.find(prefix + "metadata");
  if (!metadata)
    return notABundle("image " + Twine(number) + " has no metadata");
  tilecrt::Result<tilecrt::KernelMetadata> parsed = tilecrt::fromJson(*metadata);
  if (!parsed.ok())
    return notABundle(parsed.message());
  image.metadata = std::move(*parsed);
  if (host.empty()) {
    const std::string *code = entry.find(prefix + "code");
    if (!code || code->empty())
      return notABundle("image " + Twine(number) + " has no code");
    image.bytes = *code;
  } else if (host == hostOf()) {
    image.host = readHostSections(entry, image.metadata.name, prefix);
    if (!image.host)
      return notABundle("image " + Twine(number) + " has no host code");
  }
  return llvm::Error::success();
}

/// Nothing where the bundle has no sources.
static std::optional<BundleSource> readSource(const CacheEntry &entry, size_t kernel) {
  std::string prefix = sourcePrefix(kernel);
  const std::string *name = entry.find(prefix + "name"), *text = entry.find(prefix + "text");
  if (!name || !text)
    return std::nullopt;
  BundleSource source{*name, *text, {}};
  for (size_t number = 0;; ++number) {
    const std::string *path = entry.find(prefix + "path-" + std::to_string(number));
    const std::string *module = entry.find(prefix + "module-" + std::to_string(number));
    if (!path || !module)
      return source;
    source.modules.push_back({*path, *module});
  }
}

llvm::Expected<Bundle> decodeBundle(StringRef bytes) {
  llvm::Expected<CacheEntry> entry = decodeEntry(keyOfBundles(), bytes);
  if (!entry)
    return notABundle(llvm::toString(entry.takeError()));
  const std::string *manifest = entry->find("manifest");
  if (!manifest)
    return notABundle("there is no manifest");
  llvm::Expected<json::Value> value = json::parse(*manifest);
  if (!value)
    return notABundle(llvm::toString(value.takeError()));
  const json::Object *object = value->getAsObject();
  std::optional<int64_t> format = object ? object->getInteger("format") : std::nullopt;
  if (!format)
    return notABundle("its manifest has no format");
  if (*format != kFormat)
    return llvm::createStringError("a bundle of format " + Twine(*format) +
                                   ", this is tilec " TILEC_VERSION ", which reads format " +
                                   Twine(kFormat));
  Bundle bundle;
  json::Path::Root root;
  json::ObjectMapper map(*value, root);
  if (!map || !map.map("name", bundle.name) || !map.map("kernels", bundle.kernels))
    return notABundle("manifest: " + describeJsonError(root, *value));
  size_t number = 0;
  const json::Array &kernels = *object->getArray("kernels");
  for (auto [kernel, kernelValue] : llvm::zip(bundle.kernels, kernels)) {
    const json::Array &images = *kernelValue.getAsObject()->getArray("images");
    for (auto [image, imageValue] : llvm::zip(kernel.images, images)) {
      StringRef host = imageValue.getAsObject()->getString("host").value_or("");
      if (llvm::Error error = readImage(*entry, number++, host, image))
        return std::move(error);
    }
  }
  for (size_t i = 0; i < bundle.kernels.size(); ++i)
    bundle.kernels[i].source = readSource(*entry, i);
  return bundle;
}

} // namespace tilec
