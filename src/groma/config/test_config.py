"""Later layers win, every value knows its origin, and mistakes are named with their place."""

from __future__ import annotations

import errno
import os
import sys
import tomllib
from pathlib import Path

import msgspec
import pytest

from groma.config import ConfigSources, Settings, load_resolved
from groma.config.settings import keys
from groma.config.template import default_file, to_toml, write_default_file
from groma.errors import ExitCode, GromaError


@pytest.fixture
def sources(tmp_path: Path) -> ConfigSources:
    """A home with a project in it; nothing is configured yet."""
    folder = tmp_path / "home" / "project" / "deep"
    folder.mkdir(parents=True)
    variables = {"XDG_CONFIG_DIRS": str(tmp_path / "etc")}
    return ConfigSources(variables, folder, tmp_path / "home", os.getuid())


def put(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def user_file(sources: ConfigSources) -> Path:
    path = sources.user_file()
    assert path is not None
    return path


def with_variables(sources: ConfigSources, **variables: str) -> ConfigSources:
    return msgspec.structs.replace(sources, variables={**sources.variables, **variables})


def test_without_any_source_all_is_built_in(sources: ConfigSources) -> None:
    resolved = load_resolved(sources=sources)
    assert resolved.settings == Settings()
    assert {origin.layer for origin in resolved.origins.values()} == {"built-in"}
    assert set(resolved.values()) == set(keys())


def test_each_layer_overrides_the_one_before(sources: ConfigSources, tmp_path: Path) -> None:
    line = '[survey]\noutput = "{}"\n'
    files = {
        "system": tmp_path / "etc/groma/config.toml",
        "user": user_file(sources),
        "project": tmp_path / "home/project/groma.toml",
    }
    for layer, path in files.items():
        put(path, line.format(layer))
        resolved = load_resolved(sources=sources)
        assert resolved.settings.survey.output == layer
        assert str(resolved.origins["survey.output"]) == f"{layer} ({path})"
    sources = with_variables(sources, GROMA_SURVEY_OUTPUT="variable")
    assert load_resolved(sources=sources).settings.survey.output == "variable"
    resolved = load_resolved({"survey.output": "option"}, sources)
    assert resolved.settings.survey.output == "option"
    assert str(resolved.origins["survey.output"]) == "command line"
    assert resolved.origins["survey.depth"].layer == "built-in"


def test_first_system_folder_wins(sources: ConfigSources, tmp_path: Path) -> None:
    for name in ("a", "b"):
        put(tmp_path / name / "groma/config.toml", f'[survey]\noutput = "{name}"\n')
    sources = with_variables(sources, XDG_CONFIG_DIRS=f"{tmp_path}/a:{tmp_path}/b:relative")
    assert load_resolved(sources=sources).settings.survey.output == "a"


def test_user_file_follows_xdg(sources: ConfigSources, tmp_path: Path) -> None:
    put(tmp_path / "xdg/groma/config.toml", '[survey]\ndepth = "quick"\n')
    sources = with_variables(sources, XDG_CONFIG_HOME=str(tmp_path / "xdg"))
    assert load_resolved(sources=sources).settings.survey.depth == "quick"


def test_project_file_is_not_sought_beyond_the_home(sources: ConfigSources, tmp_path: Path) -> None:
    put(tmp_path / "groma.toml", '[survey]\ndepth = "quick"\n')
    assert load_resolved(sources=sources).settings.survey.depth == "standard"


def test_project_file_is_not_sought_beyond_the_repository(sources: ConfigSources, tmp_path: Path) -> None:
    put(tmp_path / "home/groma.toml", '[survey]\ndepth = "quick"\n')
    assert load_resolved(sources=sources).settings.survey.depth == "quick"
    (tmp_path / "home/project/.git").mkdir()
    assert load_resolved(sources=sources).settings.survey.depth == "standard"


def test_project_file_of_another_user_is_left_unread(sources: ConfigSources) -> None:
    path = put(sources.folder / "groma.toml", '[native]\npath = "/evil"\n')
    if os.geteuid() == 0:  # root's own files are trusted by everybody
        os.chown(path, 4711, -1)
    stranger = msgspec.structs.replace(sources, user=path.stat().st_uid + 1)
    resolved = load_resolved(sources=stranger)
    assert resolved.settings.native.path is None
    assert resolved.unread == {str(path): "it belongs to another user"}


@pytest.mark.parametrize(
    ("variable", "text", "name", "value"),
    [
        ("GROMA_SURVEY_SEED", "7", "survey.seed", 7),
        ("GROMA_SURVEY_SEED", "", "survey.seed", None),
        ("GROMA_SURVEY_ONLY", "a, b,", "survey.only", ("a", "b")),
        ("GROMA_OUTPUT_COLOR", "never", "output.color", "never"),
        ("GROMA_NATIVE_PATH", "/opt/x", "native.path", "/opt/x"),
    ],
)
def test_variables_are_typed(
    sources: ConfigSources, variable: str, text: str, name: str, value: object
) -> None:
    resolved = load_resolved(sources=with_variables(sources, **{variable: text}))
    section, key = name.split(".")
    assert getattr(getattr(resolved.settings, section), key) == value
    assert str(resolved.origins[name]) == f"environment ({variable})"


@pytest.mark.parametrize("variable", ["GROMA_SURVEY_DEPTH", "GROMA_SURVEY_SEED", "GROMA_OUTPUT_COLOR"])
def test_a_variable_that_is_no_text_is_refused(sources: ConfigSources, variable: str) -> None:
    with pytest.raises(GromaError, match=f"{variable} = ") as refused:
        load_resolved(sources=with_variables(sources, **{variable: os.fsdecode(b"quick\xff")}))
    assert refused.value.exit_code == ExitCode.USAGE


def test_variables_of_other_parts_of_groma_are_left_alone(sources: ConfigSources) -> None:
    assert load_resolved(sources=with_variables(sources, GROMA_TRACE_FILE="x")).settings == Settings()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[survey]\ndepht = "quick"\n', ["survey.depht", "did you mean survey.depth?"]),
        ("[servey]\ndepth = 1\n", ["servey.depth", "did you mean survey.depth?"]),
        ('depth = "quick"\n', ["depth"]),
        ("[survey]\ndepth = 3\n", ["survey.depth = 3 is not quick, standard or thorough"]),
        ('[survey]\ndepth = "deep"\n', ["survey.depth = 'deep'", "quick, standard or thorough"]),
        ('[survey]\nseed = "1"\n', ["survey.seed = '1' is not a whole number from 0 to 9223372036854775807"]),
        ("[survey]\nseed = -1\n", ["survey.seed = -1 is not a whole number from 0"]),
        ('[survey]\nonly = "a"\n', ["survey.only = 'a' is not a list of names"]),
        ('[survey]\noutput = ""\n', ["survey.output = '' is empty"]),
        ("[survey\n", ["line 1", "TOML"]),
        ("survey = 1\n", ["survey"]),
    ],
)
def test_mistakes_in_files_are_named_with_file_and_key(
    sources: ConfigSources, text: str, said: list[str]
) -> None:
    path = put(user_file(sources), text)
    with pytest.raises(GromaError) as caught:
        load_resolved(sources=sources)
    assert caught.value.exit_code == ExitCode.USAGE
    for part in [str(path), *said]:
        assert part in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("variable", "text", "said"),
    [
        ("GROMA_SURVEY_DEPTHS", "quick", "did you mean GROMA_SURVEY_DEPTH?"),
        ("GROMA_SURVEY_DEPTH", "bad", "GROMA_SURVEY_DEPTH = 'bad' is not quick, standard or thorough"),
        ("GROMA_SURVEY_SEED", "one", "GROMA_SURVEY_SEED = 'one' is not a whole number from 0"),
        ("GROMA_OUTPUT_COLOR", "blue", "GROMA_OUTPUT_COLOR = 'blue' is not always, auto or never"),
    ],
)
def test_mistakes_in_variables_are_named(sources: ConfigSources, variable: str, text: str, said: str) -> None:
    with pytest.raises(GromaError) as caught:
        load_resolved(sources=with_variables(sources, **{variable: text}))
    assert said in str(caught.value)


