// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tile-lsp: a language server for tile kernels, over standard input and output.

#include "Server.h"

#include "tilec/Support/Processor.h"

#include "llvm/Support/Program.h"

using namespace tilec::lsp;

// LLVM's own command line is taken: libraries register options such as -W in it.
static constexpr const char *help =
    R"text(A language server for tile kernels, over standard input and output.

usage: tile-lsp [OPTIONS]

  -I DIR             Folder to look for imported modules in
  --target TARGET    Processor that kernels are checked for: sm_80, sm_90a (default), ...
  -WNAME, -Wno-NAME  Switch warnings on and off, as for tilec
  --debounce N       Milliseconds that the text rests before it is analysed (default 200)
  --verbose          Log messages on standard error
  --version, --help
)text";

static int fail(const llvm::Twine &message) {
  llvm::errs() << "tile-lsp: error: " << message << "\n";
  return 2;
}

int main(int argc, char **argv) {
  ServerOptions options;
  bool isVerbose = false, isTest = false;
  for (int i = 1; i < argc; ++i) {
    llvm::StringRef word = argv[i];
    // "--name=VALUE", "--name VALUE" or "-IVALUE".
    auto takeValue = [&](llvm::StringRef name, std::string &value) {
      llvm::StringRef rest = word;
      if (!rest.consume_front(name))
        return false;
      bool isShort = !name.starts_with("--");
      if (rest.empty() && i + 1 < argc)
        value = argv[++i];
      else if (isShort || rest.consume_front("="))
        value = rest.str();
      else
        return false;
      return true;
    };
    std::string value;
    if (word == "--help" || word == "-h") {
      llvm::outs() << help;
      return 0;
    }
    if (word == "--version") {
      llvm::outs() << "tile-lsp " TILEC_VERSION "\n";
      return 0;
    }
    if (word == "--verbose") {
      isVerbose = true;
    } else if (word == "--lit-test") {
      // Messages end in '// -----', and are printed for people.
      isTest = true;
    } else if (takeValue("--target", value)) {
      llvm::Expected<const tilec::Processor *> found = tilec::findProcessor(value);
      if (!found)
        return fail(llvm::toString(found.takeError()));
      options.settings.target = value;
    } else if (takeValue("--debounce", value)) {
      if (llvm::StringRef(value).getAsInteger(10, options.debounceMilliseconds))
        return fail("'--debounce' expects a number of milliseconds, got '" + value + "'");
    } else if (takeValue("-I", value)) {
      options.settings.importRoots.push_back(value);
    } else if (takeValue("-W", value)) {
      if (std::optional<std::string> problem = options.settings.warnings.apply(value))
        return fail(*problem);
    } else if (word == "--stdio") {
      // Editors say so though there is no other way.
    } else {
      return fail("unknown option '" + word + "'; 'tile-lsp --help' lists them");
    }
  }

  using llvm::lsp::Logger;
  Logger::setLogLevel(isVerbose ? Logger::Level::Debug : Logger::Level::Error);
  (void)llvm::sys::ChangeStdinToBinary();
  llvm::lsp::JSONTransport transport(stdin, llvm::outs(),
                                     isTest ? llvm::lsp::Delimited : llvm::lsp::Standard, isTest);
  return runServer(transport, options);
}
