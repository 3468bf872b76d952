// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Drives the parser and the IR generator for the tests.

#include "IRGenFixture.h"

#include "tilec/Syntax/Parser.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"

namespace tilec::test {

static void addLines(const SourceManager &sources, const Diagnostic &diagnostic,
                     std::vector<std::string> &lines) {
  LineColumn position = sources.getLineColumn(diagnostic.range);
  lines.push_back(getSeverityName(diagnostic.severity).str() + " " + std::to_string(position.line) +
                  ":" + std::to_string(position.column) + ": " + diagnostic.message);
  for (const Diagnostic &note : diagnostic.notes)
    addLines(sources, note, lines);
}

Compiled compile(const std::string &source, const CompileOptions &compileOptions) {
  Compiled result;
  SourceManager sources;
  DiagnosticEngine diagnostics;
  llvm::Expected<FileId> file = sources.addBuffer(compileOptions.fileName, source);
  if (!file) {
    result.diagnostics.push_back(llvm::toString(file.takeError()));
    return result;
  }
  std::unique_ptr<ast::Module> module = parseModule(sources, *file, diagnostics);
  if (module && !diagnostics.hasErrors()) {
    IRGenOptions options;
    options.kernel = compileOptions.kernel;
    options.debug = compileOptions.debug;
    for (const std::string &argument : compileOptions.arguments) {
      auto [name, type] = llvm::StringRef(argument).split('=');
      options.arguments.push_back({name.str(), type.str()});
    }
    for (const std::string &constant : compileOptions.constants) {
      auto [name, value] = llvm::StringRef(constant).split('=');
      options.constants.push_back({name.str(), value.str()});
    }
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    mlir::OwningOpRef<mlir::ModuleOp> ir =
        generateTile(context, *module, sources, options, diagnostics);
    if (ir) {
      EXPECT_TRUE(mlir::succeeded(mlir::verify(*ir)));
      llvm::raw_string_ostream stream(result.ir);
      ir->print(stream);
    }
    EXPECT_EQ(static_cast<bool>(ir), !diagnostics.hasErrors());
  }
  for (const Diagnostic &diagnostic : diagnostics.getDiagnostics())
    addLines(sources, diagnostic, result.diagnostics);
  return result;
}

Compiled compileBody(const std::string &body, const std::vector<std::string> &constants) {
  CompileOptions options;
  options.arguments = {"p=*fp32", "q=*fp32", "n=i32", "f=fp32", "b=u1"};
  options.constants = constants;
  std::string params = "p, q, n, f, b";
  for (const std::string &constant : constants)
    params += ", " + llvm::StringRef(constant).split('=').first.str() + ": tl.constexpr";
  return compile("@triton.jit\ndef k(" + params + "):\n" + body, options);
}

} // namespace tilec::test
