// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of 'tilec build'.

#include "CommandParser.h"
#include "OptionValues.h"
#include "SharedOptions.h"

namespace tilec::tool {

namespace {

constexpr const char *buildExamples =
    R"text(Compiles kernels ahead of time, on a machine without a GPU, into a C header and a C source with a
typed launch function for each: programs need the CUDA driver at run time, and nothing of tilec. With
'--emit bundle' it is one file instead, which tilec.load_bundle of the Python package and
tilec_bundle_open of libtilec load.
SPEC is a JSON file like
  {"name": "ops", "targets": ["sm_80", "sm_90a"],
   "kernels": [{"file": "add.tile", "name": "add_f32", "grid": "cdiv(n, BLOCK)",
                "arguments": {"x": "*fp32:16", "y": "*fp32:16", "n": "i32"},
                "constants": {"BLOCK": 1024}, "num_warps": 4}]}

Examples:
  tilec build ops.json -o generated
  tilec build ops.json -o generated --emit bundle
  cc -c generated/ops.c && cc main.c ops.o -ldl -lpthread)text";

class BuildParser final : public CommandParser {
public:
  void declare(OptionSet &options) override;
  Command read(const OptionSet &options) override;

private:
  BuildCommand build;
  std::string emit = "c";
};

void BuildParser::declare(OptionSet &options) {
  options.addWord("SPEC", build.spec, "What to compile, as JSON");
  options.require("SPEC");
  options.addValue("-o,--output", build.output, "Folder for the files", "DIR");
  options.require("--output");
  options.addValue("--emit", emit, "Files: c (NAME.h and NAME.c), bundle (NAME.tilec), all",
                   "FORM");
  options.addFlag("--keep-sources", build.keepsSources,
                  "Keep the kernels' sources in the bundle, for 'tilec explain'");
  addAssemblerOption(options, build.kernel.ptxas);
  addCacheOptions(options, build.kernel.cache);
  options.setFooter(buildExamples);
}

Command BuildParser::read(const OptionSet & /*options*/) {
  size_t form = chooseWord("--emit", emit, {"c", "bundle", "all"});
  build.writesC = form != 1;
  build.writesFile = form != 0;
  if (build.keepsSources && !build.writesFile)
    usage("'--keep-sources' needs '--emit bundle' or '--emit all': C source has none");
  return std::move(build);
}

} // namespace

std::unique_ptr<CommandParser> makeBuildParser() { return std::make_unique<BuildParser>(); }

} // namespace tilec::tool
