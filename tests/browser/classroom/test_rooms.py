"""Pages of a class follow their teacher's page until their visitor uses them, and continue when the server is back."""

from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.conftest import assert_no_traceback, free_port, serve, stop, wait_until_up
from tests.browser.mask.pages import Masking
from tests.browser.pages import Exploring, Writing, presents
from tests.browser.permute.pages import Permuting

pytestmark = pytest.mark.browser
TAB = Exploring


def lead(tab: Exploring, name: str) -> None:
    """Starts a room from the menu, as a teacher would."""
    tab.page.get_by_text("In class", exact=True).click()
    tab.page.get_by_label("Room name").fill(name)
    tab.page.get_by_role("button", name="Lead", exact=True).click()
    expect(tab.page.locator(".room-bar")).to_contain_text(f"You lead the room “{name}”")
    tab.page.keyboard.press("Escape")
    expect(tab.page.locator(".class-menu[open]")).to_have_count(0)


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (1024, 768), (640, 360), (390, 844)])
def test_the_bar_of_a_room_covers_no_answer_of_a_question_and_nothing_at_the_end_of_the_page(tab, width, height):
    tab.page.set_viewport_size({"width": width, "height": height})
    tab.goto(tab="learn", room=f"bar-{width}", lead=1)
    bar, check = tab.page.locator(".room-bar"), tab.page.locator(".former-learn .section:not([hidden]) .check")
    expect(bar).to_contain_text("You lead the room")
    check.locator("summary").evaluate("summary => summary.click()")
    tab.painted()
    assert end_of(check.locator("label").last) <= bar.bounding_box()["y"]
    tab.page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    assert end_of(tab.page.locator(".page-foot").last) <= bar.bounding_box()["y"]


def end_of(part: Locator) -> float:
    """Returns the bottom of an element in its window."""
    box = part.bounding_box()
    assert box
    return box["y"] + box["height"]


def chosen(layer: int, head: int) -> str:
    return f"() => former.store?.view.layer === {layer} && former.store.view.head === {head}"


def test_a_room_that_cannot_be_says_so_and_is_left(tab, guard):
    guard.allow("422")
    tab.page.goto(f"{tab.origin}/?tab=explore&room=my%20room")
    expect(tab.page.locator(".room-bar")).to_contain_text("“my room” cannot be a room name")
    assert "room" not in tab.link()


def test_two_followers_see_what_the_leader_chooses_until_they_touch_something(tab, other):
    tab.open()
    lead(tab, "room-2")
    assert tab.link()["room"] == "room-2"
    followers = [other(), other()]
    for one in followers:
        one.open(room="room-2")
        expect(one.page.locator(".room-bar")).to_contain_text("You follow the room “room-2”")
    tab.cell(3, 4).click()
    for one in followers:
        one.wait(chosen(3, 4))
    tab.type("Room for two?")
    for one in followers:
        one.wait("() => former.store?.pass.header.text === 'Room for two?'")
        one.settled()
        assert one.tokens() == tab.tokens()

    alone, still = followers
    alone.cell(0, 1).click()
    expect(alone.page.locator(".room-bar")).to_contain_text("You are exploring on your own")
    tab.cell(5, 5).click()
    still.wait(chosen(5, 5))
    alone.page.wait_for_timeout(2000)  # more than the time between two questions
    assert alone.page.evaluate(chosen(0, 1))
    alone.page.get_by_role("button", name="Follow again").click()
    alone.wait(chosen(5, 5))
    expect(alone.page.locator(".room-bar")).to_contain_text("You follow the room")


def test_followers_go_along_to_another_tab_and_see_what_is_written_there(tab, other):
    tab.open()
    lead(tab, "tabs")
    follower = other().open(room="tabs")
    tab.page.get_by_role("tab", name="Generate").click()
    leader = Writing(tab.page, tab.origin)
    leader.rested()
    for _ in range(3):
        leader.press("Step")
        leader.rested()
    writing = Writing(follower.page, follower.origin)
    writing.wait("() => former.writing?.cursor.depth === 3")
    writing.rested()
    assert writing.shown() == leader.shown()
    tab.page.get_by_role("tab", name="Explore").click()
    follower.wait("() => former.page.tab === 'explore'")


