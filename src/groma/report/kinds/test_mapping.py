"""What a terminal shows of a process mapping."""

from __future__ import annotations

from groma.facts.mapping import KIND, MappedRank, MappingFacts, MappingQuality
from groma.facts.placed import Gain, PlacedRank, Verification
from groma.record import Quantity
from groma.report.renderers import plain
from groma.report.terminal import document_of
from groma.run.provenance import analysis_record


def quantity(value: float, unit: str) -> Quantity:
    return Quantity(
        value=value, unit=unit, low=0.9 * value, high=1.1 * value, confidence=0.95, method="measured"
    )


def facts() -> MappingFacts:
    return MappingFacts(
        mapping=[1, 0],
        quality=MappingQuality(
            hop_bytes=2048.0, dilation=1.0, max_congestion=1024.0, bytes_by_layer={"1 hop": 2048.0}
        ),
        baselines={
            "block": MappingQuality(hop_bytes=4096.0, dilation=2.0, bytes_by_layer={"2 hops": 2048.0})
        },
        targets=[MappedRank(host="b", cores=[4, 5]), MappedRank(host="a")],
        verification=Verification(
            command="mpirun",
            ranks=[
                PlacedRank(rank=0, host="b", cpus=[4, 5], planned_host="b", planned_cpus=[4, 5]),
                PlacedRank(rank=1, host="b", cpus=[0], planned_host="a", planned_cpus=[]),
            ],
        ),
        gain=Gain(
            kernel="halo exchange",
            launches=5,
            default=quantity(3e-3, "s"),
            mapped=quantity(1e-3, "s"),
            gain=quantity(3.0, "ratio"),
            default_command="mpirun",
            mapped_command="mpirun",
            default_hosts=["a", "b"],
        ),
    )


def shown(given: MappingFacts) -> list[str]:
    return [" ".join(line.split()) for line in plain(document_of(analysis_record(KIND, given))).splitlines()]


def test_quality_stands_beside_the_baselines() -> None:
    lines = shown(facts())
    assert "this mapping 2 KiB 1 1 KiB" in lines
    assert "block 4 KiB 2" in lines
    assert "1 hop 2 KiB 0 B" in lines


def test_a_mapping_is_called_the_best_only_where_that_is_proven() -> None:
    claim = "No mapping of these ranks has fewer hop-bytes: this is proven."
    given = facts()
    assert claim not in shown(given)
    given.is_optimal = True
    assert claim in shown(given)


def test_a_matrix_without_traffic_has_its_row() -> None:
    silent = MappingQuality(hop_bytes=0.0, dilation=None, bytes_by_layer={})
    given = facts()
    given.quality, given.baselines = silent, {"block": silent}
    lines = shown(given)
    assert any(line.startswith("this mapping 0 B") for line in lines)


def layers_of(*placements: tuple[float, list[str]]) -> list[str]:
    """Layers as a table shows them, of placements with a dilation and the layers that their bytes cross."""
    made = [
        MappingQuality(hop_bytes=dilation, dilation=dilation, bytes_by_layer=dict.fromkeys(layers, 1.0))
        for dilation, layers in placements
    ]
    given = facts()
    given.quality, given.baselines = made[0], {f"b{i}": one for i, one in enumerate(made[1:])}
    lines = plain(document_of(analysis_record(KIND, given), ["layers"])).splitlines()
    return [" ".join(line.split()[: -len(made) * 2]) for line in lines if line.endswith(" B")]


def test_layers_stand_nearest_first_whichever_placement_has_them() -> None:
    assert layers_of(
        (4.0, ["switch of 4"]), (2.0, ["switch of 2"]), (3.0, ["switch of 2", "switch of 4"])
    ) == [
        "switch of 2",
        "switch of 4",
    ]
    assert layers_of(
        (2.5, ["2 hops", "9 hops"]), (4.0, ["3 hops", "9 hops"]), (3.0, ["1 hop", "2 hops"])
    ) == [
        "1 hop",
        "2 hops",
        "3 hops",
        "9 hops",
    ]


def test_layers_that_share_no_placement_are_ordered_by_the_dilation_of_theirs() -> None:
    assert layers_of((3.0, ["3 hops"]), (1.0, ["1 hop"]), (2.0, ["2 hops"])) == ["1 hop", "2 hops", "3 hops"]


def test_remarks_are_shown() -> None:
    given = facts()
    assert not any("does not bind" in line for line in shown(given))
    given.remarks = ["the file does not bind 2 ranks"]
    assert any("the file does not bind 2 ranks" in line for line in shown(given))


def test_ranks_have_host_and_cores() -> None:
    lines = shown(facts())
    assert "0 1 b 4-5" in lines
    assert "1 0 a any" in lines


def test_a_rank_that_ran_elsewhere_is_marked() -> None:
    lines = shown(facts())
    assert "0 b 4-5 as planned" in lines
    assert "1 b 0 elsewhere" in lines


def test_the_gain_has_its_interval() -> None:
    (line,) = (line for line in shown(facts()) if line.startswith("halo exchange"))
    assert line == "halo exchange 3 ms [2.70, 3.30] 1 ms [0.90, 1.10] 3 x [2.70, 3.30]"


def test_what_was_not_asked_for_has_no_section() -> None:
    lines = shown(MappingFacts(mapping=[0], quality=MappingQuality(hop_bytes=0.0)))
    assert not {"Where ranks ran", "Gain over the launcher's own placement"} & set(lines)
