! groma.f90: the profile of a machine, regions and counters in Fortran 2008, by libgroma.
!
!     use groma
!     type(c_ptr) :: machine
!     type(groma_quantity) :: size
!     if (groma_profile_open_default(machine) == GROMA_OK) then
!       if (groma_cache_size(machine, 2, size) == GROMA_OK) print *, size%value
!       call groma_profile_close(machine)
!     end if
!
!     call groma_region_begin("rank loop 1")
!     call groma_region_end("rank loop 1")
!
! Names, arguments, units, errors and ownership are those of groma.h and counters.h, which explain each function. Functions return
! a status; what they cannot tell they leave as it was. Cores, nodes, layers and groups count from 0, as in C.
! Texts are ordinary Fortran texts: blanks at their end do not count, and copies belong to the caller. The unit and
! the method of a quantity belong to the profile: groma_text() copies them. groma_cores_of() makes a list of cores an
! array.
module groma
  use, intrinsic :: iso_c_binding
  implicit none
  private

  ! What came of a call.
  integer(c_int), parameter, public :: GROMA_OK = 0             ! it worked
  integer(c_int), parameter, public :: GROMA_BAD_ARGUMENT = 1   ! an argument is out of range
  integer(c_int), parameter, public :: GROMA_CANNOT_READ = 2    ! the file is missing, unreadable or too large
  integer(c_int), parameter, public :: GROMA_NOT_A_PROFILE = 3  ! not JSON, not a record, or one of another kind
  integer(c_int), parameter, public :: GROMA_NOT_FOUND = 4      ! the profile does not know
  integer(c_int), parameter, public :: GROMA_WRONG_KIND = 5     ! the value at this path is of another kind
  integer(c_int), parameter, public :: GROMA_NO_MEMORY = 6      ! too little memory
  integer(c_int), parameter, public :: GROMA_COLLISION = 7      ! the events do not fit together
  integer(c_int), parameter, public :: GROMA_NOT_COUNTED = 8    ! this machine cannot count the event
  integer(c_int), parameter, public :: GROMA_CANNOT_WRITE = 9   ! the file cannot be written

  ! The class of a code, for groma_mapping().
  integer(c_int), parameter, public :: GROMA_MEMORY_BOUND = 0
  integer(c_int), parameter, public :: GROMA_COMMUNICATION_INTENSIVE = 1

  ! A measured value with its interval; confidence 0: not determined.
  type, bind(c), public :: groma_quantity
    real(c_double) :: value = 0, low = 0, high = 0, confidence = 0
    type(c_ptr) :: unit = c_null_ptr, method = c_null_ptr
  end type groma_quantity

  ! Cores, which belong to the profile.
  type, bind(c), public :: groma_core_list
    type(c_ptr) :: cores = c_null_ptr
    integer(c_size_t) :: count = 0
  end type groma_core_list

  ! A hardware thread; physical is its number in masks of the kernel.
  type, bind(c), public :: groma_core_info
    integer(c_int) :: logical = 0, physical = 0, core = 0, package = 0, numa = 0
  end type groma_core_info

  ! Where a process runs.
  type, bind(c), public :: groma_place
    integer(c_int) :: node = 0, core = 0
  end type groma_place

  public :: c_ptr, c_null_ptr, c_int, c_size_t, c_double, c_long_long
  public :: groma_cache_associativity, groma_cache_count, groma_cache_group, groma_cache_group_count
  public :: groma_cache_latency, groma_cache_line, groma_cache_sharers, groma_cache_size, groma_core
  public :: groma_core_count, groma_core_frequency, groma_core_to_core_latency, groma_cores_of
  public :: groma_last_error, groma_layer_bandwidth, groma_layer_between, groma_layer_count
  public :: groma_layer_latency, groma_layer_name, groma_layer_time, groma_mapping, groma_memory_bandwidth
  public :: groma_memory_contention_group, groma_memory_contention_group_count, groma_memory_latency
  public :: groma_memory_group_bandwidth, groma_memory_group_saturates_at, groma_memory_loaded_latency
  public :: groma_memory_read_fraction, groma_memory_read_fraction_count
  public :: groma_message_bandwidth, groma_message_time, groma_network_access_count
  public :: groma_network_access_ratio, groma_network_distance_count, groma_network_distance_ratio
  public :: groma_numa_block, groma_numa_declared_distance, groma_numa_places, groma_numa_ratio
  public :: groma_numa_time, groma_profile_close, groma_profile_count, groma_profile_default_path
  public :: groma_profile_key, groma_profile_number, groma_profile_open, groma_profile_open_default
  public :: groma_profile_parse, groma_profile_quantity, groma_profile_text, groma_text, groma_tlb_miss_cost
  public :: groma_tlb_reach, groma_version
  public :: groma_region_begin, groma_region_end, groma_regions_write, groma_value
  public :: groma_counters_add, groma_counters_check, groma_counters_close, groma_counters_commit
  public :: groma_counters_create, groma_counters_on_threshold, groma_counters_read, groma_counters_run_count
  public :: groma_counters_run_of

  interface
    function groma_profile_open_default(profile) bind(c) result(status)
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: profile
      integer(c_int) :: status
    end function groma_profile_open_default

    function groma_core_count(profile, count) bind(c) result(status)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: profile
      integer(c_size_t), intent(inout) :: count
      integer(c_int) :: status
    end function groma_core_count

    function groma_core(profile, index, core) bind(c) result(status)
      import :: c_int, c_ptr, c_size_t, groma_core_info
      type(c_ptr), value :: profile
      integer(c_size_t), value :: index
      type(groma_core_info), intent(inout) :: core
      integer(c_int) :: status
    end function groma_core

    function groma_core_frequency(profile, frequency) bind(c) result(status)
      import :: c_int, c_ptr, groma_quantity
      type(c_ptr), value :: profile
      type(groma_quantity), intent(inout) :: frequency
      integer(c_int) :: status
    end function groma_core_frequency

    function groma_cache_count(profile, levels) bind(c) result(status)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: profile
      integer(c_size_t), intent(inout) :: levels
      integer(c_int) :: status
    end function groma_cache_count

    function groma_cache_size(profile, level, size) bind(c) result(status)
      import :: c_int, c_ptr, groma_quantity
      type(c_ptr), value :: profile
      integer(c_int), value :: level
      type(groma_quantity), intent(inout) :: size
      integer(c_int) :: status
    end function groma_cache_size

    function groma_cache_latency(profile, level, latency) bind(c) result(status)
      import :: c_int, c_ptr, groma_quantity
      type(c_ptr), value :: profile
      integer(c_int), value :: level
      type(groma_quantity), intent(inout) :: latency
      integer(c_int) :: status
    end function groma_cache_latency

    function groma_cache_line(profile, level, line) bind(c) result(status)
      import :: c_int, c_ptr, groma_quantity
      type(c_ptr), value :: profile
      integer(c_int), value :: level
      type(groma_quantity), intent(inout) :: line
      integer(c_int) :: status
    end function groma_cache_line

    function groma_cache_associativity(profile, level, ways) bind(c) result(status)
      import :: c_int, c_ptr, groma_quantity
      type(c_ptr), value :: profile
      integer(c_int), value :: level
      type(groma_quantity), intent(inout) :: ways
      integer(c_int) :: status
    end function groma_cache_associativity

    function groma_cache_group_count(profile, level, groups) bind(c) result(status)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: profile
      integer(c_int), value :: level
      integer(c_size_t), intent(inout) :: groups
      integer(c_int) :: status
    end function groma_cache_group_count

    function groma_cache_group(profile, level, group, cores) bind(c) result(status)
      import :: c_int, c_ptr, c_size_t, groma_core_list
      type(c_ptr), value :: profile
      integer(c_int), value :: level
      integer(c_size_t), value :: group
      type(groma_core_list), intent(inout) :: cores
      integer(c_int) :: status
    end function groma_cache_group

    function groma_cache_sharers(profile, level, core, cores) bind(c) result(status)
      import :: c_int, c_ptr, groma_core_list
      type(c_ptr), value :: profile
      integer(c_int), value :: level
      integer(c_int), value :: core
      type(groma_core_list), intent(inout) :: cores
      integer(c_int) :: status
    end function groma_cache_sharers

    function groma_tlb_reach(profile, level, page, reach) bind(c) result(status)
      import :: c_int, c_ptr, c_size_t, groma_quantity
      type(c_ptr), value :: profile
      integer(c_int), value :: level
      integer(c_size_t), value :: page
      type(groma_quantity), intent(inout) :: reach
      integer(c_int) :: status
    end function groma_tlb_reach

    function groma_tlb_miss_cost(profile, level, page, cost) bind(c) result(status)
      import :: c_int, c_ptr, c_size_t, groma_quantity
      type(c_ptr), value :: profile
      integer(c_int), value :: level
      integer(c_size_t), value :: page
      type(groma_quantity), intent(inout) :: cost
      integer(c_int) :: status
    end function groma_tlb_miss_cost

    function groma_memory_latency(profile, latency) bind(c) result(status)
      import :: c_int, c_ptr, groma_quantity
      type(c_ptr), value :: profile
      type(groma_quantity), intent(inout) :: latency
      integer(c_int) :: status
    end function groma_memory_latency

    function groma_memory_contention_group_count(profile, groups) bind(c) result(status)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: profile
      integer(c_size_t), intent(inout) :: groups
      integer(c_int) :: status
    end function groma_memory_contention_group_count

    function groma_memory_contention_group(profile, group, cores) bind(c) result(status)
      import :: c_int, c_ptr, c_size_t, groma_core_list
      type(c_ptr), value :: profile
      integer(c_size_t), value :: group
      type(groma_core_list), intent(inout) :: cores
      integer(c_int) :: status
    end function groma_memory_contention_group

    function groma_memory_group_bandwidth(profile, group, cores, bandwidth) bind(c) result(status)
      import :: c_int, c_ptr, c_size_t, groma_quantity
      type(c_ptr), value :: profile
      integer(c_size_t), value :: group, cores
      type(groma_quantity), intent(inout) :: bandwidth
      integer(c_int) :: status
    end function groma_memory_group_bandwidth

    function groma_memory_group_saturates_at(profile, group, cores) bind(c) result(status)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: profile
      integer(c_size_t), value :: group
      integer(c_size_t), intent(inout) :: cores
      integer(c_int) :: status
    end function groma_memory_group_saturates_at

    function groma_memory_read_fraction_count(profile, mixes) bind(c) result(status)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: profile
      integer(c_size_t), intent(inout) :: mixes
      integer(c_int) :: status
    end function groma_memory_read_fraction_count

    function groma_memory_read_fraction(profile, mix, fraction) bind(c) result(status)
      import :: c_double, c_int, c_ptr, c_size_t
      type(c_ptr), value :: profile
      integer(c_size_t), value :: mix
      real(c_double), intent(inout) :: fraction
      integer(c_int) :: status
    end function groma_memory_read_fraction

    function groma_memory_loaded_latency(profile, mix, bandwidth, latency) bind(c) result(status)
      import :: c_double, c_int, c_ptr, c_size_t, groma_quantity
      type(c_ptr), value :: profile
      integer(c_size_t), value :: mix
      real(c_double), value :: bandwidth
      type(groma_quantity), intent(inout) :: latency
      integer(c_int) :: status
    end function groma_memory_loaded_latency

    function groma_numa_ratio(profile, owner, reader, ratio) bind(c) result(status)
      import :: c_int, c_ptr, groma_quantity
      type(c_ptr), value :: profile
      integer(c_int), value :: owner
      integer(c_int), value :: reader
      type(groma_quantity), intent(inout) :: ratio
      integer(c_int) :: status
    end function groma_numa_ratio

    function groma_numa_declared_distance(profile, node, other, distance) bind(c) result(status)
      import :: c_double, c_int, c_ptr
      type(c_ptr), value :: profile
      integer(c_int), value :: node
      integer(c_int), value :: other
      real(c_double), intent(inout) :: distance
      integer(c_int) :: status
    end function groma_numa_declared_distance

    function groma_core_to_core_latency(profile, core, other, latency) bind(c) result(status)
      import :: c_int, c_ptr, groma_quantity
      type(c_ptr), value :: profile
      integer(c_int), value :: core
      integer(c_int), value :: other
      type(groma_quantity), intent(inout) :: latency
      integer(c_int) :: status
    end function groma_core_to_core_latency

    function groma_layer_count(profile, layers) bind(c) result(status)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: profile
      integer(c_size_t), intent(inout) :: layers
      integer(c_int) :: status
    end function groma_layer_count

    function groma_layer_latency(profile, layer, latency) bind(c) result(status)
      import :: c_int, c_ptr, c_size_t, groma_quantity
      type(c_ptr), value :: profile
      integer(c_size_t), value :: layer
      type(groma_quantity), intent(inout) :: latency
      integer(c_int) :: status
    end function groma_layer_latency

    function groma_layer_bandwidth(profile, layer, bandwidth) bind(c) result(status)
      import :: c_int, c_ptr, c_size_t, groma_quantity
      type(c_ptr), value :: profile
      integer(c_size_t), value :: layer
      type(groma_quantity), intent(inout) :: bandwidth
      integer(c_int) :: status
    end function groma_layer_bandwidth

    function groma_layer_time(profile, layer, bytes, time) bind(c) result(status)
      import :: c_int, c_ptr, c_size_t, groma_quantity
      type(c_ptr), value :: profile
      integer(c_size_t), value :: layer
      integer(c_size_t), value :: bytes
      type(groma_quantity), intent(inout) :: time
      integer(c_int) :: status
    end function groma_layer_time

    function groma_layer_between(profile, from, to, layer) bind(c) result(status)
      import :: c_int, c_ptr, c_size_t, groma_place
      type(c_ptr), value :: profile
      type(groma_place), value :: from
      type(groma_place), value :: to
      integer(c_size_t), intent(inout) :: layer
      integer(c_int) :: status
    end function groma_layer_between

    function groma_message_time(profile, from, to, bytes, time) bind(c) result(status)
      import :: c_int, c_ptr, c_size_t, groma_place, groma_quantity
      type(c_ptr), value :: profile
      type(groma_place), value :: from
      type(groma_place), value :: to
      integer(c_size_t), value :: bytes
      type(groma_quantity), intent(inout) :: time
      integer(c_int) :: status
    end function groma_message_time

    function groma_message_bandwidth(profile, from, to, bytes, bandwidth) bind(c) result(status)
      import :: c_int, c_ptr, c_size_t, groma_place, groma_quantity
      type(c_ptr), value :: profile
      type(groma_place), value :: from
      type(groma_place), value :: to
      integer(c_size_t), value :: bytes
      type(groma_quantity), intent(inout) :: bandwidth
      integer(c_int) :: status
    end function groma_message_bandwidth

    function groma_network_distance_ratio(profile, distance, ratio) bind(c) result(status)
      import :: c_int, c_ptr, c_size_t, groma_quantity
      type(c_ptr), value :: profile
      integer(c_size_t), value :: distance
      type(groma_quantity), intent(inout) :: ratio
      integer(c_int) :: status
    end function groma_network_distance_ratio

    function groma_network_distance_count(profile, distances) bind(c) result(status)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: profile
      integer(c_size_t), intent(inout) :: distances
      integer(c_int) :: status
    end function groma_network_distance_count

    function groma_network_access_ratio(profile, per_node, ratio) bind(c) result(status)
      import :: c_int, c_ptr, c_size_t, groma_quantity
      type(c_ptr), value :: profile
      integer(c_size_t), value :: per_node
      type(groma_quantity), intent(inout) :: ratio
      integer(c_int) :: status
    end function groma_network_access_ratio

    function groma_network_access_count(profile, processes) bind(c) result(status)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: profile
      integer(c_size_t), intent(inout) :: processes
      integer(c_int) :: status
    end function groma_network_access_count

    function groma_mapping(profile, code, nodes, processes, places) bind(c) result(status)
      import :: c_int, c_ptr, c_size_t, groma_place
      type(c_ptr), value :: profile
      integer(c_int), value :: code
      integer(c_size_t), value :: nodes
      integer(c_size_t), value :: processes
      type(groma_place), intent(inout) :: places(*)
      integer(c_int) :: status
    end function groma_mapping

    subroutine groma_profile_close(profile) bind(c)
      import :: c_ptr
      type(c_ptr), value :: profile
    end subroutine groma_profile_close

    function groma_counters_create(counters) bind(c) result(status)
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: counters
      integer(c_int) :: status
    end function groma_counters_create

    function groma_counters_check(counters) bind(c) result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: counters
      integer(c_int) :: status
    end function groma_counters_check

    function groma_counters_run_count(counters, runs) bind(c) result(status)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: counters
      integer(c_size_t), intent(inout) :: runs
      integer(c_int) :: status
    end function groma_counters_run_count

    function groma_counters_commit(counters) bind(c) result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: counters
      integer(c_int) :: status
    end function groma_counters_commit

    subroutine groma_counters_close(counters) bind(c)
      import :: c_ptr
      type(c_ptr), value :: counters
    end subroutine groma_counters_close
  end interface

  ! What has texts for arguments: the functions of this module add or take away the zero of C.
  interface
    subroutine c_region_begin(name) bind(c, name="groma_region_begin")
      import :: c_char
      character(kind=c_char), intent(in) :: name(*)
    end subroutine c_region_begin

    subroutine c_region_end(name) bind(c, name="groma_region_end")
      import :: c_char
      character(kind=c_char), intent(in) :: name(*)
    end subroutine c_region_end

    subroutine c_value(name, value) bind(c, name="groma_value")
      import :: c_char, c_long_long
      character(kind=c_char), intent(in) :: name(*)
      integer(c_long_long), value :: value
    end subroutine c_value

    function c_regions_write(file) bind(c, name="groma_regions_write") result(status)
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: file(*)
      integer(c_int) :: status
    end function c_regions_write

    function c_counters_add(counters, event) bind(c, name="groma_counters_add") result(status)
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: counters
      character(kind=c_char), intent(in) :: event(*)
      integer(c_int) :: status
    end function c_counters_add

    function c_counters_on_threshold(counters, event, threshold, callback, context) &
        bind(c, name="groma_counters_on_threshold") result(status)
      import :: c_char, c_funptr, c_int, c_long_long, c_ptr
      type(c_ptr), value :: counters
      character(kind=c_char), intent(in) :: event(*)
      integer(c_long_long), value :: threshold
      type(c_funptr), value :: callback
      type(c_ptr), value :: context
      integer(c_int) :: status
    end function c_counters_on_threshold

    function c_counters_run_of(counters, event, run) bind(c, name="groma_counters_run_of") result(status)
      import :: c_char, c_int, c_ptr, c_size_t
      type(c_ptr), value :: counters
      character(kind=c_char), intent(in) :: event(*)
      integer(c_size_t), intent(inout) :: run
      integer(c_int) :: status
    end function c_counters_run_of

    function c_counters_read(counters, values, count) bind(c, name="groma_counters_read") result(status)
      import :: c_int, c_long_long, c_ptr, c_size_t
      type(c_ptr), value :: counters
      integer(c_long_long), intent(inout) :: values(*)
      integer(c_size_t), value :: count
      integer(c_int) :: status
    end function c_counters_read

    function c_profile_open(file, profile) bind(c, name="groma_profile_open") result(status)
      import :: c_char, c_int, c_ptr
      character(kind=c_char), intent(in) :: file(*)
      type(c_ptr), intent(inout) :: profile
      integer(c_int) :: status
    end function c_profile_open

    function c_profile_default_path(path, capacity) bind(c, name="groma_profile_default_path") result(status)
      import :: c_char, c_int, c_size_t
      character(kind=c_char), intent(inout) :: path(*)
      integer(c_size_t), value :: capacity
      integer(c_int) :: status
    end function c_profile_default_path

    function c_profile_parse(json, length, profile) bind(c, name="groma_profile_parse") result(status)
      import :: c_char, c_int, c_ptr, c_size_t
      character(kind=c_char), intent(in) :: json(*)
      integer(c_size_t), value :: length
      type(c_ptr), intent(inout) :: profile
      integer(c_int) :: status
    end function c_profile_parse

    function c_memory_bandwidth(profile, kernel, cores, bandwidth) &
      bind(c, name="groma_memory_bandwidth") result(status)
      import :: c_char, c_int, c_ptr, c_size_t, groma_quantity
      type(c_ptr), value :: profile
      character(kind=c_char), intent(in) :: kernel(*)
      integer(c_size_t), value :: cores
      type(groma_quantity), intent(inout) :: bandwidth
      integer(c_int) :: status
    end function c_memory_bandwidth

    function c_numa_places(profile, over, places) bind(c, name="groma_numa_places") result(status)
      import :: c_int, c_ptr, groma_core_list
      type(c_ptr), value :: profile
      type(c_ptr), intent(inout) :: over
      type(groma_core_list), intent(inout) :: places
      integer(c_int) :: status
    end function c_numa_places

    function c_numa_time(profile, experiment, owner, reader, time) bind(c, name="groma_numa_time") result(status)
      import :: c_char, c_int, c_ptr, groma_quantity
      type(c_ptr), value :: profile
      character(kind=c_char), intent(in) :: experiment(*)
      integer(c_int), value :: owner
      integer(c_int), value :: reader
      type(groma_quantity), intent(inout) :: time
      integer(c_int) :: status
    end function c_numa_time

    function c_numa_block(profile, experiment, bytes) bind(c, name="groma_numa_block") result(status)
      import :: c_char, c_int, c_ptr, c_size_t
      type(c_ptr), value :: profile
      character(kind=c_char), intent(in) :: experiment(*)
      integer(c_size_t), intent(inout) :: bytes
      integer(c_int) :: status
    end function c_numa_block

    function c_layer_name(profile, layer, name) bind(c, name="groma_layer_name") result(status)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: profile
      integer(c_size_t), value :: layer
      type(c_ptr), intent(inout) :: name
      integer(c_int) :: status
    end function c_layer_name

    function c_profile_quantity(profile, path, quantity) bind(c, name="groma_profile_quantity") result(status)
      import :: c_char, c_int, c_ptr, groma_quantity
      type(c_ptr), value :: profile
      character(kind=c_char), intent(in) :: path(*)
      type(groma_quantity), intent(inout) :: quantity
      integer(c_int) :: status
    end function c_profile_quantity

    function c_profile_number(profile, path, number) bind(c, name="groma_profile_number") result(status)
      import :: c_char, c_double, c_int, c_ptr
      type(c_ptr), value :: profile
      character(kind=c_char), intent(in) :: path(*)
      real(c_double), intent(inout) :: number
      integer(c_int) :: status
    end function c_profile_number

    function c_profile_text(profile, path, text) bind(c, name="groma_profile_text") result(status)
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: profile
      character(kind=c_char), intent(in) :: path(*)
      type(c_ptr), intent(inout) :: text
      integer(c_int) :: status
    end function c_profile_text

    function c_profile_count(profile, path, count) bind(c, name="groma_profile_count") result(status)
      import :: c_char, c_int, c_ptr, c_size_t
      type(c_ptr), value :: profile
      character(kind=c_char), intent(in) :: path(*)
      integer(c_size_t), intent(inout) :: count
      integer(c_int) :: status
    end function c_profile_count

    function c_profile_key(profile, path, index, key) bind(c, name="groma_profile_key") result(status)
      import :: c_char, c_int, c_ptr, c_size_t
      type(c_ptr), value :: profile
      character(kind=c_char), intent(in) :: path(*)
      integer(c_size_t), value :: index
      type(c_ptr), intent(inout) :: key
      integer(c_int) :: status
    end function c_profile_key

    function c_last_error() bind(c, name="groma_last_error") result(text)
      import :: c_ptr
      type(c_ptr) :: text
    end function c_last_error

    function c_version() bind(c, name="groma_version") result(text)
      import :: c_ptr
      type(c_ptr) :: text
    end function c_version

    pure function c_length(text) bind(c, name="strlen") result(length)
      import :: c_ptr, c_size_t
      type(c_ptr), value, intent(in) :: text
      integer(c_size_t) :: length
    end function c_length
  end interface

