// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The only file that knows the option parser.

#include "Options.h"

#include "llvm/ADT/StringRef.h"
#include <CLI/CLI.hpp>

namespace tilec::harness {

/// "auto", "sim", "sim:PROCESSOR", "interp", "cuda" or "cuda:N"; empty text means it was one of
/// them.
static std::string readDevice(const std::string &text, Options &options) {
  if (text == "auto" || text == "sim") {
    options.device = text == "sim" ? Options::DeviceChoice::Sim : Options::DeviceChoice::Auto;
    return "";
  }
  if (text.rfind("sim:", 0) == 0) {
    options.device = Options::DeviceChoice::Sim;
    options.processor = text.substr(4);
    return "";
  }
  if (text == "interp") {
    options.device = Options::DeviceChoice::Interp;
    return "";
  }
  options.device = Options::DeviceChoice::Cuda;
  if (text == "cuda")
    return "";
  if (text.rfind("cuda:", 0) == 0 && text.size() > 5 && text.size() < 9 &&
      text.find_first_not_of("0123456789", 5) == std::string::npos) {
    options.ordinal = std::stoi(text.substr(5));
    return "";
  }
  return "expected 'auto', 'sim', 'sim:PROCESSOR', 'interp', 'cuda' or 'cuda:N', got '" + text +
         "'";
}

std::optional<Options> parseOptions(int argc, char **argv, const CaseProgram &program,
                                    int &exitCode) {
  Options options;
  std::string device = "auto";
  uint64_t seed = 0;
  bool noCheck = false;
  CLI::App app(program.about);
  app.name(program.name);
  app.add_option("--device", device, "auto, sim, interp, cuda or cuda:N (default auto)")
      ->check([&](const std::string &text) { return readDevice(text, options); });
  app.add_flag("--quick", options.quick, "one size for each kernel");
  if (program.folder)
    app.add_flag("--large", options.large, "the sizes for a GPU, timed");
  app.add_option("--filter", options.filter, "regular expression over 'KERNEL DTYPE SIZE'");
  app.add_flag("--list", options.list, "print the cases and stop");
  CLI::Option *seedOption = app.add_option("--seed", seed, "seed of the inputs (default: random)");
  app.add_option("--json", options.json, "write the results to this file too");
  if (program.folder) {
    CLI::Option *counters =
        app.add_option("--counters", options.counters,
                       "compare the kernels' counters with the golden values in this file");
    CLI::Option *digests = app.add_option("--digests", options.digests,
                                          "compare the kernels' PTX with the digests in this file")
                               ->excludes(counters);
    CLI::Option *update =
        app.add_flag("--update", options.update, "write the golden values instead");
    app.final_callback([=] {
      if (update->count() != 0 && counters->count() + digests->count() == 0)
        throw CLI::RequiresError("--update", "--counters or --digests");
    });
    CLI::Option *mutants =
        app.add_option("--mutants", options.mutants,
                       "run each kernel without one of its barriers, waits, fences and arrivals, "
                       "which the simulator has to find; the file has those that may survive")
            ->excludes(counters)
            ->excludes(digests);
    app.add_option("--sample", options.sample,
                   "so many of the mutants, chosen at random (default all)")
        ->needs(mutants);
    app.add_option_function<std::string>(
           "--shard",
           [&options](const std::string &text) {
             llvm::StringRef rest = text;
             if (rest.consumeInteger(10, options.shard) || !rest.consume_front("/") ||
                 rest.getAsInteger(10, options.shards) || options.shard >= options.shards)
               throw CLI::ValidationError("--shard", "expected I/N with I < N, got '" + text + "'");
           },
           "only the mutants of the Ith of N parts of the kernels, counted from 0; with the same "
           "seed in each part")
        ->type_name("I/N")
        ->needs(mutants)
        ->needs(seedOption);
    app.add_option("--examples", options.examples, "folder of the example files");
  }
  app.add_option("--ptx", options.ptxFolder,
                 "compile for several processors, write every kernel's PTX to this folder");
  // A flag of a variable would be false when it is not given.
  app.add_flag_function(
      "--persistent,!--no-persistent", [&](int64_t times) { options.persistent = times > 0; },
      "make all kernels persistent that can be, or none");
  app.add_flag("--no-check", noCheck, "no checking on the simulator");
  app.add_option("--compile-only", options.compileFor,
                 "compile to a cubin for this processor and run nothing");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    // The parser's own codes are not ours: 2 is wrong usage.
    exitCode = app.exit(error) == 0 ? 0 : 2;
    return std::nullopt;
  }
  options.check = !noCheck;
  if (seedOption->count() != 0)
    options.seed = seed;
  return options;
}

} // namespace tilec::harness
