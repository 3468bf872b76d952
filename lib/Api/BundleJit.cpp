// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See BundleJit.h.

#include "BundleJit.h"

#include "tilec/Sema/Signature.h"
#include "tilec/Support/NearestName.h"
#include "tilec/Support/Processor.h"
#include "tilecrt/TensorMapValues.h"

#include "llvm/ADT/StringExtras.h"

using namespace tilec;
using namespace tilec::api;
using llvm::ArrayRef;
using llvm::StringRef;
using tilecrt::KernelArgument;

//===----------------------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------------------===//

tilec_status BundleJit::open(std::shared_ptr<BundleObject> from, const std::string &name) {
  bundle = std::move(from);
  std::vector<const BundleKernel *> entries;
  if (tilec_status status = findEntries(name, entries))
    return status;
  declared = entries.front()->parameters;
  for (const BundleParameter &given : declared) {
    JitParameter &parameter = parameters.emplace_back();
    parameter.name = given.name;
    parameter.isConstexpr = given.isConstexpr;
    parameter.foldsOne = false;
  }
  return findCandidates(entries);
}

tilec_status BundleJit::findEntries(const std::string &name,
                                    std::vector<const BundleKernel *> &entries) {
  std::vector<StringRef> names;
  for (const BundleKernel &kernel : bundle->bundle.kernels) {
    names.push_back(kernel.name);
    if (kernel.name == name)
      entries = {&kernel};
  }
  if (!entries.empty())
    return TILEC_OK;
  for (const BundleKernel &kernel : bundle->bundle.kernels)
    if (kernel.kernel == name)
      entries.push_back(&kernel);
  std::string where = "bundle '" + bundle->bundle.name + "'";
  if (entries.empty())
    return invalid(where + " has no kernel '" + name + "'; it has " + llvm::join(names, ", "));
  auto isSame = [](const BundleParameter &a, const BundleParameter &b) {
    return a.name == b.name && a.isConstexpr == b.isConstexpr;
  };
  for (const BundleKernel *entry : entries)
    if (!std::equal(entry->parameters.begin(), entry->parameters.end(),
                    entries.front()->parameters.begin(), entries.front()->parameters.end(), isSame))
      return invalid(where + ": '" + entries.front()->name + "' and '" + entry->name +
                     "' are kernels of the name '" + name + "' with other parameters");
  return TILEC_OK;
}

tilec_status BundleJit::findCandidates(const std::vector<const BundleKernel *> &entries) {
  std::vector<std::string> targets;
  for (const BundleKernel *entry : entries) {
    std::vector<tilecrt::Expression> grid;
    if (!entry->grid.empty()) {
      auto parsed = tilecrt::parseExpressions(entry->grid, 3);
      if (!parsed.ok())
        return invalid("grid '" + entry->grid + "': " + parsed.message());
      grid = std::move(*parsed);
    }
    for (const BundleImage &image : entry->images) {
      std::string target = (image.isPtx ? "PTX for " : "") + image.target;
      bool isUsable = image.host || !image.bytes.empty();
      if (!isUsable)
        target += " (of another build of tilec, or for another processor)";
      if (!llvm::is_contained(targets, target))
        targets.push_back(target);
      if (isUsable && device->checkTarget(image.target, image.isPtx).ok())
        candidates.push_back({entry, &image, grid, nullptr, nullptr, ""});
    }
  }
  if (!candidates.empty())
    return TILEC_OK;
  return fail(TILEC_UNAVAILABLE, "bundle '" + bundle->bundle.name + "' has no code of '" +
                                     entries.front()->name + "' for " + device->info().target +
                                     "; it has some for " + llvm::join(targets, ", "));
}

//===----------------------------------------------------------------------------------===//
// Matching
//===----------------------------------------------------------------------------------===//

/// A constant's text without what makes no difference.
static std::string normalized(StringRef text) {
  text = text.trim();
  int64_t integer = 0;
  double real = 0;
  bool isQuoted = text.size() >= 2 && (text.front() == '"' || text.front() == '\'') &&
                  text.front() == text.back() && !text.contains('\\');
  if (isQuoted)
    return "'" + text.drop_front().drop_back().str() + "'";
  if (text.getAsInteger(0, integer) && !text.getAsDouble(real))
    return llvm::formatv("{0:e17}", real);
  text.consume_front("tl.");
  return text.str();
}

/// Why a value is not the constant that the code has; empty when it is.
static std::string constantMismatch(const tilec_call_value &value, const std::string &text) {
  std::string given = describeValue(value);
  // Left to the bundle.
  if (given == "..." || normalized(given) == normalized(text))
    return "";
  return "is " + given + ", the code has " + text;
}

