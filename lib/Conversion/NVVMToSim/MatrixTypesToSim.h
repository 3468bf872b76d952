// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime's numbers for the element types of matrix products.

#ifndef TILEC_LIB_CONVERSION_NVVMTOSIM_MATRIXTYPESTOSIM_H
#define TILEC_LIB_CONVERSION_NVVMTOSIM_MATRIXTYPESTOSIM_H

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "tilecrt/sim/SimMatrixAbi.h"

#include <optional>

namespace tilec {

std::optional<tilecrt::sim::abi::MatrixType> matrixType(mlir::NVVM::MMATypes type);
std::optional<tilecrt::sim::abi::MatrixType> matrixType(mlir::NVVM::WGMMATypes type);
/// Of a builtin type, as the thread-level operations of tilegpu name them.
std::optional<tilecrt::sim::abi::MatrixType> matrixType(mlir::Type type);

} // namespace tilec

#endif // TILEC_LIB_CONVERSION_NVVMTOSIM_MATRIXTYPESTOSIM_H
