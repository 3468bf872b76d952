// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loader of bundles: C99 with GNU attributes, one copy in every generated source. It opens
// libcuda.so.1 once, loads an image into a context at the first launch there, and keeps it. Nothing
// is thrown away: contexts and modules live as long as the process. Tensor maps are kept by each
// thread and encoded again when what they are made from has another value.

#include "CLoader.h"

namespace tilec {

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
typedef struct {
  int id;
  int unused;
  union {
    char size[64];
    unsigned cluster[3];
    int flag;
    void *alignment;
  } value;
} drv_attribute;
typedef struct {
  unsigned grid[3], block[3], shared;
  void *stream;
  drv_attribute *attributes;
  unsigned attribute_count;
} drv_launch_config;

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
  drv_result (*memory_info)(size_t *, size_t *);
  drv_result (*occupancy)(int *, drv_function, int, size_t);
  drv_result (*launch)(const drv_launch_config *, drv_function, void **, void **);
  drv_result (*encode_map)(void *, int, unsigned, void *, const uint64_t *, const uint64_t *,
                           const uint32_t *, const uint32_t *, int, int, int, int);
  drv_result (*error_name)(drv_result, const char **);
} drv;

enum {
  drv_out_of_memory = 2,
  drv_invalid_image = 200,
  drv_no_binary_for_device = 209,
  drv_invalid_ptx = 218,
  drv_no_ptx_compiler = 221,
  drv_unsupported_ptx = 222,
  drv_ptx_compiler_disabled = 223,
  drv_launch_out_of_resources = 701,
  drv_attribute_multiprocessors = 16,
  drv_attribute_major = 75,
  drv_attribute_minor = 76,
  drv_function_dynamic_shared = 8,
  drv_function_large_cluster = 14,
  drv_launch_cooperative = 2,
  drv_launch_cluster = 4,
  drv_launch_programmatic = 6,
  drv_promotion_128_bytes = 2
};
/* The oldest driver that has every function in here. */
enum { drv_oldest = 12000 };

/* How a tensor map is made; sizes with the fastest dimension first. */
typedef struct {
  const char *tensor;
  int type;
  int element_bytes;
  unsigned rank;
  uint32_t box[5];
  int swizzle;
  int fill;
} bundle_map;

/* The tensor that a launch passes: elements, with the outermost dimension first. */
typedef struct {
  const void *data;
  int64_t sizes[5];
  int64_t strides[4];
} bundle_tensor;

/* One compiled form of a kernel. */
typedef struct {
  const char *target;
  int capability;
  int only; /* 0: later devices, too; 'a': this one; 'f': those of its family */
  int ptx;
  int driver; /* the oldest that takes the code, as far as is known */
  const char *bytes;
  size_t size;
  size_t present;
  uint64_t checksum;
  const char *entry;
  unsigned threads;
  unsigned shared;
  unsigned cluster[3];
  unsigned split; /* blocks along x that run one program together */
  int cooperative;
  int programmatic;
  int persistent; /* so many blocks as fit at once share the programs of the grid */
  const bundle_map *maps;
  unsigned map_count;
  int variant;
} bundle_image;

/* A kernel loaded into a context. */
typedef struct {
  drv_context context;
  const bundle_image *images;
  const bundle_image *image;
  drv_function function;
  int64_t resident; /* blocks of a persistent kernel that fit at once */
} bundle_loaded;

static pthread_mutex_t bundle_lock = PTHREAD_MUTEX_INITIALIZER;
static int bundle_driver_state; /* 0: not tried, 1: works, 2: does not */
static @NAME@_status bundle_driver_status;
static int bundle_driver_version;
static char bundle_driver_message[512];
static bundle_loaded *bundle_list;
static size_t bundle_count, bundle_capacity;
static __thread char bundle_message[512];

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
  size_t left = 0, all = 0;
  if (!drv.error_name || drv.error_name(result, &name) != 0 || !name)
    name = "unknown error";
  if (result == drv_out_of_memory && drv.memory_info(&left, &all) == 0)
    return bundle_fail(@NAME@_OUT_OF_MEMORY, "%s: %s (%d): %llu of %llu MiB of the device are free", what,
                       name, result, (unsigned long long)left >> 20, (unsigned long long)all >> 20);
  return bundle_fail(result == drv_out_of_memory || result == drv_launch_out_of_resources
                         ? @NAME@_OUT_OF_MEMORY
                         : @NAME@_DRIVER_ERROR,
                     "%s: %s (%d)", what, name, result);
}

