// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tilec kernels: what a file holds, as text or as JSON.

#include "Commands.h"
#include "Console.h"
#include "SourceFile.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

namespace tilec::tool {

namespace {

llvm::StringRef kindName(KernelParam::Kind kind) {
  switch (kind) {
  case KernelParam::Kind::Plain:
    return "plain";
  case KernelParam::Kind::Constexpr:
    return "constexpr";
  case KernelParam::Kind::Typed:
    return "typed";
  }
  return "";
}

std::string describeParam(const KernelParam &param) {
  std::string text = param.name;
  if (param.kind == KernelParam::Kind::Constexpr)
    text += ": constexpr";
  if (param.kind == KernelParam::Kind::Typed)
    text += ": " + param.type;
  if (param.hasDefault)
    text += " = ...";
  return text;
}

std::string describeConfig(const AutotuneConfig &config) {
  std::string text;
  auto add = [&](const std::string &name, const std::string &value) {
    text += (text.empty() ? "" : ", ") + name + "=" + value;
  };
  for (const auto &[name, value] : config.constants)
    add(name, value);
  if (config.numWarps)
    add("num_warps", std::to_string(*config.numWarps));
  if (config.numStages)
    add("num_stages", std::to_string(*config.numStages));
  if (config.numCtas)
    add("num_ctas", std::to_string(*config.numCtas));
  if (config.splitK)
    add("split_k", std::to_string(*config.splitK));
  if (config.maxRegisters)
    add("maxnreg", std::to_string(*config.maxRegisters));
  return text;
}

std::string describeKernel(const KernelInfo &kernel, unsigned line) {
  std::string params = llvm::join(llvm::map_range(kernel.params, describeParam), ", ");
  std::string text = llvm::formatv("{0}({1})  line {2}{3}\n", kernel.name, params, line,
                                   kernel.isEntry ? "" : ", called by other functions");
  for (const AutotuneConfig &config : kernel.configs)
    text += "  autotune: " + describeConfig(config) + "\n";
  if (!kernel.autotuneKey.empty())
    text += "  autotune key: " + llvm::join(kernel.autotuneKey, ", ") + "\n";
  if (!kernel.heuristics.empty())
    text += "  heuristics: " + llvm::join(kernel.heuristics, ", ") + "\n";
  return text;
}

llvm::json::Value toJson(const KernelInfo &kernel, unsigned line) {
  llvm::json::Array params, configs;
  for (const KernelParam &param : kernel.params) {
    llvm::json::Object object{
        {"name", param.name}, {"kind", kindName(param.kind)}, {"hasDefault", param.hasDefault}};
    if (param.kind == KernelParam::Kind::Typed)
      object["type"] = param.type;
    params.push_back(std::move(object));
  }
  for (const AutotuneConfig &config : kernel.configs) {
    llvm::json::Object constants;
    for (const auto &[name, value] : config.constants)
      constants[name] = value;
    llvm::json::Object object{{"constants", std::move(constants)}};
    if (config.numWarps)
      object["numWarps"] = *config.numWarps;
    if (config.numStages)
      object["numStages"] = *config.numStages;
    if (config.numCtas)
      object["numCtas"] = *config.numCtas;
    if (config.splitK)
      object["splitK"] = *config.splitK;
    if (config.maxRegisters)
      object["maxRegisters"] = *config.maxRegisters;
    configs.push_back(std::move(object));
  }
  return llvm::json::Object{{"name", kernel.name},
                            {"line", line},
                            {"isEntry", kernel.isEntry},
                            {"params", std::move(params)},
                            {"autotuneConfigs", std::move(configs)},
                            {"autotuneKey", llvm::json::Array(kernel.autotuneKey)},
                            {"heuristics", llvm::json::Array(kernel.heuristics)}};
}

} // namespace

ExitCode execute(const KernelsCommand &command) {
  SourceManager sources;
  std::optional<FileId> file = loadSource(sources, command.file);
  if (!file)
    return ExitCode::InputError;
  DiagnosticEngine diagnostics;
  ParsedSource source = parseSource(sources, *file, diagnostics, {command.importRoots, {}});
  printDiagnostics(sources, diagnostics, TextFormat::Text);
  if (diagnostics.hasErrors())
    return ExitCode::InputError;

  std::string text;
  llvm::json::Array list;
  for (const KernelInfo &kernel : source.kernels) {
    unsigned line = sources.getLineColumn(kernel.range).line;
    if (command.json)
      list.push_back(toJson(kernel, line));
    else
      text += describeKernel(kernel, line);
  }
  if (command.json)
    text = llvm::formatv("{0:2}\n", llvm::json::Value(std::move(list)));
  else if (source.kernels.empty())
    text = "no kernels\n";
  return writeToStdout(text);
}

} // namespace tilec::tool
