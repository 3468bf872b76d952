// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The model of products over the C interface.

#include "Status.h"

#include "tilec/Tuning/ProductModel.h"

using namespace tilec;
using namespace tilec::api;

static tilec_product_plan rawPlan(const ProductPlan &plan) {
  tilec_product_plan raw = {};
  raw.block_m = plan.blockM;
  raw.block_n = plan.blockN;
  raw.block_k = plan.blockK;
  raw.group_m = plan.groupM;
  raw.num_warps = plan.numWarps;
  raw.num_stages = plan.numStages;
  raw.num_ctas = plan.numCtas;
  raw.split_k = plan.splitK;
  raw.microseconds = plan.microseconds;
  return raw;
}

tilec_status tilec_plan_product(const tilec_product *product, size_t most,
                                tilec_product_plan *plans, size_t *num_plans) {
  return guarded([&]() -> tilec_status {
    if (!num_plans)
      return invalid("num_plans is null");
    *num_plans = 0;
    if (!product)
      return invalid("product is null");
    if (!plans && most != 0)
      return invalid("plans is null");
    std::optional<tilec_product> given = readStruct(product, "product");
    if (!given)
      return TILEC_INVALID_ARGUMENT;
    llvm::Expected<const Processor *> processor =
        given->target ? findProcessor(given->target) : &defaultProcessor();
    if (!processor)
      return invalid(llvm::toString(processor.takeError()));
    Product wanted{given->m,
                   given->n,
                   given->k,
                   given->element_bits ? given->element_bits : 16,
                   {!given->a_by_columns, !given->b_by_columns}};
    if (llvm::Error error = checkProduct(wanted, **processor))
      return fail(isModelled(**processor) ? TILEC_INVALID_ARGUMENT : TILEC_UNAVAILABLE,
                  llvm::toString(std::move(error)));
    if (given->multiprocessors > 100000)
      return invalid("product: multiprocessors is " + llvm::Twine(given->multiprocessors) +
                     ", expected at most 100000");
    // As long as the caller's version has them.
    char *place = reinterpret_cast<char *>(plans);
    for (const ProductPlan &plan :
         planProduct(wanted, most, int(given->multiprocessors), !given->has_own_order)) {
      auto *to = reinterpret_cast<tilec_product_plan *>(place);
      to->struct_size = plans->struct_size;
      if (tilec_status status = writeStruct(rawPlan(plan), to, "plans"))
        return status;
      place += plans->struct_size;
      ++*num_plans;
    }
    return TILEC_OK;
  });
}