static @NAME@_status bundle_find_driver(void) {
  const struct {
    const char *name;
    void *place;
  } symbols[] = {{"cuDriverGetVersion", &drv.driver_version},
                 {"cuInit", &drv.init},
                 {"cuCtxGetCurrent", &drv.context_current},
                 {"cuCtxGetDevice", &drv.context_device},
                 {"cuCtxSetCurrent", &drv.context_set},
                 {"cuDeviceGet", &drv.device_get},
                 {"cuDevicePrimaryCtxRetain", &drv.primary_retain},
                 {"cuDeviceGetAttribute", &drv.device_attribute},
                 {"cuModuleLoadData", &drv.module_load},
                 {"cuModuleGetFunction", &drv.module_function},
                 {"cuFuncSetAttribute", &drv.function_attribute},
                 {"cuMemGetInfo_v2", &drv.memory_info},
                 {"cuOccupancyMaxActiveBlocksPerMultiprocessor", &drv.occupancy},
                 {"cuLaunchKernelEx", &drv.launch},
                 {"cuTensorMapEncodeTiled", &drv.encode_map},
                 {"cuGetErrorName", &drv.error_name}};
  static const char *const paths[] = {"libcuda.so.1", "libcuda.so"};
  void *library = NULL;
  drv_result result;
  size_t i;
  for (i = 0; i < sizeof paths / sizeof *paths && !library; ++i) {
    library = dlopen(paths[i], RTLD_NOW | RTLD_LOCAL);
    /* The next call takes the text away. */
    if (!library && i == 0)
      bundle_fail(@NAME@_NO_DRIVER, "no CUDA driver: %s", dlerror());
  }
  if (!library)
    return @NAME@_NO_DRIVER;
  for (i = 0; i < sizeof symbols / sizeof *symbols; ++i) {
    void *symbol = dlsym(library, symbols[i].name);
    if (!symbol)
      return bundle_fail(@NAME@_OLD_DRIVER, "the CUDA driver has no %s, expected one for CUDA %d.%d or newer",
                         symbols[i].name, drv_oldest / 1000, drv_oldest % 1000 / 10);
    memcpy(symbols[i].place, &symbol, sizeof symbol);
    /* Before functions that an older one does not have. */
    if (i == 0 && (drv.driver_version(&bundle_driver_version) != 0 || bundle_driver_version < drv_oldest))
      return bundle_fail(@NAME@_OLD_DRIVER, "the CUDA driver is for CUDA %d.%d, expected %d.%d or newer",
                         bundle_driver_version / 1000, bundle_driver_version % 1000 / 10, drv_oldest / 1000,
                         drv_oldest % 1000 / 10);
  }
  if ((result = drv.init(0)) != 0) {
    bundle_driver_failed(result, "cuInit");
    return @NAME@_NO_DEVICE;
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
  if (image->only == 'a')
    return capability == image->capability;
  if (image->ptx && image->only == 0)
    return capability >= image->capability;
  /* A cubin runs on later minor versions of its major version. */
  return capability / 10 == image->capability / 10 && capability >= image->capability;
}

static @NAME@_status bundle_no_image(int capability, const bundle_image *images, size_t count) {
  char list[256] = "";
  size_t used = 0, i;
  for (i = 0; i < count && used < sizeof list; ++i) {
    int written = snprintf(list + used, sizeof list - used, "%s%s%s", i == 0 ? "" : ", ",
                           images[i].ptx ? "PTX for " : "", images[i].target);
    used += written > 0 ? (size_t)written : 0;
  }
  return bundle_fail(@NAME@_UNSUPPORTED_DEVICE, "the device is sm_%d, the code of %s is for others: %s",
                     capability, images[0].entry, list);
}

/* Whether another image may do what this one could not. */
static int bundle_tries_next(drv_result result) {
  return result == drv_invalid_image || result == drv_no_binary_for_device || result == drv_invalid_ptx ||
         result == drv_no_ptx_compiler || result == drv_unsupported_ptx || result == drv_ptx_compiler_disabled;
}

static @NAME@_status bundle_check_image(const bundle_image *image) {
  if (image->present != image->size)
    return bundle_fail(@NAME@_CORRUPT, "the code of %s for %s is cut off: %llu of %llu bytes", image->entry,
                       image->target, (unsigned long long)image->present, (unsigned long long)image->size);
  if (bundle_checksum(image->bytes, image->size) != image->checksum)
    return bundle_fail(@NAME@_CORRUPT, "the code of %s for %s is damaged", image->entry, image->target);
  return @NAME@_OK;
}

static @NAME@_status bundle_load(drv_context context, const bundle_image *images, size_t count,
                                 bundle_loaded *loaded) {
  int device = 0, major = 0, minor = 0;
  drv_result result;
  drv_module module = NULL;
  const bundle_image *image = NULL, *too_new = NULL;
  @NAME@_status status, refused = @NAME@_OK;
  char what[192];
  size_t i;
  if ((result = drv.context_device(&device)) != 0 ||
      (result = drv.device_attribute(&major, drv_attribute_major, device)) != 0 ||
      (result = drv.device_attribute(&minor, drv_attribute_minor, device)) != 0)
    return bundle_driver_failed(result, "asking for the device");
  for (i = 0; i < count && !image; ++i) {
    if (!bundle_fits(&images[i], major * 10 + minor))
      continue;
    if (images[i].ptx && images[i].driver > bundle_driver_version) {
      too_new = &images[i];
      continue;
    }
    if ((status = bundle_check_image(&images[i])) != @NAME@_OK)
      return status;
    if ((result = drv.module_load(&module, images[i].bytes)) == 0) {
      image = &images[i];
    } else if (refused == @NAME@_OK) {
      /* What is said in the end: the best image is the one that should have run. */
      snprintf(what, sizeof what, "loading the %s of %s for %s", images[i].ptx ? "PTX" : "code", images[i].entry,
               images[i].target);
      refused = bundle_driver_failed(result, what);
      if (!bundle_tries_next(result))
        return refused;
    }
  }
  if (!image && too_new)
    return bundle_fail(@NAME@_OLD_DRIVER,
                       "the CUDA driver is for CUDA %d.%d, the PTX of %s for %s needs %d.%d or newer",
                       bundle_driver_version / 1000, bundle_driver_version % 1000 / 10, too_new->entry,
                       too_new->target, too_new->driver / 1000, too_new->driver % 1000 / 10);
  if (!image)
    return refused != @NAME@_OK ? refused : bundle_no_image(major * 10 + minor, images, count);
  if ((result = drv.module_function(&loaded->function, module, image->entry)) != 0)
    return bundle_driver_failed(result, image->entry);
  if (image->shared != 0 && (result = drv.function_attribute(loaded->function, drv_function_dynamic_shared,
                                                            (int)image->shared)) != 0)
    return bundle_driver_failed(result, "asking for shared memory");
  if (image->cluster[0] * image->cluster[1] * image->cluster[2] > 8 &&
      (result = drv.function_attribute(loaded->function, drv_function_large_cluster, 1)) != 0)
    return bundle_driver_failed(result, "asking for a large cluster");
  loaded->resident = 0;
  if (image->persistent) {
    int64_t cluster = (int64_t)image->cluster[0] * image->cluster[1] * image->cluster[2];
    int blocks = 0, multiprocessors = 0;
    if ((result = drv.occupancy(&blocks, loaded->function, (int)image->threads, image->shared)) != 0 ||
        (result = drv.device_attribute(&multiprocessors, drv_attribute_multiprocessors, device)) != 0)
      return bundle_driver_failed(result, "asking how many programs fit");
    loaded->resident = (int64_t)(blocks > 0 ? blocks : 1) * (multiprocessors > 0 ? multiprocessors : 1);
    /* Whole clusters, so that none is left for the end. */
    if (loaded->resident > cluster)
      loaded->resident -= loaded->resident % cluster;
  }
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

/* Whether there are programs to run; a grid that cannot be is a failure. */
static @NAME@_status bundle_check_grid(const bundle_loaded *loaded, const int64_t *grid, int wrong) {
  static const int64_t most[3] = {2147483647, 65535, 65535};
  int i;
  if (wrong)
    return bundle_fail(@NAME@_INVALID_ARGUMENT,
                       "%s: a size or the grid does not fit 64 bits, or divides by zero or with a rest",
                       loaded->image->entry);
  for (i = 0; i < 3; ++i) {
    if (grid[i] < 0 || grid[i] > most[i])
      return bundle_fail(@NAME@_INVALID_ARGUMENT, "%s: %lld programs in %c, expected 0 to %lld",
                         loaded->image->entry, (long long)grid[i], "xyz"[i], (long long)most[i]);
    if (i == 0 && grid[i] > most[i] / loaded->image->split)
      return bundle_fail(@NAME@_INVALID_ARGUMENT, "%s: %lld programs of %u blocks in x, expected at most %lld blocks",
                         loaded->image->entry, (long long)grid[i], loaded->image->split, (long long)most[i]);
    if (!loaded->image->persistent && loaded->image->split == 1 && grid[i] % loaded->image->cluster[i] != 0)
      return bundle_fail(@NAME@_INVALID_ARGUMENT, "%s: %lld programs in %c, expected a multiple of %u, the cluster",
                         loaded->image->entry, (long long)grid[i], "xyz"[i], loaded->image->cluster[i]);
  }
  if (loaded->image->persistent && grid[0] * grid[1] > 0 && grid[2] > (INT64_C(1) << 30) / (grid[0] * grid[1]))
    return bundle_fail(@NAME@_INVALID_ARGUMENT, "%s: more than 2^30 programs of a persistent kernel",
                       loaded->image->entry);
  return @NAME@_OK;
}

/* Behind `count` arguments and the tensor maps there is room for what a persistent kernel takes. */
static @NAME@_status bundle_launch(const bundle_loaded *loaded, const int64_t *grid, void *stream,
                                   void **arguments, size_t count) {
  const bundle_image *image = loaded->image;
  uint32_t programs[3], cluster[3];
  drv_launch_config config;
  drv_attribute attributes[3];
  drv_result result;
  int i;
  memset(&config, 0, sizeof config);
  memset(attributes, 0, sizeof attributes);
  for (i = 0; i < 3; ++i) {
    config.grid[i] = (unsigned)grid[i] * (i == 0 ? image->split : 1);
    config.block[i] = i == 0 ? image->threads : 1;
  }
  memcpy(cluster, image->cluster, sizeof cluster);
  if (image->persistent) {
    int64_t all = grid[0] * image->split * grid[1] * grid[2];
    for (i = 0; i < 3; ++i) {
      programs[i] = (uint32_t)grid[i];
      arguments[count + image->map_count + (size_t)i] = &programs[i];
      config.grid[i] = 1;
    }
    /* Whole clusters: a block for which no program is left has nothing to do. */
    cluster[0] *= cluster[1] * cluster[2];
    cluster[1] = cluster[2] = 1;
    config.grid[0] = (unsigned)(all < loaded->resident ? all : loaded->resident);
    config.grid[0] = (config.grid[0] + cluster[0] - 1) / cluster[0] * cluster[0];
  }
  config.shared = image->shared;
  config.stream = stream;
  config.attributes = attributes;
  if (cluster[0] * cluster[1] * cluster[2] > 1) {
    drv_attribute *attribute = &attributes[config.attribute_count++];
    attribute->id = drv_launch_cluster;
    memcpy(attribute->value.cluster, cluster, sizeof cluster);
  }
  if (image->programmatic) {
    attributes[config.attribute_count].id = drv_launch_programmatic;
    attributes[config.attribute_count++].value.flag = 1;
  }
  if (image->cooperative) {
    attributes[config.attribute_count].id = drv_launch_cooperative;
    attributes[config.attribute_count++].value.flag = 1;
  }
  result = drv.launch(&config, loaded->function, arguments, NULL);
  return result == 0 ? @NAME@_OK : bundle_driver_failed(result, image->entry);
}
)text";

const char *const bundleMathText = R"text(
/* The arithmetic of grids and tensors, as Python's: what does not fit 64 bits and divisions by zero are noted. */
#define BUNDLE_UNUSED __attribute__((unused))
BUNDLE_UNUSED static int64_t bundle_sum(int64_t a, int64_t b, int *wrong) {
  int64_t result = 0;
  *wrong |= __builtin_add_overflow(a, b, &result);
  return result;
}
BUNDLE_UNUSED static int64_t bundle_difference(int64_t a, int64_t b, int *wrong) {
  int64_t result = 0;
  *wrong |= __builtin_sub_overflow(a, b, &result);
  return result;
}
BUNDLE_UNUSED static int64_t bundle_product(int64_t a, int64_t b, int *wrong) {
  int64_t result = 0;
  *wrong |= __builtin_mul_overflow(a, b, &result);
  return result;
}
/* Towards zero. */
BUNDLE_UNUSED static int64_t bundle_cut_quotient(int64_t a, int64_t b, int *wrong) {
  if (b == 0 || (a == INT64_MIN && b == -1)) {
    *wrong = 1;
    return 0;
  }
  return a / b;
}
BUNDLE_UNUSED static int64_t bundle_quotient(int64_t a, int64_t b, int *wrong) {
  int64_t cut = bundle_cut_quotient(a, b, wrong);
  return *wrong ? 0 : cut - (a % b != 0 && (a % b < 0) != (b < 0));
}
BUNDLE_UNUSED static int64_t bundle_rest(int64_t a, int64_t b, int *wrong) {
  if (b == -1)
    return 0;
  a -= bundle_cut_quotient(a, b, wrong) * b;
  return a != 0 && (a < 0) != (b < 0) ? a + b : a;
}
BUNDLE_UNUSED static int64_t bundle_exact_quotient(int64_t a, int64_t b, int *wrong) {
  int64_t cut = bundle_cut_quotient(a, b, wrong);
  *wrong |= !*wrong && a % b != 0;
  return cut;
}
BUNDLE_UNUSED static int64_t bundle_cdiv(int64_t a, int64_t b, int *wrong) {
  int64_t down = bundle_quotient(a, b, wrong);
  return *wrong ? 0 : down + (a % b != 0);
}
BUNDLE_UNUSED static int64_t bundle_min(int64_t a, int64_t b) { return a < b ? a : b; }
BUNDLE_UNUSED static int64_t bundle_max(int64_t a, int64_t b) { return a > b ? a : b; }
BUNDLE_UNUSED static int64_t bundle_next_power_of_2(int64_t value, int *wrong) {
  int64_t power = 1;
  *wrong |= value > INT64_C(1) << 62;
  while (power < value && !*wrong)
    power *= 2;
  return power;
}
)text";

