"""Plain requests and answers: how a body is read, and what is said of an answer."""

from __future__ import annotations

import json
from typing import Any

from fastapi import Request

from viz.text import en as text

FOREVER = {"Cache-Control": "private, max-age=86400, immutable"}  # a key names what went in, so an answer never changes
BINARY = "application/octet-stream"
BODY_LIMIT = 64_000  # bytes of a request


async def limited_body(request: Request, limit: int = BODY_LIMIT) -> bytes:
    """A request's body.

    Raises:
        ValueError: it is longer than `limit` bytes.
    """
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > limit:
            raise ValueError(text.BAD_ORDER)
    return body


def read_object(body: bytes) -> dict[str, Any]:
    """The JSON object in a request's body.

    Raises:
        ValueError: there is none.
    """
    try:
        asked = json.loads(body)
    except (ValueError, RecursionError):
        asked = None
    if not isinstance(asked, dict):
        raise ValueError(text.BAD_ORDER)
    return asked
