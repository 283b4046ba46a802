"""Tab Generate without a browser: valid requests, answers, the effect of the seed, stopping."""

import asyncio
import copy
import json
import logging
import math
import struct
import threading
import time
import zlib
from collections.abc import AsyncGenerator
from dataclasses import replace
from typing import Any

import httpx
import hypothesis.strategies as st
import pytest
import torch
from fastapi import FastAPI
from fastapi.testclient import TestClient
from hypothesis import given

import former
from former.generate import KeyValueCache
from former.sampling import next_token_probs, penalise
from tests.viz.loops import run
from viz.passes.loaded import Loaded, writers
from viz.passes.run import TEXT_LIMIT
from viz.server import http
from viz.server.clients import Slots
from viz.server.clients import client as client_var
from viz.server.work import TURNS, Work
from viz.tabs.base import site_of
from viz.tabs.generate import branches, cache, next_token, page, routes, stream
from viz.tabs.generate.panels import CACHE, TRAIL, WRITTEN_TEXT
from viz.text import Busy, NothingToShow, Refusal, in_words, note

CONFIG = former.ModelConfig(num_tokens=256, emb=16, heads=2, depth=2, seq_length=24)
TOKENIZER = former.tokens.ByteTokenizer()


@pytest.fixture(scope="module")
def loaded():
    torch.manual_seed(0)
    return Loaded("small", former.Bundle(former.Generator(CONFIG).double().eval(), TOKENIZER, CONFIG), "")


@pytest.fixture
def client(loaded):
    server = FastAPI()
    routes.attach(server, site_of({"small": loaded}))
    return TestClient(server)


def order(loaded, **asked: Any) -> next_token.Order:
    return stream.read_order(loaded, {"text": "Hello", "seed": 3, **asked})


def write(loaded, **asked: Any) -> list[int]:
    states = list(next_token.states(loaded.bundle.model, order(loaded, **asked)))
    return [state.token for state in states if state.token is not None]


def unpack(stream: bytes) -> list[tuple[dict[str, Any], list[int]]]:
    """Parses the frames of a stream as its documentation says."""
    raw, frames = zlib.decompress(stream, 31), []
    while raw:
        header, cells = struct.unpack_from("<II", raw)
        frames.append((json.loads(raw[8 : 8 + header]), list(raw[8 + header : 8 + header + cells])))
        raw = raw[8 + header + cells :]
    return frames


def test_a_text_written_in_pieces_is_the_text_written_at_once(loaded):
    whole = write(loaded, length=70)  # beyond the window of 24, so it slides several times
    for cut in range(0, 71, 5):
        first = write(loaded, length=cut)
        assert first + write(loaded, written=first, length=70 - cut) == whole


def test_going_back_and_on_again_gives_the_same_text_and_another_seed_another(loaded):
    whole = write(loaded, length=40)
    assert write(loaded, written=whole[:17], length=23) == whole[17:]
    assert write(loaded, written=whole[:17], length=23, seed=4) != whole[17:]


def test_the_dice_of_a_token_depend_on_its_place_and_the_seed_only():
    def roll(seed: int, position: int) -> float:
        return float(torch.rand(1, generator=next_token.dice(seed, position)))

    assert roll(1, 7) == roll(1, 7)
    assert len({roll(seed, position) for seed in range(20) for position in range(20)}) == 400


def test_a_state_is_what_one_pass_over_its_window_gives(loaded):
    request = order(loaded, length=60, temperature=0.7, top_k=50, top_p=0.9)
    ids = list(request.ids)
    for state in next_token.states(loaded.bundle.model, request):
        ids += [] if state.token is None else [state.token]
        window = torch.tensor([ids[state.start :]])
        logits, capture = former.run_with_capture(loaded.bundle.model, window)
        torch.testing.assert_close(state.probs, logits[0, -1].softmax(-1))
        torch.testing.assert_close(state.kept, next_token_probs(logits[0, -1], 0.7, 50, 0.9))
        torch.testing.assert_close(state.weights, capture.stack("weights")[:, 0, :, -1])
        assert state.kept[state.drawn] > 0