const char *const bundleMapsText = R"text(
/* The latest tensor maps of this thread, in sets of which the one goes that was used longest ago. */
enum { bundle_map_sets = 8, bundle_map_ways = 4 };
typedef struct {
  const bundle_map *map;
  drv_context context;
  bundle_tensor tensor;
} bundle_map_key;
typedef struct {
  bundle_map_key key;
  uint64_t used;
  unsigned char bytes[128];
} bundle_map_entry;
static __thread bundle_map_entry bundle_map_cache[bundle_map_sets][bundle_map_ways];
static __thread uint64_t bundle_map_clock;

static @NAME@_status bundle_encode(const bundle_map *map, const bundle_tensor *tensor, void *encoded) {
  static const uint32_t steps[5] = {1, 1, 1, 1, 1};
  uint64_t sizes[5] = {0}, strides[4] = {0};
  unsigned i;
  drv_result result;
  if ((uintptr_t)tensor->data % 16 != 0)
    return bundle_fail(@NAME@_INVALID_ARGUMENT, "the tensor of '%s' has an address that is not a multiple of 16",
                       map->tensor);
  for (i = 0; i < map->rank; ++i) {
    int64_t size = tensor->sizes[i], stride = i + 1 < map->rank ? tensor->strides[i] : 0;
    if (size < 1 || size > UINT32_MAX)
      return bundle_fail(@NAME@_INVALID_ARGUMENT,
                         "the tensor of '%s' has the size %lld in dimension %u, expected 1 to 2^32 - 1", map->tensor,
                         (long long)size, i);
    if (stride < 0 || stride >= (INT64_C(1) << 40) / map->element_bytes || stride * map->element_bytes % 16 != 0)
      return bundle_fail(@NAME@_INVALID_ARGUMENT,
                         "the tensor of '%s' has the stride %lld in dimension %u, expected a multiple of 16 bytes "
                         "below 2^40",
                         map->tensor, (long long)stride, i);
    sizes[map->rank - 1 - i] = (uint64_t)size;
    if (i + 1 < map->rank)
      strides[map->rank - 2 - i] = (uint64_t)(stride * map->element_bytes);
  }
  result = drv.encode_map(encoded, map->type, map->rank, (void *)(uintptr_t)tensor->data, sizes, strides, map->box,
                          steps, 0, map->swizzle, drv_promotion_128_bytes, map->fill);
  return result == 0 ? @NAME@_OK : bundle_driver_failed(result, "encoding a tensor map");
}

