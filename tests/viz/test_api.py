"""The API for programs: its endpoints return what the library computes, and nothing else of Gradio's is open."""

import ast
import contextlib
import itertools
import json
import re
import shlex
import socket
import subprocess
import threading
import time
import types
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
import torch
from gradio_client import Client
from gradio_client.exceptions import AppError
from mcp import ClientSession
from mcp.client.streamable_http import streamablehttp_client

import former
from tests.viz import loops
from viz import api, app, gradio_adapter
from viz.passes import sources
from viz.passes.loaded import Loaded
from viz.passes.store import PassStore
from viz.server.work import TURNS
from viz.tabs import base
from viz.tabs.generate import next_token, stream
from viz.text import Busy, Refusal

TEXT = "The cat sat on the mat"
ENDPOINTS = {"models", "tokenize", "attention", "predict", "lens", "generate"}
README = (Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")
PROGRAM = re.search(r"```python\n([^`]*gradio_client[^`]*)```", README)
COMMAND = re.search(r"```\n(curl [^`]*)```", README)
# Shared machines stall for seconds; a connection that is kept could be closed as it is used again.
http = httpx.Client(timeout=60, limits=httpx.Limits(max_keepalive_connections=0))


@pytest.fixture(scope="module")
def models() -> dict[str, Loaded]:
    return {name: sources.open_model(name) for name in ("gpt", "dates", "bert")}


@contextlib.contextmanager
def serving(models, anew=False, **settings):
    """Serves the page in this process, with environment variables, on request with a new layout; yields its address."""
    with pytest.MonkeyPatch.context() as patch, socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        free.close()
        for name, value in {"GRADIO_SERVER_PORT": str(port), **settings}.items():
            patch.setenv(name, value)
        site = base.site_of(models)
        page = app.serve(site)
        if anew:
            app.renew(page, site, app.NONE)
        assert page.local_url
        yield page.local_url
        page.close()


@pytest.fixture(scope="module")
def address(models):
    with serving(models) as address:
        yield address


@pytest.fixture(scope="module")
def client(address):
    return Client(address, verbose=False)


def close(ours, theirs):
    torch.testing.assert_close(torch.tensor(ours), theirs, atol=1e-5, rtol=0)  # rounded to 7 digits, by the fast twin


@pytest.mark.parametrize("way", ["call", "run"])
def test_a_call_whose_program_has_left_computes_nothing(models, monkeypatch, way):
    begun, go = [], threading.Event()

    def make(_: PassStore, __: Loaded, text: str, *___: Any) -> None:
        begun.append(text)
        assert go.wait(30)
        raise Refusal("too_short")

    with serving(models) as address, ThreadPoolExecutor() as threads:
        monkeypatch.setattr(PassStore, "make", make)

        def call(text: str, seconds: float = 30) -> None:
            body, path = {"data": ["gpt", text, 0]}, f"{address}gradio_api/{way}/attention"
            with contextlib.suppress(httpx.ReadTimeout):
                answer = http.post(path, json=body, timeout=seconds).json()
                if way == "call":
                    http.get(f"{path}/{answer['event_id']}", timeout=seconds)

        stay = [threads.submit(call, f"{n}") for n in range(TURNS)]
        while len(begun) < TURNS:
            time.sleep(0.01)
        call("gone", 1)
        time.sleep(0.5)  # in which the server notices
        stay.append(threads.submit(call, "last"))
        time.sleep(0.2)
        go.set()
        for each in stay:
            each.result()
    assert set(begun) == {"0", "1", "last"}


@pytest.mark.parametrize("name", ["models", "predict", "generate"])
def test_a_call_whose_answer_nobody_reads_computes_nothing_and_leaves_nothing_in_memory(models, monkeypatch, name):
    begun, pages = [], []
    monkeypatch.setattr(gradio_adapter, "READ_WITHIN", 0.2)
    monkeypatch.setattr(app, "rest_queue", pages.append)
    with serving(models) as address:
        monkeypatch.setattr(PassStore, "make", lambda *_: begun.append("pass"))
        monkeypatch.setattr(api, "describe", lambda _: begun.append("models"))
        monkeypatch.setattr(next_token, "states", lambda *_: begun.append("text"))
        given = {"models": [], "predict": ["gpt", TEXT], "generate": ["gpt", TEXT]}[name]
        assert http.post(f"{address}gradio_api/call/{name}", json={"data": given}).status_code == 200
        queue = pages[0]._queue
        assert queue.pending_event_ids_session
        end = time.monotonic() + 30
        while queue.event_ids_to_events and time.monotonic() < end:
            time.sleep(0.01)
        assert not begun
        assert not queue.pending_event_ids_session
        assert not queue.pending_messages_per_session


def test_a_text_waits_for_its_reader(models, monkeypatch):
    """A program that reads slowly has one unread token in the server's memory, not all of them."""
    steps = []

    def states(*_: Any) -> Any:
        for i in range(50):
            steps.append(i)
            yield types.SimpleNamespace(token=None)

    monkeypatch.setattr(next_token, "states", states)
    monkeypatch.setattr(gradio_adapter, "READ_WITHIN", 1)
    pages = []
    monkeypatch.setattr(app, "rest_queue", pages.append)
    with serving(models) as address:
        http.post(f"{address}gradio_api/call/generate", json={"data": ["gpt", TEXT]})
        queue = pages[0]._queue
        (messages,) = queue.pending_messages_per_session.values()
        end = time.monotonic() + 30
        while len(steps) < 2 and time.monotonic() < end:  # then it stops reading
            if not messages.empty():
                messages.get_nowait()
            time.sleep(0.01)
        while queue.event_ids_to_events and time.monotonic() < end:
            time.sleep(0.01)
        assert 2 <= len(steps) <= 4


def test_attention_is_that_of_a_run_under_the_same_edits(client, models):
    run = models["gpt"].bundle.run(TEXT, edits=[former.edits.ablate_head(0, 1)])
    one = client.predict("gpt", TEXT, 1, 3, "0.1.off", api_name="/attention")
    close(one["weights"], run.weights[1, 3])
    assert one["queries"] == one["keys"] == run.tokens
    plain = client.predict(model="gpt", text=TEXT, layer=1, api_name="/attention")
    close(plain["weights"], models["gpt"].bundle.run(TEXT).weights[1])


def test_a_stack_is_chosen_by_its_name(client, models):
    text = "4 July 1976"
    result = client.predict(model="dates", text=text, layer=0, head=0, stack="cross", api_name="/attention")
    close(result["weights"], models["dates"].bundle.run(text).maps["cross"].weights[0, 0])


def test_predict_and_lens_agree_with_the_library(client, models):
    run = models["gpt"].bundle.run(TEXT)
    said = client.predict("gpt", TEXT, api_name="/predict")
    close([each["prob"] for each in said["next"]], torch.tensor([prob for _, prob in run.next_tokens()]))
    depths = client.predict("gpt", TEXT, api_name="/lens", top=3)
    close(depths["probs"], former.analysis.lens(run, 3)[0].exp())
    assert client.predict("bert", "It is a [film].", api_name="/predict")["blanks"][0]["truth"]["label"] == "film"


def test_tokens_and_models_are_listed(client, models):
    tokens = client.predict("gpt", TEXT, api_name="/tokenize")
    assert tokens["ids"] == models["gpt"].bundle.tokenizer.encode(TEXT)
    assert tokens["total"] == len(tokens["tokens"])
    assert [each["name"] for each in client.predict(api_name="/models")] == list(models)


def test_a_text_is_streamed_token_by_token(client):
    texts = list(client.submit("gpt", "Once upon", 5, temperature=0, api_name="/generate"))
    assert len(texts) == 6
    assert texts[0] == "Once upon"
    assert all(later.startswith(earlier) for earlier, later in itertools.pairwise(texts))


@pytest.mark.parametrize("rule", [{"min_p": 1.0}, {"min_p": 1.0, "repetition_penalty": 10.0}, {"top_k": 2, "seed": 3}])
def test_the_rules_of_sampling_are_those_of_the_page(client, models, rule):
    """The same code computes both, from the same numbers."""
    asked = {"text": "the cat, the cat, the cat,", "length": 12, "seed": 0, **rule}
    asked["penalty"] = asked.pop("repetition_penalty", 1)
    order = stream.read_order(models["gpt"], asked)
    tokens = [state.token for state in next_token.states(models["gpt"].fast, order) if state.token is not None]
    *_, last = client.submit("gpt", asked["text"], 12, **rule, api_name="/generate")
    assert last == next_token.decode(models["gpt"].bundle.tokenizer, [*order.ids, *tokens])[0]


@pytest.mark.parametrize(
    ("rule", "says"),
    [
        ({"min_p": 1.5}, "from 0 to 1, not 1.5"),
        ({"repetition_penalty": 0}, "from 0.1 to 10, not 0"),
    ],
)
def test_a_rule_out_of_range_is_an_error_in_one_sentence(client, rule, says):
    with pytest.raises(AppError, match=says):
        client.predict("gpt", TEXT, 2, **rule, api_name="/generate")


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"model": "nobody"}, "No model “nobody”"),
        ({"model": ["gpt"]}, "No model “\\['gpt'\\]”"),
        ({"text": ""}, "no text yet"),
        ({"text": "x" * 4_001}, "4,001"),
        ({"layer": 6}, "from 0 to 5, not 6"),
        ({"layer": 1.0}, "from 0 to 5, not 1.0"),
        ({"head": -1}, "from 0 to 7, not -1"),
        ({"edits": "9.9.off"}, "9.9.off"),
        ({"edits": 3}, "not"),
        ({"stack": "cross"}, "no stack of layers named “cross”"),
    ],
)
def test_a_bad_argument_is_an_error_in_one_sentence(client, given, says):
    with pytest.raises(AppError, match=says):
        client.predict(**{"model": "gpt", "text": TEXT, "layer": 0, **given}, api_name="/attention")