def test_a_model_with_a_memory_writes_on_after_a_pause_as_without_one_and_says_what_it_sees():
    torch.manual_seed(0)
    config = former.TransformerXLConfig(num_tokens=256, emb=8, heads=2, depth=2, seq_length=4, memory_length=4)
    model = former.TransformerXL(config).eval()
    loaded = Loaded("recalls", former.Bundle(model, TOKENIZER, config), "")
    assert list(writers({"recalls": loaded})) == ["recalls"]
    request = order(loaded, text="Hello", length=9)
    written = list(next_token.states(model, request))
    for at, state in enumerate(written):
        ids = [*request.ids, *(each.token for each in written[1 : at + 1])]
        begin = (len(ids) - 1) // 4 * 4  # of its segment
        memory = None
        for first in range(0, begin, 4):
            _, memory = model(torch.tensor([ids[first : first + 4]]), memory)
        logits, _ = model(torch.tensor([ids[begin:]]), memory)
        torch.testing.assert_close(state.probs, logits[0, -1].softmax(-1))
        assert state.start == max(0, begin - 4)
        assert state.weights.shape == (2, 2, len(ids) - state.start)
        (replayed,) = next_token.states(model, order(loaded, text="Hello", written=ids[5:]))
        assert replayed.drawn == state.drawn


def test_tokens_that_are_given_are_written_before_any_is_drawn(loaded):
    given_ids = list(b"abc")
    written = write(loaded, given=given_ids, length=10)
    assert written[:3] == given_ids
    assert written[3:] == write(loaded, written=given_ids, length=7)
    assert write(loaded, given=given_ids) == given_ids


@given(st.lists(st.integers(0, 255), min_size=1, max_size=40), st.integers(0, 39))
def test_the_labels_of_the_frames_add_up_to_those_of_the_whole_text(ids, cut):
    torch.manual_seed(0)
    config = former.ModelConfig(num_tokens=256, emb=2, heads=1, depth=1, seq_length=40)
    cut = min(cut, len(ids) - 1) + 1
    request = next_token.Order(ids[:cut], cut, len(ids) - cut, ids[cut:], next_token.PLAIN, 0, 30)
    frames = unpack(b"".join(stream.frames(former.Generator(config).eval(), TOKENIZER, request)))
    labels: list[str] = []
    for header, _ in frames:
        labels += [] if header["token"] is None else ["?"]
        labels[max(0, len(labels) - len(header["labels"])) :] = header["labels"]
        assert header["bytes"] == [f"{i:02x}" for i in ids[: len(labels)][-len(header["bytes"]) :]]
    assert labels == TOKENIZER.labels(ids)
    assert len(frames[0][0]["bytes"]) == cut


def test_a_frame_holds_the_state_within_its_rounding(loaded):
    request = order(loaded, length=30, top_k=5)
    states = list(next_token.states(loaded.bundle.model, request))
    frames = unpack(b"".join(stream.frames(loaded.bundle.model, TOKENIZER, request)))
    for state, (header, cells) in zip(states, frames, strict=True):
        assert (header["token"], header["drawn"], header["start"]) == (state.token, state.drawn, state.start)
        weights = (torch.tensor(cells, dtype=torch.float64) / 255) ** 2
        # Half a level of √weight: (√w ± 1/510)² is within 1/255 of w.
        layers, h, t = state.weights.shape
        weights = weights.view(layers, h + 1, t)
        torch.testing.assert_close(weights[:, :h], state.weights, atol=1 / 255, rtol=0)
        torch.testing.assert_close(weights[:, h], state.weights.mean(1), atol=1 / 255, rtol=0)
        named = [candidate[0] for candidate in header["candidates"]]
        assert named[:20] == state.probs.topk(20).indices.tolist()
        assert state.drawn in named
        for i, label, prob, kept, rule in header["candidates"]:
            assert label == TOKENIZER.labels([i])[0]
            assert prob == pytest.approx(float(state.probs[i]), abs=1e-6)
            assert (rule is None) == (state.kept[i] > 0)
            assert kept == pytest.approx(float(state.kept[i]), abs=1e-6)
        count, prob, kept = header["rest"]
        assert count == 256 - len(named)
        assert prob == pytest.approx(1 - sum(c[2] for c in header["candidates"]), abs=1e-4)
        assert kept == pytest.approx(1 - sum(c[3] for c in header["candidates"]), abs=1e-4)
        assert header["left"] == 5


