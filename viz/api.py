"""The app's API for programs: Gradio's named endpoints, for `gradio_client`, curl and, with `gradio[mcp]`, MCP clients.

Each endpoint computes what the page computes, by the same functions, under the same limits and in the client's turn.
`viz.server.gateway` lets through the requests that Gradio's clients send, and no other of Gradio's routes. A call
through Gradio's queue is computed when its client begins to read, because the queue would keep an unread answer.

A text is at most `TEXT_LIMIT` characters. `edits` are changes of heads, in the form of links: "0.3.off,2.L.uniform"
(`viz.passes.edits`). All indices start at 0. If a result cannot be computed, the error says why in one sentence.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any, ParamSpec, TypeVar

import gradio as gr
from starlette.requests import ClientDisconnect

from former.hooks import points_of
from viz.gradio_adapter import Caller
from viz.passes import edits as changes
from viz.passes.habits import rounded
from viz.passes.lens import TOP, read_depths
from viz.passes.loaded import Loaded, Models, writers
from viz.passes.run import Pass, as_refusals, read
from viz.passes.run import request as run_request
from viz.server import gateway, http
from viz.server.clients import Slots, client, client_of
from viz.server.view import read_string, read_whole
from viz.server.work import FULL
from viz.tabs.base import Site, about
from viz.tabs.generate import next_token, stream
from viz.text import Refusal, in_words

P = ParamSpec("P")
R = TypeVar("R")

STREAMS = 50  # texts being written at once
UNREAD = 150  # calls at once that wait for their clients to read from Gradio's queue, which runs 200


def endpoint(function: Callable[P, Awaitable[R]]) -> Callable[P, Awaitable[R]]:
    """Decorates an endpoint: a refusal becomes Gradio's error, with the sentence that the page would show."""

    @functools.wraps(function)
    async def answer(*args: P.args, **kwargs: P.kwargs) -> R:
        with as_errors():
            return await function(*args, **kwargs)

    return answer


@contextlib.contextmanager
def as_errors() -> Iterator[None]:
    """Context manager: turns a `Refusal` raised inside it into Gradio's error, whose message reaches the client."""
    try:
        yield
    except ClientDisconnect as raised:
        raise gr.Error("", print_exception=False) from raised  # which reaches no one
    except (ValueError, RecursionError) as raised:
        refusal = http.refusal_of(raised)
        gateway.refused.get([]).append(max(refusal.status, Refusal.status))  # of one that shows nothing it is 200
        said = in_words(refusal.note).encode(errors="replace").decode()  # a lone surrogate could not be sent
        raise gr.Error(said, print_exception=False) from raised


def attach(site: Site) -> dict[int, gateway.Endpoint]:
    """Adds the endpoints to the page that is being built; returns a dict from their numbers in Gradio's queue
    to them."""
    endpoints, of = {}, Endpoints(site)
    for each in (of.models, of.tokenize, of.attention, of.predict, of.lens, of.generate):
        added = gr.api(  # pyright: ignore[reportPrivateImportUsage]
            each,
            api_name=each.__name__,
            api_description=inspect.getdoc(each),
            queue=inspect.isasyncgenfunction(each),  # a stream needs Gradio's queue
            concurrency_limit=None,  # the site's own queue shares out the turns
        )
        endpoints[added["id"]] = gateway.Endpoint.of(each)
    return endpoints


