/* trsm.c: solves X * U = B with an upper triangular U on a two-dimensional grid of MPI processes: the example
 * of section 6.1 of the Servet 3.0 paper.
 *
 *     mpirun -n P trsm N [--rows M] [--order row|column] [--per-node K]
 *
 * U is N x N, B and X are M x N (by default N x N). Blocks of X go along the rows of the grid and never get
 * fewer. Blocks of U go along its columns, and each step needs fewer of them. So the program asks the network
 * how much slower it is over a distance, and orders the ranks so that the broadcasts cost least. --order
 * replaces its choice.
 * --per-node says how many consecutive ranks share a node; by default MPI determines it.
 *
 * Prints the grid, both costs, the largest error of X and the time of its parts. Exit codes: 0, 2 (usage), 3
 * (X is wrong), 4 (memory).
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grid.h"

/* Blocks have fewer than 2^31 elements then. */
enum { MOST = 1 << 15 };

/* Largest relative error of X per order of U. */
static const double TOLERANCE = 1e-14;

typedef struct request {
  int n;
  int m;
  int per_node;
  const char* order; /* NULL: ask the profile */
} request;

/* First element of part `index` of `count` elements in `parts` parts. */
static int first_of(int count, int parts, int index) {
  return (int)((long long)count * index / parts);
}

static int length_of(int count, int parts, int index) {
  return first_of(count, parts, index + 1) - first_of(count, parts, index);
}

/* ---- the matrices: known X and a U whose inverse is small, so that rounding does not grow
 * ---------------------- */

static double x_at(int i, int j) {
  return 1.0 + ((i * 7 + j * 13) % 17) / 17.0;
}

static double u_at(int i, int j, int n) {
  if (i > j) return 0;
  return i == j ? 2.0 + (i % 5) / 5.0 : ((i * 3 + j * 5) % 11 - 5) / (5.0 * n);
}

static double b_at(int i, int j, int n) {
  double sum = 0;
  int k;
  for (k = 0; k <= j; ++k) sum += x_at(i, k) * u_at(k, j, n);
  return sum;
}

/* ---- the work of one process
 * ---------------------------------------------------------------------------------- */

typedef struct part {
  grid grid;
  int row, column;   /* of this process in the grid */
  int rows, columns; /* of its block of X and B */
  int first_row, first_column;
  MPI_Comm along_row, along_column;
} part;

typedef struct times {
  double communication;
  double computation;
} times;

static part part_of(const request* request, grid grid, int rank) {
  part part;
  part.grid = grid;
  part.row = row_of(&grid, rank);
  part.column = column_of(&grid, rank);
  part.rows = length_of(request->m, grid.rows, part.row);
  part.columns = length_of(request->n, grid.columns, part.column);
  part.first_row = first_of(request->m, grid.rows, part.row);
  part.first_column = first_of(request->n, grid.columns, part.column);
  MPI_Comm_split(MPI_COMM_WORLD, part.row, part.column, &part.along_row);
  MPI_Comm_split(MPI_COMM_WORLD, part.column, part.row, &part.along_column);
  return part;
}

/* X = B * U^-1 in place; U is order x order. */
static void solve(double* x, int rows, int order, const double* u) {
  int i, j, k;
  for (i = 0; i < rows; ++i) {
    double* row = x + (size_t)i * order;
    for (j = 0; j < order; ++j) {
      row[j] /= u[(size_t)j * order + j];
      for (k = j + 1; k < order; ++k) row[k] -= row[j] * u[(size_t)j * order + k];
    }
  }
}

/* B = B - X * U, with an X of `inner` columns. */
static void update(double* b, int rows, int columns, const double* x, int inner, const double* u) {
  int i, j, k;
  for (i = 0; i < rows; ++i) {
    for (k = 0; k < inner; ++k) {
      const double factor = x[(size_t)i * inner + k];
      for (j = 0; j < columns; ++j) b[(size_t)i * columns + j] -= factor * u[(size_t)k * columns + j];
    }
  }
}