def test_a_frame_says_which_rule_removes_which_token_in_their_order(loaded):
    rules = {"penalty": 1.5, "temperature": 0.8, "top_k": 60, "top_p": 0.9, "min_p": 0.3}
    asked = order(loaded, **rules)
    ((header, _),) = unpack(b"".join(stream.frames(loaded.bundle.model, TOKENIZER, asked)))
    with torch.inference_mode():
        logits = penalise(loaded.bundle.model(torch.tensor([asked.ids]))[0, -1], asked.ids, 1.5)
    gone, removed = torch.zeros(256, dtype=torch.bool), {"temperature": 0}
    for rule in ("top_k", "top_p", "min_p"):
        until = {name: rules[name] for name in ("temperature", "top_k", "top_p", "min_p")[: len(removed) + 1]}
        zero = next_token_probs(logits, **until) == 0
        removed[rule] = int((zero & ~gone).sum())
        for i, _, _, kept, cut in header["candidates"]:
            assert (cut == rule) == bool(zero[i] and not gone[i])
            assert kept > 0 or cut is not None
        gone = zero
    assert header["removed"] == removed
    assert min(removed["top_k"], removed["top_p"], removed["min_p"]) > 0
    assert header["left"] == 256 - sum(removed.values())


def test_a_text_written_by_all_rules_is_what_generate_would_draw_from(loaded):
    asked = order(loaded, length=6, penalty=2.0, min_p=0.1, temperature=0.5)
    ids = list(asked.ids)
    for state in next_token.states(loaded.bundle.model, asked):
        ids += [] if state.token is None else [state.token]
        with torch.inference_mode():
            logits = loaded.bundle.model(torch.tensor([ids]))[0, -1]
        torch.testing.assert_close(state.kept, next_token_probs(penalise(logits, ids, 2.0), 0.5, min_p=0.1))


def test_many_draws_have_about_the_shares_of_the_probabilities_and_more_of_them_begin_alike(loaded):
    rules = {"temperature": 0.3, "top_k": 5, "seed": 3}
    few, many = (next_token.draw_often(loaded.bundle, "Hello", [32], **rules, rounds=rounds) for rounds in (1, 100))
    assert (sum(few["counts"]), sum(many["counts"])) == (100, 10_000) == (few["draws"], many["draws"])
    assert set(few["ids"]) <= set(many["ids"])
    assert len(many["ids"]) <= 5
    for share, kept in zip(many["shares"].tolist(), many["kept"].tolist(), strict=True):
        assert abs(share - kept) < 5 * (kept * (1 - kept) / 10_000) ** 0.5  # five standard deviations
    predicted = next_token.predict_next(loaded.bundle, "Hello", [32], **rules)
    kept = dict(zip(predicted["ids"], predicted["kept"].tolist(), strict=True))
    assert many["kept"].tolist() == pytest.approx([kept[i] for i in many["ids"]])


