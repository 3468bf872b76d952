// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code of a GPU, and what differs behind two of them, as JSON.

#include "ReportJson.h"

#include <cmath>

namespace tilec::explain {

Json codeToJson(const Report &report) {
  if (!report.code)
    return Json();
  Json classes = Json::array();
  for (const Code::Class &kind : report.code->classes)
    classes.push_back({{"name", kind.name}, {"text", kind.text}, {"count", kind.count}});
  return {{"instructions", report.code->instructions}, {"classes", std::move(classes)}};
}

Json codeToJson(const Report &report, const SourceLine &line) {
  if (!report.code)
    return Json();
  Json object = Json::object();
  for (size_t i = 0; i < line.code.size(); ++i)
    if (line.code[i] != 0)
      object[report.code->classes[i].name] = line.code[i];
  return object;
}

/// JSON has no infinity.
static Json finiteOrNull(double value) {
  return std::isfinite(value) ? Json(rounded(value)) : Json();
}

Json outputsToJson(const Report &report) {
  if (!report.outputs)
    return Json();
  Json list = Json::array();
  for (const OutputDifference &array : *report.outputs)
    list.push_back({{"name", array.name},
                    {"elements", array.elements},
                    {"different", array.different},
                    {"largest", finiteOrNull(array.largest)},
                    {"largestRelative", finiteOrNull(array.largestRelative)}});
  return list;
}

} // namespace tilec::explain
