#include "grid.h"

#include <math.h>
#include <stdlib.h>

int rank_at(const grid* grid, int row, int column) {
  return grid->order == ROW_ORDERED ? row * grid->columns + column : column * grid->rows + row;
}

int row_of(const grid* grid, int rank) {
  return grid->order == ROW_ORDERED ? rank / grid->columns : rank % grid->rows;
}

int column_of(const grid* grid, int rank) {
  return grid->order == ROW_ORDERED ? rank % grid->columns : rank / grid->rows;
}

grid square_grid(int processes) {
  grid made = {1, processes, ROW_ORDERED};
  int rows;
  for (rows = 1; rows * rows <= processes; ++rows) {
    if (processes % rows == 0) made.rows = rows;
  }
  made.columns = processes / made.rows;
  return made;
}

/* The logical distance of the paper (section 4.1), between nodes. */
static int distance_of(int one, int other, int nodes) {
  const int apart = abs(one - other);
  return apart < nodes - apart ? apart : nodes - apart;
}

/* 1 if nothing is known about the network. */
static double ratio_at(degr_desc* network, int distance) {
  for (; distance > 0; --distance) {
    const double ratio = get_network_dist_ratio(network, distance);
    if (!isnan(ratio)) return ratio;
  }
  return 1;
}

/* What a byte between two ranks costs. */
static double cost_between(int one, int other, int per_node, int nodes, degr_desc* network) {
  const int distance = distance_of(one / per_node, other / per_node, nodes);
  return distance == 0 ? 0 : ratio_at(network, distance);
}

double cost_of(const grid* grid, traffic traffic, int per_node, degr_desc* network) {
  const int processes = grid->rows * grid->columns, nodes = (processes + per_node - 1) / per_node;
  double cost = 0;
  int one, other;
  for (one = 0; one < processes; ++one) {
    for (other = 0; other < processes; ++other) {
      const int same_row = row_of(grid, one) == row_of(grid, other);
      const int same_column = column_of(grid, one) == column_of(grid, other);
      if (one == other || !(same_row || same_column)) continue;
      /* A process sends a share of what goes along its row (column) to each other process of it. */
      cost += cost_between(one, other, per_node, nodes, network) *
              (same_row ? traffic.along_rows / grid->columns : traffic.along_columns / grid->rows);
    }
  }
  return cost;
}

grid cheaper_grid(int processes, traffic traffic, int per_node, degr_desc* network) {
  const grid by_rows = square_grid(processes);
  grid by_columns = by_rows;
  double rows_cost, columns_cost;
  by_columns.order = COLUMN_ORDERED;
  rows_cost = cost_of(&by_rows, traffic, per_node, network);
  columns_cost = cost_of(&by_columns, traffic, per_node, network);
  return columns_cost < rows_cost * (1 - 1e-9) ? by_columns : by_rows;
}