def test_arguments_with_a_default_may_be_left_out(address):
    def post(path, body):
        return http.post(f"{address}gradio_api/{path}", json=body).json()

    given = ["gpt", TEXT]
    whole = post("run/predict", {"data": [*given, ""]})["data"]
    assert post("run/predict", {"data": given})["data"] == whole
    for path, body in {
        "call/predict": {"data": given},
        "call/v2/predict": {"model": "gpt", "text": TEXT},
        "call/generate": {"data": ["gpt", TEXT, 2]},
    }.items():
        event = post(path, body)["event_id"]
        answer = http.get(f"{address}gradio_api/{path}/{event}").text
        assert "event: complete" in answer
        assert "generate" in path or json.loads(answer.rpartition("data: ")[2]) == whole


@pytest.mark.parametrize("kind", [None, "application/x-www-form-urlencoded", "application/json; charset=utf-8"])
def test_a_call_is_read_as_json_whatever_it_says_that_it_is(address, kind):
    """Without a header, curl declares the body to be a form."""
    sent: Any = {"content": json.dumps({"data": ["gpt", TEXT]}), "headers": {"Content-Type": kind} if kind else {}}
    answer = http.post(f"{address}gradio_api/run/tokenize", **sent)
    assert answer.status_code == 200, answer.text
    assert "".join(answer.json()["data"][0]["tokens"]) == TEXT.replace(" ", "␣")