/* The block of U in block row k and in the columns of this process. The process in row k of the grid, counted
 * round, owns it. */
static void make_u(double* u, const part* part, int n, int first, int rows) {
  int i, j;
  for (i = 0; i < rows; ++i) {
    for (j = 0; j < part->columns; ++j) {
      u[(size_t)i * part->columns + j] = u_at(first + i, part->first_column + j, n);
    }
  }
}

static void broadcast(double* block, int count, int root, MPI_Comm communicator, times* times) {
  const double start = MPI_Wtime();
  MPI_Bcast(block, count, MPI_DOUBLE, root, communicator);
  times->communication += MPI_Wtime() - start;
}

/* Step k of the paper: U down the columns, solve block column k, X along the rows, update what is right of
 * it. */
static void step(const request* request, const part* part, int k, double* b, double* u, double* x,
                 times* times) {
  const int order = length_of(request->n, part->grid.columns, k);
  const int owner = k % part->grid.rows;
  double start;
  if (part->column >= k) {
    if (part->row == owner) make_u(u, part, request->n, first_of(request->n, part->grid.columns, k), order);
    broadcast(u, order * part->columns, owner, part->along_column, times);
  }
  start = MPI_Wtime();
  if (part->column == k) {
    solve(b, part->rows, order, u);
    memcpy(x, b, (size_t)part->rows * order * sizeof *b);
  }
  times->computation += MPI_Wtime() - start;
  broadcast(x, part->rows * order, k, part->along_row, times);
  start = MPI_Wtime();
  if (part->column > k) update(b, part->rows, part->columns, x, order, u);
  times->computation += MPI_Wtime() - start;
}

static void make_b(double* b, const part* part, int n) {
  int i, j;
  for (i = 0; i < part->rows; ++i) {
    for (j = 0; j < part->columns; ++j) {
      b[(size_t)i * part->columns + j] = b_at(part->first_row + i, part->first_column + j, n);
    }
  }
}

static double error_of(const double* x, const part* part) {
  double largest = 0;
  int i, j;
  for (i = 0; i < part->rows; ++i) {
    for (j = 0; j < part->columns; ++j) {
      const double wanted = x_at(part->first_row + i, part->first_column + j);
      const double error = fabs(x[(size_t)i * part->columns + j] - wanted) / wanted;
      if (!(error <= largest)) largest = error; /* not a number is the largest of all */
    }
  }
  return largest;
}