static bool isInteger(const tilec_call_value &value) {
  return value.kind == TILEC_VALUE_INTEGER || value.kind == TILEC_VALUE_UNSIGNED ||
         value.kind == TILEC_VALUE_BOOL;
}

/// Whether the code's type for a parameter takes a value, but for its size and divisibility.
static bool isOfType(const tilec_call_value &value, const SignatureType &type) {
  DType element = type.type.getElement();
  if (type.descriptor) {
    if (value.kind != TILEC_VALUE_DESCRIPTOR)
      return false;
    const tilec_descriptor &descriptor = *value.value.descriptor;
    ArrayRef<int32_t> block(descriptor.block, descriptor.rank);
    if (!llvm::equal(block, type.descriptor->shape) ||
        (descriptor.pads_with_nan != 0) != type.descriptor->padsWithNan)
      return false;
  } else if (type.type.isPointer()) {
    if (value.kind != TILEC_VALUE_POINTER)
      return false;
  } else if (element.isFloat()) {
    return isInteger(value) || value.kind == TILEC_VALUE_FLOAT;
  } else {
    return isInteger(value);
  }
  return element.isVoid() || tilec_type_of(element.getSignatureText().c_str()) == value.type;
}

/// Whether a value, or a tensor descriptor's sizes, are multiples of what the code was promised.
static bool isDivisible(const tilec_call_value &value, unsigned divisibility) {
  if (value.kind != TILEC_VALUE_DESCRIPTOR)
    return value.value.unsigned_integer % divisibility == 0;
  const tilec_descriptor &descriptor = *value.value.descriptor;
  return llvm::all_of(ArrayRef(descriptor.shape, descriptor.rank),
                      [&](int64_t size) { return size % int64_t(divisibility) == 0; });
}

/// Adds the sources of an argument; returns why the code does not take the value, or nothing.
static std::string argumentMismatch(const tilec_call_value &value, uint32_t index,
                                    const std::string &text, ArrayRef<KernelArgument> arguments,
                                    std::vector<ArgumentSource> &sources) {
  std::variant<SignatureType, std::string> parsed = parseSignature(text);
  const auto *type = std::get_if<SignatureType>(&parsed);
  if (!type)
    return "has the type " + text + ", which this version does not know";
  std::string expected = "the code takes " + text;
  if (!isOfType(value, *type))
    return "is " + describeValue(value) + ", " + expected;
  size_t first = sources.size();
  addSources(value, index, arguments, sources);
  if (sources.size() > arguments.size())
    return "is more than the code's arguments";
  const ArgumentSource &source = sources[first];
  bool isNumber = isInteger(value) && arguments[first].kind == tilecrt::ArgumentKind::integer;
  if (isNumber &&
      (source.bits == 1 ? value.value.unsigned_integer > 1 : !fitsArgument(value, source)))
    return "is " + describeValue(value) + ", " + expected;
  if (type->divisibility == 1)
    return "";
  if (!isDivisible(value, type->divisibility))
    return "is no multiple of " + std::to_string(type->divisibility) + ", " + expected;
  // Calls of one kind are all multiples of 16, or all none.
  if (16 % type->divisibility != 0 || type->divisibility < 16)
    for (size_t i = first; i < sources.size(); ++i)
      sources[i].multiple = arguments[i].divisibility;
  return "";
}

/// Why code that was compiled so cannot be launched as a call asks; empty when it can.
static std::string optionMismatch(const tilec_call &call, const tilecrt::KernelMetadata &metadata) {
  if (call.num_warps != 0 && uint32_t(call.num_warps) != metadata.numWarps)
    return "num_warps is " + std::to_string(call.num_warps) + ", the code has " +
           std::to_string(metadata.numWarps);
  if (call.num_stages != 0 && uint32_t(call.num_stages) != metadata.numStages)
    return "num_stages is " + std::to_string(call.num_stages) + ", the code has " +
           std::to_string(metadata.numStages);
  uint32_t programs = metadata.clusterX / metadata.splitK;
  if (call.num_ctas == 1 && programs > 1)
    return "num_ctas is 1, the code has " + std::to_string(programs);
  if (call.split_k != 0 && metadata.splitK > 1 && uint32_t(call.split_k) != metadata.splitK)
    return "split_k is " + std::to_string(call.split_k) + ", the code has " +
           std::to_string(metadata.splitK);
  bool isWithout = call.compile_flags == TILEC_COMPILE_NO_TENSOR_COPIES;
  if (isWithout && tilecrt::hasInferredMaps(metadata))
    return "the code has tensor copies";
  if (call.max_registers != 0 || (call.compile_flags != 0 && !isWithout))
    return "the code is compiled already: options of a compilation come too late";
  return "";
}

