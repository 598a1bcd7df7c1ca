! Regions, a value and a plan of counters.
program regions
  use groma
  implicit none
  type(c_ptr) :: plan
  integer(c_size_t) :: runs
  integer(c_long_long) :: values(2)

  call groma_region_begin("rank loop 1")
  call groma_value("iteration", 42_c_long_long)
  call groma_region_end("rank loop 1")
  plan = c_null_ptr
  runs = 0
  values = -1
  if (groma_counters_create(plan) /= GROMA_OK) stop 1
  if (groma_counters_add(plan, "tsc") /= GROMA_OK) stop 2
  if (groma_counters_add(plan, "task-clock") /= GROMA_OK) stop 3
  if (groma_counters_add(plan, "nonsense") /= GROMA_BAD_ARGUMENT) stop 4
  if (groma_counters_check(plan) /= GROMA_OK) stop 5
  if (groma_counters_run_count(plan, runs) /= GROMA_OK) stop 6
  if (runs /= 1) stop 7
  if (groma_counters_commit(plan) /= GROMA_OK) stop 8
  if (groma_counters_read(plan, values) /= GROMA_OK) stop 9
  if (any(values < 0)) stop 10
  call groma_counters_close(plan)
end program regions
