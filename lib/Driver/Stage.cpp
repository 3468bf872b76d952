// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of the stages.

#include "tilec/Driver/Compiler.h"

namespace tilec {

namespace {
struct StageInfo {
  Stage stage;
  llvm::StringLiteral name;
  llvm::StringLiteral extension;
};
constexpr StageInfo kStages[] = {
    {Stage::AST, "ast", "ast"},
    {Stage::Tile, "tile", "tile.mlir"},
    {Stage::TileGPU, "tilegpu", "tilegpu.mlir"},
    {Stage::LLVMMLIR, "llvm-mlir", "llvm.mlir"},
    {Stage::LLVM, "llvm", "ll"},
    {Stage::PTX, "ptx", "ptx"},
    {Stage::Cubin, "cubin", "cubin"},
};
constexpr Stage kAllStages[] = {Stage::AST,  Stage::Tile, Stage::TileGPU, Stage::LLVMMLIR,
                                Stage::LLVM, Stage::PTX,  Stage::Cubin};
} // namespace

llvm::StringRef stageName(Stage stage) { return kStages[size_t(stage)].name; }

llvm::StringRef stageExtension(Stage stage) { return kStages[size_t(stage)].extension; }

std::optional<Stage> parseStage(llvm::StringRef name) {
  for (const StageInfo &info : kStages)
    if (info.name == name)
      return info.stage;
  return std::nullopt;
}

llvm::ArrayRef<Stage> allStages() { return kAllStages; }

} // namespace tilec
