"""Parameters of single probes as the user sets them, `probe.parameter=value`: read and checked beforehand."""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING, NamedTuple

from groma.errors import GromaError
from groma.record.typed_amounts import parse_duration, parse_size

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

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
    near = _nearest(one.probe, probes)
    raise GromaError(
        f"unknown probe {one.probe!r} in --set {one.text}",
        "probes of the network need --network"
        if one.probe.startswith("net_")
        else f"{near}to list all: groma list",
    )


def _nearest(name: str, known: Collection[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    return f"did you mean {near[0]}? " if near else ""


def _parameter(one: _Assignment, probe: ProbeInfo) -> ParameterInfo:
    known = {parameter.name: parameter for parameter in probe.parameters}
    if one.parameter not in known:
        raise GromaError(
            f"{probe.name} has no parameter {one.parameter!r}",
            f"{_nearest(one.parameter, known)}to list all: groma describe {probe.name}",
        )
    return known[one.parameter]


# ---- values ------------------------------------------------------------------------------------------------


def _whole(text: str) -> str | None:
    return text if re.fullmatch(r"[0-9]{1,18}", text) else None


def _integer(text: str) -> str | None:
    return text if re.fullmatch(r"-?[0-9]{1,18}", text) else None


def _number(text: str) -> str | None:
    return text if re.fullmatch(r"[0-9]{1,15}(\.[0-9]{1,15})?", text) else None


def _bytes(text: str) -> str:
    """0 stands for a size that the probe chooses."""
    return "0" if text == "0" else str(parse_size(text))


def _seconds(text: str) -> str | None:
    seconds = parse_duration(text)
    return f"{seconds:.10g}" if seconds > 0 else None


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
    "text": _Type("a value", "all", lambda text: text or None),
}


def _value(one: _Assignment, parameter: ParameterInfo) -> str:
    """As the probe reads it: sizes in bytes, times in seconds."""
    if parameter.type == "found":
        raise GromaError(f"{one.target} cannot be set: the survey finds it itself", f"omit --set {one.text}")
    if "|" in parameter.type:
        return _choice(one, parameter.type.split("|"))
    type_ = _TYPES.get(parameter.type, _TYPES["text"])
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


def _choice(one: _Assignment, choices: Sequence[str]) -> str:
    if one.value not in choices:
        raise GromaError(
            f"{one.target} takes {', '.join(choices[:-1])} or {choices[-1]}, not {one.value!r}",
            f"{_nearest(one.value, choices)}to read more: groma describe {one.probe}",
        )
    return one.value
