/* Grids of processes, and which order of ranks keeps their broadcasts near. */
#ifndef GRID_H
#define GRID_H

#include <groma/servet.h>

typedef enum grid_order { ROW_ORDERED, COLUMN_ORDERED } grid_order;

/* `rows` x `columns` processes. Row-ordered, neighbours of a row have consecutive ranks. */
typedef struct grid {
  int rows;
  int columns;
  grid_order order;
} grid;

int rank_at(const grid* grid, int row, int column);
int row_of(const grid* grid, int rank);
int column_of(const grid* grid, int rank);

/* The most square grid of so many processes, with no more rows than columns. */
grid square_grid(int processes);

/* The bytes that each process gets in the broadcasts along its row and along its column. */
typedef struct traffic {
  double along_rows;
  double along_columns;
} traffic;

/* The cost of the broadcasts on this grid: bytes, weighted by how slow the network is over the distance that
 * they go. `per_node` processes with consecutive ranks share a node, and messages within it cost nothing. A
 * distance that was not measured costs as much as the largest one below it that was. */
double cost_of(const grid* grid, traffic traffic, int per_node, degr_desc* network);

/* The grid whose order costs less; row-ordered if both cost the same. */
grid cheaper_grid(int processes, traffic traffic, int per_node, degr_desc* network);

#endif
