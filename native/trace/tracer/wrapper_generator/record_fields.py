"""The statements that put the fields of a call into its record."""

from __future__ import annotations

from typing import TYPE_CHECKING

from byte_counts import bytes_field

if TYPE_CHECKING:
    from collections.abc import Iterator

    from languages import InC, InFortran
    from listed_calls import Call


def field_code(call: Call, language: InC | InFortran) -> Iterator[str]:
    """Statements that put the fields of a call into its record."""
    status, flag = call.at("status"), call.at("flag")
    from_status = "wildcards" if flag is None else f"wildcards && {language.value(flag)} != 0"
    for field, position in call.fields():
        word = language.word(position)
        if field in ("send_bytes", "receive_bytes", "bytes"):
            yield f"record.put({bytes_field(call, language, field, position)});"
        elif field in ("source", "receive_tag") and status is not None and call.kind != "wait":
            member = "source" if field == "source" else "tag"
            actual = f"status->MPI_{member.upper()}"
            yield f"record.{member}({from_status} ? {actual} : {language.value(position)});"
        elif field in ("destination", "source", "target", "root"):
            yield f"record.{'root' if field == 'root' else 'source'}({language.value(position)});"
        elif field in ("send_tag", "receive_tag"):
            yield f"record.tag({language.value(position)});"
        elif word == "comm":
            yield "record.put(at.id);"
        elif word == "newcomm":
            yield "record.put(made);"
        elif word == "freedcomm":
            yield "record.put(freed);"
        elif word in ("request", "message"):
            yield f"record.handle(bits({language.handle(position)}));"
        else:
            yield f"record.put({language.value(position)} != 0 ? 1 : 0);"