/* The map of a tensor, to be copied by the launch. */
static @NAME@_status bundle_make_map(const bundle_loaded *loaded, unsigned number, const bundle_tensor *tensor,
                                     void *encoded) {
  bundle_map_key key;
  bundle_map_entry *set, *entry;
  uint64_t hash = UINT64_C(14695981039346656037);
  unsigned i;
  @NAME@_status status;
  memset(&key, 0, sizeof key);
  key.map = &loaded->image->maps[number];
  key.context = loaded->context;
  key.tensor.data = tensor->data;
  for (i = 0; i < key.map->rank; ++i)
    key.tensor.sizes[i] = tensor->sizes[i];
  for (i = 0; i + 1 < key.map->rank; ++i)
    key.tensor.strides[i] = tensor->strides[i];
  hash = (hash ^ (uintptr_t)key.map) * UINT64_C(1099511628211);
  hash = (hash ^ (uintptr_t)tensor->data) * UINT64_C(1099511628211);
  entry = set = bundle_map_cache[(hash >> 48) % bundle_map_sets];
  for (i = 0; i < bundle_map_ways; ++i) {
    if (memcmp(&set[i].key, &key, sizeof key) == 0) {
      set[i].used = ++bundle_map_clock;
      memcpy(encoded, set[i].bytes, sizeof set[i].bytes);
      return @NAME@_OK;
    }
    if (set[i].used < entry->used)
      entry = &set[i];
  }
  if ((status = bundle_encode(key.map, tensor, encoded)) != @NAME@_OK)
    return status;
  entry->key = key;
  entry->used = ++bundle_map_clock;
  memcpy(entry->bytes, encoded, sizeof entry->bytes);
  return @NAME@_OK;
}
)text";

} // namespace tilec
