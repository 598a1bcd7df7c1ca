! A library that brings the Fortran of MPI: a message to itself from any source, without a status.
subroutine run() bind(C)
#if INTERFACE == 8
  use mpi_f08
  type(MPI_Request) :: request
#else
  implicit none
  include 'mpif.h'
  integer :: request
#endif
  integer :: failure, rank, sent(3), received(3)
  call mpi_comm_rank(MPI_COMM_WORLD, rank, failure)
  sent = 7
  call mpi_irecv(received, 3, MPI_INTEGER, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, request, failure)
  call mpi_send(sent, 3, MPI_INTEGER, rank, 5, MPI_COMM_WORLD, failure)
  call mpi_wait(request, MPI_STATUS_IGNORE, failure)
  call mpi_barrier(MPI_COMM_WORLD, failure)
  if (all(received == sent)) print '(a)', 'received'
end subroutine