def test_beams_are_those_of_beam_search_and_end_with_the_context(loaded):
    view = {"model": "small", "text": "Hello", "searched": [32], "beams": 3}
    actual = TRAIL.questions["search"].compute({"small": loaded}, view)
    expected = former.beam_search(loaded.bundle.model, [*b"Hello", 32], 18, 3)
    assert [beam.ids for beam in expected] == actual["tokens"]
    assert (-actual["log_probs"]).tolist() == pytest.approx([-beam.log_prob / math.log(2) for beam in expected])
    assert [len(labels) for labels in actual["labels"]] == [18] * 3
    with pytest.raises(NothingToShow, match="24"):
        TRAIL.questions["search"].compute({"small": loaded}, {**view, "text": "Hello" * 5})


@pytest.mark.parametrize("key_heads", [None, 1])
def test_the_cache_is_as_large_as_its_facts_say_and_a_step_gives_the_same_with_it(key_heads):
    torch.manual_seed(0)
    config = replace(CONFIG, kv_heads=key_heads)
    small = Loaded("small", former.Bundle(former.Generator(config).eval(), TOKENIZER, config), "")
    facts = cache.cache_facts(small)
    assert facts
    assert facts == {
        "layers": 2,
        "heads": 2,
        "key_heads": key_heads or 2,
        "size": 8,
        "number": 4,
        "bytes": 2 * 2 * 8 * 4 * (key_heads or 2),
    }
    actual = cache.measure_cache(small.bundle, "Hello", [32] * 30)
    assert actual["tokens"] == 24  # the context
    assert actual["bytes"] == 24 * facts["bytes"]
    assert min(actual["seconds"]) > 0
    kept, ids = KeyValueCache(config), torch.tensor([list(b"Hello")])
    with torch.inference_mode():
        small.bundle.model(ids, cache=kept)
    stored = sum(each[:, :, :, : kept.length].numel() for each in (kept.keys, kept.values))
    assert 4 * stored == kept.nbytes == 5 * facts["bytes"]


def test_an_empty_prompt_is_the_token_before_every_text_where_the_tokenizer_has_one():
    gpt = Loaded("gpt", former.load("gpt"), "")
    tokenizer: Any = gpt.bundle.tokenizer
    asked = order(gpt, text="", length=1)
    assert asked.ids == [tokenizer.end_token] == next_token.prompt_of(tokenizer, "")
    state = next_token.state_of(gpt.bundle, "", [])
    logits = gpt.bundle.model(torch.tensor([asked.ids]))[0, -1]
    torch.testing.assert_close(state.probs, logits.softmax(-1))


def test_beams_are_not_searched_in_a_model_that_sees_what_comes():
    torch.manual_seed(0)
    config = replace(CONFIG, mask="none")
    seeing = Loaded("seeing", former.Bundle(former.Generator(config).eval(), TOKENIZER, config), "")
    view = {"model": "seeing", "text": "Hello", "searched": [], "beams": 3}
    assert cache.cache_facts(seeing) is None
    for question in (TRAIL.questions["search"], CACHE.questions["step"]):
        with pytest.raises(Refusal):
            question.compute({"seeing": seeing}, view)


@pytest.mark.parametrize("text", ["Hello", "Hello, " * 12], ids=["short", "longer than the context"])
def test_the_panels_give_the_numbers_of_the_frame_of_their_text(loaded, text):
    rules = {"temperature": 0.8, "top_k": 7, "top_p": 0.9, "seed": 3}
    request = order(loaded, text=text, written=[32, 80], **rules)
    ((header, cells),) = unpack(b"".join(stream.frames(loaded.bundle.model, TOKENIZER, request)))
    result = next_token.predict_next(loaded.bundle, text, [32, 80], **rules)
    assert result["drawn"] == header["drawn"]
    for i, label, prob, kept, candidate in zip(
        *(result[name] for name in ("ids", "labels", "probs", "kept")), header["candidates"], strict=True
    ):
        assert candidate[:2] == [i, label]
        assert candidate[2] == pytest.approx(float(prob), abs=1e-6)
        assert candidate[3] == pytest.approx(float(kept), abs=1e-6)
    config = loaded.bundle.config
    weights = (torch.tensor(cells, dtype=torch.float64) / 255).square().view(config.depth, config.heads + 1, -1)
    for head, row in ((1, weights[1, 1]), (None, weights[1, -1])):
        result = next_token.look_back(loaded.bundle, text, [32, 80], layer=1, head=head)
        torch.testing.assert_close(result["looks"].double(), row, atol=1 / 255, rtol=0)
        assert len(result["labels"]) == len(row)


