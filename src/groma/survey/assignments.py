"""Parameters of single probes as the user sets them, `probe.parameter=value`: read and checked beforehand."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from groma.errors import GromaError
from groma.record.typed_amounts import parse_duration, parse_size
from groma.record.units import format_ids
from groma.spelling import did_you_mean
from groma.survey.probe_names import PREFIX

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from groma.launch.native import ParameterInfo, ProbeInfo

Assigned = dict[str, dict[str, str]]
"""By probe, the values of its parameters as the probe reads them."""


class _Assignment(NamedTuple):
    """One option as it was typed."""

    text: str
    probe: str
    parameter: str
    value: str

    @property
    def target(self) -> str:
        return f"{self.probe}.{self.parameter}"


def assigned_in(
    texts: Sequence[str],
    catalogue: Sequence[ProbeInfo],
    chosen: Collection[str],
    full_name: Callable[[str], str] | None = None,
) -> Assigned:
    """What `texts` set of the `chosen` probes of the catalogue; `full_name` completes names of probes.

    Raises GromaError (exit code 2) for what is unknown, of another type, set twice, or of a probe that does
    not run.
    """
    probes = {probe.name: probe for probe in catalogue}
    assigned: Assigned = {}
    for one in map(_read, texts):
        name = full_name(one.probe) if full_name else _known(one, probes)
        parameter = _parameter(one, probes[name])
        if name not in chosen:
            raise GromaError(f"--set {one.text}: {name} does not run", "select it with --only, or omit --set")
        values = assigned.setdefault(name, {})
        if parameter.name in values:
            raise GromaError(f"{one.target} is set several times but takes one value", "keep one --set of it")
        values[parameter.name] = _value(one, parameter)
    return assigned


def refuse_two_budgets(assigned: Assigned, budget: float | None) -> None:
    """Raises GromaError (exit code 2): that of all probes would change the one that is set."""
    both = [name for name, values in assigned.items() if "budget" in values]
    if both and budget is not None:
        raise GromaError(
            f"--budget and --set {both[0]}.budget cannot be combined",
            "--budget shares its time among all probes; omit one of them",
        )


def words_of(options: Mapping[str, object]) -> tuple[str, ...]:
    """Options with their values as words of a command line, without those that have none."""
    return tuple(word for name, value in options.items() if value for word in (name, str(value)))


def words_of_assignments(texts: Sequence[str]) -> tuple[str, ...]:
    return tuple(word for text in texts for word in ("--set", text))


_FORM = re.compile(r"\s*(?P<probe>[^.=\s]+)\.(?P<parameter>[^.=\s]+)\s*=\s*(?P<value>.*?)\s*", re.DOTALL)


def _read(text: str) -> _Assignment:
    match = _FORM.fullmatch(text)
    if not match:
        raise GromaError(
            f"--set {text!r} is not of the form probe.parameter=value", "write for example clock.rounds=50"
        )
    return _Assignment(text.strip(), match["probe"], match["parameter"], match["value"])


def _known(one: _Assignment, probes: Mapping[str, ProbeInfo]) -> str:
    if one.probe in probes:
        return one.probe
    near = did_you_mean(one.probe, probes)
    raise GromaError(
        f"unknown probe {one.probe!r} in --set {one.text}",
        "probes of the network need --network"
        if one.probe.startswith(PREFIX)
        else f"{near}to list all: groma list",
    )


def _parameter(one: _Assignment, probe: ProbeInfo) -> ParameterInfo:
    known = {parameter.name: parameter for parameter in probe.parameters}
    if one.parameter not in known:
        raise GromaError(
            f"{probe.name} has no parameter {one.parameter!r}",
            f"{did_you_mean(one.parameter, known)}to list all: groma describe {probe.name}",
        )
    return known[one.parameter]


# ---- values ------------------------------------------------------------------------------------------------


def _whole(text: str) -> str | None:
    return text if re.fullmatch(r"[0-9]{1,18}", text) else None


def _integer(text: str) -> str | None:
    return text if re.fullmatch(r"-?[0-9]{1,18}", text) else None


def _core(text: str) -> str | None:
    return text if text == "-1" else _whole(text)


def _number(text: str) -> str | None:
    return text if re.fullmatch(r"[0-9]{1,15}(\.[0-9]{1,15})?", text) else None


def _bytes(text: str) -> str:
    """0 stands for a size that the probe chooses."""
    return "0" if text == "0" else str(parse_size(text))


def _seconds(text: str) -> str | None:
    seconds = parse_duration(text)
    return f"{seconds:.10g}" if seconds > 0 else None


def _shares(text: str) -> str | None:
    """Several, above 0 and up to 1."""
    parts = [_number(part.strip()) for part in text.split(",")]
    return ",".join(map(str, parts)) if all(part and 0.0 < float(part) <= 1.0 for part in parts) else None


def _sizes(text: str) -> str | None:
    if text == "auto":
        return text
    parts = [_bytes(part.strip()) for part in text.split(",")]
    return None if "0" in parts else ",".join(parts)


class _Type(NamedTuple):
    """What a value is called, an example, and how it is read; None or GromaError where it is none."""

    called: str
    example: str
    read: Callable[[str], str | None]


_TYPES = {
    "bytes": _Type("a size in bytes", "64MiB", _bytes),
    "seconds": _Type("a time above zero", "2.5s", _seconds),
    "count": _Type("a whole number", "50", _whole),
    "integer": _Type("a whole number", "3", _integer),
    "number": _Type("a number", "0.5", _number),
    "shares": _Type("shares above 0 up to 1 with commas between them", "0.2,0.5,1", _shares),
    "sizes": _Type("sizes with commas between them, or auto", "24KiB,704KiB", _sizes),
    "core": _Type("the number of a core, or -1", "3", _core),
    "cores": _Type("a number of cores", "2", _whole),
    "text": _Type("a value", "all", lambda text: text or None),
}

_LIST = "list of "
_BOUNDED = re.compile(r"(?P<type>\w+)(?P<side>[<>]=)(?P<bound>[0-9]+)")
"""Such as `bytes>=65536`; a size of 0 stands for one that the probe chooses, unless it has none to choose."""


def _value(one: _Assignment, parameter: ParameterInfo) -> str:
    """As the probe reads it: sizes in bytes, times in seconds."""
    if parameter.type == "found":
        raise GromaError(f"{one.target} cannot be set: the survey finds it itself", f"omit --set {one.text}")
    if parameter.type.startswith(_LIST):
        choices = parameter.type.removeprefix(_LIST).split("|")
        return ",".join(_choice(one, part.strip(), choices) for part in one.value.split(","))
    if "|" in parameter.type:
        return _choice(one, one.value, parameter.type.split("|"))
    bounded = _BOUNDED.fullmatch(parameter.type)
    value = _of_type(one, bounded["type"] if bounded else parameter.type)
    if bounded:
        _refuse_beyond(one, parameter, float(value), bounded["side"], int(bounded["bound"]))
    return value


def _of_type(one: _Assignment, name: str) -> str:
    type_ = _TYPES.get(name, _TYPES["text"])
    try:
        value = type_.read(one.value)
    except GromaError:
        value = None
    if value is None:
        raise GromaError(
            f"{one.target} takes {type_.called}, not {one.value!r}",
            f"write for example {one.target}={type_.example}",
        )
    return value


def _refuse_beyond(one: _Assignment, parameter: ParameterInfo, value: float, side: str, bound: int) -> None:
    """The default, often 0 for what the probe chooses itself, is never beyond."""
    defaults = {parameter.quick, parameter.standard, parameter.thorough}
    if f"{value:.0f}" in defaults or (value >= bound if side == ">=" else value <= bound):
        return
    least_or_most = "at least" if side == ">=" else "at most"
    raise GromaError(
        f"{one.target} takes {least_or_most} {bound}, not {one.value!r}", f"write {one.target}={bound}"
    )


def _choice(one: _Assignment, value: str, choices: Sequence[str]) -> str:
    if value not in choices:
        raise GromaError(
            f"{one.target} takes {', '.join(choices[:-1])} or {choices[-1]}, not {value!r}",
            f"{did_you_mean(value, choices)}to read more: groma describe {one.probe}",
        )
    return value


# ---- cores -------------------------------------------------------------------------------------------------


def names_cores(assigned: Assigned, catalogue: Sequence[ProbeInfo]) -> bool:
    """Whether a value is right only beside the cores of this machine."""
    return bool(list(_of_cores(assigned, catalogue)))


def refuse_absent_cores(assigned: Assigned, catalogue: Sequence[ProbeInfo], allowed: Collection[int]) -> None:
    """Raises GromaError (exit code 2) for a core or a number of cores that this process may not use."""
    for probe, parameter, value in _of_cores(assigned, catalogue):
        target, number = f"{probe}.{parameter.name}", int(value)
        if parameter.type == "core" and number >= 0 and number not in allowed:
            raise GromaError(
                f"{target}={value}: this process may not use core {value}",
                f"choose from {format_ids(sorted(allowed))}, or widen the affinity mask or the cpuset",
            )
        if parameter.type == "cores" and number > len(allowed):
            raise GromaError(
                f"{target} takes at most {len(allowed)}, the cores that this process may use, not {value}",
                "use fewer, or widen the affinity mask or the cpuset",
            )


def _of_cores(assigned: Assigned, catalogue: Sequence[ProbeInfo]) -> Iterator[tuple[str, ParameterInfo, str]]:
    for probe in catalogue:
        values = assigned.get(probe.name, {})
        for parameter in probe.parameters:
            if parameter.type in {"core", "cores"} and parameter.name in values:
                yield probe.name, parameter, values[parameter.name]
