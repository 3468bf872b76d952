// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ProductSpace.h.

#include "tilec/Tuning/ProductSpace.h"

#include "tilec/Tuning/ProductModel.h"

#include "llvm/ADT/STLExtras.h"

using llvm::StringRef;
namespace json = llvm::json;

namespace tilec {

namespace {

class ProductReader {
public:
  ProductReader(const json::Object &given, const ProductLaunch &of) : object(given), launch(of) {}

  llvm::Expected<std::vector<TuningConfig>> read();

private:
  llvm::Error checkKeys();
  llvm::Error readExtents();
  llvm::Error readOperands();
  llvm::Error readTile();
  llvm::Error readMost();
  bool hasParam(StringRef name) const {
    return llvm::any_of(launch.kernel.params,
                        [&](const KernelParam &param) { return param.name == name; });
  }
  /// The first of the names that the kernel has a parameter of; empty without any.
  std::string firstParam(llvm::ArrayRef<std::string> names) const {
    auto found = llvm::find_if(names, [&](const std::string &name) { return hasParam(name); });
    return found == names.end() ? "" : *found;
  }
  TuningConfig configOf(const ProductPlan &plan) const;

  const json::Object &object;
  const ProductLaunch &launch;
  Product product;
  std::array<std::string, 3> tile;
  std::string group;
  int64_t most = 12;
};

llvm::Error wrong(StringRef key, const std::string &text) {
  return llvm::createStringError("'" + key.str() + "' of 'product' " + text);
}

} // namespace

llvm::Error ProductReader::checkKeys() {
  static constexpr StringRef known[] = {"m",      "n",      "k",    "tile", "group",
                                        "a_rows", "b_rows", "bits", "most"};
  for (const auto &entry : object)
    if (!llvm::is_contained(known, StringRef(entry.first)))
      return wrong(entry.first, "is not known");
  return llvm::Error::success();
}

llvm::Error ProductReader::readExtents() {
  const std::pair<StringRef, int64_t Product::*> extents[] = {
      {"m", &Product::m}, {"n", &Product::n}, {"k", &Product::k}};
  for (auto [key, extent] : extents) {
    const json::Value *given = object.get(key);
    if (std::optional<int64_t> number = given ? given->getAsInteger() : std::nullopt) {
      product.*extent = *number;
    } else {
      std::optional<StringRef> named = given ? given->getAsString() : std::nullopt;
      if (given && !named)
        return wrong(key, "expects a number or the name of an argument");
      std::string name = named ? named->str() : key.upper();
      auto value = llvm::find_if(launch.facts.integers,
                                 [&](const auto &entry) { return entry.first == name; });
      if (value == launch.facts.integers.end())
        return wrong(key, "is the argument '" + name + "', whose value is not known");
      product.*extent = value->second;
    }
  }
  return llvm::Error::success();
}

llvm::Error ProductReader::readOperands() {
  for (auto [index, key] : llvm::enumerate(std::array{StringRef("a_rows"), StringRef("b_rows")}))
    if (const json::Value *given = object.get(key)) {
      std::optional<bool> flag = given->getAsBoolean();
      if (!flag)
        return wrong(key, "expects true or false");
      product.byRows[index] = *flag;
    }
  if (const json::Value *given = object.get("bits")) {
    product.bits = int(given->getAsInteger().value_or(0));
  } else {
    auto pointer = llvm::find_if(launch.facts.types, [](const ArgumentSpec &argument) {
      return StringRef(argument.type).starts_with("*");
    });
    if (pointer != launch.facts.types.end()) {
      StringRef type = StringRef(pointer->type).drop_front().split(':').first;
      product.bits = type.contains("8") && !type.contains("128") ? 8 : type.contains("16") ? 16 : 0;
    }
  }
  return llvm::Error::success();
}

llvm::Error ProductReader::readTile() {
  if (const json::Value *given = object.get("tile")) {
    const json::Array *names = given->getAsArray();
    if (!names || names->size() != 3 ||
        !llvm::all_of(*names, [](const json::Value &name) { return name.getAsString(); }))
      return wrong("tile", "expects the names of three constants");
    for (auto [into, name] : llvm::zip_equal(tile, *names))
      into = name.getAsString()->str();
  } else {
    for (auto [into, side] : llvm::zip_equal(tile, StringRef("MNK")))
      into = firstParam({std::string("BLOCK_") + side, std::string("BLOCK_SIZE_") + side});
  }
  for (const std::string &name : tile)
    if (name.empty() || !hasParam(name))
      return wrong("tile", name.empty() ? "is not given, and the kernel has no parameters BLOCK_M, "
                                          "BLOCK_N and BLOCK_K"
                                        : "names '" + name + "', which the kernel has not");
  if (const json::Value *given = object.get("group")) {
    std::optional<StringRef> name = given->getAsString();
    if (!name || !hasParam(*name))
      return wrong("group", "expects the name of a parameter");
    group = name->str();
  } else {
    group = firstParam({"GROUP_M", "GROUP_SIZE_M"});
  }
  return llvm::Error::success();
}

llvm::Error ProductReader::readMost() {
  if (const json::Value *given = object.get("most")) {
    most = given->getAsInteger().value_or(0);
    if (most < 1 || most > 1000)
      return wrong("most", "expects a number from 1 to 1000");
  }
  return llvm::Error::success();
}

TuningConfig ProductReader::configOf(const ProductPlan &plan) const {
  TuningConfig config;
  for (auto [name, extent] :
       llvm::zip_equal(tile, std::array{plan.blockM, plan.blockN, plan.blockK}))
    config.set(name, std::to_string(extent));
  if (!group.empty())
    config.set(group, std::to_string(plan.groupM));
  config.numWarps = plan.numWarps;
  config.numStages = plan.numStages;
  if (plan.numCtas > 1)
    config.numCtas = plan.numCtas;
  if (plan.splitK > 1)
    config.splitK = plan.splitK;
  config.predicted = plan.microseconds;
  return config;
}

llvm::Expected<std::vector<TuningConfig>> ProductReader::read() {
  for (llvm::Error (ProductReader::*step)() :
       {&ProductReader::checkKeys, &ProductReader::readExtents, &ProductReader::readOperands,
        &ProductReader::readTile, &ProductReader::readMost})
    if (llvm::Error error = (this->*step)())
      return std::move(error);
  if (llvm::Error error = checkProduct(product, *launch.target.processor))
    return std::move(error);
  // Which programs are neighbours is the group's to say.
  std::vector<TuningConfig> configs;
  for (const ProductPlan &plan :
       planProduct(product, size_t(most), launch.target.multiprocessors, !group.empty()))
    configs.push_back(configOf(plan));
  return configs;
}

llvm::Expected<std::vector<TuningConfig>> expandProduct(const json::Object &product,
                                                        const ProductLaunch &launch) {
  return ProductReader(product, launch).read();
}

} // namespace tilec
