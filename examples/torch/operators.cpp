// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An operator of PyTorch's from a bundle: torch.ops.tilec_example.rms_norm. Only PyTorch's stable
// interface is used, so that one library serves all versions from 2.10 on. Nothing of Python or
// tilec is needed when it runs.

#include "operators.h"

#include <torch/csrc/inductor/aoti_torch/c/shim.h>
#include <torch/csrc/stable/accelerator.h>
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>
#include <torch/headeronly/core/ScalarType.h>

#include <cstdint>
#include <limits>

using torch::headeronly::ScalarType;
using torch::stable::Tensor;

namespace {

/// A kernel for one element type, and the one for any alignment beside it.
template <typename Element> struct Kernels {
  using Launch = operators_status (*)(operators_grid, Element *, Element *, Element *, int32_t,
                                      float, void *);
  Launch aligned, any;

  operators_status run(const Tensor &x, const Tensor &w, const Tensor &y, uint32_t rows,
                       int32_t columns, float eps, void *stream) const {
    void *pointers[] = {x.data_ptr(), w.data_ptr(), y.data_ptr()};
    bool isAligned = columns % 16 == 0;
    for (void *pointer : pointers)
      isAligned &= reinterpret_cast<uintptr_t>(pointer) % 16 == 0;
    return (isAligned ? aligned : any)({rows, 1, 1}, static_cast<Element *>(pointers[0]),
                                       static_cast<Element *>(pointers[1]),
                                       static_cast<Element *>(pointers[2]), columns, eps, stream);
  }
};

Tensor rmsNorm(const Tensor &x, const Tensor &weight, double eps) {
  STD_TORCH_CHECK(x.dim() >= 1, "rms_norm: expected at least one dimension");
  int64_t columns = x.size(x.dim() - 1);
  STD_TORCH_CHECK(weight.dim() == 1 && weight.size(0) == columns,
                  "rms_norm: expected a weight for each of ", columns, " columns");
  STD_TORCH_CHECK(weight.scalar_type() == x.scalar_type(),
                  "rms_norm: expected the weight to have the type of the input");
  STD_TORCH_CHECK(weight.is_cuda() && weight.get_device_index() == x.get_device_index(),
                  "rms_norm: expected the weight on the device of the input");
  STD_TORCH_CHECK(x.is_contiguous() && weight.is_contiguous(),
                  "rms_norm: expected contiguous tensors");
  int64_t rows = columns == 0 ? 0 : x.numel() / columns;
  STD_TORCH_CHECK(columns <= std::numeric_limits<int32_t>::max() &&
                      rows <= std::numeric_limits<int32_t>::max(),
                  "rms_norm: expected less than 2^31 rows and columns");

  torch::stable::accelerator::DeviceGuard guard(x.get_device_index());
  Tensor y = torch::stable::empty_like(x);
  if (rows == 0)
    return y;
  void *stream = nullptr;
  TORCH_ERROR_CODE_CHECK(aoti_torch_get_current_cuda_stream(x.get_device_index(), &stream));
  auto launch = [&](const auto &kernels) {
    return kernels.run(x, weight, y, uint32_t(rows), int32_t(columns), float(eps), stream);
  };
  operators_status status = operators_OK;
  switch (x.scalar_type()) {
  case ScalarType::Float:
    status = launch(Kernels<float>{operators_rms_norm_fp32, operators_rms_norm_fp32_any});
    break;
  case ScalarType::Half:
    status = launch(Kernels<uint16_t>{operators_rms_norm_fp16, operators_rms_norm_fp16_any});
    break;
  case ScalarType::BFloat16:
    status = launch(Kernels<uint16_t>{operators_rms_norm_bf16, operators_rms_norm_bf16_any});
    break;
  default:
    STD_TORCH_CHECK(false, "rms_norm: expected float32, float16 or bfloat16");
  }
  STD_TORCH_CHECK(status == operators_OK, "rms_norm: ", operators_error());
  return y;
}

} // namespace

STABLE_TORCH_LIBRARY(tilec_example, library) {
  library.def("rms_norm(Tensor x, Tensor weight, float eps) -> Tensor");
}

STABLE_TORCH_LIBRARY_IMPL(tilec_example, CUDA, library) {
  library.impl("rms_norm", TORCH_BOX(&rmsNorm));
}
