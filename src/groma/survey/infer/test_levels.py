from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from groma.survey.infer.knees import Decomposition, Knee
from groma.survey.infer.levels import Interpretation, Level, TlbReach, Translation, interpretations


def best(
    *knees: tuple[float, float], base: float = 1.0, tlb: Sequence[TlbReach] = (), none_below: float = 0.0
) -> Interpretation:
    decomposition = Decomposition(
        base, tuple(Knee(at, rise) for at, rise in knees), cost=0.0, misfit=0.0, independent=False
    )
    decomposition = replace(decomposition, fitted=np.repeat(decomposition.plateaus(), 2))
    return max(
        interpretations(decomposition, Translation(tlb, none_below)),
        key=lambda interpretation: interpretation.score,
    )


def sizes(interpretation: Interpretation) -> list[float]:
    return [level.log2_size for level in interpretation.levels]


def test_no_knee_is_no_level() -> None:
    assert best().levels == ()


def test_three_level_machine_yields_three_levels() -> None:
    assert sizes(best((15, 2.5), (20, 10), (25, 70))) == [15, 20, 25]


def test_two_level_machine_yields_two_levels() -> None:
    assert sizes(best((15, 4.5), (19, 70))) == [15, 19]


def test_first_level_tlb_step_is_no_level() -> None:
    interpretation = best((15, 2.5), (18, 1.5), (20, 12), (24, 70))
    assert sizes(interpretation) == [15, 20, 24]
    assert [step.log2_size for step in interpretation.steps] == [18]


def test_a_step_where_no_tlb_misses_is_a_level() -> None:
    """A second cache that is hardly slower than the first one, as between the caches of recent cores."""
    knees = ((15.58, 1.3), (17.58, 1.9), (21.3, 9.6), (23.6, 119))
    assert sizes(best(*knees, none_below=26)) == [15.58, 17.58, 21.3, 23.6]
    assert len(sizes(best(*knees))) < 4


def test_a_low_rise_where_no_tlb_misses_is_no_level() -> None:
    """The slices of a large cache are not equally far."""
    assert sizes(best((15, 2.5), (18, 0.6), (20, 10), (25, 70), none_below=26)) == [15, 20, 25]


def test_a_rise_in_two_knees_is_no_two_steps() -> None:
    """Each is low enough for a TLB; together they are a second cache of 4 to 10 times the first latency."""
    knees = ((14.93, 3.25), (17.83, 2.96), (18.0, 3.4), (23.93, 76.4))
    assert len(sizes(best(*knees))) == 3


def test_page_walks_beyond_memory_are_no_level() -> None:
    interpretation = best((15, 4.5), (19, 70), (26, 25), (28, 30))
    assert sizes(interpretation) == [15, 19]
    assert len(interpretation.steps) == 2


def test_list_code_at_a_few_kib_is_no_level() -> None:
    assert sizes(best((12, 0.4), (15, 3.5), (20, 90))) == [15, 20]


def test_soft_rise_in_two_knees_is_one_level() -> None:
    interpretation = best((15, 2.5), (19.4, 6), (20.0, 5), (24, 70))
    assert len(interpretation.levels) == 3
    assert len(interpretation.levels[1].knees) == 2
    assert interpretation.levels[1].after == pytest.approx(14.5)


def test_measured_tlb_reach_explains_a_high_step_away() -> None:
    knees = ((14, 6.0), (18, 14.0), (20, 90.0))
    assert sizes(best(*knees)) == [14, 18, 20]
    assert sizes(best(*knees, tlb=[TlbReach(18.0)])) == [14, 20]


def test_a_reach_explains_no_rise_that_is_higher_than_its_misses_cost() -> None:
    """A second cache of 256 KiB ends where 64 pages of 4 KiB do."""
    knees = ((14, 6.0), (18, 14.0), (20, 90.0))
    assert sizes(best(*knees, tlb=[TlbReach(18.0, cost=7.0)])) == [14, 20]
    assert sizes(best(*knees, tlb=[TlbReach(18.0, cost=3.0)])) == [14, 18, 20]


def test_the_unit_of_latency_does_not_matter() -> None:
    knees = ((15, 2.5), (18, 1.5), (20, 12.0), (24, 70.0))
    scaled = tuple((at, 1e-9 * rise) for at, rise in knees)
    assert sizes(best(*scaled, base=1e-9)) == pytest.approx(sizes(best(*knees)))


def test_at_most_four_levels_are_claimed() -> None:
    knees = tuple((13.0 + 2 * i, 3.0**i) for i in range(7))
    assert len(best(*knees).levels) <= 4


def test_part_of_a_rise_that_stands_an_octave_apart_does_not_say_where_the_level_ends() -> None:
    knees = (Knee(20.0, 12.0), Knee(21.2, 72.0))
    assert Level(knees, 6.0, 90.0).behind == 18.0
    assert Level(knees, 6.0, 90.0, first=True).behind == 90.0


def test_smeared_rise_of_one_level_is_seen_as_a_whole() -> None:
    assert Level((Knee(20.0, 12.0), Knee(20.7, 72.0)), 6.0, 90.0).behind == 90.0


def test_cache_from_which_memory_is_too_far_has_another_behind_it() -> None:
    assert len(best((15, 2.5), (20.0, 12), (21.3, 160)).levels) == 3


def test_a_soft_rise_of_the_first_level_holds_no_second_one() -> None:
    """One cache of two ways on 4 KiB pages: its misses begin at half of its size."""
    soft = best((14.6, 0.6), (15.3, 6.4), (16.17, 11.7))
    assert len(soft.levels) == 1
    assert sizes(best((15.3, 7.0), (16.3, 11.7))) == [15.3, 16.3]
