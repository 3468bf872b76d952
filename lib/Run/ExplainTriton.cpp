// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Triton's code beside ours. To be launched, it becomes a kernel whose arguments are found by their
// names, as ours are. Behind those of the source its launcher passes pointers to memory of its own:
// the cubin says how many.

#include "tilec/Run/ExplainLaunch.h"

#include "tilecrt/data/Compare.h"

#include "llvm/ADT/STLExtras.h"

#include <cstring>

using llvm::StringRef;
using tilecrt::Result;

namespace tilec {

namespace {

/// What Triton's launchers add, in this order: for the kernel, and for profilers.
constexpr const char *addedArguments[] = {scratchArgument, unusedArgument};

/// An argument of this type; nothing for types that we have no value of.
std::optional<tilecrt::KernelArgument> argumentOf(const explain::TritonKernel::Parameter &given) {
  tilecrt::KernelArgument argument;
  argument.name = given.name;
  argument.type = given.type;
  if (StringRef(given.type).starts_with("*")) {
    argument.kind = tilecrt::ArgumentKind::pointer;
    argument.sizeBytes = sizeof(uint64_t);
    return argument;
  }
  std::optional<tilecrt::DType> type =
      given.type == "u1" ? tilecrt::DType::boolean : tilecrt::parseDType(given.type);
  if (!type)
    return std::nullopt;
  argument.kind =
      tilecrt::isFloat(*type) ? tilecrt::ArgumentKind::floating : tilecrt::ArgumentKind::integer;
  argument.sizeBytes = tilecrt::dtypeSize(*type);
  return argument;
}

/// Makes the kernel that is launched.
class TritonCode {
public:
  TritonCode(const explain::TritonKernel &given, const tilecrt::KernelMetadata &ours,
             llvm::ArrayRef<explain::Argument> launched)
      : triton(given), own(ours), arguments(launched) {}

  /// What keeps it from being launched; empty: nothing.
  std::string make(CompiledKernel &made);

private:
  std::string addArgument(const explain::TritonKernel::Parameter &parameter);
  std::string addArguments();

