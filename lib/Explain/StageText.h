// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stages of a compilation as lines of text, each with the lines of the source that it comes
// from. What says so in the text (locations, debug information, '.loc') is taken out of it.

#ifndef TILEC_LIB_EXPLAIN_STAGETEXT_H
#define TILEC_LIB_EXPLAIN_STAGETEXT_H

#include "LineTable.h"

#include "tilec/Target/Cubin.h"

#include "mlir/IR/BuiltinOps.h"

namespace tilec::explain {

/// A module with locations: "tile" or "tilegpu".
StageText textOfModule(mlir::ModuleOp module, llvm::StringRef name, LineTable &lines);

/// LLVM's assembly with debug locations.
StageText textOfLLVM(llvm::StringRef text, LineTable &lines);

StageText textOfPTX(llvm::StringRef text, LineTable &lines);

/// The name of the file that the first function of PTX is from; empty where it does not say.
std::string fileOfPTX(llvm::StringRef text);

/// Places of PTX, by file and line, that are inlined, as the comments of LLVM say: where, the
/// innermost first. One that is inlined several times has all of that.
using PlaceCallers =
    std::map<std::pair<std::string, int>, std::vector<std::pair<std::string, int>>>;
PlaceCallers callersInPTX(llvm::StringRef text);

/// What nvdisasm makes of a cubin, and where it knows them, the registers that are in use at each
/// instruction: the most of them is kept with each line of the source. Without nvdisasm, or a
/// cubin, the stage is absent and says why.
StageText textOfCubin(llvm::StringRef cubin, const PtxasHints &tools, LineTable &lines,
                      bool withRegisters = true);

/// A line of a stage's text: of one that is very long, as those of wgmma with all its registers,
/// repeated words with their number, the beginning and the end.
std::string shortened(llvm::StringRef line);

/// A stage with its name, title and language, without lines.
StageText makeStage(llvm::StringRef name);

} // namespace tilec::explain

#endif // TILEC_LIB_EXPLAIN_STAGETEXT_H
