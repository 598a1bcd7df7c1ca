/* The block of a transposition, from the caches of the machine. */
#ifndef BLOCK_H
#define BLOCK_H

#include <groma/groma.h>
#include <stddef.h>

/* Why a block is as large as it is. */
typedef struct block_choice {
  size_t block;       /* elements of a side */
  const char* reason; /* what limits it */
} block_choice;

/* Elements that lie between rows of the buffer, so that its columns do not fall into one set of a cache. */
enum { PADDING = 8 };

/* Bytes of the buffer of a block. */
size_t buffer_bytes(size_t block);

/* The block for matrices of doubles. Without a profile (NULL), or if it does not know the caches, it is 32.
 */
block_choice choose_block(const groma_profile* profile);

#endif
