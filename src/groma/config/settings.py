"""The one model of settings; options, files, variables, schema and reference are made from it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec

Depth = Literal["quick", "standard", "thorough"]
Seed = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]


def _about(text: str, **bounds: Any) -> msgspec.Meta:
    return msgspec.Meta(description=text, **bounds)


class SurveySettings(msgspec.Struct, frozen=True, kw_only=True):
    depth: Annotated[Depth, _about("Number of samples: quick, standard or thorough.")] = "standard"
    seed: Annotated[Seed | None, _about("Seed of every random choice; by default each run draws one.")] = None
    output: Annotated[str, _about("File for the profile.", min_length=1)] = "groma-profile.json"
    only: Annotated[tuple[str, ...], _about("Run only these probes; an empty list runs all.")] = ()
    skip: Annotated[tuple[str, ...], _about("Skip these probes.")] = ()


class ReportSettings(msgspec.Struct, frozen=True, kw_only=True):
    output: Annotated[str, _about("File for the report page.", min_length=1)] = "groma-report.html"


class OutputSettings(msgspec.Struct, frozen=True, kw_only=True):
    color: Annotated[
        Literal["auto", "always", "never"],
        _about("Colours and rich tables: on terminals (auto), always or never."),
    ] = "auto"
    progress: Annotated[
        Literal["auto", "plain", "none"],
        _about("Progress of long work: a bar on terminals (auto), a line per step, or none."),
    ] = "auto"


class NativeSettings(msgspec.Struct, frozen=True, kw_only=True):
    path: Annotated[
        str | None,
        _about("Folder of the native programs; by default groma searches beside itself and in PATH."),
    ] = None


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """All settings with their built-in values."""

    survey: SurveySettings = SurveySettings()
    report: ReportSettings = ReportSettings()
    output: OutputSettings = OutputSettings()
    native: NativeSettings = NativeSettings()


class Key(msgspec.Struct, frozen=True):
    """One setting: `name` is section.key, `type` what its value must be."""

    section: str
    key: str
    type: Any
    default: Any
    about: str

    @property
    def name(self) -> str:
        return f"{self.section}.{self.key}"

    @property
    def variable(self) -> str:
        return f"GROMA_{self.section}_{self.key}".upper()


def keys() -> dict[str, Key]:
    """Every setting by its name, in the order of the model."""
    found = {}
    for section in msgspec.structs.fields(Settings):
        for field in msgspec.structs.fields(section.type):
            one = Key(section.name, field.name, field.type, field.default, _description(field.type))
            found[one.name] = one
    return found


def _description(annotated: Any) -> str:
    metas = (meta for meta in annotated.__metadata__ if isinstance(meta, msgspec.Meta))
    return next(meta.description for meta in metas if meta.description)


def objection(value: Any, type_: Any) -> str:
    """What is wrong with a value that is not of this type: `is not quick, standard or thorough`."""
    wanted = _in_words(type_)
    return "is empty" if value == "" and wanted == "text" else f"is not {wanted}"


def _in_words(type_: Any) -> str:
    from msgspec import inspect  # noqa: PLC0415

    kind = inspect.type_info(type_)
    while isinstance(kind, inspect.Metadata):
        kind = kind.type
    if isinstance(kind, inspect.UnionType):
        kind = next(one for one in kind.types if not isinstance(one, inspect.NoneType))
    match kind:
        case inspect.LiteralType(values):
            return f"{', '.join(map(str, values[:-1]))} or {values[-1]}"
        case inspect.IntType(ge=int(least), le=int(most)):
            return f"a whole number from {least} to {most}"
        case inspect.VarTupleType():
            return "a list of names"
    return "text"
