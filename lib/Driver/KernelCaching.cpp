// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See KernelCaching.h. Sections of an entry: "metadata" and "messages" (JSON), "ptx", "cubin",
// "path" and "places" of the tokens; for the simulator those of HostSections.h.

#include "KernelCaching.h"

#include "CachedMessages.h"
#include "SourceMove.h"
#include "tilec/Driver/HostSections.h"
#include "tilec/Driver/ToolHints.h"

#include "tilec/Cache/BuildId.h"
#include "tilec/IRGen/IRGen.h"
#include "tilec/Support/Processor.h"
#include "tilec/Syntax/Parser.h"
#include "tilec/Target/HostJIT.h"
#include "llvm/Support/Endian.h"

using llvm::StringRef;

namespace tilec {

namespace {

/// Changes when the meaning of an entry does.
constexpr uint64_t kEntryVersion = 1;

std::string encodePlaces(llvm::ArrayRef<LineColumn> places) {
  std::string bytes(places.size() * 8, '\0');
  for (size_t i = 0; i < places.size(); ++i) {
    llvm::support::endian::write32le(&bytes[8 * i], places[i].line);
    llvm::support::endian::write32le(&bytes[8 * i + 4], places[i].column);
  }
  return bytes;
}

std::vector<LineColumn> decodePlaces(StringRef bytes) {
  std::vector<LineColumn> places(bytes.size() / 8);
  for (size_t i = 0; i < places.size(); ++i)
    places[i] = {llvm::support::endian::read32le(bytes.data() + 8 * i),
                 llvm::support::endian::read32le(bytes.data() + 8 * i + 4)};
  return places;
}

void addOption(KeyHasher &hasher, const std::string &text) { hasher.add("text", text); }
void addOption(KeyHasher &hasher, uint64_t number) { hasher.add("number", number); }
void addOption(KeyHasher &hasher, Stage stage) { hasher.add("stage", uint64_t(stage)); }
void addOption(KeyHasher &hasher, std::optional<int> number) {
  hasher.add("number", number ? std::to_string(*number) : std::string("default"));
}
void addOption(KeyHasher &hasher, const ArgumentSpec &argument) {
  hasher.add("name", argument.name).add("type", argument.type);
}
void addOption(KeyHasher &hasher, const ConstantSpec &constant) {
  hasher.add("name", constant.name).add("value", constant.value);
}
void addOption(KeyHasher &hasher, const std::pair<std::string, int64_t> &argument) {
  hasher.add("name", argument.first).add("value", uint64_t(argument.second));
}
template <typename T> void addOption(KeyHasher &hasher, const std::vector<T> &list) {
  hasher.add("size", list.size());
  for (const T &item : list)
    addOption(hasher, item);
}
void addOption(KeyHasher &hasher, const WarningOptions &warnings) {
  addOption(hasher, warnings.getTexts());
}

/// Whether the result holds places in a form that cannot be moved.
bool isBoundToPlaces(const CompileOptions &options) {
  bool hasLineTable =
      options.lineInfo && options.stopAfter == Stage::Cubin && !isSimulator(options.target);
  return hasLineTable || options.debug || options.remarks;
}

} // namespace

bool KernelCaching::isCacheable(const CompileOptions &options) {
  if (isSimulator(options.target))
    return options.stopAfter >= Stage::LLVM && options.keep.empty();
  if (options.target == "interp")
    return false;
  return options.stopAfter >= Stage::PTX && llvm::all_of(options.keep, [](Stage stage) {
           return stage == Stage::PTX || stage == Stage::Cubin;
         });
}

bool KernelCaching::isForHost() const { return isSimulator(options.target); }

std::unique_ptr<KernelCaching> KernelCaching::create(const SourceManager &sources,
                                                     const ast::Module &module,
                                                     const CompileOptions &options,
                                                     ModuleLoader &modules) {
  const ast::FunctionDef *kernel = findKernel(module, options.kernel);
  if (!kernel)
    return nullptr;
  std::unique_ptr<KernelCaching> caching(new KernelCaching(sources, module, options, modules));
  return caching->makeKey(module, *kernel) ? std::move(caching) : nullptr;
}

bool KernelCaching::makeKey(const ast::Module &module, const ast::FunctionDef &kernel) {
  const SourceBuffer &buffer = *sources.getBuffer(file);
  std::vector<StringRef> constantTexts;
  for (const ConstantSpec &constant : options.constants)
    constantTexts.push_back(constant.value);
  tokens = collectKernelTokens(sources, module, kernel, constantTexts, modules);

  KeyHasher hasher;
  hasher.add("entry version", kEntryVersion).add("build", compilerBuildId());
  hasher.add("kernel", kernel.name).add("tokens", tokens.text);
  // What is said about places in imported files is not moved: there the places count.
  hasher.add("imports", tokens.imports).add("import places", encodePlaces(tokens.importPlaces));
  hasher.add("language", uint64_t(getSourceLanguage(buffer.getName())));
  visitOptions<OptionUse::Code, OptionUse::Result>(options,
                                                   [&](const char *name, const auto &option) {
                                                     hasher.add("option", name);
                                                     addOption(hasher, option);
                                                   });
  if (isForHost()) {
    hasher.add("host", hostIdentity());
  } else {
    MathLibraries libraries = findMathLibraries(mathLibraryHints(options.tools));
    for (const std::string &path : {libraries.libclc, libraries.libdevice})
      hasher.add("library", path.empty() ? "" : options.cache->hashFile(path));
  }
  if (options.stopAfter == Stage::Cubin && !isForHost()) {
    llvm::Expected<std::string> ptxas = findPtxas(ptxasHints(options.tools));
    if (!ptxas) {
      llvm::consumeError(ptxas.takeError());
      return false;
    }
    std::string content = options.cache->hashFile(*ptxas);
    if (content.empty())
      return false;
    hasher.add("ptxas", content);
  }
  if (isBoundToPlaces(options))
    hasher.add("path", buffer.getName()).add("places", encodePlaces(tokens.places));
  key = hasher.finish();
  return true;
}

std::optional<CacheEntry> KernelCaching::write(const CompiledKernel &kernel,
                                               const DiagnosticEngine &diagnostics,
                                               size_t firstMessage) {
  std::string path = sources.getBuffer(file)->getName().str();
  // What cannot be moved to where it is cannot be moved anywhere.
  SourceMove here(path, tokens.places, path, tokens.places);
  std::string ptx = kernel.ptx;
  tilecrt::KernelMetadata metadata = kernel.metadata;
  std::vector<tilecrt::sim::Site> sites;
  if (kernel.host)
    sites = kernel.host->sites();
  if (!here.movePTX(ptx) || !here.moveMetadata(metadata) || !here.moveSites(sites))
    return std::nullopt;
  std::optional<std::string> messages =
      encodeMessages(diagnostics, firstMessage, sources, file, here);
  if (!messages)
    return std::nullopt;
  CacheEntry entry;
  entry.add("metadata", tilecrt::toJson(kernel.metadata));
  entry.add("messages", *messages);
  entry.add("ptx", kernel.ptx);
  entry.add("cubin", kernel.cubin);
  entry.add("path", path);
  entry.add("places", encodePlaces(tokens.places));
  if (kernel.host)
    addHostSections(entry, kernel.host->image());
  return entry;
}

/// Links the host code of an entry.
static std::unique_ptr<HostKernel> readHost(const CacheEntry &entry, const std::string &name,
                                            const SourceMove &move) {
  std::optional<HostImage> image = readHostSections(entry, name);
  if (!image || (!move.isIdentity() && !move.moveSites(image->sites)))
    return nullptr;
  llvm::Expected<std::unique_ptr<HostKernel>> host = loadHostKernel(std::move(*image));
  if (host)
    return std::move(*host);
  // It is compiled again.
  llvm::consumeError(host.takeError());
  return nullptr;
}

std::unique_ptr<CompiledKernel> KernelCaching::read(const CacheEntry &entry,
                                                    DiagnosticEngine &diagnostics) {
  const std::string *metadata = entry.find("metadata"), *messages = entry.find("messages"),
                    *ptx = entry.find("ptx"), *cubin = entry.find("cubin"),
                    *path = entry.find("path"), *places = entry.find("places");
  if (!metadata || !messages || !ptx || !cubin || !path || !places)
    return nullptr;
  tilecrt::Result<tilecrt::KernelMetadata> parsed = tilecrt::fromJson(*metadata);
  bool needsCubin = options.stopAfter == Stage::Cubin && !isForHost();
  if (!parsed.ok() || (needsCubin && cubin->empty()))
    return nullptr;
  auto kernel = std::make_unique<CompiledKernel>();
  kernel->metadata = std::move(*parsed);
  kernel->ptx = *ptx;
  kernel->cubin = *cubin;
  SourceMove move(*path, decodePlaces(*places), sources.getBuffer(file)->getName().str(),
                  tokens.places);
  if (!move.isValid())
    return nullptr;
  if (!move.isIdentity() && (!move.movePTX(kernel->ptx) || !move.moveMetadata(kernel->metadata)))
    return nullptr;
  if (isForHost() && !(kernel->host = readHost(entry, kernel->metadata.name, move)))
    return nullptr;
  if (!decodeMessages(*messages, sources, file, move, diagnostics))
    return nullptr;
  if (llvm::is_contained(options.keep, Stage::PTX))
    kernel->stages[Stage::PTX] = kernel->ptx;
  if (llvm::is_contained(options.keep, Stage::Cubin))
    kernel->stages[Stage::Cubin] = kernel->cubin;
  return kernel;
}

} // namespace tilec