@pytest.mark.parametrize("name", ["x" * 65, 5, ["x"], {"x": 1}])
@pytest.mark.parametrize("path", ["run/models", "call/models", "queue/join"])
def test_a_session_has_a_short_name(client, address, path, name):
    """Gradio keeps it, whatever its size."""
    number = next(each.fn_index for each in client.endpoints.values() if each.api_name == "/models")
    answer = http.post(f"{address}gradio_api/{path}", json={"data": [], "session_hash": name, "fn_index": number})
    assert answer.status_code == 422
    assert "could not read this request" in answer.json()["error"]


@pytest.mark.parametrize("other", [{"fn_index": 0}, {"fn_index": 9**9}, {"batched": True}, {"event_data": {}}])
def test_no_other_field_changes_which_endpoint_a_call_reaches(address, other):
    answer = http.post(f"{address}gradio_api/run/tokenize", json={"data": ["gpt", TEXT], **other})
    assert answer.status_code == 200, answer.text
    assert answer.json()["data"][0]["total"] > 0


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("run/tokenize", {"data": ["\ud800", TEXT]}),
        ("run/tokenize", {"data": ["\ud800"]}),
        ("run/attention", {"data": ["gpt", TEXT, 0, None, "\ud800", ""]}),
        ("call/v2/predict", {"model": "gpt", "\ud800": 3}),
    ],
)
def test_half_a_character_is_refused_in_a_sentence(address, path, body):
    answer = http.post(f"{address}gradio_api/{path}", content=json.dumps(body))
    assert re.search("No model|Expected|not a valid change", answer.json()["error"]), answer.text


