"""Views of the network of a survey."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from groma.facts.network import NetworkFacts
from groma.facts.survey import SurveyFacts
from groma.report.views.registry import Blocks, view

if TYPE_CHECKING:
    from groma.record import Record

NetworkView = Callable[[NetworkFacts], Blocks]


def network_view(order: int, section: str = "network") -> Callable[[NetworkView], NetworkView]:
    """Register the decorated function as a view of surveys that have a network."""

    def register(build: NetworkView) -> NetworkView:
        @view(section, order, of=SurveyFacts)
        def of_survey(record: Record[SurveyFacts]) -> Blocks:
            return build(record.facts.network) if record.facts.network else []

        return build

    return register