def test_branches_leave_what_they_share_with_those_before_them(loaded):
    result = branches.unfold_branches(loaded.bundle, "Hello", [(0, 0, [32, 80]), (0, 1, [33]), (1, 2, [34])])
    assert result["tokens"] == [[32, 80], [32, 33], [32, 33, 34]]
    assert result["texts"] == ["Hello P", "Hello !", 'Hello !"']
    assert result["lengths"] == [2, 2, 3]


@pytest.mark.parametrize(
    "wrong", [None, [], [[0, 0]], [[0, 0, [300]]], [[0, 0, [1]], [1, 0, [1]]], [[0, -1, [1]]], [[0, 0, ["1"]]]]
)
def test_branches_that_leave_none_before_them_are_refused(loaded, wrong):
    view = {"model": "small", "text": "Hello", "branches": wrong}
    with pytest.raises(Refusal):
        TRAIL.questions["branches"].arguments({"small": loaded}, view)


def test_unfolded_branches_which_may_be_long_are_printed_and_never_sent():
    """A program with 64 kB of branches was 51 MB, after 23 s."""
    assert not TRAIL.questions["branches"].asked


def test_half_a_character_is_named_in_a_remark_as_any_other_that_the_vocabulary_lacks():
    tokenizer = former.tokens.WordPieceTokenizer.from_vocabulary([*former.tokens.labels.SPECIAL, "a"], closed=False)
    config = replace(CONFIG, num_tokens=tokenizer.num_tokens)
    pieces = Loaded("pieces", former.Bundle(former.Generator(config).eval(), tokenizer, config), "")
    asked = stream.read_order(pieces, {"text": "a a a a \ud800", "seed": 3})
    ((header, _),) = unpack(b"".join(stream.frames(pieces.bundle.model, tokenizer, asked)))
    assert header["remarks"][0]["values"]["words"] == ["“?”"]


def test_a_second_model_that_does_not_write_or_has_written_other_tokens_is_refused(loaded, classifier):
    models, view = {"small": loaded, "reads": classifier}, {"model": "small", "text": "Hello", "layer": 0, "head": 0}
    for wrong in ({"second": "reads"}, {"second": "small", "second_written": [999]}):
        with pytest.raises(Refusal):
            WRITTEN_TEXT.questions["second"].arguments(models, {**view, "of": "head", **wrong})


def test_a_temperature_of_0_draws_the_likeliest(loaded):
    for state in next_token.states(loaded.bundle.model, order(loaded, length=5, temperature=0)):
        assert state.drawn == int(state.probs.argmax())


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"text": ""}, "no_prompt"),
        ({"text": None}, "no_prompt"),
        ({"text": ["a"]}, "no_prompt"),
        ({"text": "x" * (TEXT_LIMIT + 1)}, "4,001"),
        ({"temperature": -1}, "Temperature must be a number from 0 to 10, not -1"),
        ({"temperature": float("nan")}, "Temperature"),
        ({"temperature": "hot"}, "Temperature"),
        ({"top_k": 0}, "Top-k must be a whole number from 1 to 256, not 0"),
        ({"top_k": 2.5}, "Top-k"),
        ({"top_p": 0}, "Top-p"),
        ({"top_p": True}, "Top-p"),
        ({"seed": 2**32}, "Seed"),
        ({"seed": None}, "Seed"),
        ({"length": 1001}, "Length must be a whole number from 0 to 1000, not 1001"),
        ({"pace": 31}, "Pace"),
        ({"written": [256]}, "bad_written"),
        ({"written": "abc"}, "bad_written"),
        ({"given": [1.5]}, "bad_written"),
        ({"written": [1] * 2500, "length": 501}, "3,000"),
    ],
)
def test_what_is_out_of_range_is_refused_with_its_limit(client, asked, said):
    body = {"model": "small", "text": "Hello", "seed": 1, **asked}
    answer = client.post("/write", content=json.dumps(body))
    assert answer.status_code == 422
    error = answer.json()["error"]
    assert error["key"] == said or said in in_words(error)


