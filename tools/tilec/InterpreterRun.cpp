// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See InterpreterRun.h. Printed lines travel in the simulator's result.

#include "InterpreterRun.h"

#include "RunMemory.h"

#include <chrono>

using tilecrt::Result;
using tilecrt::Status;

namespace tilec::tool {

static InterpreterConfig makeConfig(const CompiledKernel &kernel, const RunPlan &plan,
                                    const std::vector<uint64_t> &addresses) {
  InterpreterConfig config;
  config.grid = plan.grid;
  for (size_t i = 0; i < plan.arrays.size(); ++i) {
    const RunArray &array = plan.arrays[i];
    bool readOnly = llvm::any_of(kernel.metadata.arguments, [&](const auto &argument) {
      return argument.isConst && argument.name == array.name;
    });
    config.buffers.push_back(
        {reinterpret_cast<void *>(addresses[i]), array.data.byteSize(), array.name, readOnly});
  }
  return config;
}

Result<RunOutcome> runOnInterpreter(Compiler &compiler, SourceManager &sources,
                                    const CompiledKernel &kernel, RunPlan &plan,
                                    const RunCommand &command, DiagnosticEngine &diagnostics) {
  TILECRT_RETURN_IF_ERROR(checkHostGrid(plan.grid, "interpreter"));
  Result<RunMemory> memory = RunMemory::create(plan.arrays);
  if (!memory.ok())
    return memory.status();
  std::vector<uint64_t> addresses = memory->addresses();
  fillTables(plan.arrays, addresses);
  Result<std::vector<std::vector<char>>> values = encodeArguments(plan, kernel.metadata, addresses);
  if (!values.ok())
    return values.status();
  std::vector<void *> arguments;
  for (std::vector<char> &value : *values)
    arguments.push_back(value.data());

  memory->copyIn(plan.arrays);
  InterpreterResult result;
  auto start = std::chrono::steady_clock::now();
  compiler.interpret(kernel, arguments.data(), makeConfig(kernel, plan, addresses), sources,
                     diagnostics, result);
  std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
  memory->copyOut(plan.arrays);

  RunOutcome outcome;
  outcome.device = "interpreter";
  outcome.interpreted = true;
  outcome.time = {time.count(), time.count(), time.count(), 1};
  for (InterpreterLine &line : result.printed) {
    tilecrt::sim::PrintedLine printed;
    printed.thread.cta = line.program;
    printed.text = std::move(line.text);
    outcome.launch.printed.push_back(std::move(printed));
  }
  outcome.launch.printedDropped = result.printedDropped;
  return outcome;
}

} // namespace tilec::tool
