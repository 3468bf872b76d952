// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a simulated launch says: lines that the kernel prints, and faults. The simulator tells them
// to the thread that launches, which then has no interpreter's lock; they are kept until it has.

#ifndef TILEC_PYTHON_NATIVE_SIMULATION_H
#define TILEC_PYTHON_NATIVE_SIMULATION_H

#include "Object.h"

#include <string>
#include <vector>

namespace tilec::python {

/// Collects what the simulator tells this thread, for the time of a launch.
class Simulation {
public:
  Simulation();
  ~Simulation();
  Simulation(const Simulation &) = delete;
  Simulation &operator=(const Simulation &) = delete;

  /// Writes the printed lines to sys.stdout.
  void print();
  /// Sets the Python exception of a failed launch, with the faults.
  PyObject *raise(int status);

  /// tilec_device_options.event.
  static void tell(void *context, const tilec_device_event *event);

private:
  struct Fault {
    std::string kind, message, file, kernel;
    uint32_t line, column, program[3], thread;
  };
  std::vector<std::string> lines;
  std::vector<Fault> faults;
  Simulation *outer;
};

} // namespace tilec::python

#endif // TILEC_PYTHON_NATIVE_SIMULATION_H
