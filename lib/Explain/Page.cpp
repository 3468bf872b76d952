// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The skeleton of the page, with its placeholders filled. Page.inc has the files of Page/ as text:
// the scripts of all pages, and those of each kind.

#include "tilec/Explain/Page.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

namespace tilec::explain {
namespace {

#include "Page.inc"

/// JSON for a script element: no '<' can end it, or begin a comment.
std::string escapeData(llvm::StringRef json) {
  std::string text;
  text.reserve(json.size() + json.size() / 16);
  for (char c : json)
    if (c == '<')
      text += "\\u003c";
    else
      text += c;
  return text;
}

std::string escapeText(llvm::StringRef text) {
  std::string escaped;
  llvm::raw_string_ostream os(escaped);
  llvm::printHTMLEscaped(text, os);
  return escaped;
}

struct PageText {
  std::string title, tool, data;
  llvm::StringRef script;
};

std::string fillSkeleton(const PageText &text) {
  const std::string title = escapeText(text.title), data = escapeData(text.data);
  std::string page;
  llvm::StringRef rest = pageSkeleton;
  while (!rest.empty()) {
    auto [before, after] = rest.split("{{");
    auto [name, behind] = after.split("}}");
    page += before;
    if (name == "script")
      page += pageScript;
    page += llvm::StringSwitch<llvm::StringRef>(name)
                .Case("title", title)
                .Case("tool", text.tool)
                .Case("style", pageStyle)
                .Case("data", llvm::StringRef(data).trim())
                .Case("script", text.script)
                .Default("");
    rest = behind;
  }
  return page;
}

/// The kernels that were measured, or the files where these are many.
std::string titleOf(const Measurements &measurements) {
  std::vector<std::string> kernels, files;
  for (const MeasuredCase &measured : measurements.cases)
    if (!llvm::is_contained(kernels, measured.kernel))
      kernels.push_back(measured.kernel);
  for (const MeasuredFile &file : measurements.files)
    files.push_back(llvm::sys::path::filename(file.name).str());
  constexpr size_t mostKernels = 3;
  return llvm::join(kernels.size() > mostKernels ? files : kernels, ", ");
}

} // namespace

std::string writePage(const Report &report) {
  return fillSkeleton({report.kernel, "explain", writeReport(report), explainScript});
}

std::string writePage(const Measurements &measurements, llvm::StringRef tool) {
  return fillSkeleton(
      {titleOf(measurements), tool.str(), writeMeasurements(measurements), measuredScript});
}

} // namespace tilec::explain