contains

  ! A copy of a text of C; empty for the null pointer.
  function groma_text(text) result(copy)
    type(c_ptr), intent(in) :: text
    character(:), allocatable :: copy
    character(kind=c_char), pointer :: signs(:)
    integer(c_size_t) :: i, length
    length = 0
    if (c_associated(text)) length = c_length(text)
    allocate (character(length) :: copy)
    if (length == 0) return
    call c_f_pointer(text, signs, [length])
    do i = 1, length
      copy(i:i) = signs(i)
    end do
  end function groma_text

  ! The cores of a list, as a copy.
  function groma_cores_of(list) result(cores)
    type(groma_core_list), intent(in) :: list
    integer(c_int), allocatable :: cores(:)
    integer(c_int), pointer :: of_profile(:)
    allocate (cores(list%count))
    if (list%count == 0) return
    call c_f_pointer(list%cores, of_profile, [list%count])
    cores = of_profile
  end function groma_cores_of

  function groma_last_error() result(line)
    character(:), allocatable :: line
    line = groma_text(c_last_error())
  end function groma_last_error

  function groma_version() result(version)
    character(:), allocatable :: version
    version = groma_text(c_version())
  end function groma_version

  function groma_profile_open(file, profile) result(status)
    character(*), intent(in) :: file
    type(c_ptr), intent(inout) :: profile
    integer(c_int) :: status
    status = c_profile_open(as_c(file), profile)
  end function groma_profile_open

  function groma_profile_parse(json, profile) result(status)
    character(*), intent(in) :: json
    type(c_ptr), intent(inout) :: profile
    integer(c_int) :: status
    status = c_profile_parse(json, len(json, c_size_t), profile)
  end function groma_profile_parse

  function groma_profile_default_path(path) result(status)
    character(:), allocatable, intent(inout) :: path
    integer(c_int) :: status
    integer(c_size_t), parameter :: room = 4096
    character(kind=c_char), target :: found(room)
    status = c_profile_default_path(found, room)
    if (status == GROMA_OK) path = groma_text(c_loc(found))
  end function groma_profile_default_path

  function groma_memory_bandwidth(profile, kernel, cores, bandwidth) result(status)
    type(c_ptr), intent(in) :: profile
    character(*), intent(in) :: kernel
    integer(c_size_t), intent(in) :: cores
    type(groma_quantity), intent(inout) :: bandwidth
    integer(c_int) :: status
    status = c_memory_bandwidth(profile, as_c(kernel), cores, bandwidth)
  end function groma_memory_bandwidth

  function groma_numa_places(profile, over, places) result(status)
    type(c_ptr), intent(in) :: profile
    character(:), allocatable, intent(inout) :: over
    type(groma_core_list), intent(inout) :: places
    integer(c_int) :: status
    type(c_ptr) :: found
    found = c_null_ptr
    status = c_numa_places(profile, found, places)
    if (status == GROMA_OK) over = groma_text(found)
  end function groma_numa_places

  function groma_numa_time(profile, experiment, owner, reader, time) result(status)
    type(c_ptr), intent(in) :: profile
    character(*), intent(in) :: experiment
    integer(c_int), intent(in) :: owner, reader
    type(groma_quantity), intent(inout) :: time
    integer(c_int) :: status
    status = c_numa_time(profile, as_c(experiment), owner, reader, time)
  end function groma_numa_time

  function groma_numa_block(profile, experiment, bytes) result(status)
    type(c_ptr), intent(in) :: profile
    character(*), intent(in) :: experiment
    integer(c_size_t), intent(inout) :: bytes
    integer(c_int) :: status
    status = c_numa_block(profile, as_c(experiment), bytes)
  end function groma_numa_block

  function groma_layer_name(profile, layer, name) result(status)
    type(c_ptr), intent(in) :: profile
    integer(c_size_t), intent(in) :: layer
    character(:), allocatable, intent(inout) :: name
    integer(c_int) :: status
    type(c_ptr) :: found
    found = c_null_ptr
    status = c_layer_name(profile, layer, found)
    if (status == GROMA_OK) name = groma_text(found)
  end function groma_layer_name

  function groma_profile_quantity(profile, path, quantity) result(status)
    type(c_ptr), intent(in) :: profile
    character(*), intent(in) :: path
    type(groma_quantity), intent(inout) :: quantity
    integer(c_int) :: status
    status = c_profile_quantity(profile, as_c(path), quantity)
  end function groma_profile_quantity

  function groma_profile_number(profile, path, number) result(status)
    type(c_ptr), intent(in) :: profile
    character(*), intent(in) :: path
    real(c_double), intent(inout) :: number
    integer(c_int) :: status
    status = c_profile_number(profile, as_c(path), number)
  end function groma_profile_number

  function groma_profile_text(profile, path, text) result(status)
    type(c_ptr), intent(in) :: profile
    character(*), intent(in) :: path
    character(:), allocatable, intent(inout) :: text
    integer(c_int) :: status
    type(c_ptr) :: found
    found = c_null_ptr
    status = c_profile_text(profile, as_c(path), found)
    if (status == GROMA_OK) text = groma_text(found)
  end function groma_profile_text

  function groma_profile_count(profile, path, count) result(status)
    type(c_ptr), intent(in) :: profile
    character(*), intent(in) :: path
    integer(c_size_t), intent(inout) :: count
    integer(c_int) :: status
    status = c_profile_count(profile, as_c(path), count)
  end function groma_profile_count

  function groma_profile_key(profile, path, index, key) result(status)
    type(c_ptr), intent(in) :: profile
    character(*), intent(in) :: path
    integer(c_size_t), intent(in) :: index
    character(:), allocatable, intent(inout) :: key
    integer(c_int) :: status
    type(c_ptr) :: found
    found = c_null_ptr
    status = c_profile_key(profile, as_c(path), index, found)
    if (status == GROMA_OK) key = groma_text(found)
  end function groma_profile_key

  subroutine groma_region_begin(name)
    character(*), intent(in) :: name
    call c_region_begin(as_c(name))
  end subroutine groma_region_begin

  subroutine groma_region_end(name)
    character(*), intent(in) :: name
    call c_region_end(as_c(name))
  end subroutine groma_region_end

  subroutine groma_value(name, value)
    character(*), intent(in) :: name
    integer(c_long_long), intent(in) :: value
    call c_value(as_c(name), value)
  end subroutine groma_value

  function groma_regions_write(file) result(status)
    character(*), intent(in) :: file
    integer(c_int) :: status
    status = c_regions_write(as_c(file))
  end function groma_regions_write

  function groma_counters_add(counters, event) result(status)
    type(c_ptr), intent(in) :: counters
    character(*), intent(in) :: event
    integer(c_int) :: status
    status = c_counters_add(counters, as_c(event))
  end function groma_counters_add

  function groma_counters_on_threshold(counters, event, threshold, callback, context) result(status)
    type(c_ptr), intent(in) :: counters
    character(*), intent(in) :: event
    integer(c_long_long), intent(in) :: threshold
    type(c_funptr), intent(in) :: callback
    type(c_ptr), intent(in) :: context
    integer(c_int) :: status
    status = c_counters_on_threshold(counters, as_c(event), threshold, callback, context)
  end function groma_counters_on_threshold

  function groma_counters_run_of(counters, event, run) result(status)
    type(c_ptr), intent(in) :: counters
    character(*), intent(in) :: event
    integer(c_size_t), intent(inout) :: run
    integer(c_int) :: status
    status = c_counters_run_of(counters, as_c(event), run)
  end function groma_counters_run_of

  function groma_counters_read(counters, values) result(status)
    type(c_ptr), intent(in) :: counters
    integer(c_long_long), intent(inout) :: values(:)
    integer(c_int) :: status
    integer(c_long_long) :: copy(size(values))
    copy = values
    status = c_counters_read(counters, copy, size(copy, kind=c_size_t))
    if (status == GROMA_OK) values = copy
  end function groma_counters_read

  function as_c(text) result(copy)
    character(*), intent(in) :: text
    character(:), allocatable :: copy
    copy = trim(text)//c_null_char
  end function as_c

end module groma
