! Calls MPI from Fortran, through mpif.h, `use mpi` or `use mpi_f08` (-DINTERFACE=1, 2, 3), and notes what it calls, as
! calls.c does.
#if INTERFACE == 3
#define COMM type(MPI_Comm)
#define REQUEST type(MPI_Request)
#define STATUS type(MPI_Status)
#define STATUS_SIZE
#define SOURCE_OF(s) s%MPI_SOURCE
#else
#define COMM integer
#define REQUEST integer
#define STATUS integer
#define SOURCE_OF(s) s(MPI_SOURCE)
#endif
program calls
#if INTERFACE == 1
  implicit none
  include 'mpif.h'
#elif INTERFACE == 2
  use mpi
  implicit none
#else
  use mpi_f08
  implicit none
#endif
  integer :: rank, ranks, right, left, error, i, number, index, seen(4)
  logical :: flag
  integer :: out(64), in(64), here(64)
  COMM :: half, ring
  REQUEST :: requests(4)
#if INTERFACE == 3
  STATUS :: state, states(4)
#else
  STATUS :: state(MPI_STATUS_SIZE), states(MPI_STATUS_SIZE, 4)
#endif
  character(len=1024) :: folder, name
  logical :: periods(1)
  integer :: dims(1)

  call get_command_argument(1, folder)
  out = 1
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  right = mod(rank + 1, ranks)
  left = mod(rank + ranks - 1, ranks)
  write (name, '(a,a,i0,a)') trim(folder), '/', rank, '.calls'
  open (unit=10, file=trim(name))
  call note('Init')
  call note('Comm_rank')
  call note('Comm_size')

  call note('Irecv')
  call MPI_Irecv(in, 8, MPI_INTEGER, left, 1, MPI_COMM_WORLD, requests(1), error)
  call note('Send')
  call sent(right, 1, 8)
  call MPI_Send(out, 2, MPI_INTEGER, right, 1, MPI_COMM_WORLD, error)
  call note('Wait')
  call MPI_Wait(requests(1), MPI_STATUS_IGNORE, error)

  call note('Pcontrol')
  call MPI_Pcontrol(1)

  call note('Sendrecv')
  call sent(right, 2, 24)
  call MPI_Sendrecv(out, 3, MPI_DOUBLE_PRECISION, right, 2, in, 8, MPI_DOUBLE_PRECISION, left, 2, &
                    MPI_COMM_WORLD, state, error)
  if (SOURCE_OF(state) /= left) error stop 1

  do i = 1, 2
    call note('Irecv')
    call MPI_Irecv(in(8 * i), 8, MPI_INTEGER, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, requests(i), error)
    call note('Isend')
    call sent(right, 3, 4 * i)
    call MPI_Isend(out, i, MPI_INTEGER, right, 3, MPI_COMM_WORLD, requests(2 + i), error)
  end do
  call note('Waitany')
  call MPI_Waitany(4, requests, index, MPI_STATUS_IGNORE, error)
  call note('Waitsome')
  call MPI_Waitsome(4, requests, number, seen, states, error)
  call note('Waitall')
  call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE, error)

  call note('Recv_init')
  call MPI_Recv_init(in, 8, MPI_INTEGER, left, 4, MPI_COMM_WORLD, requests(1), error)
  call note('Send_init')
  call MPI_Send_init(out, 4, MPI_INTEGER, right, 4, MPI_COMM_WORLD, requests(2), error)
  do i = 1, 2
    call note('Startall')
    call sent(right, 4, 16)
    call MPI_Startall(2, requests, error)
    flag = .false.
    do while (.not. flag)
      call note('Testall')
      call MPI_Testall(2, requests, flag, MPI_STATUSES_IGNORE, error)
    end do
  end do
  requests(3) = requests(1)  ! the receive behind the send
  do i = 1, 2
    call note('Startall')
    call sent(right, 4, 16)
    call MPI_Startall(2, requests(2:3), error)
    call note('Waitany')
    call MPI_Waitany(2, requests(2:3), index, MPI_STATUS_IGNORE, error)
    call note('Waitsome')
    call MPI_Waitsome(2, requests(2:3), number, seen, states, error)
  end do
  do i = 1, 2
    call note('Request_free')
    call MPI_Request_free(requests(i), error)
  end do

  call note('Isend')
  call sent(right, 5, 4)
  call MPI_Isend(out, 1, MPI_INTEGER, right, 5, MPI_COMM_WORLD, requests(1), error)
  call note('Probe')
  call MPI_Probe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
  call note('Recv')
  call MPI_Recv(in, 8, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, state, error)
  if (SOURCE_OF(state) /= left) error stop 1
  call note('Wait')
  call MPI_Wait(requests(1), state, error)

  call note('Barrier')
  call MPI_Barrier(MPI_COMM_WORLD, error)
  call note('Bcast')
  call MPI_Bcast(in, 4, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
  call note('Allreduce')
  call MPI_Allreduce(MPI_IN_PLACE, in, 4, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  call note('Gather')
  call MPI_Gather(out, 1, MPI_INTEGER, here, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
  call note('Alltoall')
  call MPI_Alltoall(out, 1, MPI_INTEGER, here, 1, MPI_INTEGER, MPI_COMM_WORLD, error)
  call note('Comm_split')
  call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), rank, half, error)
  call note('Reduce')
  call MPI_Reduce(out, here, 4, MPI_INTEGER, MPI_SUM, 0, half, error)
  call note('Comm_free')
  call MPI_Comm_free(half, error)
  dims(1) = ranks
  periods(1) = .true.
  call note('Cart_create')
  call MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, .false., ring, error)
  call note('Neighbor_allgather')
  call MPI_Neighbor_allgather(out, 1, MPI_INTEGER, here, 1, MPI_INTEGER, ring, error)
  call note('Iallreduce')
  call MPI_Iallreduce(out, here, 4, MPI_INTEGER, MPI_SUM, ring, requests(1), error)
  call note('Wait')
  call MPI_Wait(requests(1), MPI_STATUS_IGNORE, error)
  call note('Finalize')
  close (10)
  call MPI_Finalize(error)
contains
  subroutine note(call_name)
    character(len=*), intent(in) :: call_name
    write (10, '(a)') call_name
  end subroutine
  subroutine sent(destination, tag, bytes)
    integer, intent(in) :: destination, tag, bytes
    write (10, '(a,3(1x,i0))') '>', destination, tag, bytes
  end subroutine
end program
