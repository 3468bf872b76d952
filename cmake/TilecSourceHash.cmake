# Writes OUTPUT, a C string with a hash of everything that decides which code the compiler makes: the contents of its
# sources, and the texts in SALT. LIST is a file with the sources' paths, a line each, below ROOT.
#
#   cmake -DLIST=... -DROOT=... -DSALT=... -DOUTPUT=... -P TilecSourceHash.cmake
file(STRINGS ${LIST} sources)
set(text "${SALT}")
foreach(source ${sources})
  file(SHA256 ${ROOT}/${source} hash)
  string(APPEND text "${source} ${hash}\n")
endforeach()
string(SHA256 hash "${text}")
string(SUBSTRING ${hash} 0 40 hash)
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "\"${hash}\"\n")
