// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One line per kernel and processor, so that a change of the file shows what it is about. Line
// tables are left out: they hold the path of the source.

#include "PtxDigests.h"

#include "KernelCache.h"

#include "tilecrt/data/AtomicFile.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"

#include <cstdio>
#include <fstream>
#include <map>
#include <set>
#include <thread>

namespace tilec::harness {
namespace {

constexpr const char *processors[] = {"sm_80", "sm_90a", "sm_100a"};

/// In the place of a digest: the processor cannot have the kernel.
constexpr const char *kNoCode = "----------------";

/// Digests by "KERNEL DTYPE SIZE PROCESSOR", in the order of the names.
using Digests = std::map<std::string, std::string>;

struct Compiled {
  Digests digests;
  std::vector<std::string> failures;
};

/// The first 16 digits of SHA-256.
std::string digestOf(const std::string &text) {
  llvm::SHA256 hash;
  hash.update(text);
  return llvm::toHex(hash.final(), /*LowerCase=*/true).substr(0, 16);
}

/// "softmax f32 64x128" as a file's name.
std::string fileName(const std::string &name) {
  std::string result = name;
  for (char &c : result)
    if (!llvm::isAlnum(c) && c != '-' && c != '.')
      c = '_';
  return result + ".ptx";
}

/// A kernel that several cases share has the first one's name.
Compiled compileAll(const std::vector<Case> &cases, const std::string &processor,
                    const CompilerPlaces &places, const std::string &folder) {
  KernelCache cache(places, processor, Stage::PTX);
  Compiled result;
  std::set<const CompiledKernel *> known;
  for (const Case &example : cases) {
    std::string name = example.name() + " " + processor;
    Result<KernelRun> run = example.build(1);
    Result<const CompiledKernel *> kernel =
        run ? cache.get(*run) : Result<const CompiledKernel *>(run.status());
    if (!kernel && run) {
      result.digests.emplace(name, kNoCode);
      continue;
    }
    if (!kernel) {
      result.failures.push_back(name + ": " + kernel.message());
      continue;
    }
    if (!known.insert(*kernel).second)
      continue;
    const std::string &ptx = (*kernel)->ptx;
    result.digests.emplace(name, digestOf(ptx));
    if (folder.empty())
      continue;
    Status written =
        tilecrt::writeFileAtomically(folder + "/" + fileName(name), {{ptx.data(), ptx.size()}});
    if (!written)
      result.failures.push_back(written.message());
  }
  return result;
}

Result<Digests> readDigests(const std::string &path) {
  std::ifstream file(path);
  if (!file)
    return tilecrt::ioError("cannot read '" + path + "'");
  Digests digests;
  for (std::string line; std::getline(file, line);) {
    size_t blank = line.find(' ');
    if (blank != 16 || line.size() < 18)
      return tilecrt::invalidArgument("'" + path + "' is no file of digests: '" + line + "'");
    digests.emplace(line.substr(blank + 1), line.substr(0, blank));
  }
  return digests;
}

Status writeDigests(const std::string &path, const Digests &digests) {
  std::string text;
  for (const auto &[name, digest] : digests)
    text += digest + " " + name + "\n";
  return tilecrt::writeFileAtomically(path, {{text.data(), text.size()}});
}

/// Prints what differs; how much that is.
size_t compare(const Digests &kept, const Digests &now, bool isComplete) {
  size_t different = 0;
  for (const auto &[name, digest] : now) {
    auto before = kept.find(name);
    if (before != kept.end() && before->second == digest)
      continue;
    ++different;
    std::printf("%s: %s\n", name.c_str(), before == kept.end() ? "has no digest" : "has other PTX");
  }
  for (const auto &[name, digest] : kept)
    if (isComplete && !now.count(name)) {
      ++different;
      std::printf("%s: has a digest, but was not compiled\n", name.c_str());
    }
  return different;
}

} // namespace

DigestOutcome checkDigests(const CaseProgram &program, const std::vector<Case> &cases,
                           const CompilerPlaces &places, const Options &options) {
  auto fail = [&](const Status &status) {
    std::fprintf(stderr, "%s: %s\n", program.name, status.message().c_str());
    return DigestOutcome::Failed;
  };
  Result<Digests> kept = Digests();
  if (!options.digests.empty() && !(options.update && options.filter.empty())) {
    kept = readDigests(options.digests);
    if (!kept)
      return fail(kept.status());
  }
  // A thread for each processor: compilers share nothing.
  std::vector<Compiled> compiled(std::size(processors));
  std::vector<std::thread> threads;
  for (size_t i = 0; i < compiled.size(); ++i)
    threads.emplace_back(
        [&, i] { compiled[i] = compileAll(cases, processors[i], places, options.ptxFolder); });
  for (std::thread &thread : threads)
    thread.join();
  Digests now;
  size_t failed = 0;
  for (const Compiled &part : compiled) {
    now.insert(part.digests.begin(), part.digests.end());
    failed += part.failures.size();
    for (const std::string &failure : part.failures)
      std::printf("FAILED: %s\n", failure.c_str());
  }
  if (failed != 0)
    return DigestOutcome::Failed;
  if (options.digests.empty()) {
    std::printf("%zu kernels compiled\n", now.size());
    return DigestOutcome::AsKept;
  }
  if (options.update) {
    // Of a part of the cases only that part is replaced.
    for (const auto &[name, digest] : now)
      (*kept)[name] = digest;
    if (Status written = writeDigests(options.digests, *kept); !written)
      return fail(written);
    std::printf("%zu digests written to %s\n", now.size(), options.digests.c_str());
    return DigestOutcome::AsKept;
  }
  size_t different = compare(*kept, now, options.filter.empty());
  std::printf("%zu kernels, %zu different\n", now.size(), different);
  if (different == 0)
    return DigestOutcome::AsKept;
  std::printf("a change that is meant is taken over by './dev digests --update'\n");
  return DigestOutcome::Different;
}

} // namespace tilec::harness
