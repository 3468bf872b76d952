// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The folder that Triton's cache has for a kernel. Numbers that are not in the metadata keep their
// defaults: versions of Triton differ in what they write.

#include "TritonText.h"

#include "tilec/Explain/Triton.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using llvm::StringRef;
namespace fs = llvm::sys::fs;
namespace json = llvm::json;
namespace path = llvm::sys::path;

namespace tilec::explain {

namespace {

constexpr StringRef kMetadata = ".json";

std::string inFolder(StringRef folder, const llvm::Twine &file) {
  llvm::SmallString<128> name(folder);
  path::append(name, file);
  return std::string(name);
}

/// The names of the kernels whose metadata is in the folder, in order.
llvm::Expected<std::vector<std::string>> listKernels(StringRef folder) {
  std::vector<std::string> kernels;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; entry != end && !error;
       entry.increment(error)) {
    StringRef file = path::filename(entry->path());
    // One of a group lists the files of the folder.
    if (!file.starts_with("__grp__") && file.consume_back(kMetadata))
      kernels.push_back(file.str());
  }
  if (error)
    return llvm::createStringError("cannot read '" + folder + "': " + error.message());
  llvm::sort(kernels);
  return kernels;
}

/// The first folder below that has a kernel: the whole cache was named.
std::string findBelow(StringRef folder) {
  std::vector<std::string> found;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; entry != end && !error;
       entry.increment(error)) {
    llvm::Expected<std::vector<std::string>> kernels = listKernels(entry->path());
    if (!kernels)
      llvm::consumeError(kernels.takeError());
    else if (!kernels->empty())
      found.push_back(entry->path() + " (" + kernels->front() + ")");
  }
  return found.empty() ? "" : *llvm::min_element(found);
}

llvm::Expected<std::string> findKernel(StringRef folder) {
  llvm::Expected<std::vector<std::string>> kernels = listKernels(folder);
  if (!kernels)
    return kernels.takeError();
  if (kernels->size() == 1)
    return kernels->front();
  if (kernels->size() > 1)
    return llvm::createStringError("'" + folder + "' has several kernels of Triton, " +
                                   llvm::join(*kernels, ", ") +
                                   ": expected the folder of one, as in its cache");
  std::string below = findBelow(folder);
  return llvm::createStringError("'" + folder + "' has no kernel of Triton: there is no NAME.json" +
                                 (below.empty() ? "" : "; a folder with one is " + below));
}

llvm::Expected<std::string> readFile(const std::string &name) {
  auto buffer = llvm::MemoryBuffer::getFile(name);
  if (!buffer)
    return llvm::createStringError("cannot read '" + name + "': " + buffer.getError().message());
  return (*buffer)->getBuffer().str();
}

/// The metadata, of which the first thing that is wrong is kept.
class MetadataReader {
public:
  MetadataReader(const json::Object &given, TritonKernel &made) : object(given), kernel(made) {}

  /// What is wrong; empty: nothing.
  std::string read();

private:
  void fail(const llvm::Twine &message) {
    if (problem.empty())
      problem = message.str();
  }
  std::string text(StringRef key, bool isRequired);
  template <typename Number> void number(const json::Object &from, StringRef key, Number &to);
  template <typename Number> void number(StringRef key, Number &to) { number(object, key, to); }
  void readTarget();

  const json::Object &object;
  TritonKernel &kernel;
  std::string problem;
};

} // namespace

std::string MetadataReader::text(StringRef key, bool isRequired) {
  const json::Value *value = object.get(key);
  std::optional<StringRef> found = value ? value->getAsString() : std::nullopt;
  if (!found && (value || isRequired))
    fail(value ? "'" + key + "' is not a text" : "has no '" + key + "'");
  return found.value_or("").str();
}

template <typename Number>
void MetadataReader::number(const json::Object &from, StringRef key, Number &to) {
  const json::Value *value = from.get(key);
  if (!value || value->getAsNull())
    return;
  std::optional<int64_t> found = value->getAsInteger();
  if (!found || *found < 0 || *found != int64_t(Number(*found)))
    return fail("'" + key + "' is not a number of at least 0");
  to = Number(*found);
}

