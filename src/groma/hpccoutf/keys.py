"""The 148 keys of the summary section of hpccoutf.txt: HPCC 1.5.0, in its order, with kinds and units."""

from __future__ import annotations

from typing import NamedTuple


class Key(NamedTuple):
    """`kind` is int, float or text; `unit` is that of the file, empty for plain numbers."""

    name: str
    kind: str
    unit: str = ""


def _alike(form: str, names: str, kind: str, unit: str = "") -> tuple[Key, ...]:
    """Keys that differ in one word alone."""
    return tuple(Key(form.format(name), kind, unit) for name in names.split())


def _random_access(test: str) -> tuple[Key, ...]:
    """Those of either generator."""
    return (
        Key(f"{test}_N", "int", "words"),
        *_alike(f"{test}_{{}}", "time CheckTime", "float", "s"),
        Key(f"{test}_Errors", "int", "words"),
        Key(f"{test}_ErrorsFraction", "float"),
        Key(f"{test}_ExeUpdates", "int", "updates"),
        Key(f"{test}_GUPs", "float", "Gupdate/s"),
        Key(f"{test}_TimeBound", "float", "s"),
        Key(f"{test}_Algorithm", "int"),
    )


_ARITHMETIC = "EPS SFMIN BASE PREC MLEN RND EMIN RMIN EMAX RMAX"

KEYS = (
    Key("VersionMajor", "int"),
    Key("VersionMinor", "int"),
    Key("VersionMicro", "int"),
    Key("VersionRelease", "text"),
    Key("LANG", "text"),
    Key("Success", "int"),
    *_alike(
        "sizeof_{}",
        "char short int long void_ptr size_t float double s64Int u64Int struct_double_double",
        "int",
        "B",
    ),
    Key("CommWorldProcs", "int", "ranks"),
    Key("MPI_Wtick", "float", "s"),
    Key("HPL_Tflops", "float", "Tflop/s"),
    Key("HPL_time", "float", "s"),
    *_alike("HPL_{}", "eps RnormI Anorm1 AnormI Xnorm1 XnormI BnormI", "float"),
    *_alike("HPL_{}", "N NB nprow npcol depth nbdiv nbmin", "int"),
    Key("HPL_cpfact", "text"),
    Key("HPL_crfact", "text"),
    Key("HPL_ctop", "int"),
    Key("HPL_order", "text"),
    *_alike("HPL_dMACH_{}", _ARITHMETIC, "float"),
    *_alike("HPL_sMACH_{}", _ARITHMETIC, "float"),
    Key("dweps", "float"),
    Key("sweps", "float"),
    Key("HPLMaxProcs", "int", "ranks"),
    Key("HPLMinProcs", "int", "ranks"),
    Key("DGEMM_N", "int"),
    Key("StarDGEMM_Gflops", "float", "Gflop/s"),
    Key("SingleDGEMM_Gflops", "float", "Gflop/s"),
    Key("PTRANS_GBs", "float", "GB/s"),
    Key("PTRANS_time", "float", "s"),
    Key("PTRANS_residual", "float"),
    *_alike("PTRANS_{}", "n nb nprow npcol", "int"),
    *_random_access("MPIRandomAccess_LCG"),
    *_random_access("MPIRandomAccess"),
    Key("RandomAccess_LCG_N", "int", "words"),
    Key("StarRandomAccess_LCG_GUPs", "float", "Gupdate/s"),
    Key("SingleRandomAccess_LCG_GUPs", "float", "Gupdate/s"),
    Key("RandomAccess_N", "int", "words"),
    Key("StarRandomAccess_GUPs", "float", "Gupdate/s"),
    Key("SingleRandomAccess_GUPs", "float", "Gupdate/s"),
    Key("STREAM_VectorSize", "int", "elements"),
    Key("STREAM_Threads", "int", "threads"),
    *_alike("StarSTREAM_{}", "Copy Scale Add Triad", "float", "GB/s"),
    *_alike("SingleSTREAM_{}", "Copy Scale Add Triad", "float", "GB/s"),
    Key("FFT_N", "int", "points"),
    Key("StarFFT_Gflops", "float", "Gflop/s"),
    Key("SingleFFT_Gflops", "float", "Gflop/s"),
    Key("MPIFFT_N", "int", "points"),
    Key("MPIFFT_Gflops", "float", "Gflop/s"),
    Key("MPIFFT_maxErr", "float"),
    Key("MPIFFT_Procs", "int", "ranks"),
    Key("MaxPingPongLatency_usec", "float", "us"),
    Key("RandomlyOrderedRingLatency_usec", "float", "us"),
    Key("MinPingPongBandwidth_GBytes", "float", "GB/s"),
    Key("NaturallyOrderedRingBandwidth_GBytes", "float", "GB/s"),
    Key("RandomlyOrderedRingBandwidth_GBytes", "float", "GB/s"),
    Key("MinPingPongLatency_usec", "float", "us"),
    Key("AvgPingPongLatency_usec", "float", "us"),
    Key("MaxPingPongBandwidth_GBytes", "float", "GB/s"),
    Key("AvgPingPongBandwidth_GBytes", "float", "GB/s"),
    Key("NaturallyOrderedRingLatency_usec", "float", "us"),
    Key("FFTEnblk", "int"),
    Key("FFTEnp", "int"),
    Key("FFTEl2size", "int", "B"),
    Key("M_OPENMP", "int"),
    Key("omp_get_num_threads", "int", "threads"),
    Key("omp_get_max_threads", "int", "threads"),
    Key("omp_get_num_procs", "int"),
    Key("MemProc", "float", "MiB"),
    Key("MemSpec", "int"),
    Key("MemVal", "float", "MiB"),
    *_alike("MPIFFT_time{}", "0 1 2 3 4 5 6", "float", "s"),
    *_alike(
        "CPS_{}",
        "HPCC_FFT_235 HPCC_FFTW_ESTIMATE HPCC_MEMALLCTR HPL_USE_GETPROCESSTIMES RA_SANDIA_NOPT "
        "RA_SANDIA_OPT2 USING_FFTW",
        "int",
    ),
)

