"""Plain requests and answers: how a body is read, how a refusal is said, and what is said of an answer.

A refusal is {"error": {"key", "values"}}: a message of `viz.text`, which the page says in its own language.
"""

from __future__ import annotations

import functools
import json
import logging
from collections.abc import AsyncIterable, Awaitable, Callable, Mapping
from typing import Any, ParamSpec

from fastapi import Request, Response
from fastapi.responses import StreamingResponse
from starlette.requests import ClientDisconnect
from starlette.types import Receive, Scope, Send

from former.tokens import TokenBeyondModel
from viz.text import Refusal

P = ParamSpec("P")

FOREVER = {"Cache-Control": "private, max-age=86400, immutable"}  # a key names what went in, so an answer never changes
FRESH = {"Cache-Control": "no-store"}
STREAM = FRESH | {"X-Accel-Buffering": "no"}
BINARY = "application/octet-stream"
LINES = "application/x-ndjson"
BODY_LIMIT = 64_000  # bytes of a request
GONE = 499  # the status of an answer that nobody reads


async def read_object(request: Request, limit: int = BODY_LIMIT) -> dict[str, Any]:
    """The JSON object in a request's body.

    Raises:
        Refusal: there is none, or it is longer than `limit` bytes.
    """
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > limit:
            raise Refusal("bad_request")
    try:
        given = json.loads(body)
    except (ValueError, RecursionError):
        given = None
    if not isinstance(given, dict):
        raise Refusal("bad_request")
    return given


def answers(handler: Callable[P, Awaitable[Response]]) -> Callable[P, Awaitable[Response]]:
    """A route that may raise ValueError, which is sent as a refusal, and whose client may leave while it is read."""

    @functools.wraps(handler)
    async def route(*args: P.args, **kwargs: P.kwargs) -> Response:
        try:
            return await handler(*args, **kwargs)
        except ValueError as raised:
            return refused(refusal_of(raised))
        except RecursionError:  # lists in lists, as deep as they could just be read
            return refused(Refusal("bad_request"))
        except ClientDisconnect:
            return Response(status_code=GONE)

    return route


class StreamResponse(StreamingResponse):
    """An answer sent piece by piece, whose end is signalled whatever happens.

    A client may leave before the first byte. The generator of the pieces is then never begun, so nothing that stands
    in it, not even a `finally`, is run.

    Args:
        pieces: to send.
        media: their type.
        leave: called when all is sent, or the client has gone.
        headers: beside those of every stream.
    """

    def __init__(
        self, pieces: AsyncIterable[bytes], media: str, leave: Callable[[], None], headers: Mapping[str, str] = {}
    ) -> None:
        super().__init__(pieces, 200, {**STREAM, **headers}, media)
        self._leave = leave

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Sends it."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._leave()


def refused(refusal: Refusal, status: int = 0) -> Response:
    """The answer that a refusal is, with its own status unless another is given."""
    return Response(error(refusal), status or refusal.status, FRESH, "application/json")


def error(refusal: Refusal) -> bytes:
    """A refusal's body."""
    return json.dumps({"error": refusal.note}).encode()


def refusal_of(raised: ValueError) -> Refusal:
    """Returns the refusal that a visitor is told.

    Every refusal that is meant is a `Refusal`, or of the library a `TokenBeyondModel`. Any other ValueError is a fault
    of the app, whatever it says of its arguments: it is logged with its traceback, and the visitor is told no more than
    that it did not work.
    """
    if isinstance(raised, Refusal):
        return raised
    if isinstance(raised, TokenBeyondModel):
        return Refusal("token_beyond", token=raised.token)
    logging.getLogger(__name__).error("a ValueError that is no refusal", exc_info=raised)
    return Refusal("not_possible")
