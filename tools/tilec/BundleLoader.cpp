// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loader of bundles: C11, one copy in every generated source. It opens libcuda.so.1 once,
// loads an image into a context at the first launch there, and keeps it. Nothing is thrown away:
// contexts and modules live as long as the process.

#include "BundleSource.h"

namespace tilec::tool {

const char *const bundleLoaderText = R"text(
#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is used of the driver's interface. */
typedef int drv_result;
typedef struct drv_context *drv_context;
typedef struct drv_module *drv_module;
typedef struct drv_function *drv_function;

static struct {
  drv_result (*init)(unsigned);
  drv_result (*driver_version)(int *);
  drv_result (*context_current)(drv_context *);
  drv_result (*context_device)(int *);
  drv_result (*context_set)(drv_context);
  drv_result (*device_get)(int *, int);
  drv_result (*primary_retain)(drv_context *, int);
  drv_result (*device_attribute)(int *, int, int);
  drv_result (*module_load)(drv_module *, const void *);
  drv_result (*module_function)(drv_function *, drv_module, const char *);
  drv_result (*function_attribute)(drv_function, int, int);
  drv_result (*launch)(drv_function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                       unsigned, void *, void **, void **);
  drv_result (*error_name)(drv_result, const char **);
} drv;

enum { drv_out_of_memory = 2, drv_attribute_major = 75, drv_attribute_minor = 76,
       drv_function_dynamic_shared = 8 };
/* The oldest driver that knows the PTX in here. */
enum { drv_oldest = 12000 };

/* One compiled form of a kernel. */
typedef struct {
  const char *target;
  int capability;
  int exact;
  int ptx;
  const char *bytes;
  size_t size;
  uint64_t checksum;
  const char *entry;
  unsigned threads;
  unsigned shared;
  int variant;
} bundle_image;

/* A kernel loaded into a context. */
typedef struct {
  drv_context context;
  const bundle_image *images;
  const bundle_image *image;
  drv_function function;
} bundle_loaded;

static pthread_mutex_t bundle_lock = PTHREAD_MUTEX_INITIALIZER;
static int bundle_driver_state; /* 0: not tried, 1: works, 2: does not */
static @NAME@_status bundle_driver_status;
static char bundle_driver_message[256];
static bundle_loaded *bundle_list;
static size_t bundle_count, bundle_capacity;
static __thread char bundle_message[256];

const char *@NAME@_error(void) { return bundle_message; }

static @NAME@_status bundle_fail(@NAME@_status status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(bundle_message, sizeof bundle_message, format, arguments);
  va_end(arguments);
  return status;
}

static @NAME@_status bundle_driver_failed(drv_result result, const char *what) {
  const char *name = NULL;
  if (!drv.error_name || drv.error_name(result, &name) != 0 || !name)
    name = "unknown error";
  return bundle_fail(result == drv_out_of_memory ? @NAME@_OUT_OF_MEMORY : @NAME@_DRIVER_ERROR,
                     "%s: %s (%d)", what, name, result);
}

static @NAME@_status bundle_find_driver(void) {
  static const char *const paths[] = {"libcuda.so.1", "libcuda.so"};
  void *library = NULL;
  size_t i;
  for (i = 0; i < sizeof paths / sizeof *paths && !library; ++i)
    library = dlopen(paths[i], RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return bundle_fail(@NAME@_NO_DRIVER, "no CUDA driver: libcuda.so.1 cannot be loaded");
  {
    const struct {
      const char *name;
      void *place;
    } symbols[] = {{"cuInit", &drv.init},
                   {"cuDriverGetVersion", &drv.driver_version},
                   {"cuCtxGetCurrent", &drv.context_current},
                   {"cuCtxGetDevice", &drv.context_device},
                   {"cuCtxSetCurrent", &drv.context_set},
                   {"cuDeviceGet", &drv.device_get},
                   {"cuDevicePrimaryCtxRetain", &drv.primary_retain},
                   {"cuDeviceGetAttribute", &drv.device_attribute},
                   {"cuModuleLoadData", &drv.module_load},
                   {"cuModuleGetFunction", &drv.module_function},
                   {"cuFuncSetAttribute", &drv.function_attribute},
                   {"cuLaunchKernel", &drv.launch},
                   {"cuGetErrorName", &drv.error_name}};
    for (i = 0; i < sizeof symbols / sizeof *symbols; ++i) {
      void *symbol = dlsym(library, symbols[i].name);
      if (!symbol)
        return bundle_fail(@NAME@_OLD_DRIVER, "the CUDA driver has no %s", symbols[i].name);
      memcpy(symbols[i].place, &symbol, sizeof symbol);
    }
  }
  {
    int version = 0;
    drv_result result;
    if (drv.driver_version(&version) != 0 || version < drv_oldest)
      return bundle_fail(@NAME@_OLD_DRIVER, "the CUDA driver is for CUDA %d.%d, expected %d.%d or newer",
                         version / 1000, version % 1000 / 10, drv_oldest / 1000,
                         drv_oldest % 1000 / 10);
    if ((result = drv.init(0)) != 0) {
      bundle_driver_failed(result, "cuInit");
      return @NAME@_NO_DEVICE;
    }
  }
  return @NAME@_OK;
}

/* Called with the lock held, as all below. */
static @NAME@_status bundle_open_driver(void) {
  if (bundle_driver_state == 0) {
    bundle_driver_status = bundle_find_driver();
    bundle_driver_state = bundle_driver_status == @NAME@_OK ? 1 : 2;
    memcpy(bundle_driver_message, bundle_message, sizeof bundle_message);
  }
  if (bundle_driver_state == 2)
    memcpy(bundle_message, bundle_driver_message, sizeof bundle_message);
  return bundle_driver_status;
}

/* FNV-1a. */
static uint64_t bundle_checksum(const char *bytes, size_t size) {
  uint64_t hash = UINT64_C(14695981039346656037);
  size_t i;
  for (i = 0; i < size; ++i)
    hash = (hash ^ (unsigned char)bytes[i]) * UINT64_C(1099511628211);
  return hash;
}

static int bundle_fits(const bundle_image *image, int capability) {
  if (image->ptx)
    return image->exact ? capability == image->capability : capability >= image->capability;
  /* A cubin runs on later minor versions of its major version. */
  if (image->exact)
    return capability == image->capability;
  return capability / 10 == image->capability / 10 && capability >= image->capability;
}

static @NAME@_status bundle_load(drv_context context, const bundle_image *images, size_t count,
                                 bundle_loaded *loaded) {
  int device = 0, major = 0, minor = 0;
  drv_result result;
  drv_module module = NULL;
  const bundle_image *image = NULL;
  size_t i;
  if ((result = drv.context_device(&device)) != 0 ||
      (result = drv.device_attribute(&major, drv_attribute_major, device)) != 0 ||
      (result = drv.device_attribute(&minor, drv_attribute_minor, device)) != 0)
    return bundle_driver_failed(result, "asking for the device");
  for (i = 0; i < count && !image; ++i)
    if (bundle_fits(&images[i], major * 10 + minor))
      image = &images[i];
  if (!image)
    return bundle_fail(@NAME@_UNSUPPORTED_DEVICE,
                       "the device is sm_%d%d, for which this bundle has no code of %s", major,
                       minor, images[0].entry);
  if (bundle_checksum(image->bytes, image->size) != image->checksum)
    return bundle_fail(@NAME@_CORRUPT, "the code of %s for %s is damaged", image->entry,
                       image->target);
  if ((result = drv.module_load(&module, image->bytes)) != 0)
    return bundle_driver_failed(result, "loading the code");
  if ((result = drv.module_function(&loaded->function, module, image->entry)) != 0)
    return bundle_driver_failed(result, image->entry);
  if (image->shared != 0 && (result = drv.function_attribute(loaded->function, drv_function_dynamic_shared,
                                                            (int)image->shared)) != 0)
    return bundle_driver_failed(result, "asking for shared memory");
  loaded->context = context;
  loaded->images = images;
  loaded->image = image;
  return @NAME@_OK;
}

/* The kernel in the current context; without one the first device's own is made current. */
static @NAME@_status bundle_prepare(const bundle_image *images, size_t count, bundle_loaded *loaded) {
  drv_context context = NULL;
  drv_result result;
  size_t i;
  @NAME@_status status = bundle_open_driver();
  if (status != @NAME@_OK)
    return status;
  if ((result = drv.context_current(&context)) != 0)
    return bundle_driver_failed(result, "asking for the context");
  if (!context) {
    int device = 0;
    if (drv.device_get(&device, 0) != 0)
      return bundle_fail(@NAME@_NO_DEVICE, "the CUDA driver has no device");
    if ((result = drv.primary_retain(&context, device)) != 0 ||
        (result = drv.context_set(context)) != 0)
      return bundle_driver_failed(result, "making a context");
  }
  for (i = 0; i < bundle_count; ++i)
    if (bundle_list[i].context == context && bundle_list[i].images == images) {
      *loaded = bundle_list[i];
      return @NAME@_OK;
    }
  if ((status = bundle_load(context, images, count, loaded)) != @NAME@_OK)
    return status;
  if (bundle_count == bundle_capacity) {
    size_t more = bundle_capacity ? 2 * bundle_capacity : 16;
    bundle_loaded *grown = realloc(bundle_list, more * sizeof *grown);
    if (!grown)
      return bundle_fail(@NAME@_OUT_OF_MEMORY, "out of memory");
    bundle_list = grown;
    bundle_capacity = more;
  }
  bundle_list[bundle_count++] = *loaded;
  return @NAME@_OK;
}

static @NAME@_status bundle_find(const bundle_image *images, size_t count, bundle_loaded *loaded) {
  @NAME@_status status;
  pthread_mutex_lock(&bundle_lock);
  status = bundle_prepare(images, count, loaded);
  pthread_mutex_unlock(&bundle_lock);
  return status;
}

static @NAME@_status bundle_launch(const bundle_loaded *loaded, const int64_t *grid, void *stream,
                                   void **arguments) {
  static const int64_t most[3] = {2147483647, 65535, 65535};
  drv_result result;
  int i;
  for (i = 0; i < 3; ++i)
    if (grid[i] < 0 || grid[i] > most[i])
      return bundle_fail(@NAME@_INVALID_ARGUMENT, "%s: %lld programs in %c, expected 0 to %lld",
                         loaded->image->entry, (long long)grid[i], "xyz"[i], (long long)most[i]);
  if (grid[0] == 0 || grid[1] == 0 || grid[2] == 0)
    return @NAME@_OK;
  result = drv.launch(loaded->function, (unsigned)grid[0], (unsigned)grid[1], (unsigned)grid[2],
                      loaded->image->threads, 1, 1, loaded->image->shared, stream, arguments, NULL);
  return result == 0 ? @NAME@_OK : bundle_driver_failed(result, loaded->image->entry);
}

/* What expressions of grids may call. */
__attribute__((unused)) static int64_t cdiv(int64_t a, int64_t b) { return b == 0 ? 0 : (a + b - 1) / b; }
__attribute__((unused)) static int64_t min(int64_t a, int64_t b) { return a < b ? a : b; }
__attribute__((unused)) static int64_t max(int64_t a, int64_t b) { return a > b ? a : b; }

)text";

} // namespace tilec::tool