BY_NAME = {key.name: key for key in KEYS}

# The key that says how large a test was, and the keys that mean nothing where it did not run.
_OF_TEST = {
    "HPL_N": (
        "HPL_Tflops HPL_time HPL_eps HPL_RnormI HPL_Anorm1 HPL_AnormI HPL_Xnorm1 HPL_XnormI HPL_BnormI "
        "HPL_NB HPL_nprow HPL_npcol HPL_depth HPL_nbdiv HPL_nbmin HPL_cpfact HPL_crfact HPL_ctop HPL_order"
    ),
    "DGEMM_N": "StarDGEMM_Gflops SingleDGEMM_Gflops",
    "PTRANS_n": "PTRANS_GBs PTRANS_time PTRANS_residual PTRANS_nb PTRANS_nprow PTRANS_npcol",
    "RandomAccess_LCG_N": "StarRandomAccess_LCG_GUPs SingleRandomAccess_LCG_GUPs",
    "RandomAccess_N": "StarRandomAccess_GUPs SingleRandomAccess_GUPs",
    "STREAM_VectorSize": (
        "STREAM_Threads StarSTREAM_Copy StarSTREAM_Scale StarSTREAM_Add StarSTREAM_Triad "
        "SingleSTREAM_Copy SingleSTREAM_Scale SingleSTREAM_Add SingleSTREAM_Triad"
    ),
    "FFT_N": "StarFFT_Gflops SingleFFT_Gflops",
}
_OF_RANDOM_ACCESS = "time CheckTime Errors ErrorsFraction ExeUpdates GUPs TimeBound Algorithm"
_OF_MPI_TEST = {
    "MPIRandomAccess_LCG": _OF_RANDOM_ACCESS,
    "MPIRandomAccess": _OF_RANDOM_ACCESS,
    "MPIFFT": "Gflops maxErr Procs time0 time1 time2 time3 time4 time5 time6",
}

SIZE_OF = {name: size for size, names in _OF_TEST.items() for name in names.split()} | {
    f"{test}_{name}": f"{test}_N" for test, names in _OF_MPI_TEST.items() for name in names.split()
}
"""By the key of a figure that of the size it was measured at."""
