"""The app's middleware: it closes routes that the page does not use, and compresses the page."""

import gzip

import pytest
from fastapi import FastAPI, Response
from fastapi.testclient import TestClient

from tests.viz.loops import run
from viz.gradio_adapter import routes_before_gradio
from viz.server import room_routes, rooms
from viz.server.clients import COOKIE, client, session
from viz.server.gateway import ADDRESS_LIMIT, Gateway
from viz.shared import InMemory
from viz.text import message


def behind(app) -> Gateway:
    return Gateway(app, lambda: b"the server's")


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("POST", "/gradio_api/upload", 404),
        ("POST", "/mounted/gradio_api/upload", 404),
        ("POST", "/gradio_api/queue/join", 422),
        ("POST", "/gradio_api/run/predict", 404),
        ("POST", "/write", 200),
        ("GET", "/gradio_api/theme.css", 200),
        ("GET", "/gradio_api/upload_progress?upload_id=x", 404),
        ("HEAD", "/mounted/gradio_api/dev/reload", 404),
        ("GET", "/gradio_api/deep_link?session_hash=x", 404),
        ("DELETE", "/room/a", 200),
    ],
)
def test_of_gradio_s_own_routes_none_is_open_that_takes_a_post_or_keeps_what_it_is_given(method, path, status):
    assert TestClient(behind(Response("inside"))).request(method, path).status_code == status


def test_a_client_that_leaves_while_it_sends_raises_nothing():
    async def gone() -> dict[str, str]:
        return {"type": "http.disconnect"}

    async def send(message: object) -> None:
        raise AssertionError(message)

    path = "/gradio_api/run/predict"
    scope = {"type": "http", "method": "POST", "path": path, "raw_path": path.encode(), "headers": [], "client": None}
    run(behind(Response("inside"))(scope, gone, send))


def test_the_page_is_sent_compressed_to_who_takes_it_so_and_other_answers_as_they_are():
    inside, text = FastAPI(), "<p>What a head looks at.</p>" * 1_000
    for path in ("/", "/pass"):
        inside.get(path)(lambda: Response(text))
    request = TestClient(behind(inside))
    with request.stream("GET", "/", headers={"Accept-Encoding": "gzip"}) as answer:
        sent = b"".join(answer.iter_raw())
    assert gzip.decompress(sent).decode() == text
    assert len(sent) < len(text) / 4
    for encodings in ("identity", "gzip;q=0", "zstd;q=0"):
        answer = request.get("/", headers={"Accept-Encoding": encodings})
        assert (answer.text, answer.headers.get("content-encoding")) == (text, None), encodings
    assert "content-encoding" not in request.get("/pass", headers={"Accept-Encoding": "gzip"}).headers


def test_an_address_that_is_too_long_is_refused_as_a_page_to_a_browser_and_as_json_to_a_script():
    inside = FastAPI()
    inside.get("/")(lambda: "the page")
    request = TestClient(behind(inside))
    longest = "/?" + "x" * (ADDRESS_LIMIT - 1)
    assert request.get(longest).json() == "the page"
    refused = request.get(longest + "x")
    assert (refused.status_code, refused.json()["error"]["key"]) == (414, "long_address")
    page = request.get(longest + "x", headers={"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"})
    assert page.status_code == 414
    assert page.headers["content-type"].startswith("text/html")
    assert "62,001 bytes" in page.text


@pytest.mark.parametrize(
    ("query", "preferred", "language"),
    [("", "", "en"), ("", "zh-CN,zh;q=0.9,en;q=0.8", "zh"), ("&lang=en", "zh", "en"), ("&lang=zh", "en-US", "zh")],
)
def test_the_page_of_a_refused_address_is_in_the_visitor_s_language(query, preferred, language):
    request = TestClient(behind(FastAPI()))
    headers = {"Accept": "text/html", "Accept-Language": preferred}
    page = request.get(f"/?text={'x' * ADDRESS_LIMIT}{query}", headers=headers).text
    assert f'<html lang="{language}">' in page
    assert message("long_address_home", language) in page


def test_routes_that_are_put_ahead_are_answered_before_those_that_were_there():
    server = FastAPI()
    server.get("/{page}")(lambda page: f"a page, {page}")
    with routes_before_gradio(server):
        server.get("/alive")(lambda: "ours, the first")
        server.get("/{name}/view")(lambda name: f"ours, {name}")
    server.get("/added-later")(lambda: "never")
    answers = [TestClient(server).get(path).json() for path in ("/alive", "/room/view", "/other", "/added-later")]
    assert answers == ["ours, the first", "ours, room", "a page, other", "a page, added-later"]


def test_a_browser_without_a_session_is_given_one_with_the_page_and_known_by_it():
    inside = FastAPI()
    inside.get("/")(lambda: Response("a page"))
    inside.get("/who")(lambda: [client.get(), session.get()])
    browsers = [TestClient(behind(inside)) for _ in range(2)]
    pages = [browser.get("/") for browser in browsers]
    assert all(page.headers["cache-control"] == "private" for page in pages)
    values = [page.headers["set-cookie"] for page in pages]
    assert len(set(values)) == 2
    sessions = set()
    for browser, cookie in zip(browsers, values, strict=True):
        name, _, value = cookie.partition(";")[0].partition("=")
        assert name == COOKIE
        assert {"HttpOnly", "SameSite=Lax", "Path=/"} <= set(cookie.split("; "))
        who, known = browser.get("/who").json()
        assert (who, len(known)) == ("testclient", 16)
        assert value.startswith(known)
        sessions.add(known)
        assert "set-cookie" not in browser.get("/").headers, "it has one"
    assert len(sessions) == 2
    another_s = next(iter(TestClient(Gateway(inside, lambda: b"another server's")).get("/").cookies.values()))
    for odd in (another_s, "", "x", "0" * 32, "0" * 47, "0" * 48, "0" * 49, "0" * 47 + "é"):
        sent = {"Cookie": f"a=b; {COOKIE}={odd}; c=d".encode()}
        assert TestClient(behind(inside)).get("/who", headers=sent).json() == ["testclient", ""]  # pyright: ignore[reportArgumentType]


def test_rooms_are_shared_out_between_the_browsers_of_one_address():
    inside = FastAPI()
    inside.get("/")(lambda: Response("a page"))
    room_routes.attach(inside, InMemory())
    greedy, teacher = (TestClient(behind(inside)) for _ in range(2))
    for browser in (greedy, teacher):
        browser.get("/")
    opened = [greedy.put(f"/room/g-{i}", json={"key": "0" * 32, "view": ""}).status_code for i in range(rooms.ROOMS)]
    assert 200 in opened
    assert opened[-1] == 422
    assert teacher.put("/room/class-7", json={"key": "1" * 32, "view": ""}).status_code == 200


def test_a_client_that_invents_a_cookie_for_each_room_takes_no_more_than_one_browser():
    inside = FastAPI()
    inside.get("/")(lambda: Response("a page"))
    room_routes.attach(inside, InMemory())
    serving = behind(inside)
    teacher = TestClient(serving)
    length = len(teacher.get("/").headers["set-cookie"].partition(";")[0].partition("=")[2])

    def opened(i: int) -> int:
        sent = {"Cookie": f"{COOKIE}={i:0{length}x}"}
        return TestClient(serving).put(f"/room/i-{i}", json={"key": "0" * 32, "view": ""}, headers=sent).status_code

    statuses = [opened(i) for i in range(rooms.ROOMS)]
    assert statuses.count(200) == rooms.ROOMS // 4
    assert teacher.put("/room/class-7", json={"key": "1" * 32, "view": ""}).status_code == 200
