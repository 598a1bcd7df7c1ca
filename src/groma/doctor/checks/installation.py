"""What of groma is built, and what is missing."""

from __future__ import annotations

import os
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from groma import __version__
from groma.doctor.finding import CheckContext, Finding, check
from groma.errors import GromaError
from groma.launch import native

if TYPE_CHECKING:
    from collections.abc import Iterator

    from groma.record import Build

GROUP = "Installation"

_OFF = {"", "0", "OFF", "NO", "NONE", "FALSE"}

# Less free space than this is soon used up by raw samples.
SMALLEST_SPACE = 50e6


@check(GROUP)
def probe_program(context: CheckContext) -> Iterator[Finding]:
    folder = context.settings.settings.native.path
    try:
        program = native.find_program(folder=folder)
        build = native.build_of(program)
    except GromaError as error:
        repair = error.next_step if native.configured(folder) else _how_to_build(context)
        yield Finding(code="probe.missing", severity="fail", what=error.what, repair=repair)
        return
    yield Finding(
        code="probe", severity="ok", what=f"groma-probe {build.version} ({build.compiler}) at {program}"
    )
    yield from _version(build)
    yield from _hwloc(context, build)


def _how_to_build(context: CheckContext) -> str:
    tools = [name for name in ("c++", "cmake", "make") if context.host.find(name) is None]
    if not tools:
        return "make setup"
    return context.install("g++ cmake make", "gcc-c++ cmake make") + "; make setup"


def _version(build: Build) -> Iterator[Finding]:
    if build.version != __version__:
        yield Finding(
            code="probe.version",
            severity="warn",
            what=f"groma-probe is version {build.version}, groma itself {__version__}",
            repair="make setup",
        )


def _hwloc(context: CheckContext, build: Build) -> Iterator[Finding]:
    if build.options.get("hwloc", "").upper() not in _OFF:
        yield Finding(code="hwloc", severity="ok", what="hwloc reads the topology")
        return
    yield Finding(
        code="hwloc.missing",
        severity="info",
        what="built without hwloc: groma reads the topology from /sys",
        repair=context.install("libhwloc-dev", "hwloc-devel") + "; make setup",
    )


@check(GROUP)
def torus_simulator(context: CheckContext) -> Iterator[Finding]:
    """Not asked about where nothing native is built: another check says that."""
    folder = context.settings.settings.native.path
    try:
        native.find_program(folder=folder)
    except GromaError:
        return
    try:
        program = native.native_program("groma-torus", folder)
    except GromaError as error:
        yield Finding(code="torus.missing", severity="info", what=error.what, repair="make setup")
        return
    yield Finding(code="torus", severity="ok", what=f"groma-torus simulates networks: {program}")


@check(GROUP)
def second_mapper(context: CheckContext) -> Iterator[Finding]:
    if context.host.find("scotch_gmap") or context.host.find("gmap"):
        yield Finding(code="scotch", severity="ok", what="Scotch maps ranks: groma map --engine scotch")
        return
    yield Finding(
        code="scotch.missing",
        severity="info",
        what="Scotch not found: groma map has no second engine",
        repair=context.install("scotch", "scotch"),
    )


@check(GROUP)
def report_page(context: CheckContext) -> Iterator[Finding]:
    if resources.files("groma.report").joinpath("assets", "report.html").is_file():
        yield Finding(code="page", severity="ok", what="the report page is built")
        return
    tools = [name for name in ("node", "npm") if context.host.find(name) is None]
    how = context.install("nodejs npm", "nodejs npm") + "; " if tools else ""
    yield Finding(
        code="page.missing",
        severity="warn",
        what="the report page is not built: groma report will fail",
        repair=f"{how}make setup",
    )


@check(GROUP)
def settings_files(context: CheckContext) -> Iterator[Finding]:
    for path, reason in context.settings.unread.items():
        yield Finding(
            code="settings.unread",
            severity="warn",
            what=f"{path} was not read: {reason}",
            repair=f"chown $USER {path}",
        )


@check(GROUP)
def output_place(context: CheckContext) -> Iterator[Finding]:
    output = context.settings.settings.survey.output
    folder = str(Path(output).absolute().parent)
    if not context.host.is_writable(folder):
        yield Finding(
            code="output.read_only",
            severity="warn",
            what=f"the profile cannot be written to {folder}",
            repair="groma survey -o /a/folder/of/yours/groma-profile.json",
        )
        return
    free = context.host.free_bytes(folder)
    if free is not None and free < SMALLEST_SPACE:
        yield Finding(
            code="output.full",
            severity="warn",
            what=f"only {free / 1e6:.0f} MB are free in {folder}",
            repair=f"du -sh {folder}{os.sep}* shows what uses the space",
        )
