"""What all schemas share: strict requests, text a database can keep, pages, problems."""

from datetime import UTC, datetime
from typing import Annotated, Any, Generic, Literal, Self, TypeVar

from pydantic import AfterValidator, AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from ade.domain.priority import HIGHEST, LOWEST, parse_priority

Item = TypeVar("Item")
LAST_YEAR = 9000
MOST_UNKNOWN_FIELDS = 20


class Answer(BaseModel):
    """Something the API answers."""

    model_config = ConfigDict(frozen=True, json_schema_serialization_defaults_required=True)

    @classmethod
    def from_row(cls, row: object, **computed: Any) -> Self:
        """Return the model of a row: what is computed, and else what the row has under the same name."""
        return cls(**{name: getattr(row, name) for name in cls.model_fields if name not in computed}, **computed)


class Body(BaseModel):
    """Something the API is asked; a field it does not know is an error, most likely a typing one."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _has_few_unknown_fields(cls, sent: object) -> object:
        """Refuse many unknown fields at once: to list each of a megabyte of them holds up every other request."""
        if isinstance(sent, dict) and len(sent) > len(cls.model_fields) + MOST_UNKNOWN_FIELDS:
            raise ValueError(f"has more than {MOST_UNKNOWN_FIELDS} unknown fields")
        return sent


class Page(Answer, Generic[Item]):
    """Part of a list; `next_cursor` leads to the next part, and is null at the end."""

    items: list[Item]
    next_cursor: str | None = None


class ProblemField(Answer):
    """One thing wrong with a request."""

    loc: list[str | int]
    msg: str
    type: str


class Problem(BaseModel):
    """An error, as RFC 9457 has it; `code` is stable, `trace_id` finds it in the log."""

    type: str = Field(examples=["urn:ade:problem:not_found"])
    title: str
    status: int
    detail: str
    code: str = Field(examples=["not_found"])
    trace_id: str | None
    errors: list[ProblemField] | None = None


def _storable(value: str) -> str:
    if "\0" in value:
        raise ValueError("must not contain a NUL character")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ValueError("must be valid Unicode") from None
    return value


def _not_blank(value: str) -> str:
    trimmed = value.strip()
    if not trimmed:
        raise ValueError("must not be blank")
    return trimmed


def _not_boolean(value: object) -> object:
    if isinstance(value, bool):
        raise ValueError("must be a number")  # noqa: TRY004 - pydantic reports ValueError, and crashes on TypeError
    return value


def _within_reach(value: datetime) -> datetime:
    try:
        instant = value.astimezone(UTC)
    except OverflowError:
        instant = None
    if instant is None or instant.year > LAST_YEAR:
        raise ValueError(f"must be no later than the year {LAST_YEAR}")
    return instant


Text = Annotated[str, AfterValidator(_storable)]
Moment = Annotated[AwareDatetime, AfterValidator(_within_reach)]
Name = Annotated[Text, AfterValidator(_not_blank), Field(min_length=1, max_length=200)]
Reason = Annotated[Text, Field(max_length=500)]
ID_PATTERN = "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"
ID_EXAMPLE = "01932c07-5b1e-7c3a-9d2f-3f1b8c6a7e10"
Id = Annotated[str, Field(pattern=ID_PATTERN, examples=[ID_EXAMPLE])]
Level = Annotated[int, BeforeValidator(_not_boolean), Field(ge=HIGHEST, le=LOWEST)]
Priority = Annotated[
    Level | Literal["urgent", "high", "normal", "low", "background"],
    Field(description="0 to 100, the lower first, or a level's name.", examples=["normal", 50]),
]
Number = Annotated[int, BeforeValidator(_not_boolean), Field(ge=1, le=2**31 - 1)]


def level_of(priority: int | str) -> int:
    """Return a priority as a number."""
    return priority if isinstance(priority, int) else parse_priority(priority)
