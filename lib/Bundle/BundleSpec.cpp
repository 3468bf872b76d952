// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See BundleSpec.h. Keys are read one after the other; the first mistake ends the reading.

#include "tilec/Bundle/BundleSpec.h"

#include "tilec/Bundle/CSource.h"
#include "tilec/Support/Processor.h"
#include "tilec/Tuning/TuningConfig.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

using llvm::Error;
using llvm::StringRef;
namespace json = llvm::json;

namespace tilec {

namespace {

Error wrongSpec(const llvm::Twine &message) { return llvm::createStringError(message); }

class SpecReader {
public:
  SpecReader(BundleSpec &spec, StringRef baseFolder) : result(spec), folder(baseFolder) {}
  Error read(const json::Object &object);

private:
  Error readTargets(const json::Object &object);
  Error readKernel(const json::Object &object, BundleKernelSpec &kernel);
  Error readCluster(const json::Object &object, BundleKernelSpec &kernel);
  Error readParameters(const json::Object &object, StringRef key,
                       std::vector<std::pair<std::string, std::string>> &list);
  Error readTuned(const json::Object &object, BundleKernelSpec &kernel);
  Error readDevices(const json::Value &devices, TunedSpec &tuned);
  /// Reads what may be left out.
  template <typename T>
  Error readMember(const json::Object &object, StringRef key, StringRef expected, T &to) {
    const json::Value *value = object.get(key);
    json::Path::Root root;
    if (value && !fromJSON(*value, to, root))
      return wrongSpec(label + "'" + key + "' expects " + expected);
    return Error::success();
  }
  std::string inFolder(StringRef path) const;

