"""Settings of both kinds of survey leave the other kind alone."""

from __future__ import annotations

import msgspec
import pytest

from groma.cli import selected_probes
from groma.cli.main import run
from groma.cli.selected_probes import SelectedProbes
from groma.config import Origin, Resolved, Settings
from groma.config.settings import SurveySettings
from groma.errors import ExitCode, GromaError

NODE = {"clock", "tlb_reach"}
NETWORK = {"pairs", "net_pairs", "curve", "net_curve"}


@pytest.fixture(autouse=True)
def _catalogues(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selected_probes, "_known", lambda _folder: (NODE, NETWORK))


@pytest.mark.parametrize("names", ["", " , "])
def test_a_choice_without_a_probe_is_not_the_choice_of_all(
    names: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["survey", "--only", names, "--dry-run"]) == ExitCode.USAGE
    assert capsys.readouterr().err.splitlines()[0] == "groma: --only names no probe"


def set_in(layer: str, place: str = "", **survey: tuple[str, ...]) -> Resolved:
    settings = Settings(survey=msgspec.structs.replace(SurveySettings(), **survey))
    origin = Origin(layer=layer, place=place)
    return Resolved(settings, dict.fromkeys(("survey.only", "survey.skip"), origin))


def test_a_probe_of_the_other_kind_is_left_out() -> None:
    both = set_in("user", "config.toml", only=("clock", "pairs"), skip=("tlb_reach", "net_curve"))
    of_node = selected_probes.selected_probes(both, network=False)
    of_network = selected_probes.selected_probes(both, network=True)
    assert of_node == SelectedProbes(only=("clock",), skip=("tlb_reach",))
    assert of_network == SelectedProbes(only=("pairs",), skip=("net_curve",))


def test_the_command_line_is_taken_at_its_word() -> None:
    """Its names of the other kind are refused later, with those that there are."""
    given = set_in("command line", skip=("tlb_reach",))
    assert selected_probes.selected_probes(given, network=True).skip == ("tlb_reach",)


@pytest.mark.parametrize("network", [False, True])
def test_an_unknown_name_is_refused_with_the_place_where_it_was_set(network: bool) -> None:
    wrong = set_in("environment", "GROMA_SURVEY_SKIP", skip=("tlb_reech",))
    with pytest.raises(GromaError, match=r"GROMA_SURVEY_SKIP.*'tlb_reech'") as refused:
        selected_probes.selected_probes(wrong, network=network)
    assert refused.value.exit_code == ExitCode.USAGE
    assert "did you mean tlb_reach?" in refused.value.next_step
