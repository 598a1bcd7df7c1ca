! A Fortran program of somebody else: prints what the program in C prints, and checks every kind of argument.
program consumer
  use groma
  implicit none
  character(4096) :: file
  character(:), allocatable :: text
  type(c_ptr) :: profile
  type(groma_quantity) :: size, time
  type(groma_core_list) :: list
  type(groma_core_info) :: core
  type(groma_place) :: places(2)
  integer(c_size_t) :: caches, layer

  call get_command_argument(1, file)
  if (groma_profile_open(file, profile) /= GROMA_OK) call complain()
  if (groma_cache_count(profile, caches) /= GROMA_OK) call complain()
  if (groma_cache_size(profile, 1, size) /= GROMA_OK) call complain()
  print '(i0, a, i0, 1x, a)', caches, ' caches, first ', nint(size%value), groma_text(size%unit)

  call check(groma_core(profile, 1_c_size_t, core) == GROMA_OK .and. core%logical == 1)
  call check(groma_cache_sharers(profile, 1, 1, list) == GROMA_OK)
  call check(any(groma_cores_of(list) == 1))
  call check(groma_memory_bandwidth(profile, 'no such kernel', 1_c_size_t, time) == GROMA_NOT_FOUND)
  call check(groma_mapping(profile, GROMA_MEMORY_BOUND, 1_c_size_t, 2_c_size_t, places) == GROMA_OK)
  call check(places(1)%core == 0 .and. places(2)%node == 0)
  call check(groma_layer_between(profile, places(1), places(1), layer) == GROMA_BAD_ARGUMENT)
  call check(groma_profile_text(profile, '.kind', text) == GROMA_OK)
  call check(text == 'survey')
  call check(groma_profile_text(profile, 'no.such.path', text) == GROMA_NOT_FOUND)
  call check(text == 'survey')
  call check(index(groma_last_error(), 'no.such.path') > 0)
  call check(groma_profile_default_path(text) == GROMA_OK)
  call check(len(text) > 0)
  call check(len(groma_version()) > 0)
  call groma_profile_close(profile)

contains

  subroutine complain()
    print '(2a)', 'consumer: ', groma_last_error()
    stop 1
  end subroutine complain

  subroutine check(holds)
    logical, intent(in) :: holds
    if (holds) return
    print '(2a)', 'a check failed; last error: ', groma_last_error()
    error stop 2
  end subroutine check
end program consumer
