# Kernels as projects write them: the examples again, in other words.
