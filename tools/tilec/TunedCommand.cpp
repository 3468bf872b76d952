// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tilec tuned: what tuning databases hold, and several of them as one.

#include "Commands.h"
#include "Console.h"

#include "tilec/Tuning/TuningDatabase.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"

namespace tilec::tool {

ExitCode execute(const TunedCommand &command) {
  TuningDatabase all;
  for (const std::string &file : command.files) {
    if (!llvm::sys::fs::exists(file))
      return reportError("cannot read '" + file + "': no such file");
    llvm::Expected<TuningDatabase> database = TuningDatabase::load(file);
    if (!database)
      return reportError(llvm::toString(database.takeError()));
    all.merge(*database);
  }
  if (!command.output.empty()) {
    if (llvm::Error error = all.save(command.output))
      return reportError(llvm::toString(std::move(error)));
    return ExitCode::Ok;
  }
  if (command.json)
    return writeToStdout(all.toText());
  std::string text;
  for (const TuningRecord &record : all.getRecords()) {
    std::string sizes;
    for (const auto &[name, size] : record.key.sizes)
      sizes += " " + name + "<=" + std::to_string(size);
    text += llvm::formatv("{0} on {1}{2}: {3} ({4:F2} {5}, {6} measured)\n", record.kernelName,
                          record.key.device, sizes.empty() ? "" : "," + sizes,
                          record.config.describe(), record.cost, record.unit, record.measured);
  }
  return writeToStdout(text.empty() ? "no records\n" : text);
}

} // namespace tilec::tool