void MetadataReader::readTarget() {
  const json::Object *target = object.getObject("target");
  if (!target)
    return fail("has no 'target'");
  std::optional<StringRef> backend = target->getString("backend");
  if (backend != StringRef("cuda"))
    return fail("is for '" + backend.value_or("").str() + "', expected 'cuda'");
  number(*target, "arch", kernel.arch);
}

std::string MetadataReader::read() {
  kernel.name = text("name", /*isRequired=*/true);
  kernel.version = text("triton_version", /*isRequired=*/false);
  readTarget();
  number("num_warps", kernel.numWarps);
  number("num_stages", kernel.numStages);
  number("num_ctas", kernel.numCtas);
  number("shared", kernel.dynamicSharedBytes);
  number("global_scratch_size", kernel.scratchBytes);
  number("profile_scratch_size", kernel.profileBytes);
  kernel.isCooperative = object.getBoolean("launch_cooperative_grid").value_or(false);
  if (kernel.numWarps == 0 || kernel.numCtas == 0)
    fail("has no warps");
  return problem;
}

int TritonKernel::threadsPerCta() const {
  constexpr int warp = 32;
  return code.threadsPerCta ? code.threadsPerCta : numWarps * warp;
}

static llvm::Error readMetadata(const std::string &file, TritonKernel &kernel) {
  llvm::Expected<std::string> text = readFile(file);
  if (!text)
    return text.takeError();
  llvm::Expected<json::Value> parsed = json::parse(*text);
  if (!parsed)
    return llvm::createStringError("'" + file +
                                   "' is no JSON: " + llvm::toString(parsed.takeError()));
  const json::Object *object = parsed->getAsObject();
  if (!object)
    return llvm::createStringError("'" + file + "' is no metadata of Triton: expected an object");
  std::string problem = MetadataReader(*object, kernel).read();
  if (!problem.empty())
    return llvm::createStringError("'" + file + "' is no metadata of Triton: it " +
                                   (problem.front() == '\'' ? "says that " : "") + problem);
  return llvm::Error::success();
}

static llvm::Error readCode(const std::string &file, TritonKernel &kernel) {
  llvm::Expected<std::string> cubin = readFile(file);
  if (!cubin)
    return cubin.takeError();
  kernel.cubin = std::move(*cubin);
  llvm::Expected<std::vector<CubinKernel>> known = readCubin(kernel.cubin);
  if (!known)
    return llvm::createStringError("'" + file +
                                   "' is no cubin: " + llvm::toString(known.takeError()));
  auto found =
      llvm::find_if(*known, [&](const CubinKernel &other) { return other.name == kernel.name; });
  if (found == known->end())
    return llvm::createStringError("'" + file + "' has no kernel '" + kernel.name + "'");
  kernel.code = std::move(*found);
  return llvm::Error::success();
}

llvm::Expected<TritonKernel> readTritonKernel(StringRef folder) {
  TritonKernel kernel;
  kernel.folder = folder.str();
  llvm::Expected<std::string> file = findKernel(folder);
  if (!file)
    return file.takeError();
  if (llvm::Error error = readMetadata(inFolder(folder, *file + kMetadata), kernel))
    return std::move(error);
  if (llvm::Error error = readCode(inFolder(folder, *file + ".cubin"), kernel))
    return std::move(error);
  for (const char *stage : {"ttir", "ttgir", "llir", "ptx"}) {
    std::string name = inFolder(folder, *file + "." + stage);
    if (!fs::exists(name))
      continue;
    llvm::Expected<std::string> text = readFile(name);
    if (!text)
      return text.takeError();
    kernel.texts[stage] = std::move(*text);
  }
  for (const char *stage : {"ttir", "ttgir"})
    if (auto text = kernel.texts.find(stage); text != kernel.texts.end() && !kernel.parameters)
      kernel.parameters = parametersOf(text->second, kernel.name);
  return kernel;
}

std::string reasonAgainst(const TritonKernel &triton, StringRef kernel, StringRef target) {
  if (triton.name != kernel)
    return "'" + triton.folder + "' has kernel '" + triton.name + "' of Triton, expected '" +
           kernel.str() + "'";
  StringRef digits = target.drop_until(llvm::isDigit).take_while(llvm::isDigit);
  if (std::to_string(triton.arch) != digits)
    return "'" + triton.folder + "' has code for sm_" + std::to_string(triton.arch) +
           ", the report is for " + target.str();
  return "";
}

} // namespace tilec::explain