def test_followers_see_what_is_written_as_it_grows(page, guard):
    leader = Writing(page, guard.origin).open(room="growing", lead=1, length=60, pace=8)
    follower = Writing(page.context.new_page(), guard.origin)
    follower.goto(room="growing")
    follower.wait("() => window.former?.writing?.status === 'idle' && former.writing?.cursor.state")
    lengths = "() => { const { depth, state } = former.writing.cursor; return state ? depth : 0; }"
    leader.press("Start")
    result = {follower.page.evaluate(lengths)}
    while leader.page.evaluate("former.writing.status") == "running":
        result.add(follower.page.evaluate(lengths))
        follower.page.wait_for_timeout(50)
    between = result - {0, 60}
    assert len(between) >= 10, "token by token, each with what the model makes of the text up to it"
    leader.rested()
    follower.wait("() => former.writing?.cursor.depth === 60")
    follower.rested()
    assert follower.shown() == leader.shown()


def test_followers_see_all_of_a_text_of_which_a_link_holds_a_part_and_says_so(page, guard):
    written = [32 + i % 90 for i in range(590)]
    leader = Writing(page, guard.origin)
    leader.open(room="long", lead=1, model="tiny-generator", length=10, pace=30, written=".".join(map(str, written)))
    follower = Writing(page.context.new_page(), guard.origin)
    follower.goto(room="long")
    leader.press("Resume")
    leader.wait("() => former.writing?.status === 'idle' && former.writing?.cursor.depth === 600")
    leader.press("Resume")
    follower.wait("() => window.former?.writing?.cursor.depth === 610")
    leader.rested()
    follower.rested()
    assert follower.shown() == leader.shown()
    status = leader.page.locator(".former-writing-controls .status")
    expect(status).to_contain_text("A link holds the first 600 of the 610 written tokens.")
    leader.page.get_by_text("Copy link", exact=True).click()
    expect(leader.page.locator(".class-menu.link .sheet")).to_contain_text("the first 600 of the 610")
    assert leader.written()[:590] == written
    leader.page.reload()
    leader.rested()
    expect(status).to_contain_text("This link holds the first 600 of 610 written tokens.")
    assert leader.page.evaluate("former.writing.cursor.depth") == 600


def test_followers_go_along_to_the_demonstrations_and_through_their_views(tab, other):
    tab.open()
    lead(tab, "demonstrations")
    follower = other().open(room="demonstrations")
    tab.page.get_by_role("tab", name="Mask").click()
    leader = Masking(tab.page, tab.origin)
    leader.settled()
    leader.set("strided")
    leader.step("Row", 4)
    follower.wait("() => former.masking?.view.mask === 'strided' && former.masking?.view.row === 4")
    masking = Masking(follower.page, follower.origin)
    masking.settled()
    assert masking.link() == leader.link()
    tab.page.get_by_role("tab", name="Word order").click()
    moving = Permuting(tab.page, tab.origin)
    moving.settled()
    moving.press("Shuffle")
    follower.wait("(order) => former.permuting?.view.order === order", moving.link()["order"])


def test_a_follower_takes_up_a_view_of_a_tab_it_never_opened(tab, other):
    Masking(tab.page, tab.origin).open(room="late", lead=1, mask="fixed", row=6)
    follower = other()
    follower.page.goto(f"{tab.origin}/?room=late")
    follower.wait("() => window.former?.masking?.settings && former.masking?.view.mask === 'fixed'")
    follower.wait("() => former.masking?.view.row === 6")


def test_a_follower_whose_link_is_of_another_tab_goes_to_the_leader_s(tab, guard):
    response = tab.page.request.put(
        f"{guard.origin}/room/abroad", data={"key": "0" * 32, "view": "tab=mask&mask=fixed"}
    )
    assert response.ok
    tab.goto(tab="permute", room="abroad")
    tab.wait("() => window.former?.page.tab === 'mask' && former.masking?.view.mask === 'fixed'")
    expect(tab.page.get_by_role("tab", name="Mask")).to_have_attribute("aria-selected", "true")
    assert tab.link() == {"tab": "mask", "mask": "fixed", "room": "abroad"}


def test_a_page_that_presents_and_follows_presents_what_the_leader_goes_to(tab, other):
    tab.open(room="stage", lead=1)
    follower = other().open(room="stage")
    expect(follower.page.locator(".room-bar")).to_contain_text("You follow")
    follower.page.keyboard.press("p")
    presents(follower.page, "overview")
    tab.page.get_by_role("tab", name="Mask").click()
    Masking(tab.page, tab.origin).settled()
    expect(follower.page.locator(".room-bar")).to_contain_text("You are exploring on your own")
    follower.page.evaluate("former.room.follow()")
    presents(follower.page, "mask-stages")
    tab.page.get_by_role("button", name="Stop leading").click()
    bar = follower.page.locator(".room-bar")
    expect(bar).to_contain_text("Nobody is leading the room “stage” now")
    expect(bar).to_be_visible()