  BundleSpec &result;
  StringRef folder;
  /// "kernel 0: ", of the kernel that is read.
  std::string label;
};

} // namespace

std::string SpecReader::inFolder(StringRef path) const {
  llvm::SmallString<256> full(path);
  if (llvm::sys::path::is_relative(path)) {
    full = folder;
    llvm::sys::path::append(full, path);
  }
  return std::string(full);
}

Error SpecReader::read(const json::Object &object) {
  for (const auto &entry : object)
    if (StringRef key = entry.first; key != "name" && key != "targets" && key != "kernels")
      return wrongSpec("unknown key '" + key + "', expected name, targets, kernels");
  result.name = object.getString("name").value_or("").str();
  if (!isCIdentifier(result.name))
    return wrongSpec("'name' expects a C identifier");
  // What the loader calls its own.
  if (llvm::is_contained({"bundle", "drv"}, StringRef(result.name).split('_').first))
    return wrongSpec("the name '" + result.name + "' is taken by the loader");
  if (Error error = readTargets(object))
    return error;
  const json::Array *kernels = object.getArray("kernels");
  if (!kernels || kernels->empty())
    return wrongSpec("'kernels' expects a list of kernels");
  for (auto [number, value] : llvm::enumerate(*kernels)) {
    label = "kernel " + std::to_string(number) + ": ";
    const json::Object *kernel = value.getAsObject();
    if (!kernel)
      return wrongSpec(label + "expected an object");
    if (Error error = readKernel(*kernel, result.kernels.emplace_back()))
      return error;
  }
  return Error::success();
}

Error SpecReader::readTargets(const json::Object &object) {
  std::vector<std::string> targets = {"sm_90a", "sm_80"};
  constexpr StringRef expected = "a list as in [\"sm_80\", \"sm_90a\"]";
  if (Error error = readMember(object, "targets", expected, targets))
    return error;
  if (targets.empty())
    return wrongSpec("'targets' expects " + expected);
  for (const std::string &target : targets) {
    if (llvm::Expected<CompileTarget> known = findTarget(target); !known)
      return known.takeError();
    if (target == "interp")
      return wrongSpec("there is no code for the target 'interp'");
    if (!llvm::is_contained(result.targets, target))
      result.targets.push_back(target);
  }
  return Error::success();
}

Error SpecReader::readKernel(const json::Object &object, BundleKernelSpec &kernel) {
  static constexpr llvm::StringLiteral keys[] = {
      "file",        "kernel",       "name",         "arguments",    "constants", "num_warps",
      "num_stages",  "num_ctas",     "split_k",      "grid",         "tuned",     "cluster",
      "cooperative", "programmatic", "import_roots", "tensor_copies"};
  for (const auto &entry : object)
    if (!llvm::is_contained(keys, StringRef(entry.first)))
      return wrongSpec(label + "unknown key '" + StringRef(entry.first) + "'");
  auto path = object.getString("file");
  if (!path)
    return wrongSpec(label + "'file' is missing");
  kernel.file = inFolder(*path);
  kernel.kernel = object.getString("kernel").value_or("").str();
  kernel.name = object.getString("name").value_or("").str();
  kernel.grid = object.getString("grid").value_or("").str();
  if (Error error = readMember(object, "import_roots", "a list of folders", kernel.importRoots))
    return error;
  for (std::string &root : kernel.importRoots)
    root = inFolder(root);
  for (auto [key, flag] : {std::pair("cooperative", &kernel.isCooperative),
                           std::pair("programmatic", &kernel.isProgrammatic),
                           std::pair("tensor_copies", &kernel.tensorCopies)})
    if (Error error = readMember(object, key, "true or false", *flag))
      return error;
  if (Error error = readCluster(object, kernel))
    return error;
  for (auto [key, list] :
       {std::pair("arguments", &kernel.arguments), std::pair("constants", &kernel.constants)})
    if (Error error = readParameters(object, key, *list))
      return error;
  for (auto [key, number, most] : {std::tuple("num_warps", &kernel.numWarps, 32),
                                   std::tuple("num_stages", &kernel.numStages, 32),
                                   std::tuple("num_ctas", &kernel.numCtas, mostNumCtas),
                                   std::tuple("split_k", &kernel.splitK, mostSplitK)})
    if (const json::Value *value = object.get(key)) {
      number->emplace(int(value->getAsInteger().value_or(0)));
      if (**number < 1 || **number > most)
        return wrongSpec(label + "'" + key + "' expects a number from 1 to " + llvm::Twine(most));
    }
  if (object.get("cluster")) {
    for (auto [key, number] :
         {std::pair("num_ctas", &kernel.numCtas), std::pair("split_k", &kernel.splitK)}) {
      if (*number)
        return wrongSpec(label + "'cluster' and '" + key + "' both say what a cluster is");
      // A tuned configuration does not say either.
      *number = 1;
    }
  }
  if (std::optional<std::string> problem = clusterProblem(kernel.numCtas, kernel.splitK))
    return wrongSpec(label + *problem);
  return readTuned(object, kernel);
}

Error SpecReader::readCluster(const json::Object &object, BundleKernelSpec &kernel) {
  constexpr StringRef expected = "one to three numbers with a product of at most 16";
  std::vector<int64_t> sizes = {1};
  if (Error error = readMember(object, "cluster", expected, sizes))
    return error;
  int64_t programs = sizes.empty() || sizes.size() > 3 ? 0 : 1;
  for (size_t axis = 0; axis < sizes.size() && programs != 0; ++axis) {
    programs *= sizes[axis] >= 1 && sizes[axis] <= 16 ? sizes[axis] : 0;
    kernel.cluster[axis] = unsigned(sizes[axis]);
  }
  if (programs < 1 || programs > 16)
    return wrongSpec(label + "'cluster' expects " + expected);
  for (const std::string &target : result.targets)
    if (programs > 1 && !findTarget(target)->processor->has(Feature::Clusters))
      return wrongSpec(label + "'cluster' needs sm_90 or newer, '" + target + "' is a target");
  return Error::success();
}

Error SpecReader::readParameters(const json::Object &object, StringRef key,
                                 std::vector<std::pair<std::string, std::string>> &list) {
  const json::Value *member = object.get(key);
  const json::Object *values = member ? member->getAsObject() : nullptr;
  if (member && !values)
    return wrongSpec(label + "'" + key + "' expects an object");
  for (const auto &[name, value] : values ? *values : json::Object()) {
    std::optional<std::string> text = literalOf(value);
    if (!text)
      return wrongSpec(label + "'" + StringRef(name) + "' expects a number or a text");
    list.emplace_back(name.str(), *text);
  }
  llvm::sort(list);
  return Error::success();
}

Error SpecReader::readTuned(const json::Object &object, BundleKernelSpec &kernel) {
  const json::Value *given = object.get("tuned");
  if (!given)
    return Error::success();
  const json::Object *members = given->getAsObject();
  auto path = members ? members->getString("database") : std::nullopt;
  const json::Value *devices = members ? members->get("device") : nullptr;
  const json::Object *sizes = members ? members->getObject("sizes") : nullptr;
  if (!path || !devices || !sizes)
    return wrongSpec("'tuned' expects database, device and sizes");
  TunedSpec &tuned = kernel.tuned.emplace();
  tuned.database = inFolder(*path);
  for (const auto &[name, size] : *sizes) {
    std::optional<int64_t> number = size.getAsInteger();
    if (!number)
      return wrongSpec("'sizes' expects integers");
    tuned.sizes.emplace_back(name.str(), *number);
  }
  llvm::sort(tuned.sizes);
  return readDevices(*devices, tuned);
}

/// One device for all targets, or one for each.
Error SpecReader::readDevices(const json::Value &devices, TunedSpec &tuned) {
  if (auto device = devices.getAsString())
    for (const std::string &target : result.targets)
      tuned.deviceOf[target] = device->str();
  if (const json::Object *object = devices.getAsObject())
    for (const auto &[target, name] : *object) {
      auto device = name.getAsString();
      if (!device || !llvm::is_contained(result.targets, target.str()))
        return wrongSpec("'device' expects names of devices, each for one of the targets");
      tuned.deviceOf[target.str()] = device->str();
    }
  if (tuned.deviceOf.empty())
    return wrongSpec("'device' expects a name, or an object of targets and names");
  return Error::success();
}

llvm::Expected<BundleSpec> parseBundleSpec(StringRef text, StringRef folder) {
  llvm::Expected<json::Value> value = json::parse(text);
  if (!value)
    return value.takeError();
  const json::Object *object = value->getAsObject();
  if (!object)
    return wrongSpec("expected an object");
  BundleSpec spec;
  if (Error error = SpecReader(spec, folder).read(*object))
    return std::move(error);
  return std::move(spec);
}

} // namespace tilec
