"""Rooms: followers get the leader's view; names, keys, sizes, counts and ages are bounded."""

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from viz.server import room_routes, rooms
from viz.server.rooms import AGE, PRESENT, QUIET, ROOMS, VIEW_LIMIT, Rooms
from viz.shared import InMemory
from viz.text import note

KEY, OTHER = "0" * 32, "1" * 32


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def client() -> TestClient:
    server = FastAPI()
    room_routes.attach(server, InMemory())
    return TestClient(server)


def test_followers_get_what_the_leader_shows_and_nothing_while_it_stays(client):
    assert client.get("/room/class-7").json()["view"] is None
    actual = client.put("/room/class-7", json={"key": KEY, "view": "tab=mask&row=3"}).json()
    got = client.get("/room/class-7").json()
    assert got["view"] == "tab=mask&row=3"
    assert got["rev"] == actual["rev"]
    same = client.get(f"/room/class-7?rev={got['rev']}")
    assert (same.status_code, same.content) == (204, b"")
    client.put("/room/class-7", json={"key": KEY, "view": "tab=mask&row=4"})
    assert client.get(f"/room/class-7?rev={got['rev']}").json()["view"] == "tab=mask&row=4"


def test_the_same_view_again_is_no_change(clock):
    registry = Rooms(clock)
    first = registry.show("a", KEY, "x=1")
    assert registry.show("a", KEY, "x=1") == first
    assert registry.show("a", KEY, "x=2") > first


def test_a_room_led_anew_has_no_revision_it_had_before(clock):
    registry = Rooms(clock)
    observed = {registry.show("a", KEY, "x=1"), registry.show("a", KEY, "x=2")}
    clock.now += AGE + 1
    assert registry.show("a", OTHER, "x=3") not in observed


def test_only_who_leads_a_room_may_show_in_it(client):
    client.put("/room/a", json={"key": KEY, "view": "x=1"})
    refused = client.put("/room/a", json={"key": OTHER, "view": "x=2"})
    assert refused.status_code == 409
    assert refused.json()["error"] == note("taken_room", name="a")
    assert client.get("/room/a").json()["view"] == "x=1"


def test_a_room_not_heard_of_ends_and_may_be_led_by_another(clock):
    registry = Rooms(clock)
    registry.show("a", KEY, "x=1")
    clock.now += AGE - 1
    assert registry.get("a")
    clock.now += 2
    assert registry.get("a") is None
    registry.show("a", OTHER, "x=2")
    room = registry.get("a")
    assert room
    assert room.view == "x=2"


def test_no_more_rooms_than_the_limit_and_old_ones_make_room(clock):
    registry = Rooms(clock)
    for i in range(ROOMS):
        registry.show(f"room-{i}", KEY, "", f"client {i}")
    with pytest.raises(ValueError, match="many rooms"):
        registry.show("one-more", KEY, "")
    clock.now += QUIET
    for i in range(1, ROOMS):
        registry.show(f"room-{i}", KEY, "")
    registry.show("one-more", KEY, "")
    assert registry.get("room-0") is None, "the one that has been quiet gives way"
    assert registry.get("room-1")
    with pytest.raises(ValueError, match="many rooms"):
        registry.show("another", KEY, "")


