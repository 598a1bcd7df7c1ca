#include "block.h"

#include <math.h>

enum { DEFAULT_BLOCK = 32, USUAL_LINE = 64, USUAL_PAGE = 4096 };

size_t buffer_bytes(size_t block) {
  return block * (block + PADDING) * sizeof(double);
}

/* A determined size in bytes, or 0. */
static double known(groma_status status, const groma_quantity* quantity) {
  return status == GROMA_OK && quantity->confidence > 0 ? quantity->value : 0;
}

static double cache_size(const groma_profile* profile, int level) {
  groma_quantity size;
  return known(groma_cache_size(profile, level, &size), &size);
}

static double line_of(const groma_profile* profile) {
  groma_quantity line;
  const double measured = known(groma_cache_line(profile, 1, &line), &line);
  return measured > 0 ? measured : USUAL_LINE;
}

/* A smaller limit replaces the choice. */
static void limit(block_choice* choice, double block, const char* reason) {
  if (block <= 0 || block >= (double)choice->block) return;
  choice->block = (size_t)block;
  choice->reason = reason;
}

block_choice choose_block(const groma_profile* profile) {
  block_choice choice = {DEFAULT_BLOCK, "the profile does not know the caches"};
  groma_quantity reach;
  double second, first, line, in_line;
  if (profile == NULL || (first = cache_size(profile, 1)) <= 0) return choice;
  line = line_of(profile);
  in_line = line / sizeof(double);
  second = cache_size(profile, 2);
  choice.block = (size_t)-1;
  /* The buffer stays in a quarter of level 2: the rows that pass by need room too, and so may a neighbour. */
  if (second > 0)
    limit(&choice, sqrt(second / 4 / sizeof(double)) - PADDING, "a quarter of the cache of level 2");
  /* Without a level 2 it stays in half of level 1. */
  if (second <= 0) limit(&choice, sqrt(first / 2 / sizeof(double)) - PADDING, "half of the cache of level 1");
  /* A row of the block is scattered over as many lines of the buffer, which level 1 keeps for the next row.
   */
  limit(&choice, first / 2 / line, "lines in half of the cache of level 1");
  /* Rows of a large matrix lie on pages of their own: those of the block, read and written, in half of the
   * TLB. */
  if (known(groma_tlb_reach(profile, 2, USUAL_PAGE, &reach), &reach) > 0) {
    limit(&choice, reach.value / USUAL_PAGE / 4, "pages in half of the TLB");
  }
  /* Whole lines. */
  if ((double)choice.block > in_line) choice.block -= choice.block % (size_t)in_line;
  if (choice.block == 0) choice.block = 1;
  return choice;
}
