// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The option --device of the examples' programs: sim (with every check) or cuda.

#ifndef TILEC_EXAMPLES_HOST_DEVICEOPTION_H
#define TILEC_EXAMPLES_HOST_DEVICEOPTION_H

#include "tilec/tilec.hpp"

#include <cstdio>
#include <cstring>

/// The device that the command line names; false after a message.
inline tilec::Device openDevice(int argc, char **argv) {
  const char *name = "sim";
  if (argc == 3 && std::strcmp(argv[1], "--device") == 0)
    name = argv[2];
  else if (argc != 1)
    std::fprintf(stderr, "usage: %s [--device sim|cuda|cuda:N]\n", argv[0]);
  tilec::DeviceOptions options;
  options.check = true;
  tilec::Device device;
  if (argc == 1 || argc == 3)
    device = tilec::Device::open(name, options);
  if (!device)
    std::fprintf(stderr, "%s: %s\n", name, device.status().message.c_str());
  return device;
}

/// Says why a step failed.
inline bool succeeded(const char *what, const tilec::Status &status) {
  if (!status)
    std::fprintf(stderr, "%s: %s\n", what, status.message.c_str());
  return bool(status);
}

#endif // TILEC_EXAMPLES_HOST_DEVICEOPTION_H