def test_one_browser_leaves_the_others_behind_its_address_as_many_rooms_as_it_has(clock):
    """A whole school may share one address."""
    registry = Rooms(clock)
    for i in range(ROOMS // 4):  # half of what its address may have
        registry.show(f"greedy-{i}", KEY, "", "school", "greedy")
    with pytest.raises(ValueError, match="many rooms"):
        registry.show("one-more", KEY, "", "school", "greedy")
    for i in range(20):
        registry.show(f"teacher-{i}", OTHER, "", "school", f"teacher {i}")
    clock.now += QUIET
    registry.show("one-more", KEY, "", "school", "greedy")
    assert registry.get("greedy-0") is None, "of its own, the one that has been quiet gives way"
    assert all(registry.get(f"teacher-{i}") for i in range(20))


def test_one_client_has_half_of_the_rooms_at_most_and_whoever_comes_next_finds_one(clock):
    registry = Rooms(clock)
    for i in range(ROOMS // 2):
        registry.show(f"greedy-{i}", KEY, "", "greedy", f"browser {i}")
    with pytest.raises(ValueError, match="many rooms"):
        registry.show("one-more", KEY, "", "greedy")
    for i in range(20):
        registry.show(f"honest-{i}", OTHER, "", f"honest {i}")
    clock.now += QUIET
    registry.show("one-more", KEY, "", "greedy")
    assert registry.get("greedy-0") is None, "of its own, the one that has been quiet gives way"
    assert all(registry.get(f"honest-{i}") for i in range(20))


def test_a_room_that_is_left_is_free_at_once_and_only_its_leader_leaves_it(client):
    client.put("/room/a", json={"key": KEY, "view": "x=1"})
    for other in (OTHER, "é", 7, None):
        assert client.request("DELETE", "/room/a", json={"key": other}).status_code == 200
    assert client.get("/room/a").json()["view"] == "x=1"
    client.request("DELETE", "/room/a", json={"key": KEY})
    assert client.get("/room/a").json()["view"] is None
    assert client.put("/room/a", json={"key": OTHER, "view": "x=2"}).status_code == 200


def test_the_leader_gets_how_many_chose_what_and_nobody_else_does(client):
    client.put("/room/a", json={"key": KEY, "view": ""})
    for voter, choice in (("a" * 32, 2), ("b" * 32, 0), ("c" * 32, 2)):
        response = client.put("/room/a/vote", json={"voter": voter, "question": "key-value", "choice": choice})
        assert response.status_code == 200
    request = client.post("/room/a/votes", json={"key": KEY, "question": "key-value"})
    assert request.json()["counts"] == [1, 0, 2]
    assert client.post("/room/a/votes", json={"key": KEY, "question": "block"}).json()["counts"] == []
    for key in (OTHER, "é", 7, None):
        assert client.post("/room/a/votes", json={"key": key, "question": "key-value"}).status_code == 409


def counts(registry: Rooms, question: str) -> list[int]:
    return registry.counts("a", KEY, question)["counts"]


def test_of_a_voter_s_answers_to_a_question_the_first_counts():
    registry = Rooms()
    registry.show("a", KEY, "")
    for choice in (1, 0, 1):
        first = registry.vote("a", OTHER, "block", choice)
        assert first
        assert first.choice == 1
    registry.vote("a", OTHER, "films", 0)
    assert counts(registry, "block") == [0, 1]
    assert counts(registry, "films") == [1]


def test_votes_end_with_their_room_and_where_nobody_leads_none_is_kept(clock):
    registry = Rooms(clock)
    assert registry.vote("a", OTHER, "block", 1) is None
    registry.show("a", KEY, "")
    assert counts(registry, "block") == []
    registry.vote("a", OTHER, "block", 1)
    registry.end("a", KEY)
    registry.show("a", KEY, "")
    assert counts(registry, "block") == []
    registry.vote("a", OTHER, "block", 1)
    clock.now += AGE + 1
    assert counts(registry, "block") == []


def test_a_room_holds_so_many_votes_and_one_client_half_of_them(monkeypatch):
    monkeypatch.setattr(rooms, "VOTES", 10)
    registry = Rooms()
    registry.show("a", KEY, "")
    for i in range(5):
        registry.vote("a", f"{i:032x}", "block", 0, who="class")
    with pytest.raises(ValueError, match="as many answers as it can hold"):
        registry.vote("a", f"{9:032x}", "films", 0, who="class")
    registry.vote("a", f"{9:032x}", "films", 0, who="another")
    assert (counts(registry, "block"), counts(registry, "films")) == ([5], [1])


def test_the_leader_takes_home_every_answer_with_a_number_for_each_member_and_nobody_else_does(client):
    client.put("/room/a", json={"key": KEY, "view": ""})
    votes = [("b", "block", 1, False), ("a", "block", 0, True), ("b", "films", 2, True), ("b", "block", 0, True)]
    for voter, question, choice, right in votes:
        vote = {"voter": voter * 32, "question": question, "choice": choice, "right": right}
        assert client.put("/room/a/vote", json=vote).status_code == 200
    response = client.post("/room/a/record", json={"key": KEY})
    assert response.json()["answers"] == [[1, "block", 1, False], [2, "block", 0, True], [1, "films", 2, True]]
    assert not [secret for secret in ("a" * 32, "b" * 32, "testclient") if secret in response.text]
    assert client.post("/room/a/votes", json={"key": KEY}).json()["answers"] == 3
    for key in (OTHER, "é", 7, None):
        for path in ("record", "votes"):
            refused = client.post(f"/room/a/{path}", json={"key": key})
            assert refused.status_code == 409
            assert refused.json() == {"error": note("taken_room", name="a")}
    client.request("DELETE", "/room/a", json={"key": KEY})
    assert client.post("/room/a/record", json={"key": KEY}).json()["answers"] == []


def test_pages_that_ask_for_the_view_are_followers_until_they_have_not_asked_for_a_while(clock):
    server = FastAPI()
    room_routes.attach(server, InMemory(clock), Rooms(clock))
    client = TestClient(server)
    rev = client.put("/room/a", json={"key": KEY, "view": ""}).json()["rev"]

    def followers() -> int:
        return client.post("/room/a/votes", json={"key": KEY, "question": None}).json()["followers"]

    for page in ("a" * 32, "b" * 32, "a" * 32, "<b>", "7"):
        client.get("/room/a", params={"rev": rev, "page": page})
    client.get("/room/a")
    assert followers() == 2
    clock.now += PRESENT - 1
    client.get("/room/a", params={"rev": rev, "page": "b" * 32})
    clock.now += 1
    assert followers() == 1
    clock.now += PRESENT
    assert followers() == 0


def test_a_room_counts_so_many_followers_and_new_ones_where_others_have_left(clock, monkeypatch):
    monkeypatch.setattr(rooms, "FOLLOWERS", 3)
    registry = Rooms(clock)
    registry.show("a", KEY, "")
    room = registry.get("a")
    assert room
    for page in range(5):
        registry.follow("a", f"{page:032x}")
    assert registry.counts("a", KEY, "")["followers"] == len(room.followers) == 3
    clock.now += PRESENT
    registry.follow("a", f"{9:032x}")
    assert registry.counts("a", KEY, "")["followers"] == len(room.followers) == 1


@pytest.mark.parametrize(
    "wrong",
    [{"voter": 7}, {"voter": "x"}, {"question": "<b>"}, {"question": ["a"]}, {"question": "a" * 41}]
    + [{"choice": choice} for choice in (-1, 10, True, "1", 1.5, None)]
    + [{"right": right} for right in (1, "yes", None)],
    ids=str,
)
def test_what_is_no_vote_is_refused(client, wrong):
    client.put("/room/a", json={"key": KEY, "view": ""})
    response = client.put("/room/a/vote", json={"voter": OTHER, "question": "block", "choice": 0} | wrong)
    assert response.status_code == 422
    assert client.post("/room/a/votes", json={"key": KEY, "question": "block"}).json()["counts"] == []


@pytest.mark.parametrize("name", ["<b>", "a b", "", "x" * 41, "ä", "a/b", "a\n"])
def test_a_name_of_other_characters_is_refused_by_name(name):
    with pytest.raises(ValueError, match="letters, digits and hyphens"):
        Rooms().show(name, KEY, "")


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"{}",
        b'{"key": 1, "view": ""}',
        b'{"key": "zz", "view": ""}',
        b'{"key": "%s", "view": 3}' % KEY.encode(),
        b'{"key": "%s", "view": "\\ud800"}' % KEY.encode(),
        '{"key": "%s", "view": "ä"}'.replace("%s", KEY).encode(),
        b'{"key": "%s", "view": "%s"}' % (KEY.encode(), b"x" * (VIEW_LIMIT + 1)),
        b"x" * 70_000,
    ],
    ids=range(10),
)
def test_what_is_no_view_is_refused_with_a_message(client, body):
    answer = client.put("/room/a", content=body)
    assert answer.status_code == 422
    assert answer.json()["error"]
    assert client.get("/room/a").json()["view"] is None


def test_a_name_that_no_room_can_have_is_refused_to_who_would_follow_too(client):
    for answer in (client.get("/room/my room"), client.put("/room/my room", json={"key": KEY, "view": ""})):
        assert answer.status_code == 422
        assert answer.json()["error"]["key"] == "bad_room"


def test_a_page_can_tell_one_start_of_the_server_from_the_next(client):
    run = client.get("/alive").json()["run"]
    assert client.get("/alive").json()["run"] == run
    assert client.get("/room/a").json()["run"] == run
    restarted = FastAPI()
    room_routes.attach(restarted, InMemory())
    assert TestClient(restarted).get("/alive").json()["run"] != run
