"""ASGI middleware: identifies the client, and closes the Gradio routes that nothing here uses.

Gradio's POST routes run events, accept uploads and fill the queue. The page has its own routes, and a client could use
Gradio's to take memory from others, so only calls of the API's endpoints (`viz.api`) pass, and those are short. A call
may leave out arguments that have a default, as in Python; if its arguments do not fit, a sentence says so. The page is
compressed to a quarter of its bytes, which Gradio does not do. An address that is too long for Gradio, which would
crash on it, is refused.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from typing import Any, NamedTuple

from fastapi import HTTPException
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from viz.gradio_adapter import ROUTES
from viz.server import http
from viz.server.clients import client, client_of, new_cookie, session, session_of
from viz.text import Refusal, first_known, in_words, message

PAGE = "/"
ADDRESS_LIMIT = 62_000  # bytes of path and query; httpx, by which Gradio reads addresses, takes 65,536 with the host
SESSION_LIMIT = 64  # characters of the name by which Gradio stores a client's calls; its own have up to 36

CALL = re.compile(r"(run|api|call|call/v2)/(\w+)/?")  # after ROUTES: an endpoint called by its name
OF_A_CALL = ("cancel", "reset")  # end a call that its client started
CLOSED = ("/upload_progress", "/dev/reload", "/deep_link")  # of GET: store what they are given, or poll without end
TOOLS = "mcp/"  # MCP clients name an endpoint in their messages, and can reach nothing else


refused: ContextVar[list[int]] = ContextVar("refused")  # the statuses of refusals of the current call


class Endpoint(NamedTuple):
    """An endpoint of the API: its name and the parameters that a caller gives."""

    name: str
    signature: inspect.Signature

    @classmethod
    def of(cls, function: Callable[..., Any]) -> Endpoint:
        """Returns the endpoint of a method, with its signature as a caller sees it: without `request` and types."""
        parameters = inspect.signature(function).parameters.values()
        given = [each.replace(annotation=inspect.Parameter.empty) for each in parameters if each.name != "request"]
        return cls(function.__name__, inspect.Signature(given))


class Gateway:
    """The middleware, between the server and Gradio's app.

    Args:
        app: the next ASGI app, Gradio's.
        secret: returns the server's secret, with which it signs its cookies.
        endpoints: the API's endpoints, by their numbers in Gradio's queue.
    """

    def __init__(self, app: ASGIApp, secret: Callable[[], bytes], endpoints: Mapping[int, Endpoint] = {}) -> None:
        self._app, self._secret = app, secret
        self._endpoints = endpoints
        self._named = {each.name: each for each in endpoints.values()}
        self._page = GZipMiddleware(app, compresslevel=4)  # 9 takes four times as long for 6 % less

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes a request on to Gradio's app, or refuses it."""
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        if (length := len(scope.get("raw_path", b"")) + len(scope.get("query_string", b""))) > ADDRESS_LIMIT:
            return await long_address(length, language_of(scope), Headers(scope=scope))(scope, receive, send)
        who = client_of(scope)
        client.set(who)
        session.set(known := session_of(scope, self._secret()))
        if scope["path"] == PAGE:
            page = self._page if http.takes_gzip(scope) else self._app
            return await page(scope, receive, send if known else with_cookie(send, new_cookie(self._secret())))
        if ROUTES in scope["path"] and (scope["method"] == "POST" or scope["path"].endswith(CLOSED)):
            send = with_own_status(send)
            try:
                receive = await self._call(Request(scope, receive))
            except ClientDisconnect:
                return None
            except Refusal as refusal:
                said = json.dumps({"error": in_words(refusal.note)})  # in ASCII: the path may not be valid text
                return await Response(said, refusal.status, media_type="application/json")(scope, receive, send)
        try:
            await self._app(scope, receive, send)
        except RuntimeError as error:
            # Gradio's stream of a session or event that it does not know ends with a message, then an exception.
            if not isinstance(error.__cause__, HTTPException):
                raise
            await send({"type": "http.response.body", "body": b""})

    async def _call(self, request: Request) -> Receive:
        """Reads a request to one of Gradio's routes; returns a `receive` that replays its body, completed to a call
        with all arguments.

        Raises:
            Refusal: it does not call an endpoint, its arguments do not fit, or it is too long.
        """
        route = request.scope["path"].partition(ROUTES)[2]
        body = await http.read_body(request)
        if call := CALL.fullmatch(route):
            if not (endpoint := self._named.get(call[2])):
                raise NotOpen("api_no_endpoint", given=call[2][:40], names=list(self._named))
            body = with_all_arguments(body, endpoint, by_name=call[1] == "call/v2")
            MutableHeaders(scope=request.scope)["content-type"] = "application/json"  # curl says that it is a form
        elif route == "queue/join" and (endpoint := self._numbered(http.parse_object(body).get("fn_index"))):
            body = with_all_arguments(body, endpoint, keep=("session_hash", "fn_index"))
        elif route not in OF_A_CALL and not route.startswith(TOOLS):
            raise NotOpen("not_possible")

        first: Message | None = {"type": "http.request", "body": body, "more_body": False}

        async def receive() -> Message:
            nonlocal first
            message, first = first, None
            return message or await request.receive()

        return receive

    def _numbered(self, index: Any) -> Endpoint | None:
        return self._endpoints.get(index) if isinstance(index, int) else None