@pytest.mark.parametrize("home", ["", "elsewhere"])
def test_a_relative_home_makes_no_file_of_the_working_folder_the_users(
    sources: ConfigSources, home: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Anybody could have put it there, and it may name programs to run."""
    monkeypatch.chdir(tmp_path)
    put(tmp_path / home / ".config/groma/config.toml", '[survey]\ndepth = "quick"\n')
    homeless = msgspec.structs.replace(sources, home=Path(home))
    assert load_resolved(sources=homeless).settings == Settings()
    assert homeless.user_file() is None
    put(tmp_path / "relative/groma/config.toml", '[survey]\ndepth = "quick"\n')
    sources = with_variables(sources, XDG_CONFIG_HOME="relative")
    assert load_resolved(sources=sources).settings == Settings()
    assert user_file(sources) == sources.home / ".config/groma/config.toml"


def test_file_that_is_not_text_is_named(sources: ConfigSources) -> None:
    path = user_file(sources)
    path.parent.mkdir(parents=True)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(GromaError, match=r"config\.toml"):
        load_resolved(sources=sources)


def test_template_holds_every_setting_and_changes_none(sources: ConfigSources) -> None:
    text = default_file()
    put(user_file(sources), text)
    assert load_resolved(sources=sources).settings == Settings()
    for key in keys().values():
        assert f"# {key.key} = " in text
        assert key.about in text


def test_the_template_says_which_of_its_values_are_examples() -> None:
    lines = [line for line in default_file().splitlines() if " = " in line]
    examples = {line.split()[1] for line in lines if "an example" in line}
    assert examples == {key.key for key in keys().values() if key.default is None}


def test_uncommented_template_is_valid_and_gives_the_built_in_values(sources: ConfigSources) -> None:
    assignments = [
        line.removeprefix("# ") if " = " in line and not line.endswith(".") else line
        for line in default_file().splitlines()
        if line.startswith("[") or " = " in line
    ]
    document = tomllib.loads("\n".join(assignments))
    assert {f"{section}.{key}" for section, content in document.items() for key in content} == set(keys())
    put(user_file(sources), "\n".join(assignments))
    resolved = load_resolved(sources=sources)
    assert msgspec.structs.replace(resolved.settings.survey, seed=None) == Settings().survey
    assert resolved.settings.output == Settings().output


def test_template_never_overwrites(tmp_path: Path) -> None:
    path = tmp_path / "made" / "for" / "it" / "config.toml"
    write_default_file(path, "--project")
    path.write_text("mine")
    with pytest.raises(GromaError, match="exists already") as caught:
        write_default_file(path, "--project")
    assert caught.value.exit_code == ExitCode.USAGE
    assert path.read_text() == "mine"


def test_template_in_an_impossible_place_is_an_environment_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(GromaError) as caught:
        write_default_file(tmp_path / "file" / "below" / "config.toml", "--project")
    assert caught.value.exit_code == ExitCode.ENVIRONMENT
    assert caught.value.next_step.endswith("write to another path with --project")


@pytest.mark.parametrize("value", ['a "b" \\ c', ("x", "y"), True, 3])
def test_values_survive_toml(value: object) -> None:
    read = tomllib.loads(f"x = {to_toml(value)}")["x"]
    assert read == (list(value) if isinstance(value, tuple) else value)


def refusal(sources: ConfigSources) -> GromaError:
    with pytest.raises(GromaError) as caught:
        load_resolved(sources=sources)
    assert caught.value.exit_code == ExitCode.USAGE
    assert len(str(caught.value)) < 600
    return caught.value


LAYERS = pytest.mark.parametrize("layer", ["system", "user", "project"])


def file_of(layer: str, sources: ConfigSources) -> Path:
    path = {
        "system": sources.system_files()[0],
        "user": user_file(sources),
        "project": sources.folder / "groma.toml",
    }[layer]
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


# The parser of Python 3.14 refuses that many parts of a name itself.
TOO_DEEP = "nested" if sys.version_info >= (3, 14) else "survey.seed"


@LAYERS
@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\xff\xfe", "UTF-8"),
        (b"\x7fELF\0\0", "TOML"),
        (b"[survey]\ndepth = 3", "survey.depth"),
        (b"[survey]\ndepth.x = 3", "survey.depth"),
        (b"[survey]\nseed = -1", "survey.seed"),
        (b"[survey]\nseed = 1e99", "survey.seed"),
        (b"[survey]\nseed = " + b"9" * 100, "survey.seed"),
        (b"[survey]\nseed = " + b"9" * 5000, "TOML"),
        (b"[survey]\nonly = 'x'", "survey.only"),
        (b"[survey]\nonly = [[1]]", "survey.only"),
        (b"[survey]\noutput = ''", "survey.output"),
        (b"[survey]\ndepths = 'quick'", "survey.depths"),
        (b"survey = 3", "survey"),
        (b"depth = 'quick'", "depth"),
        (b"[survy]", "survy"),
        (b"[survy]\ndepth = 'quick'", "survy.depth"),
        (b"[[survey]]\ndepth = 'quick'", "survey"),
        (b"[survey]\nseed = " + b"[" * 100_000, "nested"),
        (b"[survey]\nseed" + b".a" * 1000 + b" = 1", TOO_DEEP),
    ],
)
def test_what_is_wrong_in_a_file_is_never_passed_over(
    content: bytes, said: str, layer: str, sources: ConfigSources
) -> None:
    path = file_of(layer, sources)
    path.write_bytes(content)
    assert said in refusal(sources).what
    assert str(path) in refusal(sources).what


@LAYERS
@pytest.mark.parametrize("kind", ["folder", "dangling", "loop", "pipe", "endless"])
def test_what_is_no_file_is_refused(kind: str, layer: str, sources: ConfigSources) -> None:
    path = file_of(layer, sources)
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to({"dangling": "absent", "loop": path.name, "endless": "/dev/zero"}[kind])
    assert str(path) in refusal(sources).what


@LAYERS
def test_a_file_that_may_not_be_read_is_refused(
    layer: str, sources: ConfigSources, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = file_of(layer, sources)
    path.write_text("")
    path.chmod(0)
    if os.geteuid() == 0:  # root may read everything
        denied = PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        monkeypatch.setattr(os, "open", lambda *_, **__: (_ for _ in ()).throw(denied))
    assert "permission denied" in refusal(sources).what


def test_a_device_that_is_empty_masks_a_file(sources: ConfigSources) -> None:
    file_of("user", sources).symlink_to(os.devnull)
    assert load_resolved(sources=sources).settings == Settings()


@pytest.mark.parametrize(
    ("variable", "text"),
    [
        ("GROMA_SURVEY_DEPTH", "deepest"),
        ("GROMA_SURVEY_DEPTH", ""),
        ("GROMA_SURVEY_SEED", "x"),
        ("GROMA_SURVEY_SEED", "-1"),
        ("GROMA_SURVEY_SEED", "1.5"),
        ("GROMA_SURVEY_SEED", "9" * 5000),
        ("GROMA_OUTPUT_COLOR", "blue"),
        ("GROMA_OUTPUT_PROGRESS", "bar"),
        ("GROMA_REPORT_OUTPUT", ""),
        ("GROMA_SURVEY_DPETH", "quick"),
        ("GROMA_DEPTH", "quick"),
        ("GROMA_NATIV_PATH", "/opt"),
        ("GROMA_NATIVEPATH", "/opt"),
        ("GROMA_COLOR", "never"),
    ],
)
def test_a_wrong_or_misspelt_variable_is_refused(variable: str, text: str, sources: ConfigSources) -> None:
    assert variable in refusal(with_variables(sources, **{variable: text})).what


@pytest.mark.parametrize(
    "name", ["GROMA_ROOT", "GROMA_HOME", "GROMA_TESTBED", "GROMA_VERSION", "MY_GROMA_DEPTH"]
)
def test_variables_of_others_are_left_alone(name: str, sources: ConfigSources) -> None:
    assert load_resolved(sources=with_variables(sources, **{name: "x"})).settings == Settings()


@pytest.mark.parametrize("text", ["a\x1b[2J", "tab\t", 'quote"', "back\\slash", "\x7f", "é", "new\nline"])
def test_a_shown_value_is_valid_toml(text: str) -> None:
    assert tomllib.loads(f"a = {to_toml(text)}") == {"a": text}


@pytest.mark.parametrize(
    ("overrides", "variables", "shown"),
    [({"survey.output": ""}, {}, "--output"), ({}, {"GROMA_SURVEY_SEED": "x"}, "GROMA_SURVEY_SEED")],
)
def test_a_wrong_value_is_named_as_it_was_typed_with_what_to_do(
    overrides: dict[str, str], variables: dict[str, str], shown: str, sources: ConfigSources
) -> None:
    with pytest.raises(GromaError) as refused:
        load_resolved(overrides, with_variables(sources, **variables))
    assert refused.value.what.startswith(f"{shown} = ")
    assert refused.value.next_step.startswith("correct it or leave it out (")
