// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Straightforward formulas, row by row; only the loop over rows is spread over threads.

#include "References.h"

#include <algorithm>
#include <cmath>
#include <thread>

namespace tilec::harness {

void forRanges(uint64_t count, uint64_t cost, const std::function<void(uint64_t, uint64_t)> &work) {
  constexpr uint64_t worthAThread = uint64_t(1) << 16;
  uint64_t threads = std::max(1u, std::thread::hardware_concurrency());
  threads = std::max<uint64_t>(1, std::min({threads, count, count * cost / worthAThread}));
  std::vector<std::thread> started;
  for (uint64_t i = 1; i < threads; ++i)
    started.emplace_back(work, count * i / threads, count * (i + 1) / threads);
  work(0, count / threads);
  for (std::thread &thread : started)
    thread.join();
}

double geluErf(double x) { return 0.5 * x * (1.0 + std::erf(x / std::sqrt(2.0))); }

double geluTanh(double x) {
  double inner = std::sqrt(2.0 / M_PI) * (x + 0.044715 * x * x * x);
  return 0.5 * x * (1.0 + std::tanh(inner));
}

/// Calls work(row, values) for every row of a matrix.
template <typename Work> static void forRows(const HostArray &x, const Work &work) {
  auto rows = static_cast<uint64_t>(x.shape()[0]);
  auto columns = static_cast<uint64_t>(x.shape()[1]);
  forRanges(rows, columns, [&](uint64_t begin, uint64_t end) {
    std::vector<double> values(columns);
    for (uint64_t row = begin; row < end; ++row) {
      for (uint64_t column = 0; column < columns; ++column)
        values[column] = x.at(row * columns + column);
      work(row, values);
    }
  });
}

void softmaxRows(HostArray &out, const HostArray &x) {
  forRows(x, [&](uint64_t row, const std::vector<double> &values) {
    double peak = *std::max_element(values.begin(), values.end());
    double total = 0;
    double *to = out.as<double>() + row * values.size();
    for (size_t i = 0; i < values.size(); ++i)
      total += to[i] = std::exp(values[i] - peak);
    for (size_t i = 0; i < values.size(); ++i)
      to[i] /= total;
  });
}

RowStatistics rowStatistics(const HostArray &x, double eps) {
  RowStatistics result;
  result.mean.resize(static_cast<size_t>(x.shape()[0]));
  result.rstd.resize(result.mean.size());
  forRows(x, [&](uint64_t row, const std::vector<double> &values) {
    auto count = static_cast<double>(values.size());
    double mean = 0, variance = 0;
    for (double value : values)
      mean += value / count;
    for (double value : values)
      variance += (value - mean) * (value - mean) / count;
    result.mean[row] = mean;
    result.rstd[row] = 1 / std::sqrt(variance + eps);
  });
  return result;
}

void layerNormRows(HostArray &out, const HostArray &x, const HostArray &weight,
                   const HostArray &bias, const RowStatistics &statistics) {
  forRows(x, [&](uint64_t row, const std::vector<double> &values) {
    double *to = out.as<double>() + row * values.size();
    for (size_t i = 0; i < values.size(); ++i)
      to[i] = (values[i] - statistics.mean[row]) * statistics.rstd[row] * weight.at(i) + bias.at(i);
  });
}

void rmsNormRows(HostArray &out, const HostArray &x, const HostArray &weight, double eps) {
  forRows(x, [&](uint64_t row, const std::vector<double> &values) {
    double squares = 0;
    for (double value : values)
      squares += value * value;
    double rstd = 1 / std::sqrt(squares / static_cast<double>(values.size()) + eps);
    double *to = out.as<double>() + row * values.size();
    for (size_t i = 0; i < values.size(); ++i)
      to[i] = values[i] * rstd * weight.at(i);
  });
}

void sumRows(HostArray &out, const HostArray &x) {
  forRows(x, [&](uint64_t row, const std::vector<double> &values) {
    double total = 0;
    for (double value : values)
      total += value;
    out.as<double>()[row] = total;
  });
}

void sumColumns(HostArray &out, const HostArray &x) {
  auto rows = static_cast<uint64_t>(x.shape()[0]);
  auto columns = static_cast<uint64_t>(x.shape()[1]);
  forRanges(columns, rows, [&](uint64_t begin, uint64_t end) {
    double *to = out.as<double>();
    std::fill(to + begin, to + end, 0.0);
    for (uint64_t row = 0; row < rows; ++row)
      for (uint64_t column = begin; column < end; ++column)
        to[column] += x.at(row * columns + column);
  });
}

double sumAll(const HostArray &x) {
  double total = 0;
  for (uint64_t i = 0; i < x.size(); ++i)
    total += x.at(i);
  return total;
}

void transpose(HostArray &out, const HostArray &x) {
  auto rows = static_cast<uint64_t>(x.shape()[0]);
  auto columns = static_cast<uint64_t>(x.shape()[1]);
  forRanges(columns, rows, [&](uint64_t begin, uint64_t end) {
    for (uint64_t column = begin; column < end; ++column)
      for (uint64_t row = 0; row < rows; ++row)
        out.as<double>()[column * rows + row] = x.at(row * columns + column);
  });
}

} // namespace tilec::harness