  const explain::TritonKernel &triton;
  const tilecrt::KernelMetadata &own;
  llvm::ArrayRef<explain::Argument> arguments;
  tilecrt::KernelMetadata metadata;
};

} // namespace

std::string TritonCode::addArgument(const explain::TritonKernel::Parameter &parameter) {
  std::optional<tilecrt::KernelArgument> argument = argumentOf(parameter);
  if (!argument)
    return "its parameter '" + parameter.name + "' of type '" + parameter.type +
           "' is none that a launch by address and number has";
  if (llvm::none_of(arguments, [&](const auto &other) { return other.name == parameter.name; }))
    return "its parameter '" + parameter.name + "' is no argument of the launch";
  // Ours says whether an integer has a sign.
  for (const tilecrt::KernelArgument &known : own.arguments)
    if (known.name == argument->name && known.kind == argument->kind &&
        known.sizeBytes == argument->sizeBytes)
      argument->type = known.type;
  metadata.arguments.push_back(std::move(*argument));
  return "";
}

std::string TritonCode::addArguments() {
  if (!triton.parameters)
    return "there is no '" + triton.name + ".ttir' with its parameters";
  for (const explain::TritonKernel::Parameter &parameter : *triton.parameters)
    if (std::string why = addArgument(parameter); !why.empty())
      return why;
  const std::vector<uint32_t> &sizes = triton.code.parameterBytes;
  size_t named = metadata.arguments.size();
  if (sizes.size() < named || sizes.size() > named + std::size(addedArguments))
    return "its cubin has " + std::to_string(sizes.size()) + " parameters, expected " +
           std::to_string(named) + " and up to " + std::to_string(std::size(addedArguments)) +
           " pointers";
  for (size_t i = named; i < sizes.size(); ++i)
    metadata.arguments.push_back(
        {addedArguments[i - named], "*i8", tilecrt::ArgumentKind::pointer, sizeof(uint64_t)});
  for (auto [argument, bytes] : llvm::zip(metadata.arguments, sizes))
    if (argument.sizeBytes != bytes)
      return "its parameter '" + argument.name + "' has " + std::to_string(bytes) +
             " bytes, expected " + std::to_string(argument.sizeBytes) + " of '" + argument.type +
             "'";
  return "";
}

std::string TritonCode::make(CompiledKernel &made) {
  metadata.name = triton.name;
  metadata.target = own.target;
  metadata.threadsPerCta = uint32_t(triton.threadsPerCta());
  metadata.numWarps = uint32_t(triton.numWarps);
  metadata.numStages = uint32_t(triton.numStages);
  metadata.dynamicSharedBytes = uint32_t(triton.dynamicSharedBytes);
  // As with ours that share a program: the grid has programs, a cluster is one.
  metadata.clusterX = metadata.splitK = uint32_t(triton.numCtas);
  if (triton.profileBytes != 0)
    return "it was compiled to be profiled";
  std::string why = addArguments();
  made.metadata = std::move(metadata);
  made.cubin = triton.cubin;
  return why;
}

/// The array as what its elements are, or as bytes.
static Result<tilecrt::HostArray> arrayOf(llvm::ArrayRef<char> bytes, StringRef dtype) {
  std::optional<tilecrt::DType> type = tilecrt::parseDType(dtype.str());
  if (!type || bytes.size() % tilecrt::dtypeSize(*type) != 0)
    type = tilecrt::DType::u8;
  Result<tilecrt::HostArray> array =
      tilecrt::HostArray::create(*type, {int64_t(bytes.size() / tilecrt::dtypeSize(*type))});
  if (array)
    std::memcpy(array->data(), bytes.data(), bytes.size());
  return array;
}

using Contents = std::vector<std::pair<std::string, std::vector<char>>>;

/// What is behind both kernels, those with differences first.
static Result<std::vector<explain::OutputDifference>>
compareOutputs(const Contents &ours, const Contents &theirs,
               llvm::ArrayRef<explain::Argument> arguments) {
  std::vector<explain::OutputDifference> outputs;
  for (auto [here, there] : llvm::zip(ours, theirs)) {
    const std::string &name = here.first;
    // Arrays that were added, as for a timeline, are not the kernel's.
    auto argument =
        llvm::find_if(arguments, [&](const explain::Argument &one) { return one.name == name; });
    if (StringRef(name).starts_with("<") || here.second.size() != there.second.size())
      continue;
    StringRef dtype = argument == arguments.end() ? StringRef() : StringRef(argument->dtype);
    Result<tilecrt::HostArray> actual = arrayOf(there.second, dtype),
                               expected = arrayOf(here.second, dtype);
    if (!actual || !expected)
      return actual ? expected.status() : actual.status();
    Result<tilecrt::Comparison> compared =
        tilecrt::compareArrays(*actual, *expected, {/*rtol=*/0, /*atol=*/0});
    if (!compared)
      return compared.status();
    outputs.push_back({name, compared->count, compared->mismatches, compared->maxAbsError,
                       compared->maxRelError});
  }
  llvm::sort(outputs, [](const auto &a, const auto &b) {
    return std::make_pair(a.different == 0, a.name) < std::make_pair(b.different == 0, b.name);
  });
  return outputs;
}

explain::GpuRun
LaunchExplainer::runTriton(const explain::TritonKernel &triton,
                           std::optional<std::vector<explain::OutputDifference>> &outputs) {
  // Where ours was not launched, nor is this.
  if (!gpuRun->cold)
    return explain::notRun(gpuRun->notMeasured);
  CompiledKernel code;
  std::string reason = TritonCode(triton, kernel->metadata, subject.arguments).make(code);
  if (!reason.empty())
    return explain::notRun(reason);
  uint64_t scratch = uint64_t(triton.scratchBytes) * programs() * uint64_t(triton.numCtas);
  auto bindTheirs = [&](const std::shared_ptr<RunDevice> &gpu) {
    Result<std::unique_ptr<ArrayLaunch>> launch = subject.launch->bind(gpu, code, scratch);
    if (launch)
      (*launch)->request.isCooperative = triton.isCooperative;
    return launch;
  };
  auto bindOurs = [&](const std::shared_ptr<RunDevice> &gpu) {
    return subject.launch->bind(gpu, *kernel);
  };
  explain::GpuRun run = measure(bindTheirs);
  if (!run.cold)
    return run;
  Result<Contents> ours = subject.measuringGpu->outputsOf(bindOurs),
                   theirs = subject.measuringGpu->outputsOf(bindTheirs);
  if (ours && theirs)
    if (auto compared = compareOutputs(*ours, *theirs, subject.arguments))
      outputs = std::move(*compared);
  return run;
}

Result<explain::Report> LaunchExplainer::explainTriton(const explain::TritonKernel &triton,
                                                       const explain::Report &beside) {
  std::string reason = explain::reasonAgainst(triton, beside.kernel, beside.target);
  if (!reason.empty())
    return tilecrt::invalidArgument(reason);
  explain::TritonSubject about;
  about.kernel = &triton;
  about.beside = &beside;
  about.sources = subject.sources;
  about.tools = subject.options.tools;
  if (gpuRun)
    tritonRun = runTriton(triton, about.outputs);
  about.gpuRun = tritonRun ? &*tritonRun : nullptr;
  return explain::explainTriton(about);
}

} // namespace tilec
