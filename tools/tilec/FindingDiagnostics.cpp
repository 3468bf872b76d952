// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See FindingDiagnostics.h. Global addresses change from run to run and are not shown.

#include "FindingDiagnostics.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tilecrt::sim;

namespace tilec::tool {

std::string describeThread(const ThreadRef &thread) {
  return llvm::formatv("CTA ({0}, {1}, {2}), thread {3} (warp {4}, lane {5})", thread.cta[0],
                       thread.cta[1], thread.cta[2], thread.thread, thread.warp(), thread.lane());
}

static llvm::StringRef accessName(AccessKind kind) {
  switch (kind) {
  case AccessKind::None:
    return "";
  case AccessKind::GlobalLoad:
    return "global load";
  case AccessKind::GlobalStore:
    return "global store";
  case AccessKind::GlobalAtomic:
    return "global atomic";
  case AccessKind::SharedLoad:
    return "shared load";
  case AccessKind::SharedStore:
    return "shared store";
  case AccessKind::SharedAtomic:
    return "shared atomic";
  }
  return "";
}

std::string describeAccess(const Access &access) {
  if (access.kind == AccessKind::None)
    return "";
  std::string text = llvm::formatv("{0}-byte {1}", access.bytes, accessName(access.kind));
  bool isShared = access.kind == AccessKind::SharedLoad || access.kind == AccessKind::SharedStore ||
                  access.kind == AccessKind::SharedAtomic;
  if (isShared)
    text += llvm::formatv(" at offset {0}", access.address);
  return text;
}

/// The word at the place of a site, as far as the file is among the sources.
static SourceRange siteRange(int32_t site, const std::vector<Site> &sites,
                             const SourceManager &sources) {
  if (site < 0 || size_t(site) >= sites.size() || sites[size_t(site)].line <= 0)
    return {};
  const Site &place = sites[size_t(site)];
  for (unsigned id = 1; id <= sources.getNumBuffers(); ++id) {
    const SourceBuffer *buffer = sources.getBuffer(FileId(id));
    if (buffer->getName() != place.file || !buffer->hasLine(unsigned(place.line)))
      continue;
    uint32_t begin =
        buffer->getLineStart(unsigned(place.line)) + uint32_t(place.col > 0 ? place.col - 1 : 0);
    begin = std::min(begin, buffer->size());
    llvm::StringRef word = buffer->getText().drop_front(begin).take_while(
        [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; });
    return {FileId(id), begin, begin + uint32_t(word.size())};
  }
  return {};
}

static std::string sentence(const ThreadRef &thread, const Access &access) {
  std::string what = describeAccess(access);
  return (what.empty() ? "by " : what + " by ") + describeThread(thread);
}

void reportFindings(const RunOutcome &outcome, const SourceManager &sources,
                    DiagnosticEngine &diagnostics) {
  for (const Finding &finding : outcome.launch.findings) {
    Diagnostic &error =
        diagnostics.error(siteRange(finding.site, outcome.sites, sources),
                          llvm::Twine(findingKindName(finding.kind)) + ": " + finding.message,
                          findingKindName(finding.kind));
    std::string times =
        finding.count > 1 ? llvm::formatv("; {0} times in all", finding.count).str() : "";
    error.addNote(SourceRange(), sentence(finding.thread, finding.access) + times);
    SourceRange other = siteRange(finding.otherSite, outcome.sites, sources);
    if (finding.hasOther)
      error.addNote(other, "the other: " + sentence(finding.otherThread, finding.otherAccess));
    else if (other.isValid())
      error.addNote(other, "the other place is here");
  }
  if (outcome.launch.findingsDropped != 0)
    diagnostics.warning(
        SourceRange(),
        llvm::formatv("{0} more findings are not shown", outcome.launch.findingsDropped).str());
  if (!outcome.launch.incomplete.empty())
    diagnostics.warning(SourceRange(), "the check is incomplete: " + outcome.launch.incomplete);
  if (outcome.launch.status == LaunchStatus::Stopped && outcome.launch.findings.empty())
    diagnostics.error(SourceRange(), "the simulation was stopped: " + outcome.launch.error);
}

} // namespace tilec::tool