class NotOpen(Refusal):
    """The refusal of a request to a route or a function that is not open to clients."""

    status = 404


def with_all_arguments(
    body: bytes, endpoint: Endpoint, by_name: bool = False, keep: Sequence[str] = ("session_hash",)
) -> bytes:
    """Returns the body of a call with the defaults of the arguments that it leaves out, which Gradio does not fill in.

    All other fields are left out: by "fn_index" Gradio would call another function than the one that is named.

    Args:
        body: a JSON object; its "data" lists the arguments in their order.
        endpoint: the endpoint that it calls.
        by_name: the object itself holds the arguments, by their names.
        keep: fields to keep besides the arguments.

    Raises:
        Refusal: arguments are missing, or there are others than the endpoint has; or an invalid session.
    """
    call = http.parse_object(body)
    name = call.get("session_hash") or ""
    if not isinstance(name, str) or len(name) > SESSION_LIMIT:
        raise Refusal("bad_request")
    given: Any = call if by_name else call.get("data")
    try:
        if by_name:
            bound = endpoint.signature.bind(**call)
        elif isinstance(given, list):
            bound = endpoint.signature.bind(*given)
        else:
            raise TypeError
    except TypeError:
        expected = f"{endpoint.name}{endpoint.signature}"
        raise Refusal("api_arguments", expected=expected, given=json.dumps(given, ensure_ascii=False)[:80]) from None
    bound.apply_defaults()
    kept = {name: call[name] for name in keep if name in call}
    return json.dumps(bound.arguments if by_name else {**kept, "data": list(bound.arguments.values())}).encode()


def language_of(scope: Scope) -> str:
    """Returns the language that a request's address names, else the one that the browser prefers."""
    named = re.findall(r"(?:^|&)lang=(\w+)", scope.get("query_string", b"").decode("latin-1"))
    preferred = re.split("[,;]", Headers(scope=scope).get("accept-language", ""))  # q=0.9 matches none
    return first_known([*named, *preferred])


def long_address(length: int, language: str, headers: Headers) -> Response:
    """Returns the refusal of an address of `length` bytes: a page for a browser, JSON for a script."""
    refusal = Refusal("long_address", given=length, limit=ADDRESS_LIMIT)
    if "text/html" not in headers.get("accept", ""):
        return http.refused(refusal, 414)
    page = f"""<!doctype html><html lang="{language}"><meta charset="utf-8"><title>{message("title", language)}</title>
<body style="font: 1.1rem/1.5 sans-serif; max-width: 40rem; margin: 4rem auto; padding: 0 1rem">
<h1>{message("title", language)}</h1><p>{in_words(refusal.note, language)}</p>
<p><a href="?">{message("long_address_home", language)}</a></p></body></html>"""
    return HTMLResponse(page, 414, http.FRESH)


def with_cookie(send: Send, cookie: str) -> Send:
    """Wraps `send`: the response sets a cookie, and no cache in between gives it to others."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers.append("set-cookie", cookie)
            headers["cache-control"] = "private"
        await send(message)

    return sending


def with_own_status(send: Send) -> Send:
    """Wraps `send`: the answer to a call that was refused gets the status of its refusal, where Gradio's is 500."""
    refused.set(statuses := [])

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start" and message["status"] == 500 and statuses:
            message["status"] = statuses[-1]
        await send(message)

    return sending
