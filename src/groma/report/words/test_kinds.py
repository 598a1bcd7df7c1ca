from groma.report.words.kinds import kind_title


def test_a_kind_begins_with_a_capital_and_an_unknown_one_has_its_own_name() -> None:
    assert kind_title("survey")[:1].isupper()
    assert kind_title("astrolabe") == "Astrolabe"