def test_a_link_with_lead_leads_and_a_second_leader_is_told(tab, guard, browser):
    guard.allow("409")
    tab.open(room="mine", lead=1)
    expect(tab.page.locator(".room-bar")).to_contain_text("You lead the room “mine”")
    elsewhere = browser.new_context()
    rival = Exploring(elsewhere.new_page(), guard.origin)
    rival.open(room="mine", lead=1)
    expect(rival.page.locator(".room-bar")).to_contain_text("Somebody else is leading")
    elsewhere.close()


def test_a_room_that_nobody_leads_is_waited_for(tab, other):
    tab.open(room="later")
    expect(tab.page.locator(".room-bar")).to_contain_text("Nobody is leading the room “later” now")
    leader = other().open(room="later", lead=1, layer=4, head=1)
    tab.wait(chosen(4, 1))
    expect(tab.page.locator(".room-bar")).to_contain_text("You follow")
    leader.page.get_by_role("button", name="Stop leading").click()
    assert "room" not in leader.link()


BLOCKED = """for (const name of ["localStorage", "sessionStorage"])
  Object.defineProperty(window, name, { get() { throw new DOMException("blocked", "SecurityError"); } });"""


@pytest.mark.own_browser
def test_with_storage_blocked_one_leads_and_another_follows(tab, other):
    tab.page.context.add_init_script(BLOCKED)
    tab.open()
    lead(tab, "blocked")
    follower = other().open(room="blocked")
    tab.cell(3, 4).click()
    follower.wait(chosen(3, 4))
    tab.cell(2, 2).click()
    follower.wait(chosen(2, 2))


def test_the_address_of_a_leader_makes_nobody_else_one_and_a_reload_still_leads(tab, browser, guard):
    tab.open()
    lead(tab, "address")
    assert "lead" not in tab.link()
    elsewhere = browser.new_context()
    student = Exploring(elsewhere.new_page(), guard.origin)
    student.page.goto(tab.page.url)
    expect(student.page.locator(".room-bar")).to_contain_text("You follow the room “address”")
    tab.page.reload()
    expect(tab.page.locator(".room-bar")).to_contain_text("You lead the room “address”")
    elsewhere.close()


def test_a_leader_reloads_after_another_page_of_its_browser_stored_another_key(tab, other, guard):
    tab.open(room="two-keys", lead=1)
    expect(tab.page.locator(".room-bar")).to_contain_text("You lead the room “two-keys”")
    tab.wait("Boolean(localStorage.getItem('former-key-two-keys'))")
    other().goto()
    tab.page.context.pages[-1].evaluate("localStorage.setItem('former-key-two-keys', '0'.repeat(32))")
    tab.wait("localStorage.getItem('former-key-two-keys') === '0'.repeat(32)")
    with tab.page.expect_response(f"{guard.origin}/room/two-keys") as response:
        tab.page.reload()
    assert response.value.request.method == "PUT"
    assert response.value.ok
    expect(tab.page.locator(".room-bar")).to_contain_text("You lead the room “two-keys”")


def test_a_room_that_its_leader_leaves_is_free_at_once(tab, browser, guard):
    tab.open()
    lead(tab, "handed-on")
    tab.page.get_by_role("button", name="Stop leading").click()
    elsewhere = browser.new_context()
    next_one = Exploring(elsewhere.new_page(), guard.origin)
    next_one.open()
    lead(next_one, "handed-on")
    elsewhere.close()


@pytest.mark.parametrize("name", ["<img src=x onerror=window.hacked=1>", "a b", "x" * 60])
def test_a_room_of_another_name_is_refused_and_its_name_stays_text(tab, guard, name):
    guard.allow("422|404")
    tab.open(room=name, lead=1)
    expect(tab.page.locator(".room-bar")).to_contain_text("letters, digits and hyphens")
    assert tab.page.evaluate("window.hacked") is None


def test_markup_in_a_followed_view_stays_text(tab, guard):
    markup = "<img src=x onerror=window.hacked=1>"
    view = f"model=generator&text={markup}&layer={markup}&tab={markup}"
    tab.goto()
    response = tab.page.request.put(f"{guard.origin}/room/bad", data={"key": "0" * 32, "view": view})
    assert response.ok
    tab.open(room="bad")
    tab.wait("(text) => former.store?.pass.header.text === text", markup)
    tab.settled()
    assert tab.tokens() == list(markup.replace(" ", "␣"))
    assert tab.page.evaluate("window.hacked") is None


