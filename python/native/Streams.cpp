// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Streams.h.

#include "Streams.h"

#include "Arguments.h"

#include <algorithm>

using namespace tilec::python;

bool tilec::python::findStream(PyObject *self, const Arguments &arguments, void *&stream) {
  const Place &place = arguments.place;
  if (place.isHost())
    return true;
  if (place.api && place.api->currentWorkStream)
    return place.api->currentWorkStream(place.deviceType, place.deviceId, &stream) == 0;
  const Frameworks &frameworks = arguments.frameworks;
  unsigned long long used = frameworks.streams.empty() ? 0 : frameworks.streams.front();
  Ref number(
      PyObject_CallMethod(self, "_stream", "(iIK)", int(place.deviceId), frameworks.seen, used));
  if (!number)
    return false;
  stream = PyLong_AsVoidPtr(number.get());
  return !PyErr_Occurred();
}

bool tilec::python::awaitStreams(PyObject *classify, const Arguments &arguments, void *stream) {
  // 0 and 1 are the same stream, the default one.
  auto numberOfStream = [](uintptr_t handle) { return std::max(handle, uintptr_t(1)); };
  uintptr_t ours = reinterpret_cast<uintptr_t>(stream);
  for (uintptr_t other : arguments.frameworks.streams)
    if (numberOfStream(other) != numberOfStream(ours) &&
        !Ref(PyObject_CallMethod(classify, "wait_for", "(iiKK)", int(arguments.place.deviceType),
                                 int(arguments.place.deviceId),
                                 static_cast<unsigned long long>(ours),
                                 static_cast<unsigned long long>(other))))
      return false;
  return true;
}
