# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# tilec_embed_text(VARIABLE FILES...) sets VARIABLE to a C++ literal with the text of the files, one after the other, in
# pieces because compilers limit the length of one. A change of a file configures again.
function(tilec_embed_text variable)
  set(text "")
  foreach(file ${ARGN})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    file(READ ${file} part)
    string(APPEND text "${part}")
  endforeach()
  string(REPLACE "\n\n" ")text\"\nR\"text(\n\n" text "${text}")
  set(${variable} "R\"text(${text})text\"" PARENT_SCOPE)
endfunction()
