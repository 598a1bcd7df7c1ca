from groma.facts.history import ChangePoint, HistoryFacts, PointInTime, Trend, Unread
from groma.record import Record
from groma.report.blocks import Banner, Choice, Figure, LineChart, Note
from groma.report.renderers import plain
from groma.report.terminal import document_of
from groma.report.views.registry import sections_of
from groma.report.views.test_support import measured, record_of
from groma.report.words.history import places_words


def trend(name: str, days: int = 4, **more: object) -> Trend:
    points = [
        PointInTime(
            created=f"2026-01-0{day + 1}T02:00:00+00:00", file=f"{day}.json", value=measured(1e10, "B/s")
        )
        for day in range(days)
    ]
    return Trend(
        machine="node17",
        kind="hpcc",
        shape="",
        name=name,
        unit="B/s",
        better="higher",
        points=points,
        **more,  # type: ignore[arg-type]
    )


def worse() -> Trend:
    change = ChangePoint(
        at=2, verdict="worse", ratio=measured(0.9, "ratio"), differences=["kernel: 6.1 to 6.2"]
    )
    return trend("hpcc.slow", changes=[change])


def page(*trends: Trend) -> Record[HistoryFacts]:
    return record_of("history", HistoryFacts(places=["nights"], trends=list(trends)))


def figures(record: Record[HistoryFacts]) -> dict[str, Figure]:
    found = [block for section in sections_of(record) for block in section.blocks]
    found += [option.figure for block in found if isinstance(block, Choice) for option in block.options]
    return {block.id: block for block in found if isinstance(block, Figure)}


def test_a_change_is_marked_on_its_day() -> None:
    drawing = figures(page(worse()))["history-hpcc-slow-node17"].drawing
    assert isinstance(drawing, LineChart)
    assert [point.x for point in drawing.series[0].points] == [0.0, 1.0, 2.0, 3.0]
    assert [(mark.low, mark.high) for mark in drawing.ranges] == [(2.0, 2.0)]
    assert drawing.x.title.startswith("days since 2026-01-01")


def test_trends_of_an_edited_file_that_lost_its_values_are_left_out() -> None:
    empty, short = trend("hpcc.empty", days=0), worse()
    del short.points[2:]
    record = page(empty, short, trend("hpcc.whole"))
    names = [name for name in figures(record) if name.startswith("history-hpcc")]
    assert names == ["history-hpcc-whole-node17"]
    assert "1 trend" in plain(document_of(record))


def test_a_mark_tells_the_size_of_its_change() -> None:
    drawing = figures(page(worse()))["history-hpcc-slow-node17"].drawing
    assert isinstance(drawing, LineChart)
    assert [mark.name for mark in drawing.ranges] == ["worse -10.0 %, 2026-01-03"]


def test_small_changes_are_drawn_on_an_axis_that_says_that_it_does_not_begin_at_zero() -> None:
    steady, steep = trend("hpcc.steady"), trend("hpcc.steep")
    steep.points[0].value = measured(1e9, "B/s")
    drawn = figures(page(steady, steep))
    for one, close in (
        (drawn["history-hpcc-steady-node17"], True),
        (drawn["history-hpcc-steep-node17"], False),
    ):
        assert isinstance(one.drawing, LineChart)
        assert one.drawing.y.close is close
        assert ("not from zero" in one.drawing.y.title) is close
        assert ("does not begin at zero" in one.what) is close
        assert one.drawing.series[0].spread == "band"


def test_what_else_changed_stands_beside_it() -> None:
    table = figures(page(trend("hpcc.steady"), worse()))["history-changes"].table
    assert table is not None
    assert [(row[0], row[1], row[-1]) for row in table.rows] == [
        ("2026-01-03", "hpcc.slow", "kernel: 6.1 to 6.2")
    ]


def test_trends_with_a_change_come_first() -> None:
    (choice,) = (
        block
        for section in sections_of(page(trend("hpcc.steady"), worse()))
        for block in section.blocks
        if isinstance(block, Choice)
    )
    assert [option.label for option in choice.options] == ["hpcc.slow, node17", "hpcc.steady, node17"]


def test_the_banner_is_red_only_if_something_got_worse() -> None:
    steady = trend("hpcc.steady", latest="usual")
    for record, expected in ((page(steady), "good"), (page(worse()), "bad")):
        (banner,) = (
            block for section in sections_of(record) for block in section.blocks if isinstance(block, Banner)
        )
        assert banner.outcome == expected


def banner_of(record: Record[HistoryFacts]) -> Banner:
    (found,) = (
        block for section in sections_of(record) for block in section.blocks if isinstance(block, Banner)
    )
    return found


def test_the_banner_is_green_only_if_a_trend_can_be_judged() -> None:
    assert banner_of(page(trend("hpcc.steady", latest="usual"))).outcome == "good"
    few = banner_of(page(trend("hpcc.new", days=1)))
    assert (few.outcome, few.lines) == ("warn", ["too few values to tell a change from chance"])


def test_the_banner_names_machines_only_if_there_are_several() -> None:
    alone, other = worse(), worse()
    other.machine = "node18"
    assert banner_of(page(alone)).lines[0].startswith("hpcc.slow: ")
    assert banner_of(page(alone, other)).lines[0].startswith("hpcc.slow, node17: ")


def test_what_is_not_listed_is_counted() -> None:
    record = page(*(trend(f"hpcc.{number}", latest="worse", latest_ratio=0.9) for number in range(10)))
    record.facts.unread = [Unread(file=f"{n}.json", why=f"{n}.json is empty") for n in range(11)]
    assert banner_of(record).lines[-1] == "and 2 more, in the table of all trends"
    notes = [
        block.text for section in sections_of(record) for block in section.blocks if isinstance(block, Note)
    ]
    assert notes[7:9] == ["7.json is empty.", "and 3 more such files (--json has them)."]


def test_many_places_are_named_by_their_folder() -> None:
    files = [f"nights/{number:02}.json" for number in range(12)]
    assert places_words(files) == "12 places in nights"
    assert places_words(["a.json", "b.json", "c", "d"]) == "a.json and 3 more places"
    assert places_words(["nights", "days"]) == "nights days"


def test_records_without_a_date_are_drawn_in_order() -> None:
    undated = trend("hpcc.old")
    undated.points[0].created = "long ago"
    drawing = figures(page(undated))["history-hpcc-old-node17"].drawing
    assert isinstance(drawing, LineChart)
    assert drawing.x.title == "record"
