// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a source holds, over the C interface: it is parsed and its kernels are listed.

#include "OptionsReader.h"

using namespace tilec;
using namespace tilec::api;

static_assert(int(KernelParam::Kind::Plain) == TILEC_PARAMETER_PLAIN &&
              int(KernelParam::Kind::Constexpr) == TILEC_PARAMETER_CONSTEXPR &&
              int(KernelParam::Kind::Typed) == TILEC_PARAMETER_TYPED);

/// The source of a handle; null after a failure was kept.
/// Parses a file of the object's and lists its kernels.
static void readKernels(SourceObject &object, FileId file, DiagnosticEngine &engine) {
  object.parsed = parseSource(object.sources, file, engine, {});
  for (const KernelInfo &info : object.parsed.kernels) {
    uint32_t line = object.sources.getLineColumn(info.range).line;
    SourceObject::Kernel &kernel = object.kernels.emplace_back();
    kernel.info = &info;
    kernel.line = line;
    for (const std::string &name : info.autotuneKey)
      kernel.key.push_back(name.c_str());
  }
}

/// What both ways to read a source share; `load` puts it into the manager.
static tilec_status readSource(tilec_source **source, tilec_diagnostics **diagnostics,
                               SourceLoad load) {
  if (!source)
    return invalid("source is null");
  auto object = std::make_shared<SourceObject>();
  DiagnosticEngine engine;
  if (llvm::Expected<FileId> file = load(object->sources))
    readKernels(*object, *file, engine);
  else
    engine.error(SourceRange(), llvm::toString(file.takeError()), "source");
  auto messages = std::make_shared<DiagnosticsObject>(object->sources, engine);
  tilec_status status =
      engine.hasErrors() ? fail(TILEC_INPUT_ERROR, summarize(*messages)) : TILEC_OK;
  if (diagnostics)
    *diagnostics = Diagnostics::get().insert(std::move(messages));
  if (status == TILEC_OK)
    *source = Sources::get().insert(std::move(object));
  return status;
}

tilec_status tilec_source_text(const char *name, const char *text, size_t length,
                               tilec_source **source, tilec_diagnostics **diagnostics) {
  clear(source);
  clear(diagnostics);
  return withText(name, text, length,
                  [&](SourceLoad load) { return readSource(source, diagnostics, load); });
}

tilec_status tilec_source_file(const char *path, tilec_source **source,
                               tilec_diagnostics **diagnostics) {
  clear(source);
  clear(diagnostics);
  return withFile(path, [&](SourceLoad load) { return readSource(source, diagnostics, load); });
}

void tilec_source_destroy(tilec_source *source) { Sources::get().erase(source); }

size_t tilec_source_num_kernels(const tilec_source *source) {
  return factOf<Sources>(source, [](SourceObject &object) { return object.kernels.size(); });
}

tilec_status tilec_source_get_kernel(const tilec_source *source, size_t index,
                                     tilec_source_kernel *kernel) {
  return onHandle<Sources>(source, [&](SourceObject &object) {
    if (index >= object.kernels.size())
      return failIndex("kernel", index, object.kernels.size());
    const SourceObject::Kernel &found = object.kernels[index];
    tilec_source_kernel result = {};
    result.name = found.info->name.c_str();
    result.line = found.line;
    result.is_entry = found.info->isEntry;
    result.num_parameters = found.info->params.size();
    result.autotune_key = found.key.data();
    result.num_autotune_key = found.key.size();
    return writeStruct(result, kernel, "kernel");
  });
}

tilec_status tilec_source_find_kernel(const tilec_source *source, const char *name, size_t *index) {
  return onHandle<Sources>(source, [&](SourceObject &object) {
    if (!index)
      return invalid("index is null");
    DiagnosticEngine engine;
    const KernelInfo *found = object.parsed.select(name ? name : "", engine);
    if (!found)
      return fail(TILEC_INPUT_ERROR, summarize(DiagnosticsObject(object.sources, engine)));
    *index = size_t(found - object.parsed.kernels.data());
    return TILEC_OK;
  });
}

tilec_status tilec_source_get_parameter(const tilec_source *source, size_t kernel, size_t index,
                                        tilec_parameter *parameter) {
  return onHandle<Sources>(source, [&](SourceObject &object) {
    if (kernel >= object.kernels.size())
      return failIndex("kernel", kernel, object.kernels.size());
    const std::vector<KernelParam> &params = object.kernels[kernel].info->params;
    if (index >= params.size())
      return failIndex("parameter", index, params.size());
    tilec_parameter result = {};
    result.name = params[index].name.c_str();
    result.kind = tilec_parameter_kind(params[index].kind);
    result.has_default = params[index].hasDefault;
    result.type = params[index].type.c_str();
    return writeStruct(result, parameter, "parameter");
  });
}