std::string BundleJit::match(const Candidate &candidate, const tilec_call &call,
                             std::vector<ArgumentSource> &sources) const {
  const CodeOptions &options = candidate.image->options;
  ArrayRef<KernelArgument> arguments = candidate.image->metadata.arguments;
  if (std::string why = optionMismatch(call, candidate.image->metadata); !why.empty())
    return why;
  for (uint32_t i = 0; i < declared.size(); ++i) {
    const BundleParameter &parameter = declared[i];
    auto isIt = [&](const auto &spec) { return spec.name == parameter.name; };
    auto argument = llvm::find_if(options.arguments, isIt);
    auto constant = llvm::find_if(options.constants, isIt);
    std::string why;
    if (argument != options.arguments.end())
      why = i < call.num_values
                ? argumentMismatch(call.values[i], i, argument->type, arguments, sources)
                : "is missing";
    else if (i < call.num_values)
      why = constantMismatch(call.values[i], constant != options.constants.end()
                                                 ? constant->value
                                                 : parameter.defaultValue);
    if (!why.empty())
      return "argument '" + parameter.name + "' " + why;
  }
  return sources.size() == arguments.size() ? "" : "the code has other arguments than it says";
}

//===----------------------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------------------===//

tilec_status BundleJit::load(Candidate &candidate) {
  if (candidate.function)
    return TILEC_OK;
  if (!candidate.refusal.empty())
    return invalid(candidate.refusal);
  const BundleImage &image = *candidate.image;
  auto compiled = std::make_shared<CompiledKernel>();
  compiled->metadata = image.metadata;
  (image.isPtx ? compiled->ptx : compiled->cubin) = image.bytes;
  if (image.host) {
    llvm::Expected<std::unique_ptr<HostKernel>> host = loadHostKernel(*image.host);
    if (!host)
      return fail(TILEC_INTERNAL, llvm::toString(host.takeError()));
    compiled->host = std::move(*host);
  }
  if (const std::optional<BundleSource> &source = candidate.entry->source) {
    auto origin = std::make_shared<KernelOrigin>();
    origin->file = source->file;
    origin->text = std::make_shared<const std::string>(source->text);
    origin->options.code() = image.options;
    origin->options.kernel = candidate.entry->kernel;
    origin->options.modules.texts = source->modules;
    compiled->origin = std::move(origin);
  }
  auto kernel = std::make_shared<KernelObject>(std::move(compiled));
  tilec_status status = take(device->load(kernel->owner), candidate.function);
  if (status == TILEC_OK)
    candidate.kernel = std::move(kernel);
  else if (status == TILEC_INVALID_ARGUMENT)
    candidate.refusal = tilec_last_error();
  return status;
}

tilec_status BundleJit::make(const tilec_call &call, JitVariant &variant) {
  std::vector<std::string> reasons;
  tilec_status failure = TILEC_INVALID_ARGUMENT;
  for (Candidate &candidate : candidates) {
    std::vector<ArgumentSource> sources;
    std::string why = match(candidate, call, sources);
    if (why.empty()) {
      // Code that the driver refuses makes room for the next.
      failure = load(candidate);
      why = failure == TILEC_OK ? "" : tilec_last_error();
    }
    if (!why.empty()) {
      std::string reason = candidate.entry->name + " for " + candidate.image->target + ": " + why;
      if (!llvm::is_contained(reasons, reason))
        reasons.push_back(std::move(reason));
      continue;
    }
    variant.kernel = candidate.kernel;
    variant.function = candidate.function;
    variant.sources = std::move(sources);
    BundledLaunch &launch = variant.bundled;
    launch.options = &candidate.image->options;
    launch.grid = candidate.grid;
    launch.integers = candidate.image->integers;
    if (candidate.entry->cluster != std::array<unsigned, 3>{1, 1, 1})
      llvm::copy(candidate.entry->cluster, launch.cluster.begin());
    if (candidate.entry->isCooperative)
      launch.flags |= TILEC_LAUNCH_COOPERATIVE;
    // Older devices cannot start a launch early.
    if (candidate.entry->isProgrammatic && candidate.image->computeCapability >= 90)
      launch.flags |= TILEC_LAUNCH_PROGRAMMATIC;
    return TILEC_OK;
  }
  return fail(failure, "no code of bundle '" + bundle->bundle.name + "' takes these values\n  " +
                           llvm::join(reasons, "\n  "));
}

tilec_status BundleJit::describe(const tilec_call &call, CodeOptions &options) {
  const JitVariant *variant = nullptr;
  if (tilec_status status = find(call, variant))
    return status;
  options = *variant->bundled.options;
  return TILEC_OK;
}