/* The largest error of this process, or a negative number for too little memory. */
static double run(const request* request, const part* part, times* times) {
  const int widest = request->n / part->grid.columns + 1, highest = request->m / part->grid.rows + 1;
  double* b = malloc(((size_t)part->rows * part->columns + 1) * sizeof *b);
  double* u = malloc((size_t)widest * widest * sizeof *u);
  double* x = malloc((size_t)highest * widest * sizeof *x);
  double error = -1;
  int k, missing = b == NULL || u == NULL || x == NULL;
  MPI_Allreduce(MPI_IN_PLACE, &missing, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (!missing) {
    make_b(b, part, request->n);
    MPI_Barrier(MPI_COMM_WORLD);
    for (k = 0; k < part->grid.columns; ++k) step(request, part, k, b, u, x, times);
    error = error_of(b, part);
  }
  free(x);
  free(u);
  free(b);
  return error;
}

/* ---- what it is asked, and what it asks
 * ------------------------------------------------------------------------ */

static int count_of(const char* text) {
  char* end;
  const long number = text == NULL ? 0 : strtol(text, &end, 10);
  return number > 0 && number <= MOST && *end == '\0' ? (int)number : 0;
}

static int read_request(int count, char** arguments, request* request) {
  int i;
  request->n = count > 1 ? count_of(arguments[1]) : 0;
  for (i = 2; i < count; i += 2) {
    const char* value = i + 1 < count ? arguments[i + 1] : NULL;
    if (strcmp(arguments[i], "--rows") == 0) {
      if ((request->m = count_of(value)) == 0) return 0;
    } else if (strcmp(arguments[i], "--per-node") == 0) {
      if ((request->per_node = count_of(value)) == 0) return 0;
    } else if (strcmp(arguments[i], "--order") == 0 && value != NULL &&
               (strcmp(value, "row") == 0 || strcmp(value, "column") == 0)) {
      request->order = value;
    } else {
      return 0;
    }
  }
  if (request->m == 0) request->m = request->n;
  return request->n > 0;
}

/* Processes of this node. */
static int processes_here(void) {
  MPI_Comm node;
  int processes;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_size(node, &processes);
  MPI_Comm_free(&node);
  return processes;
}

/* Each process gets its block row of X but for its own block, and its block column of the triangle U. */
static traffic traffic_of(const request* request, int processes) {
  const grid grid = square_grid(processes);
  const double m = request->m, n = request->n;
  traffic traffic;
  traffic.along_rows = sizeof(double) * m / grid.rows * n * (grid.columns - 1) / grid.columns;
  traffic.along_columns = sizeof(double) * n / 2 * n / grid.columns * (grid.rows - 1) / grid.rows;
  return traffic;
}

/* On the first process, which tells the others: all must have the same grid. */
static grid choose_grid(const request* request, int processes, int rank) {
  const int per_node = request->per_node > 0 ? request->per_node : processes_here();
  const traffic traffic = traffic_of(request, processes);
  grid chosen = square_grid(processes);
  if (rank == 0) {
    degr_desc network;
    grid other = chosen;
    double cost[2];
    if (load_degr_info(&network) != 0) fprintf(stderr, "note: %s\n", groma_last_error());
    chosen = cheaper_grid(processes, traffic, per_node, &network);
    if (request->order != NULL)
      chosen.order = strcmp(request->order, "row") == 0 ? ROW_ORDERED : COLUMN_ORDERED;
    for (other.order = ROW_ORDERED; other.order <= COLUMN_ORDERED; ++other.order) {
      cost[other.order] = cost_of(&other, traffic, per_node, &network);
    }
    printf("%d x %d grid, %s-ordered%s\n", chosen.rows, chosen.columns,
           chosen.order == ROW_ORDERED ? "row" : "column", request->order != NULL ? " (given)" : "");
    printf("cost of broadcasts: row-ordered %.6g, column-ordered %.6g\n", cost[ROW_ORDERED],
           cost[COLUMN_ORDERED]);
    release_degr_info(&network);
  }
  MPI_Bcast(&chosen, sizeof chosen, MPI_BYTE, 0, MPI_COMM_WORLD);
  return chosen;
}

static int tell(const request* request, double error, const times* times) {
  if (error < 0) {
    fprintf(stderr, "trsm: too little memory\n");
    return 4;
  }
  printf("largest error %.3g, communication %.6f s, computation %.6f s\n", error, times->communication,
         times->computation);
  return error <= TOLERANCE * request->n ? 0 : 3;
}

int main(int count, char** arguments) {
  request request = {0, 0, 0, NULL};
  times times = {0, 0};
  double error;
  int processes, rank, code;
  MPI_Init(&count, &arguments);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (!read_request(count, arguments, &request)) {
    if (rank == 0) fprintf(stderr, "usage: trsm N [--rows M] [--order row|column] [--per-node K]\n");
    MPI_Finalize();
    return 2;
  }
  {
    part part = part_of(&request, choose_grid(&request, processes, rank), rank);
    error = run(&request, &part, &times);
    MPI_Comm_free(&part.along_row);
    MPI_Comm_free(&part.along_column);
  }
  MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &times, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  code = rank == 0 ? tell(&request, error, &times) : 0;
  MPI_Bcast(&code, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Finalize();
  return code;
}
