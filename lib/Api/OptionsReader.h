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
  CompileOptions result;
  bool hasTarget = false;
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

/// The path of this library. Bitcode lies beside it in a portable installation.
std::string libraryPath();

/// Gives options what the database has for such a launch. What is wrong with the database is an
/// error; that it has nothing a remark of the category "tuning".
void applyTuned(SourceManager &sources, FileId file, const TunedRequest &request,
                CompileOptions &options, DiagnosticEngine &engine);

} // namespace tilec::api

#endif // TILEC_LIB_API_OPTIONSREADER_H
