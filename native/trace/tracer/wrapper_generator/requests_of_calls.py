"""The statements that follow the requests which a call starts, waits for or tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from languages import InC, InFortran
    from listed_calls import Call


def requests_of_call(call: Call, language: InC | InFortran) -> tuple[str, str]:
    """The statements before and after a call that starts, waits for or tests requests: none for others."""
    if call.kind == "wait":
        return _kept_to_complete(call, language), _completed(call, language)
    n, requests = call.at("n"), call.at("requests")
    if n is None or requests is None:
        return "", ""
    given = f"{language.value(n)}, {language.array(requests)}"
    return f"StartedRequests started(call, {given});", "started.all();"


def _kept_to_complete(call: Call, language: InC | InFortran) -> str:
    several, status, single = call.at("statuses"), call.at("status"), call.at("request")
    offered = several if several is not None else status
    assert offered is not None, call.name
    if single is not None:
        return f"CompletedRequests completed(call, {language.value(single)}, {language.status(offered)});"
    n, requests = call.at("n"), call.at("requests")
    assert n is not None, call.name
    assert requests is not None, call.name
    of = "StatusOf::each" if several is not None else "StatusOf::one"
    given = f"{language.value(n)}, {language.array(requests)}, {language.status(offered)}, {of}"
    return f"CompletedRequests completed(call, {given});"


def _completed(call: Call, language: InC | InFortran) -> str:
    flag, index, outcount, indices = (call.at(w) for w in ("flag", "index", "outcount", "indices"))
    if indices is not None and outcount is not None:
        done = f"completed.some({language.value(outcount)}, {language.indices(indices)});"
    elif index is not None:
        done = f"completed.one({language.index(index)});"
    else:
        done = "completed.all();"
    return done if flag is None else f"if ({language.value(flag)} != 0) {{ {done} }}"
