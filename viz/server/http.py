"""Reads JSON requests, builds streamed responses, and turns refusals into responses.

A refusal's body is {"error": {"key", "values"}}: a message of `viz.text`, which the page shows in its own language.
"""

from __future__ import annotations

import functools
import json
import logging
import re
from collections.abc import AsyncIterable, Awaitable, Callable, Mapping
from typing import Any, ParamSpec

from fastapi import Response
from fastapi.responses import StreamingResponse
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect, Request
from starlette.types import Receive, Scope, Send

from former.sampling import NotNumbers
from former.tokens import TokenBeyondModel
from viz.text import Refusal

P = ParamSpec("P")

FOREVER = {"Cache-Control": "private, max-age=86400, immutable"}  # the key determines the answer, which never changes
FRESH = {"Cache-Control": "no-store"}
STREAM = FRESH | {"X-Accel-Buffering": "no"}
GZIPPED = {"Content-Encoding": "gzip"}
BINARY = "application/octet-stream"
LINES = "application/x-ndjson"
BODY_LIMIT = 64_000  # bytes of a request
GZIP = re.compile(r"(?:^|[,\s])gzip\s*(?:,|$|;\s*q=(?!0(?:\.0*)?\s*(?:,|$)))")
GONE = 499  # the status of a response whose client has disconnected


async def read_object(request: Request, limit: int = BODY_LIMIT) -> dict[str, Any]:
    """Reads the JSON object in a request's body.

    Raises:
        Refusal: the body is not a JSON object, or is longer than `limit` bytes.
    """
    return parse_object(await read_body(request, limit))


async def read_body(request: Request, limit: int = BODY_LIMIT) -> bytes:
    """Reads a request's body, in bytes.

    Raises:
        Refusal: the body is longer than `limit` bytes.
    """
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > limit:
            raise Refusal("bad_request")
    return body


def parse_object(body: bytes) -> dict[str, Any]:
    """Parses a request's body as a JSON object.

    Raises:
        Refusal: the body is not a JSON object.
    """
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise Refusal("bad_request")
    return value


def takes_gzip(scope: Scope) -> bool:
    """Returns whether a request accepts an answer in gzip: it names it, and not with a quality of 0."""
    return bool(GZIP.search(Headers(scope=scope).get("accept-encoding", "")))


def refusals_as_json(handler: Callable[P, Awaitable[Response]]) -> Callable[P, Awaitable[Response]]:
    """Decorates a route: turns a ValueError into a refusal's response, and tolerates disconnects."""

    @functools.wraps(handler)
    async def route(*args: P.args, **kwargs: P.kwargs) -> Response:
        try:
            return await handler(*args, **kwargs)
        except (ValueError, RecursionError) as raised:
            return refused(refusal_of(raised))
        except ClientDisconnect:
            return Response(status_code=GONE)

    return route


class StreamResponse(StreamingResponse):
    """A response sent in pieces, which always calls `leave` at its end.

    If the client disconnects before the first byte, the generator of the pieces is never started, so not even its
    `finally` runs.

    Args:
        pieces: the body, in pieces.
        media: the media type.
        leave: called when all is sent or the client has disconnected.
        headers: added to the headers that every stream has.
    """

    def __init__(
        self, pieces: AsyncIterable[bytes], media: str, leave: Callable[[], None], headers: Mapping[str, str] = {}
    ) -> None:
        super().__init__(pieces, 200, {**STREAM, **headers}, media)
        self._leave = leave

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Sends the response."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._leave()


def refused(refusal: Refusal, status: int = 0) -> Response:
    """Builds the response to a refusal, with `status` or, where that is 0, the refusal's own."""
    return Response(error(refusal), status or refusal.status, FRESH, "application/json")


def error(refusal: Refusal) -> bytes:
    """Returns the body of the response that reports a refusal: a line of JSON."""
    return json.dumps({"error": refusal.note}).encode() + b"\n"


def refusal_of(raised: ValueError | RecursionError) -> Refusal:
    """Returns the refusal to show a visitor for an error.

    Only a `Refusal`, or the library's `TokenBeyondModel` and `NotNumbers`, are meant for visitors. Any other ValueError
    is a bug in the app: it is logged with its traceback, and the visitor reads only that the request failed.
    """
    if isinstance(raised, Refusal):
        return raised
    if isinstance(raised, RecursionError):  # lists nested almost too deeply to parse
        return Refusal("bad_request")
    if isinstance(raised, TokenBeyondModel):
        return Refusal("token_beyond", token=raised.token)
    if isinstance(raised, NotNumbers):
        return Refusal("not_numbers")
    logging.getLogger(__name__).error("unexpected ValueError in a request", exc_info=raised)
    return Refusal("not_possible")
