"""Read posted forms at the edge: size, kind and shape, before anything else sees them."""

import math
from typing import Annotated, TypeVar
from urllib.parse import parse_qsl

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request

from gameproof.web.limits import MAX_FIELDS

__all__ = ["DeleteForm", "InviteForm", "Posted", "ReaderForm", "SecretForm", "parse_form", "read_form"]

KIND = "application/x-www-form-urlencoded"
MAX_STEP = 60
BAD, TOO_LARGE, WRONG_KIND = 400, 413, 415


class Posted(BaseModel):
    """What every form of a session has."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    token: Annotated[str, StringConstraints(max_length=200)] = ""


class ReaderForm(Posted):
    """A form of the study: which step it answers. Its other fields are judged by `gameproof.study.flow`."""

    step: Annotated[str, StringConstraints(max_length=MAX_STEP)] = ""


class SecretForm(Posted):
    """The administrator's way in."""

    secret: Annotated[str, StringConstraints(max_length=500)] = ""


class InviteForm(Posted):
    """New invitations."""

    count: Annotated[int, Field(ge=1, le=200)] = 1
    days: Annotated[int, Field(ge=1, le=3650)] = 90


class DeleteForm(Posted):
    """A participant to be revoked, invited again or deleted."""

    participant: Annotated[str, StringConstraints(pattern=r"^reader-[0-9a-f]{1,40}$")]


Form = TypeVar("Form", bound=Posted)


async def read_form(request: Request, limit: int) -> dict[str, str]:
    """Return the fields of a posted form; of a field that occurs twice, the last one.

    Raises:
        HTTPException: 413 above the limit of bytes, 415 for another kind of body, 400 for what is no form.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != KIND:
        raise HTTPException(WRONG_KIND)
    length = request.headers.get("content-length", "0")
    if (float(length) if length.isdecimal() else math.inf) > limit:
        raise HTTPException(TOO_LARGE)
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > limit:
            raise HTTPException(TOO_LARGE)
    try:
        pairs = parse_qsl(
            bytes(body).decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=MAX_FIELDS
        )
    except ValueError as error:  # too many fields
        raise HTTPException(BAD) from error
    return dict(pairs)


def parse_form(kind: type[Form], fields: dict[str, str]) -> Form:
    """Check fields against a form.

    Raises:
        HTTPException: 400 where they do not fit: pages of ours send forms that do.
    """
    try:
        return kind.model_validate(fields)
    except ValidationError as error:
        raise HTTPException(BAD) from error
