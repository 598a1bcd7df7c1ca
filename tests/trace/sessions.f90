! A session of MPI-4 from Fortran, with a reduction over all processes.
program sessions
  use mpi_f08
  implicit none
  type(MPI_Session) :: session
  type(MPI_Group) :: group
  type(MPI_Comm) :: comm
  integer :: total

  call MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, session)
  call MPI_Group_from_session_pset(session, 'mpi://WORLD', group)
  call MPI_Comm_create_from_group(group, 'groma', MPI_INFO_NULL, MPI_ERRORS_RETURN, comm)
  call MPI_Group_free(group)
  call MPI_Allreduce(1, total, 1, MPI_INTEGER, MPI_SUM, comm)
  print '(i0)', total
  call MPI_Comm_free(comm)
  call MPI_Session_finalize(session)
end program