@pytest.mark.parametrize(
    ("path", "given", "status"),
    [
        ("run/attention", ["gpt", TEXT, 6], 422),
        ("api/predict/", ["gpt", ""], 422),
        ("run/lens", ["gpt", TEXT, "", 0], 422),
        ("run/tokenize", ["nobody", TEXT], 422),
        ("run/models", [], 503),
    ],
)
def test_a_direct_call_that_is_refused_has_the_status_of_its_refusal(address, monkeypatch, path, given, status):
    def busy(_: Loaded) -> None:
        raise Busy("busy_measuring")

    monkeypatch.setattr(api, "describe", busy)
    answer = http.post(f"{address}gradio_api/{path}", json={"data": given})
    assert (answer.status_code, next(iter(answer.json()))) == (status, "error")


def test_a_fault_of_the_server_has_the_status_500(address, monkeypatch):
    monkeypatch.setattr(api, "describe", lambda _: 1 / 0)
    assert http.post(f"{address}gradio_api/run/models", json={"data": []}).status_code == 500


@pytest.mark.parametrize("at", [0, 2])
def test_lists_nested_almost_too_deeply_to_parse_are_refused(address, at):
    for depth in range(850, 1_000):
        nested = "[" * depth + "]" * depth
        given = ["gpt", TEXT, 0]
        body = json.dumps({"data": [*given[:at], None, *given[at + 1 :]]}).replace("null", nested)
        assert 400 <= http.post(f"{address}gradio_api/run/attention", content=body).status_code < 500, depth


PREDICT = "predict(model, text, edits='')"


@pytest.mark.parametrize(
    ("path", "body", "says"),
    [
        ("run/predict", {"data": ["gpt"]}, f'Expected {PREDICT}, got ["gpt"].'),
        ("call/predict", {"data": ["gpt", "“", "", 0]}, f'Expected {PREDICT}, got ["gpt", "“", "", 0].'),
        ("api/predict/", {"data": "gpt"}, f'Expected {PREDICT}, got "gpt".'),
        ("run/predict", {}, f"Expected {PREDICT}, got null."),
        ("run/predict", {"data": ["x" * 70_000]}, "The server could not read this request. Please reload the page."),
        ("call/v2/predict", {"model": "gpt", "top": 3}, f'Expected {PREDICT}, got {{"model": "gpt", "top": 3}}.'),
    ],
)
def test_arguments_that_do_not_fit_are_an_error_in_one_sentence(address, path, body, says):
    answer = http.post(f"{address}gradio_api/{path}", json=body)
    assert (answer.status_code, answer.json()) == (422, {"error": says})


def test_no_endpoint_of_a_name_is_an_error_that_lists_the_others(address):
    answer = http.post(f"{address}gradio_api/run/nobody", json={"data": []})
    assert answer.status_code == 404
    assert re.findall(r"\w+", answer.json()["error"].partition("it has")[2]) == [
        "models",
        "tokenize",
        "attention",
        "predict",
        "lens",
        "generate",
    ]


