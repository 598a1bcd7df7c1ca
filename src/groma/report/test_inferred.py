"""What was inferred from recorded pairs, as it is shown."""

from typing import Any

import pytest

from groma.record.units import NO_BREAK
from groma.report.document import Pairs
from groma.report.inferred import layers_document


def shown(structure: dict[str, Any]) -> dict[str, Any]:
    """The section on the structure by its names."""
    whole = {"in_rank_order": False, "groups": [], "evidence": [], "alternatives": [], **structure}
    found = {"ends": ["login", "n1", "n2", "n3"], "layers": [], "structure": whole}
    (section,) = layers_document(found, "ends").sections
    (block,) = section.blocks
    assert isinstance(block, Pairs)
    return {name: str(value).replace(NO_BREAK, " ") for name, value in block.items}


def test_groups_are_shown_with_their_members_and_the_order() -> None:
    groups = [[0, 2], [1, 3]]
    tree = {"kind": "tree", "shape": [2, 2], "confidence": 0.9999205926867967, "groups": groups}
    assert shown(tree) == {
        "kind": "tree",
        "shape": "2 2",
        "confidence": "over 99.9 %",
        "in rank order": "no",
        "groups": "2 of 2: login,n2  n1,n3",
    }


@pytest.mark.parametrize(("in_order", "words"), [(True, "yes"), (False, "no")])
def test_a_lattice_tells_whether_ranks_follow_it(in_order: bool, words: str) -> None:
    torus = {"kind": "torus", "shape": [2, 2], "confidence": 0.9, "in_rank_order": in_order}
    assert shown(torus)["in rank order"] == words


def test_an_unknown_structure_tells_what_it_may_be() -> None:
    others = [
        {"kind": "torus", "shape": [4, 4], "weight": 0.4},
        {"kind": "ring", "shape": [16], "weight": 0.25},
    ]
    unknown = {"kind": "unknown", "shape": [], "confidence": 0.31234, "alternatives": others}
    assert shown(unknown) == {
        "kind": "unknown",
        "confidence": "31.2 %",
        "other explanations": "torus 4x4 (40 %) and ring of 16 (25 %)",
    }
