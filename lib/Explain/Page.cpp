// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The skeleton of the page, with its placeholders filled. Page.inc has the files of Page/ as text.

#include "tilec/Explain/Page.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSwitch.h"
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

} // namespace

std::string writePage(const Report &report) {
  const std::string title = escapeText(report.kernel), data = escapeData(writeReport(report));
  std::string page;
  llvm::StringRef rest = pageSkeleton;
  while (!rest.empty()) {
    auto [before, after] = rest.split("{{");
    auto [name, behind] = after.split("}}");
    page += before;
    page += llvm::StringSwitch<llvm::StringRef>(name)
                .Case("title", title)
                .Case("style", pageStyle)
                .Case("data", llvm::StringRef(data).trim())
                .Case("script", pageScript)
                .Default("");
    rest = behind;
  }
  return page;
}

} // namespace tilec::explain