@pytest.mark.parametrize("body", [b"", b"[]", b"\xff", b'{"model": "none"}', b'{"model": []}', b"[" * 60_000])
def test_what_is_no_request_is_refused(client, body):
    answer = client.post("/write", content=body)
    assert (answer.status_code, answer.json()) == (422, {"error": note("bad_request")})
    assert client.post("/write", content=b"x" * (http.BODY_LIMIT + 1)).status_code == 422


@pytest.mark.parametrize("prompt", ["\n", " ", "𝕏😀", "שלום", "${alert(1)}<b>", "\x00\x07", "\ud800", "x" * TEXT_LIMIT])
def test_any_text_is_written_on_from(client, prompt):
    answer = client.post("/write", content=json.dumps({"model": "small", "text": prompt, "seed": 1, "length": 2}))
    with_headers = [header for header, _ in unpack(zlib_again(answer.content))]
    assert [header["token"] is None for header in with_headers] == [True, False, False]
    assert with_headers[0]["labels"] == TOKENIZER.labels(TOKENIZER.encode(prompt))


def zlib_again(content: bytes) -> bytes:
    """Compresses an answer that the client has decompressed, since `unpack` reads compressed frames."""
    squeeze = zlib.compressobj(1, zlib.DEFLATED, 31)
    return squeeze.compress(content) + squeeze.flush()


def test_only_models_that_look_back_are_offered(loaded):
    unmasked = former.Bundle(former.Generator(replace(CONFIG, mask="none")), TOKENIZER, CONFIG)
    assert list(writers({"small": loaded, "peeks": Loaded("peeks", unmasked, "")})) == ["small"]


class Slow:
    """A model that counts its steps, each of which takes some time."""

    def __init__(self, model: former.Generator, seconds: float) -> None:
        self.model, self.seconds, self.steps = model, seconds, 0
        self.config, self.parameters = model.config, model.parameters
        self.threads: set[str] = set()

    def __call__(self, *args: Any, **options: Any) -> torch.Tensor:
        self.steps += 1
        self.threads.add(threading.current_thread().name)
        time.sleep(self.seconds)
        return self.model(*args, **options)


def slowed_down(loaded: Loaded, slow: Slow) -> Loaded:
    result = replace(loaded)
    object.__setattr__(result, "fast", slow)
    return result


def test_a_closed_stream_ends_the_work_after_the_step_at_hand(loaded):
    slow, work = Slow(loaded.bundle.model, 0.02), Work()
    slowed = slowed_down(loaded, slow)

    async def listen_to_three() -> None:
        stream = routes.in_pace(work, slowed, order(loaded, length=500))
        for _ in range(3):
            await anext(stream)
        await stream.aclose()

    async def cancel_a_listener() -> None:
        async def listen() -> None:
            async for _ in routes.in_pace(work, slowed, order(loaded, length=500)):
                pass

        task = asyncio.create_task(listen())
        await asyncio.sleep(0.2)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    for leave in (listen_to_three, cancel_a_listener):
        run(leave())
        time.sleep(0.05)
        done = slow.steps
        time.sleep(0.15)
        assert slow.steps == done < 250  # of 500 that were asked for, twice