def test_who_stops_leading_in_one_tab_leads_in_no_other(tab, other):
    tab.open()
    lead(tab, "twice")
    second = other().open(room="twice", lead=1)
    expect(second.page.locator(".room-bar")).to_contain_text("You lead the room “twice”")
    tab.page.get_by_role("button", name="Stop leading").click()
    expect(second.page.locator(".room-bar")).to_contain_text("You no longer lead the room “twice”")
    assert "room" not in second.link()
    second.cell(2, 2).click()
    second.page.wait_for_timeout(1000)  # more than a leader waits before it sends a change
    room = tab.page.request.get(f"{tab.origin}/room/twice").json()
    assert room["view"] is None, "it leads on"


@pytest.mark.own_browser
def test_open_pages_say_that_the_server_is_gone_and_go_on_when_it_is_back_unless_they_are_loaded(page, guard, tmp_path):
    guard.allow("ERR_CONNECTION_REFUSED|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET|ERR_INCOMPLETE")
    guard.allow("404")  # of a server that has just begun, and of the passes that it does not hold
    port, log = free_port(), Path(tmp_path / "app.log")
    guard.origin = f"http://127.0.0.1:{port}"
    process = serve(port, log, OMP_NUM_THREADS="1")
    try:
        wait_until_up(guard.origin, lambda: process.poll() is None, log)
        tab = Exploring(page, guard.origin).open(text="Still here?", layer=1, head=2, room="gone")
        stop(process)
        bar = page.locator(".room-bar")
        expect(bar).to_contain_text("The server does not answer")
        assert tab.tokens() == list("Still␣here?")
        process = serve(port, log, OMP_NUM_THREADS="1")
        wait_until_up(guard.origin, lambda: process.poll() is None, log)
        page.evaluate("window.stays = true")
        expect(bar).to_contain_text("The server was restarted. You can continue here")
        tab.type("And on we go.")
        tab.cell(2, 3).click()
        tab.settled()
        bar.get_by_role("button", name="Continue here").click()
        expect(bar).to_contain_text("Nobody is leading the room “gone” now")
        assert page.evaluate("window.stays"), "it was loaded without being asked"

        stop(process)
        expect(bar).to_contain_text("The server does not answer")
        process = serve(port, log)
        wait_until_up(guard.origin, lambda: process.poll() is None, log)
        bar.get_by_role("button", name="Reload").click()
        expect(bar).to_contain_text("This page was reloaded with the same view")
        tab.settled()
        assert tab.tokens() == list("And␣on␣we␣go.")
        assert page.evaluate(chosen(2, 3))
    finally:
        stop(process)
    assert_no_traceback(log)


@pytest.mark.own_browser
def test_a_restarted_server_gets_the_room_its_answers_and_its_followers_again(page, guard, browser, tmp_path):
    guard.allow("ERR_CONNECTION_REFUSED|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET|404")
    port, log = free_port(), Path(tmp_path / "app.log")
    guard.origin = f"http://127.0.0.1:{port}"
    process = serve(port, log, OMP_NUM_THREADS="1")
    visitors = [browser.new_context() for _ in range(2)]
    try:
        wait_until_up(guard.origin, lambda: process.poll() is None, log)
        leader = Exploring(page, guard.origin)
        leader.goto(tab="learn", section="queries-keys-values", room="again", lead=1)
        students = [Exploring(visitor.new_page(), guard.origin) for visitor in visitors]
        for choice, student in enumerate(students):
            student.goto(room="again")
            student.wait("() => former.learn.open === 'queries-keys-values'")
            check = student.page.locator(".former-learn .section:not([hidden]) .check")
            check.locator("summary").click()
            check.locator("label").nth(choice).click()
        bar = page.locator(".room-bar")
        expect(bar).to_contain_text("2 followers · 2 answers")
        stop(process)
        expect(bar).to_contain_text("The server does not answer")
        process = serve(port, log, OMP_NUM_THREADS="1")
        wait_until_up(guard.origin, lambda: process.poll() is None, log)
        students[0].page.locator(".room-bar").get_by_role("button", name="Reload").click()
        expect(students[0].page.locator(".room-bar")).to_contain_text("You follow the room")
        bar.get_by_role("button", name="Continue here").click()
        expect(bar).to_contain_text("2 followers · 2 answers")
        bar.get_by_role("button", name="Stop leading").click()
        expect(students[0].page.locator(".room-bar")).to_contain_text("Nobody is leading the room “again” now")
    finally:
        for visitor in visitors:
            visitor.close()
        stop(process)
    assert_no_traceback(log)
