"""Spack recipe: native programs and libgroma by CMake, the Python package by pip."""

from spack_repo.builtin.build_systems.python import PythonPackage

from spack.package import *


class Groma(PythonPackage):
    """Surveys parallel computers: what a machine really is, with intervals and methods."""

    license("Apache-2.0")

    version("main")  # from a clone: spack dev-build groma@main

    variant("hwloc", default=True, description="Read the topology through hwloc")
    variant("page", default=True, description="Build the report page")
    variant("library", default=True, description="Install libgroma for C and C++")
    variant("fortran", default=False, description="Build the Fortran module of libgroma", when="+library")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("cmake@3.22:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build", when="+hwloc")
    depends_on("hwloc@2:", when="+hwloc")
    depends_on("node-js@18.18:", type="build", when="+page")
    depends_on("npm", type="build", when="+page")
    depends_on("python@3.11:", type=("build", "run"))
    depends_on("py-scikit-build-core@1:", type="build")
    depends_on("py-click@8.1:", type=("build", "run"))
    depends_on("py-msgspec@0.19:", type=("build", "run"))
    depends_on("py-numpy@1.26:", type=("build", "run"))
    depends_on("py-rich@13:", type=("build", "run"))

    conflicts("%gcc@:10", msg="groma is written in C++20")

    def config_settings(self, spec, prefix):
        def switch(variant):
            return "ON" if spec.satisfies(f"+{variant}") else "OFF"

        return {
            "cmake.define.GROMA_WITH_HWLOC": switch("hwloc"),
            "cmake.define.GROMA_WITH_VIEWER": switch("page"),
        }

    @run_after("install")
    def install_library(self):
        if self.spec.satisfies("~library"):
            return
        cmake = which("cmake")
        fortran = self.spec.satisfies("+fortran")
        options = ["-DGROMA_WITH_TESTS=OFF", f"-DGROMA_WITH_FORTRAN={'ON' if fortran else 'OFF'}"]
        cmake("-S", ".", "-B", "library", f"-DCMAKE_INSTALL_PREFIX={self.prefix}", *options)
        targets = ["groma", "groma_static", *(["groma_fortran"] if fortran else [])]
        cmake("--build", "library", "--target", *targets)
        cmake("--install", "library", "--component", "library")