def test_steps_run_off_the_event_loop_and_take_turns(loaded):
    slow, work = Slow(loaded.bundle.model, 0.01), Work(threads=2)
    slowed = slowed_down(loaded, slow)
    arrivals: list[int] = []

    async def listen(visitor: int) -> None:
        async for _ in routes.in_pace(work, slowed, order(loaded, length=4)):
            arrivals.append(visitor)

    async def all_at_once() -> None:
        await asyncio.gather(*(listen(visitor) for visitor in range(12)))

    run(all_at_once())
    assert all(name.startswith("work") for name in slow.threads)
    assert len(slow.threads) <= 2 + TURNS
    first_again = next(i for i, visitor in enumerate(arrivals) if visitor in arrivals[:i])
    assert first_again >= 12 - 2 - TURNS, "somebody had two tokens before all but the two at work had one"


def test_the_pace_is_kept_and_given_tokens_come_at_once(loaded):
    work = Work()

    async def arrivals(**asked: Any) -> list[float]:
        return [time.monotonic() async for _ in routes.in_pace(work, loaded, order(loaded, **asked))]

    times = run(arrivals(length=8, pace=20))
    assert 0.05 * 7.5 <= times[-1] - times[0] < 5  # at 20 a second; a slow machine may be late, but never early
    times = run(arrivals(given=[65] * 100, pace=1))
    assert times[-1] - times[0] < 20  # and not the 99 s of its pace


def test_a_class_that_asks_for_the_same_known_tokens_is_answered_by_one_run(loaded):
    slow, site = Slow(loaded.bundle.model, 0.02), site_of({"small": loaded})
    server = FastAPI()
    routes.attach(server, replace(site, models={"small": slowed_down(loaded, slow)}))
    requests = {"model": "small", "text": "a", "seed": 1, "length": 4, "given": [65, 66, 67, 68]}

    async def listen(client: httpx.AsyncClient, **more: Any) -> bytes:
        answer = await client.post("/write", json=requests | more)
        return answer.content

    async def crowd() -> list[bytes]:
        transport = httpx.ASGITransport(server)
        async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
            return await asyncio.gather(*(listen(client) for _ in range(20)), listen(client, seed=2))

    *same, other = run(crowd())
    assert slow.steps == 2 * 5, "one run of four tokens and the state before them, for each seed"
    assert len(set(same)) == 1
    assert [header["token"] for header, _ in unpack(zlib_again(same[0]))] == [None, 65, 66, 67, 68]
    assert other not in same


@pytest.mark.parametrize("length", [1, 2], ids=["given", "drawn"])
def test_a_prediction_of_no_numbers_ends_the_text_with_a_sentence(loaded, length, caplog):
    model = copy.deepcopy(loaded.bundle.model)
    with torch.no_grad():
        model.transformer.token_embedding.weight[250] = math.nan
    server = FastAPI()
    routes.attach(server, site_of({"small": replace(loaded, bundle=replace(loaded.bundle, model=model))}))
    requests = {"model": "small", "text": "a", "seed": 1, "length": length, "given": [250]}
    answer = TestClient(server).post("/write", json=requests)
    *_, (refusal, cells) = unpack(zlib_again(answer.content))
    assert (refusal, cells) == ({"error": note("not_numbers")}, [])
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]


def test_beyond_its_limit_the_server_says_so(loaded, monkeypatch):
    monkeypatch.setattr(routes, "STREAMS", 0)
    server = FastAPI()
    routes.attach(server, site_of({"small": loaded}))
    requests = {"model": "small", "text": "a", "seed": 1, "length": 1}
    answer = TestClient(server).post("/write", content=json.dumps(requests))
    assert (answer.status_code, answer.json()) == (503, {"error": note("busy_writing")})


