! Large-count calls of mpi_f08: the same names as those of the plain calls.
program large
  use mpi_f08
  implicit none
  integer(MPI_COUNT_KIND) :: count
  integer :: rank
  integer :: out(5), in(5)
  type(MPI_Request) :: request

  out = 1
  count = 5
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Irecv(in, count, MPI_INTEGER, rank, 1, MPI_COMM_WORLD, request)
  call MPI_Send(out, count, MPI_INTEGER, rank, 1, MPI_COMM_WORLD)
  call MPI_Wait(request, MPI_STATUS_IGNORE)
  call MPI_Bcast(out, count, MPI_INTEGER, 0, MPI_COMM_WORLD)
  call MPI_Finalize()
end program large