class Endpoints:
    """The endpoints; Gradio and MCP describe each to programs by its docstring."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._slots, self._unread = Slots(STREAMS), Slots(UNREAD)

    async def _caller(self, request: gr.Request) -> Caller:
        """Identifies the client, for fair turns, because Gradio's queue runs an endpoint outside of its request; waits
        until the client reads from the queue.

        Raises:
            ClientDisconnect: it does not.
            Busy: too many calls wait for this client.
        """
        original: Any = getattr(request, "request", None) or request  # MCP's is Starlette's own
        client.set(client_of(original.scope))
        caller, who = Caller(original), self._unread.take(FULL)
        try:
            if not await caller.listens():
                raise ClientDisconnect
        finally:
            self._unread.give_back(who)
        return caller

    async def _pass_of(self, caller: Caller, model: str, text: str, edits: str) -> tuple[Loaded, Pass]:
        loaded = named(self._site.models, model)
        given, refused = changes.from_link(read_string({"edits": edits}, "edits"), loaded.bundle.model)
        if refused:
            stack = "cross." if "cross.weights" in points_of(loaded.bundle.model) else ""
            example = f"{stack}0.0.off,{stack}{loaded.bundle.config.depth - 1}.L.uniform"
            raise Refusal("api_edits", given=",".join(refused)[:40], example=example)
        return loaded, (await self._site.work.turn(caller, self._site.passes.make, loaded, text, given))[0]

    @endpoint
    async def models(self, request: gr.Request) -> list[dict[str, Any]]:
        """Lists the models.

        Returns:
            For each, "name", "kind", "about", "layers", "heads" of each layer, "context" (tokens), and "unit" of a
            token: byte, character, piece or word.
        """
        await self._caller(request)
        return [describe(each) for each in self._site.models.values()]

    @endpoint
    async def tokenize(self, model: str, text: str, request: gr.Request) -> dict[str, Any]:
        """Splits a text into a model's tokens, as many as its context holds.

        Args:
            model: the name of a model.
            text: the text.

        Returns:
            "tokens", their labels; "ids"; and "total", the number of tokens of the whole text.
        """
        await self._caller(request)
        loaded = named(self._site.models, model)
        reading = await self._site.work.step(read, loaded, text)
        return {"tokens": reading.tokens, "ids": reading.ids, "total": reading.total}

    @endpoint
    async def attention(
        self,
        model: str,
        text: str,
        layer: int,
        request: gr.Request,
        head: int | None = None,
        edits: str = "",
        stack: str = "",
    ) -> dict[str, Any]:
        """Returns the attention weights of one head, or of all heads of a layer, for a text.

        Args:
            model: the name of a model.
            text: the text.
            layer: the layer, from 0.
            head: the head, from 0; without it, all heads of the layer.
            edits: changes of heads, such as "0.3.off,2.L.uniform"; of an encoder-decoder, such as "cross.0.3.off".
            stack: of an encoder-decoder: encoder, decoder or cross.

        Returns:
            "queries" and "keys", labels; and "weights"[query][key], or [head][query][key] for all heads.
        """
        _, pass_ = await self._pass_of(await self._caller(request), model, text, edits)
        names = [each.name for each in pass_.maps]
        if stack and stack not in names:
            raise Refusal("api_stack", given=f"{stack}"[:40], names=names)
        each = pass_.map(stack or names[0])
        layers, heads = each.weights.shape[:2]
        view = {"layer": layer, "head": head}
        weights = each.weights[read_whole(view, "layer", 0, layers - 1, "layer")]
        if head is not None:
            weights = weights[read_whole(view, "head", 0, heads - 1, "head")]
        return {"queries": each.queries, "keys": each.keys, "weights": rounded(weights)}

    @endpoint
    async def predict(self, model: str, text: str, request: gr.Request, edits: str = "") -> dict[str, Any]:
        """Returns what a model predicts for a text: next tokens, classes, or hidden words.

        Args:
            model: the name of a model.
            text: the text; words in [brackets] are hidden from a model that fills in blanks.
            edits: changes of heads, such as "0.3.off,2.L.uniform"; of an encoder-decoder, such as "cross.0.3.off".

        Returns:
            "tokens", the labels that were read, and of a model that writes: "next", the likeliest next tokens, and
            "bits", the surprise of each token; of a classifier: "classes" and "probs"; of one that fills in blanks:
            "blanks", each with its "next", and "follows", the probability that the second text follows the first.
            Of a model without an output layer, "tokens" alone.
        """
        _, pass_ = await self._pass_of(await self._caller(request), model, text, edits)
        return {"tokens": pass_.header["labels"], **pass_.header["output"]}

    @endpoint
    async def lens(self, model: str, text: str, request: gr.Request, edits: str = "", top: int = 5) -> dict[str, Any]:
        """Returns the prediction after each layer (the logit lens) at each token.

        Args:
            model: the name of a model with an output head.
            text: the text.
            edits: changes of heads, such as "0.3.off,2.L.uniform"; of an encoder-decoder, such as "cross.0.3.off".
            top: the number of tokens to list.

        Returns:
            "columns", the labels of the positions; "names" and "probs" [depth][column][top]: depth 0 is before the
            first block, depth n after the nth.
        """
        caller = await self._caller(request)
        count = read_whole({"top": top}, "top", 1, TOP, "api_top")
        loaded, pass_ = await self._pass_of(caller, model, text, edits)
        run = self._site.passes.run_of(run_request(loaded, text, pass_.header["edits"]), fast=True)
        result = await self._site.work.turn(caller, as_refusals()(read_depths), run, count)
        return {"columns": result["columns"], "names": result["names"], "probs": rounded(result["probs"])}

    async def generate(
        self,
        model: str,
        prompt: str,
        request: gr.Request,
        tokens: int = 50,
        temperature: float = 1.0,
        top_k: int | None = None,
        top_p: float | None = None,
        seed: int = 0,
        min_p: float | None = None,
        repetition_penalty: float = 1.0,
    ) -> AsyncIterator[str]:
        """Continues a text; streams the whole text after each token.

        Args:
            model: the name of a model that writes.
            prompt: the text to continue.
            tokens: how many tokens to add.
            temperature: 0 always takes the likeliest token.
            top_k: keeps the k likeliest tokens; without it, all.
            top_p: keeps the likeliest tokens that reach this probability together; without it, all.
            seed: the same seed gives the same text.
            min_p: keeps the tokens at least this many times as likely as the likeliest; without it, all.
            repetition_penalty: above 1, makes tokens of the text so far less likely, before all other rules.

        Returns:
            The prompt and its continuation so far.
        """
        with as_errors():
            caller = await self._caller(request)
            loaded = named(writers(self._site.models), model)
            order = stream.read_order(
                loaded,
                {
                    **{"text": prompt, "length": tokens, "temperature": temperature},
                    **{"top_k": top_k, "top_p": top_p, "seed": seed, "min_p": min_p, "penalty": repetition_penalty},
                },
            )
            who = self._slots.take("busy_writing")
            try:
                ids, states = list(order.ids), next_token.states(loaded.fast, order)
                while (state := await self._site.work.step(lambda: next(states, None))) is not None:
                    if state.token is not None:
                        ids.append(state.token)
                    if not await caller.listens():
                        raise ClientDisconnect
                    yield next_token.decode(loaded.bundle.tokenizer, ids)[0]
            finally:
                self._slots.give_back(who)


def named(models: Models, name: str) -> Loaded:
    """Returns the model called `name`.

    Raises:
        Refusal: there is no such model.
    """
    if not isinstance(name, str) or name not in models:  # includes snapshots of a training, which `list` leaves out
        raise Refusal("api_no_model", given=f"{name}"[:40], names=list(models))
    return models[name]


def describe(loaded: Loaded) -> dict[str, Any]:
    """Describes a model by the fields that the endpoint `models` lists."""
    config, said = loaded.bundle.config, about(loaded)
    return {
        "name": loaded.name,
        "kind": loaded.variant,
        "about": said if isinstance(said, str) else in_words(said),
        "layers": config.depth,
        "heads": config.heads,
        "context": config.seq_length,
        "unit": loaded.bundle.tokenizer.unit,
    }
