// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface's options of a compilation as the Driver's, and what a tuning database adds.

#ifndef TILEC_LIB_API_OPTIONSREADER_H
#define TILEC_LIB_API_OPTIONSREADER_H

#include "Objects.h"

namespace tilec::api {

/// What is asked of a tuning database.
struct TunedRequest {
  /// Empty: nothing.
  std::string database;
  std::string device;
  std::vector<std::pair<std::string, int64_t>> sizes;
};

class OptionsReader {
public:
  /// Null options are the defaults.
  tilec_status read(const tilec_options *given);
  /// Gives `result` the numbers and flags that are set; the others stay as they are.
  tilec_status readNumbers(const tilec_options &options);
  /// A failure where the options ask for a timeline: nobody gives these kernels its buffer.
  tilec_status refuseTimeline() const;
  CompileOptions result;
  bool hasTarget = false, hasStage = false;
  TunedRequest tuned;
  /// Keeps what `result.cache` points to.
  std::shared_ptr<CompileCache> cache;

private:
  template <typename Spec>
  tilec_status readBindings(const tilec_binding *bindings, size_t count, const char *what,
                            std::vector<Spec> &specs);
  tilec_status readStages(const tilec_options &options);
  tilec_status readModules(const tilec_options &options);
  tilec_status readWarnings(const tilec_options &options);
  tilec_status readTuned(const tilec_options &options);
};

tilec_status statusOf(Failure failure);

/// A failure where `ctas` of `what` ("call") are no number of programs that a cluster can have.
tilec_status checkNumCtas(const char *what, int32_t ctas);
/// The same for the CTAs of a program beside them; 0 of either is not given.
tilec_status checkSplitK(const char *what, int32_t ctas, int32_t splitK);

/// The path of this library. Bitcode lies beside it in a portable installation.
std::string libraryPath();

/// Where the tools of a compilation are, as `given` says it with the names of tilec_options.
template <typename Struct> tilec_status readTools(const Struct &given, ToolSearch &tools) {
  tilec_options named = {};
  named.struct_size = sizeof named;
  named.ptxas = given.ptxas;
  named.cuda_home = given.cuda_home;
  named.search_path = given.search_path;
  named.libclc = given.libclc;
  named.libdevice = given.libdevice;
  OptionsReader reader;
  tilec_status status = reader.read(&named);
  tools = std::move(reader.result.tools);
  return status;
}

/// Where a source comes from.
using SourceLoad = llvm::function_ref<llvm::Expected<FileId>(SourceManager &)>;

/// Runs `use` with what loads a text, or a file.
template <typename Use>
tilec_status withText(const char *name, const char *text, size_t length, Use use) {
  return guarded([&] {
    if (!text && length != 0)
      return invalid("text is null, its length is " + llvm::Twine(length));
    return use([&](SourceManager &sources) {
      return sources.addBuffer(name ? name : "<text>", llvm::StringRef(text, length));
    });
  });
}
template <typename Use> tilec_status withFile(const char *path, Use use) {
  return guarded([&] {
    return path ? use([&](SourceManager &sources) { return sources.loadFile(path); })
                : invalid("path is null");
  });
}

/// One compilation: its kernel, which may be there without a cubin after TILEC_UNAVAILABLE, and its
/// messages.
struct CompileOutcome {
  tilec_status status = TILEC_OK;
  std::shared_ptr<KernelObject> kernel;
  std::shared_ptr<DiagnosticsObject> messages;
};
CompileOutcome compileSource(CompilerObject &compilers, SourceLoad load, CompileOptions options,
                             const TunedRequest &tuned);

/// Gives options what the database has for such a launch. What is wrong with the database is an
/// error; that it has nothing a remark of the category "tuning".
void applyTuned(SourceManager &sources, FileId file, const TunedRequest &request,
                CompileOptions &options, DiagnosticEngine &engine);

} // namespace tilec::api

#endif // TILEC_LIB_API_OPTIONSREADER_H
