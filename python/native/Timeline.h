// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Timelines of launches: tilec/_timeline.py.

#ifndef TILEC_PYTHON_NATIVE_TIMELINE_H
#define TILEC_PYTHON_NATIVE_TIMELINE_H

#include "Options.h"

namespace tilec::python {

/// A launch that has a timeline.
class TimelineLaunch {
public:
  TimelineLaunch() { options.struct_size = sizeof options; }
  ~TimelineLaunch() { tilec_timeline_destroy(made); }
  TimelineLaunch(const TimelineLaunch &) = delete;
  TimelineLaunch &operator=(const TimelineLaunch &) = delete;

  /// Reads a dict with the names of tilec_timeline_options. False with a Python exception.
  bool read(PyObject *dict);
  /// In place of tilec_jit_launch. The interpreter's lock is not needed.
  tilec_status launch(tilec_jit *jit, const tilec_call &call, uint32_t &variant) {
    return tilec_jit_launch_timeline(jit, &call, &options, &variant, &made);
  }
  /// The number of the timeline, which is the caller's then; None where nothing was launched.
  PyObject *take();

private:
  tilec_timeline_options options = {};
  KeptTexts texts;
  tilec_timeline *made = nullptr;
};

/// False with a Python exception.
bool addTimelineFunctions(PyObject *module);

} // namespace tilec::python

#endif // TILEC_PYTHON_NATIVE_TIMELINE_H
