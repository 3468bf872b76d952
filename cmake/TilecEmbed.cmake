# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Writes FOLDER/NAME.h and FOLDER/NAME.EXTENSION: the bytes of SOURCE and of IMAGES (each with its .json beside it).

# The bytes of a file as the initialiser of an array of `type`. The casts keep C++ from seeing a narrowing.
function(bytes_of path type variable)
  file(READ ${path} text HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "(${type})0x\\1," text "${text}")
  string(REGEX REPLACE "(0x0a,)" "\\1\n" text "${text}")
  set(${variable} "${text}" PARENT_SCOPE)
endfunction()

get_filename_component(file_name ${SOURCE} NAME)
set(symbol tilec_kernels_${NAME})
list(LENGTH IMAGES count)

file(WRITE ${FOLDER}/${NAME}.h.new "/* Made by tilec_add_kernels from ${file_name}. */
#ifndef TILEC_KERNELS_${NAME}_H
#define TILEC_KERNELS_${NAME}_H

#include \"tilec/tilec.h\"

#ifdef __cplusplus
#include \"tilec/tilec.hpp\"
extern \"C\" {
#endif

/* The text, which ends in a NUL that the size leaves out. */
extern const char ${symbol}[];
extern const size_t ${symbol}_size;
/* It was compiled for ${count} targets. */
extern const tilec_image ${symbol}_images[];
extern const size_t ${symbol}_num_images;

#ifdef __cplusplus
}

namespace tilec_kernels {
inline tilec::Source ${NAME}() {
  return tilec::Source::text(\"${file_name}\", std::string(${symbol}, ${symbol}_size));
}
} // namespace tilec_kernels
#endif

#endif
")
file(COPY_FILE ${FOLDER}/${NAME}.h.new ${FOLDER}/${NAME}.h ONLY_IF_DIFFERENT)
file(REMOVE ${FOLDER}/${NAME}.h.new)
file(TOUCH ${FOLDER}/${NAME}.h)

bytes_of(${SOURCE} char text)
set(arrays "")
set(list "")
set(number 0)
foreach(image ${IMAGES})
  bytes_of(${image} "unsigned char" code)
  bytes_of(${image}.json char metadata)
  string(APPEND arrays "static const char metadata${number}[] = {\n${metadata}0};\n"
    "static const unsigned char code${number}[] = {\n${code}0};\n")
  string(APPEND list
    "  {metadata${number}, sizeof metadata${number} - 1, code${number}, sizeof code${number} - 1},\n")
  math(EXPR number "${number} + 1")
endforeach()
file(WRITE ${FOLDER}/${NAME}.${EXTENSION} "/* Made by tilec_add_kernels from ${file_name}. */
#include \"${NAME}.h\"

const char ${symbol}[] = {\n${text}0};
const size_t ${symbol}_size = sizeof ${symbol} - 1;

${arrays}
const tilec_image ${symbol}_images[] = {
${list}  {0, 0, 0, 0}};
const size_t ${symbol}_num_images = ${count};
")
