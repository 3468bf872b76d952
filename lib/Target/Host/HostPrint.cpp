// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A printed value with its place in the grid and in the tensor, in the words that the GPU path
// prints. Runs on a simulated thread: the text is built in a buffer on its small stack, and only a
// long one on the heap.

#include "HostSymbols.h"

#include "tilecrt/sim/SimAbi.h"

#include <cstdio>
#include <cstring>
#include <string>

namespace {

/// Text in a buffer that it never overruns.
class Line {
public:
  template <typename... Args> void append(const char *format, Args... args) {
    size_t room = sizeof(buffer) - length;
    int written = std::snprintf(buffer + length, room, format, args...);
    if (written > 0)
      length += std::min(static_cast<size_t>(written), room - 1);
  }
  bool fits(size_t bytes) const { return length + bytes < sizeof(buffer); }
  const char *text() const { return buffer; }

private:
  char buffer[768] = "";
  size_t length = 0;
};

} // namespace

void tilec_host_print(const char *prefix, const int32_t *coordinates, int32_t count, int32_t kind,
                      uint64_t payload, int32_t site) {
  Line line;
  line.append("pid (%d, %d, %d) ", tilec_sim_program(0), tilec_sim_program(1),
              tilec_sim_program(2));
  if (count >= 0)
    line.append("%s", "idx (");
  for (int32_t i = 0; i < count; ++i)
    line.append(i == 0 ? "%*d" : ", %*d", coordinates[count + i], coordinates[i]);
  if (count >= 0)
    line.append("%s", ")");
  if (line.fits(std::strlen(prefix))) {
    line.append("%s", prefix);
    tilec_sim_print(line.text(), kind, payload, site);
    return;
  }
  std::string text = std::string(line.text()) + prefix;
  tilec_sim_print(text.c_str(), kind, payload, site);
}
