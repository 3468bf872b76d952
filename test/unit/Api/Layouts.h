// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the members of the C interface's structs are, in C as in C++: programs that were built with
// an older header rely on it. New members come at the end; no line of this file changes then but
// the size of their struct.

#ifndef TILEC_TEST_UNIT_API_LAYOUTS_H
#define TILEC_TEST_UNIT_API_LAYOUTS_H

#include "tilec/tilec.h"

#include <assert.h>

#define SIZE(type, size) static_assert(sizeof(void *) != 8 || sizeof(type) == (size), #type)
#define MEMBER(type, member, offset)                                                               \
  static_assert(sizeof(void *) != 8 || offsetof(type, member) == (offset), #type "." #member)

SIZE(tilec_binding, 16);
MEMBER(tilec_binding, name, 0);
MEMBER(tilec_binding, text, 8);

SIZE(tilec_module, 24);
MEMBER(tilec_module, path, 0);
MEMBER(tilec_module, text, 8);
MEMBER(tilec_module, length, 16);

SIZE(tilec_options, 248);
MEMBER(tilec_options, struct_size, 0);
MEMBER(tilec_options, kernel, 8);
MEMBER(tilec_options, target, 16);
MEMBER(tilec_options, arguments, 24);
MEMBER(tilec_options, num_arguments, 32);
MEMBER(tilec_options, constants, 40);
MEMBER(tilec_options, num_constants, 48);
MEMBER(tilec_options, num_warps, 56);
MEMBER(tilec_options, num_stages, 60);
MEMBER(tilec_options, flags, 64);
MEMBER(tilec_options, stop_after, 68);
MEMBER(tilec_options, keep_stages, 72);
MEMBER(tilec_options, ptxas, 80);
MEMBER(tilec_options, cuda_home, 88);
MEMBER(tilec_options, search_path, 96);
MEMBER(tilec_options, libclc, 104);
MEMBER(tilec_options, libdevice, 112);
MEMBER(tilec_options, cache, 120);
MEMBER(tilec_options, import_roots, 128);
MEMBER(tilec_options, num_import_roots, 136);
MEMBER(tilec_options, modules, 144);
MEMBER(tilec_options, num_modules, 152);
MEMBER(tilec_options, max_registers, 160);
MEMBER(tilec_options, tuning_database, 168);
MEMBER(tilec_options, tuning_device, 176);
MEMBER(tilec_options, tuning_sizes, 184);
MEMBER(tilec_options, num_tuning_sizes, 192);
MEMBER(tilec_options, warnings, 200);
MEMBER(tilec_options, num_warnings, 208);
MEMBER(tilec_options, max_steps, 216);
MEMBER(tilec_options, max_ops, 224);
MEMBER(tilec_options, max_unroll, 232);
MEMBER(tilec_options, num_ctas, 240);
MEMBER(tilec_options, split_k, 244);

SIZE(tilec_cache_options, 40);
MEMBER(tilec_cache_options, struct_size, 0);
MEMBER(tilec_cache_options, folder, 8);
MEMBER(tilec_cache_options, disk_limit, 16);
MEMBER(tilec_cache_options, memory_limit, 24);
MEMBER(tilec_cache_options, shared, 32);

SIZE(tilec_cache_statistics, 40);
MEMBER(tilec_cache_statistics, struct_size, 0);
MEMBER(tilec_cache_statistics, memory_hits, 8);
MEMBER(tilec_cache_statistics, disk_hits, 16);
MEMBER(tilec_cache_statistics, shared_hits, 24);
MEMBER(tilec_cache_statistics, stores, 32);

SIZE(tilec_source_kernel, 48);
MEMBER(tilec_source_kernel, struct_size, 0);
MEMBER(tilec_source_kernel, name, 8);
MEMBER(tilec_source_kernel, line, 16);
MEMBER(tilec_source_kernel, is_entry, 20);
MEMBER(tilec_source_kernel, num_parameters, 24);
MEMBER(tilec_source_kernel, autotune_key, 32);
MEMBER(tilec_source_kernel, num_autotune_key, 40);

SIZE(tilec_parameter, 32);
MEMBER(tilec_parameter, struct_size, 0);
MEMBER(tilec_parameter, name, 8);
MEMBER(tilec_parameter, kind, 16);
MEMBER(tilec_parameter, has_default, 20);
MEMBER(tilec_parameter, type, 24);

SIZE(tilec_diagnostic, 88);
MEMBER(tilec_diagnostic, struct_size, 0);
MEMBER(tilec_diagnostic, severity, 8);
MEMBER(tilec_diagnostic, file, 16);
MEMBER(tilec_diagnostic, line, 24);
MEMBER(tilec_diagnostic, column, 28);
MEMBER(tilec_diagnostic, end_line, 32);
MEMBER(tilec_diagnostic, end_column, 36);
MEMBER(tilec_diagnostic, message, 40);
MEMBER(tilec_diagnostic, category, 48);
MEMBER(tilec_diagnostic, rendered, 56);
MEMBER(tilec_diagnostic, fix, 64);
MEMBER(tilec_diagnostic, fix_line, 72);
MEMBER(tilec_diagnostic, fix_column, 76);
MEMBER(tilec_diagnostic, fix_end_line, 80);
MEMBER(tilec_diagnostic, fix_end_column, 84);

SIZE(tilec_kernel_info, 72);
MEMBER(tilec_kernel_info, struct_size, 0);
MEMBER(tilec_kernel_info, name, 8);
MEMBER(tilec_kernel_info, target, 16);
MEMBER(tilec_kernel_info, num_warps, 24);
MEMBER(tilec_kernel_info, num_stages, 28);
MEMBER(tilec_kernel_info, threads, 32);
MEMBER(tilec_kernel_info, dynamic_shared_bytes, 36);
MEMBER(tilec_kernel_info, static_shared_bytes, 40);
MEMBER(tilec_kernel_info, registers, 44);
MEMBER(tilec_kernel_info, spill_bytes, 48);
MEMBER(tilec_kernel_info, num_arguments, 56);
MEMBER(tilec_kernel_info, num_ctas, 64);
MEMBER(tilec_kernel_info, split_k, 68);

SIZE(tilec_argument, 40);
MEMBER(tilec_argument, struct_size, 0);
MEMBER(tilec_argument, name, 8);
MEMBER(tilec_argument, type, 16);
MEMBER(tilec_argument, kind, 24);
MEMBER(tilec_argument, size_bytes, 28);
MEMBER(tilec_argument, divisibility, 32);
MEMBER(tilec_argument, is_const, 36);

SIZE(tilec_save_options, 32);
MEMBER(tilec_save_options, struct_size, 0);
MEMBER(tilec_save_options, folder, 8);
MEMBER(tilec_save_options, max_bytes, 16);
MEMBER(tilec_save_options, max_failures, 24);
MEMBER(tilec_save_options, keep_last, 28);

SIZE(tilec_device_event, 88);
MEMBER(tilec_device_event, struct_size, 0);
MEMBER(tilec_device_event, kind, 8);
MEMBER(tilec_device_event, kernel, 16);
MEMBER(tilec_device_event, finding, 24);
MEMBER(tilec_device_event, text, 32);
MEMBER(tilec_device_event, file, 40);
MEMBER(tilec_device_event, line, 48);
MEMBER(tilec_device_event, column, 52);
MEMBER(tilec_device_event, program, 56);
MEMBER(tilec_device_event, thread, 68);
MEMBER(tilec_device_event, coordinates, 72);
MEMBER(tilec_device_event, num_coordinates, 80);

SIZE(tilec_device_options, 64);
MEMBER(tilec_device_options, struct_size, 0);
MEMBER(tilec_device_options, driver, 8);
MEMBER(tilec_device_options, simulate_flags, 16);
MEMBER(tilec_device_options, host_threads, 20);
MEMBER(tilec_device_options, print, 24);
MEMBER(tilec_device_options, print_context, 32);
MEMBER(tilec_device_options, save_launches, 40);
MEMBER(tilec_device_options, event, 48);
MEMBER(tilec_device_options, event_context, 56);

SIZE(tilec_device_info, 72);
MEMBER(tilec_device_info, struct_size, 0);
MEMBER(tilec_device_info, name, 8);
MEMBER(tilec_device_info, target, 16);
MEMBER(tilec_device_info, compute_major, 24);
MEMBER(tilec_device_info, compute_minor, 28);
MEMBER(tilec_device_info, multiprocessors, 32);
MEMBER(tilec_device_info, shared_bytes, 36);
MEMBER(tilec_device_info, memory_bytes, 40);
MEMBER(tilec_device_info, l2_bytes, 48);
MEMBER(tilec_device_info, driver_version, 56);
MEMBER(tilec_device_info, ordinal, 60);
MEMBER(tilec_device_info, context, 64);

SIZE(tilec_device_launch, 64);
MEMBER(tilec_device_launch, struct_size, 0);
MEMBER(tilec_device_launch, grid, 8);
MEMBER(tilec_device_launch, flags, 20);
MEMBER(tilec_device_launch, cluster, 24);
MEMBER(tilec_device_launch, arguments, 40);
MEMBER(tilec_device_launch, num_arguments, 48);
MEMBER(tilec_device_launch, stream, 56);

SIZE(tilec_image, 32);
MEMBER(tilec_image, metadata, 0);
MEMBER(tilec_image, metadata_size, 8);
MEMBER(tilec_image, code, 16);
MEMBER(tilec_image, code_size, 24);

SIZE(tilec_function_info, 32);
MEMBER(tilec_function_info, struct_size, 0);
MEMBER(tilec_function_info, registers, 8);
MEMBER(tilec_function_info, local_bytes, 12);
MEMBER(tilec_function_info, programs_per_multiprocessor, 16);
MEMBER(tilec_function_info, handle, 24);

SIZE(tilec_descriptor, 120);
MEMBER(tilec_descriptor, data, 0);
MEMBER(tilec_descriptor, rank, 8);
MEMBER(tilec_descriptor, pads_with_nan, 12);
MEMBER(tilec_descriptor, shape, 16);
MEMBER(tilec_descriptor, strides, 56);
MEMBER(tilec_descriptor, block, 96);

SIZE(tilec_call_value, 16);
MEMBER(tilec_call_value, kind, 0);
MEMBER(tilec_call_value, type, 2);
MEMBER(tilec_call_value, fields, 4);
MEMBER(tilec_call_value, value, 8);

SIZE(tilec_jit_event, 40);
MEMBER(tilec_jit_event, struct_size, 0);
MEMBER(tilec_jit_event, kernel, 8);
MEMBER(tilec_jit_event, diagnostics, 16);
MEMBER(tilec_jit_event, seconds, 24);
MEMBER(tilec_jit_event, from_cache, 32);

SIZE(tilec_jit_options, 120);
MEMBER(tilec_jit_options, struct_size, 0);
MEMBER(tilec_jit_options, name, 8);
MEMBER(tilec_jit_options, text, 16);
MEMBER(tilec_jit_options, length, 24);
MEMBER(tilec_jit_options, options, 32);
MEMBER(tilec_jit_options, parameters, 40);
MEMBER(tilec_jit_options, num_parameters, 48);
MEMBER(tilec_jit_options, unspecialized, 56);
MEMBER(tilec_jit_options, num_unspecialized, 64);
MEMBER(tilec_jit_options, unaligned, 72);
MEMBER(tilec_jit_options, num_unaligned, 80);
MEMBER(tilec_jit_options, compiled, 88);
MEMBER(tilec_jit_options, context, 96);
MEMBER(tilec_jit_options, signature, 104);
MEMBER(tilec_jit_options, num_signature, 112);

SIZE(tilec_call, 104);
MEMBER(tilec_call, struct_size, 0);
MEMBER(tilec_call, values, 8);
MEMBER(tilec_call, num_values, 16);
MEMBER(tilec_call, grid, 24);
MEMBER(tilec_call, flags, 36);
MEMBER(tilec_call, stream, 40);
MEMBER(tilec_call, num_warps, 48);
MEMBER(tilec_call, num_stages, 52);
MEMBER(tilec_call, max_registers, 56);
MEMBER(tilec_call, compile_flags, 60);
MEMBER(tilec_call, buffers, 64);
MEMBER(tilec_call, num_buffers, 72);
MEMBER(tilec_call, cluster, 80);
MEMBER(tilec_call, num_ctas, 92);
MEMBER(tilec_call, split_k, 96);

SIZE(tilec_value, 16);
MEMBER(tilec_value, data, 0);
MEMBER(tilec_value, size, 8);

SIZE(tilec_buffer, 32);
MEMBER(tilec_buffer, data, 0);
MEMBER(tilec_buffer, size, 8);
MEMBER(tilec_buffer, name, 16);
MEMBER(tilec_buffer, flags, 24);

SIZE(tilec_launch, 64);
MEMBER(tilec_launch, struct_size, 0);
MEMBER(tilec_launch, grid, 8);
MEMBER(tilec_launch, flags, 20);
MEMBER(tilec_launch, arguments, 24);
MEMBER(tilec_launch, num_arguments, 32);
MEMBER(tilec_launch, buffers, 40);
MEMBER(tilec_launch, num_buffers, 48);
MEMBER(tilec_launch, host_threads, 56);

SIZE(tilec_finding, 88);
MEMBER(tilec_finding, struct_size, 0);
MEMBER(tilec_finding, kind, 8);
MEMBER(tilec_finding, message, 16);
MEMBER(tilec_finding, count, 24);
MEMBER(tilec_finding, file, 32);
MEMBER(tilec_finding, line, 40);
MEMBER(tilec_finding, column, 44);
MEMBER(tilec_finding, program, 48);
MEMBER(tilec_finding, thread, 60);
MEMBER(tilec_finding, rendered, 64);
MEMBER(tilec_finding, coordinates, 72);
MEMBER(tilec_finding, num_coordinates, 80);

SIZE(tilec_printed_line, 64);
MEMBER(tilec_printed_line, struct_size, 0);
MEMBER(tilec_printed_line, program, 8);
MEMBER(tilec_printed_line, thread, 20);
MEMBER(tilec_printed_line, text, 24);
MEMBER(tilec_printed_line, coordinates, 32);
MEMBER(tilec_printed_line, num_coordinates, 40);
MEMBER(tilec_printed_line, file, 48);
MEMBER(tilec_printed_line, line, 56);
MEMBER(tilec_printed_line, column, 60);

SIZE(tilec_counters, 240);
MEMBER(tilec_counters, struct_size, 0);
MEMBER(tilec_counters, global_load_requests, 8);
MEMBER(tilec_counters, global_load_sectors, 16);
MEMBER(tilec_counters, global_load_ideal_sectors, 24);
MEMBER(tilec_counters, global_load_bytes, 32);
MEMBER(tilec_counters, global_store_requests, 40);
MEMBER(tilec_counters, global_store_sectors, 48);
MEMBER(tilec_counters, global_store_ideal_sectors, 56);
MEMBER(tilec_counters, global_store_bytes, 64);
MEMBER(tilec_counters, shared_load_requests, 72);
MEMBER(tilec_counters, shared_load_wavefronts, 80);
MEMBER(tilec_counters, shared_load_ideal_wavefronts, 88);
MEMBER(tilec_counters, shared_load_bytes, 96);
MEMBER(tilec_counters, shared_store_requests, 104);
MEMBER(tilec_counters, shared_store_wavefronts, 112);
MEMBER(tilec_counters, shared_store_ideal_wavefronts, 120);
MEMBER(tilec_counters, shared_store_bytes, 128);
MEMBER(tilec_counters, barriers, 136);
MEMBER(tilec_counters, shuffles, 144);
MEMBER(tilec_counters, global_atomics, 152);
MEMBER(tilec_counters, shared_atomics, 160);
MEMBER(tilec_counters, instructions, 168);

SIZE(tilec_config, 56);
MEMBER(tilec_config, struct_size, 0);
MEMBER(tilec_config, text, 8);
MEMBER(tilec_config, constants, 16);
MEMBER(tilec_config, num_constants, 24);
MEMBER(tilec_config, num_warps, 32);
MEMBER(tilec_config, num_stages, 36);
MEMBER(tilec_config, max_registers, 40);
MEMBER(tilec_config, num_ctas, 44);
MEMBER(tilec_config, split_k, 48);

SIZE(tilec_tune_progress, 72);
MEMBER(tilec_tune_progress, struct_size, 0);
MEMBER(tilec_tune_progress, done, 8);
MEMBER(tilec_tune_progress, total, 16);
MEMBER(tilec_tune_progress, last, 24);
MEMBER(tilec_tune_progress, last_state, 32);
MEMBER(tilec_tune_progress, last_cost, 40);
MEMBER(tilec_tune_progress, last_reason, 48);
MEMBER(tilec_tune_progress, best, 56);
MEMBER(tilec_tune_progress, best_cost, 64);

SIZE(tilec_tune_options, 144);
MEMBER(tilec_tune_options, struct_size, 0);
MEMBER(tilec_tune_options, options, 8);
MEMBER(tilec_tune_options, launch, 16);
MEMBER(tilec_tune_options, grid, 24);
MEMBER(tilec_tune_options, make_grid, 32);
MEMBER(tilec_tune_options, grid_context, 40);
MEMBER(tilec_tune_options, space, 48);
MEMBER(tilec_tune_options, database, 56);
MEMBER(tilec_tune_options, flags, 64);
MEMBER(tilec_tune_options, max_configs, 68);
MEMBER(tilec_tune_options, max_seconds, 72);
MEMBER(tilec_tune_options, jobs, 80);
MEMBER(tilec_tune_options, repeats, 84);
MEMBER(tilec_tune_options, milliseconds, 88);
MEMBER(tilec_tune_options, buffers, 96);
MEMBER(tilec_tune_options, num_buffers, 104);
MEMBER(tilec_tune_options, progress, 112);
MEMBER(tilec_tune_options, progress_context, 120);
MEMBER(tilec_tune_options, worker, 128);
MEMBER(tilec_tune_options, timeout_seconds, 136);

SIZE(tilec_tuning_info, 80);
MEMBER(tilec_tuning_info, struct_size, 0);
MEMBER(tilec_tuning_info, kernel, 8);
MEMBER(tilec_tuning_info, device, 16);
MEMBER(tilec_tuning_info, unit, 24);
MEMBER(tilec_tuning_info, seconds, 32);
MEMBER(tilec_tuning_info, num_candidates, 40);
MEMBER(tilec_tuning_info, num_measured, 48);
MEMBER(tilec_tuning_info, from_database, 56);
MEMBER(tilec_tuning_info, best, 64);
MEMBER(tilec_tuning_info, best_cost, 72);

SIZE(tilec_candidate, 72);
MEMBER(tilec_candidate, struct_size, 0);
MEMBER(tilec_candidate, config, 8);
MEMBER(tilec_candidate, state, 16);
MEMBER(tilec_candidate, reason, 24);
MEMBER(tilec_candidate, cost, 32);
MEMBER(tilec_candidate, bound, 40);
MEMBER(tilec_candidate, grid, 48);
MEMBER(tilec_candidate, registers, 60);
MEMBER(tilec_candidate, spill_bytes, 64);
MEMBER(tilec_candidate, shared_bytes, 68);

SIZE(tilec_timeline_options, 64);
MEMBER(tilec_timeline_options, struct_size, 0);
MEMBER(tilec_timeline_options, first_cta, 8);
MEMBER(tilec_timeline_options, num_ctas, 12);
MEMBER(tilec_timeline_options, marks, 16);
MEMBER(tilec_timeline_options, ptxas, 24);
MEMBER(tilec_timeline_options, cuda_home, 32);
MEMBER(tilec_timeline_options, search_path, 40);
MEMBER(tilec_timeline_options, libclc, 48);
MEMBER(tilec_timeline_options, libdevice, 56);

#undef SIZE
#undef MEMBER

#endif // TILEC_TEST_UNIT_API_LAYOUTS_H
