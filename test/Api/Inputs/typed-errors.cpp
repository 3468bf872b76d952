// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls that are right and, with WRONG, calls that the C++ compiler refuses.
#include "tilec/tilec.hpp"

using namespace tilec;

using Tensor = TensorDescriptor<float, 2>;
using Numbers = TypedKernel<void(const float *, int32_t, Half)>;
using Tensors = TypedKernel<void(Tensor, Tensor)>;

void right(const Numbers &numbers, const Tensors &tensors, float *pointer, Half half) {
  Tensor tensor(pointer, {64, 64}, {16, 16});
  (void)numbers({}, pointer, 1, half);
  (void)tensors({}, tensor, tensor);
  TypedKernel<void(TensorDescriptor<const float, 2>)> reads;
  (void)reads({}, tensor);
}

#ifdef WRONG
struct Other {
  short value;
};

void wrong(const Numbers &numbers, const Tensors &tensors, float *pointer, double *wide,
           Half half) {
  (void)numbers({}, pointer, 1);
  (void)numbers({}, pointer, int64_t(1), half);
  (void)numbers({}, pointer, 1, 0.5f);
  (void)numbers({}, pointer, 1, uint16_t(1));
  (void)numbers({}, pointer, 1, BFloat16{1});
  (void)numbers({}, wide, 1, half);
  (void)numbers({}, std::vector<float>(), 1, half);
  Tensor tensor(pointer, {64, 64}, {16, 16});
  (void)tensors({}, tensor, TensorDescriptor<float, 3>());
  (void)tensors({}, tensor, TensorDescriptor<const float, 2>());
  (void)tensors({}, tensor, TensorDescriptor<double, 2>());
  (void)tensors({}, tensor, pointer);
  (void)tensors.prepare({}, tensor, tensor).set<2>(tensor);
}

void wrongSignatures(const Device &device, const Source &source) {
  TypedKernel<void(Other)> other(device, source);
  TypedKernel<void(std::string)> text(device, source);
  TypedKernel<void(const Tensor &)> reference(device, source);
  TypedKernel<void(void *)> any(device, source);
  TensorDescriptor<float, 6> many;
}
#endif