def test_no_other_route_of_gradio_s_takes_a_post(address):
    join = {"data": [], "session_hash": "s", "fn_index": 0}
    for index in (0, -1, [], None):
        answer = http.post(f"{address}gradio_api/queue/join", json={**join, "fn_index": index})
        assert answer.status_code == 404, index
    for path, body in {
        "upload": {},
        "run/predict_1": {"data": []},
        "call/load": {"data": []},
    }.items():
        assert http.post(f"{address}gradio_api/{path}", json=body).status_code == 404, path


@pytest.mark.parametrize("path", ["queue/data?session_hash=unknown", "call/models/unknown"])
def test_a_call_that_is_not_there_any_more_is_an_answer_and_no_traceback(address, path, caplog):
    answer = http.get(f"{address}gradio_api/{path}")  # as from a client that comes back after a restart
    assert "404" in answer.text
    assert not caplog.records


def test_the_documentation_of_every_endpoint_can_be_read(client):
    endpoints = client.view_api(return_format="dict")["named_endpoints"]
    assert set(endpoints) == {f"/{name}" for name in ENDPOINTS}
    assert all("Returns:" in each["description"] for each in endpoints.values())


def test_the_api_stays_when_a_downloaded_model_has_the_page_laid_out_anew(models):
    with serving(models, anew=True) as address:
        said = Client(address, verbose=False).predict(model="gpt", text=TEXT, api_name="/predict")
        assert said["tokens"] == models["gpt"].bundle.run(TEXT).tokens
        assert http.get(f"{address}gradio_api/info").json()["named_endpoints"].keys() == {
            f"/{name}" for name in ENDPOINTS
        }


def test_the_readme_s_calls_of_the_api_run(address, capsys):
    assert PROGRAM
    exec(PROGRAM[1].replace("http://127.0.0.1:7860/", address), {})
    assert "Once upon a time" in capsys.readouterr().out
    assert COMMAND
    command = shlex.split(COMMAND[1].replace("http://127.0.0.1:7860/", address).replace("\\\n", " "))
    answered = subprocess.run([*command, "--silent", "--fail"], capture_output=True, check=True)
    assert len(json.loads(answered.stdout)["data"][0]["next"]) >= 10


def test_the_endpoints_are_tools_of_mcp_as_the_readme_says(models):
    name, value = re.findall(r"`(GRADIO_MCP_SERVER)=(\w+)`", README)[0]
    (path,) = re.findall(r"`http://127\.0\.0\.1:7860/(\S*mcp/)`", README)

    async def ask(address: str) -> Any:
        async with streamablehttp_client(address) as (reading, writing_, _), ClientSession(reading, writing_) as client:
            await client.initialize()
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            given = {"model": "gpt", "text": TEXT}
            calls = [
                ("predict", given),
                ("attention", {**given, "layer": 1, "head": 3, "edits": "0.1.off"}),
                ("generate", {"model": "gpt", "prompt": TEXT, "tokens": 3, "temperature": 0}),
                ("predict", {**given, "model": "nobody"}),
                ("js_fn", {}),
            ]
            return tools, [await client.call_tool(*call) for call in calls]

    with serving(models, **{name: value}) as address:
        tools, (said, map_, text, refused, closed) = loops.run(ask(address + path))
    assert set(tools) == ENDPOINTS
    assert "the name of a model" in tools["predict"].inputSchema["properties"]["model"]["description"]
    run = models["gpt"].bundle.run(TEXT)
    best = ast.literal_eval(said.content[0].text)["next"]
    close([each["prob"] for each in best], torch.tensor([prob for _, prob in run.next_tokens()]))
    weights = run.with_edits(former.edits.ablate_head(0, 1)).weights[1, 3]
    close(ast.literal_eval(map_.content[0].text)["weights"], weights)
    assert text.content[0].text.startswith(TEXT)
    assert len(text.content[0].text) > len(TEXT)
    assert refused.isError
    assert "No model “nobody”" in refused.content[0].text
    assert closed.isError