def test_one_client_has_half_of_the_streams_at_most_and_leaves_the_others_one():
    async def crowd() -> None:
        slots, waited = Slots(6), asyncio.Event()

        async def frames() -> AsyncGenerator[bytes]:
            await waited.wait()
            yield b"x"

        async def send(_: Any) -> None: ...

        async def receive() -> Any:
            await asyncio.sleep(60)

        def stream(who: str) -> http.StreamResponse:
            client_var.set(who)
            return routes.answer(slots, frames())

        streams = [stream("greedy") for _ in range(3)]
        with pytest.raises(Busy):
            stream("greedy")
        streams.append(stream("honest"))
        tasks = [asyncio.create_task(one({"type": "http"}, receive, send)) for one in streams]
        await asyncio.sleep(0.01)
        assert slots.taken == 4
        tasks[0].cancel()
        waited.set()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert slots.taken == 0

    run(crowd())


def test_an_honest_client_s_steps_take_turns_with_all_of_a_greedy_one_s(loaded):
    slow, work = Slow(loaded.bundle.model, 0.01), Work(threads=1)
    slowed = slowed_down(loaded, slow)

    async def listen(who: str, length: int) -> None:
        client_var.set(who)
        async for _ in routes.in_pace(work, slowed, order(loaded, length=length, given=[65] * length)):
            pass

    async def crowd() -> int:
        greedy = [asyncio.create_task(listen("greedy", 20)) for _ in range(50)]
        await asyncio.sleep(0.1)
        before = slow.steps
        await asyncio.create_task(listen("honest", 10))
        taken = slow.steps - before
        for task in greedy:
            task.cancel()
        await asyncio.gather(*greedy, return_exceptions=True)
        return taken

    assert run(crowd()) < 100, "of the 500 that would come first if each stream had its turn"


@pytest.mark.parametrize("name", ["seed", "text", "model", "written", "pace", "top_k"])
def test_half_of_a_character_is_refused_or_read_and_never_an_error(client, name):
    requests = {"model": "small", "text": "a", "seed": 1} | {name: "\ud800"}
    answer = client.post("/write", content=json.dumps(requests))
    assert answer.status_code == (200 if name == "text" else 422)


def test_the_page_is_told_the_limits_that_hold(loaded):
    report = page.settings({"small": loaded})
    kept = cache.cache_facts(loaded)
    assert report["models"] == {"small": {"layers": 2, "heads": 2, "context": 24, "cache": kept}}
    assert WRITTEN_TEXT.limits == {
        "length": stream.LENGTH_LIMIT,
        "pace": stream.PACE_LIMIT,
        "seed": 2**32 - 1,
        "shared": stream.SHARED,
        "written": stream.WRITTEN_LIMIT,
        "linked": stream.LINKED,
    }


def test_a_text_of_pieces_of_words_comes_back_as_it_was():
    model = former.Generator(replace(CONFIG, num_tokens=300)).eval()
    tokenizer = former.tokens.BpeTokenizer.train(["naïve résumé, naïve résumé"], 300)
    server = FastAPI()
    routes.attach(server, site_of({"small": Loaded("small", former.Bundle(model, tokenizer, model.config), "")}))
    requests = {"model": "small", "text": "a naïve", "written": tokenizer.encode(" résumé, 最")}
    answer = TestClient(server).post("/written", content=json.dumps(requests))
    assert answer.json() == {"text": "a naïve résumé, 最", "rest": ""}
    assert TestClient(server).post("/written", content=json.dumps(requests | {"written": [300]})).status_code == 422


def test_a_request_is_read_and_its_text_decoded_on_the_threads_for_work(loaded, monkeypatch):
    names = []

    def noted(work):
        def wrapped(*arguments):
            names.append(threading.current_thread().name)
            return work(*arguments)

        return wrapped

    monkeypatch.setattr(stream, "read_order", noted(stream.read_order))
    monkeypatch.setattr(next_token, "decode", noted(next_token.decode))
    server = FastAPI()
    routes.attach(server, site_of({"small": loaded}))
    assert TestClient(server).post("/written", json={"model": "small", "text": "a"}).status_code == 200
    assert len(names) == 2
    assert all(name.startswith("work") for name in names)
