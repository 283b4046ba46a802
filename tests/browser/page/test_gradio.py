"""The installed version of Gradio has the properties that viz/gradio_adapter.py relies on."""

import pytest
from playwright.sync_api import expect

from tests.browser.pages import Exploring

pytestmark = [pytest.mark.browser, pytest.mark.one_page]
TAB = Exploring


def test_a_script_gets_an_element_of_its_own_which_is_the_inner_one_of_its_class(tab):
    tab.open(text="abc")
    for name in ("overview", "head-map", "lesson", "class-bar"):
        inner = tab.part(name).last
        assert inner.evaluate("(element) => element.children.length") > 0
        assert inner.evaluate("(element, name) => element.parentElement.closest(`.former-${name}`) !== null", name)


def test_a_script_s_event_fills_the_fields_and_what_is_entered_there_reaches_the_scripts(tab):
    tab.open(text="abc", model="tiny-generator")
    tab.page.get_by_role("group", name="Examples").get_by_role("button").first.click()  # trigger("filled")
    tab.wait("() => former.store.pass.header.text !== 'abc'")
    box = tab.page.get_by_role("textbox", name="Text", exact=True)
    expect(box).to_have_value(tab.page.evaluate("former.store.pass.header.text"))
    box.press("End")
    for key in ("!", "Backspace", "Backspace"):
        box.press(key)
    tab.wait("(text) => former.store.pass.header.text === text", box.input_value())


def test_a_tab_comes_to_the_front_by_an_update_and_says_so(tab):
    tab.open(text="abc")
    tab.page.evaluate("former.page.open('mask')")
    tab.wait("() => former.page.tab === 'mask'")
    expect(tab.page.get_by_role("tab", name="Mask")).to_have_attribute("aria-selected", "true")


@pytest.mark.own_page
def test_the_page_begins_with_the_tab_of_its_link_and_fetches_nothing_of_the_first(tab, guard):
    tab.open(text="abc")
    assert any("/tabs/explore/" in asked for asked in guard.requests)
    assert not any("/tabs/learn/" in asked for asked in guard.requests)


@pytest.mark.own_page
def test_what_gradio_loads_for_the_page_is_named_in_its_head(tab):
    tab.open(text="abc")
    asked, named = tab.page.evaluate(
        """[performance.getEntriesByType("resource").map((each) => each.name),
            [...document.querySelectorAll("[rel=modulepreload], [rel=preload]")].map((each) => each.href)]"""
    )
    loaded = {name for name in asked if f"{tab.origin}/assets/" in name and name.endswith((".js", ".css"))}
    assert len(loaded) > 20
    assert loaded <= set(named)


@pytest.mark.own_page
def test_the_parts_below_the_first_view_wait_until_it_has_its_pass(tab, guard):
    tab.open(text="abc")
    tab.wait("() => document.querySelector('.former-statistics[data-rev]')")
    first, other = (
        next(i for i, each in enumerate(guard.requests) if path in each) for path in ("GET /att", "/statis")
    )
    assert first < other


def test_a_tab_that_gradio_keeps_in_a_menu_comes_to_the_front_too(tab):
    tab.page.set_viewport_size({"width": 300, "height": 700})
    tab.open(text="abc")
    assert not tab.page.get_by_role("tab", name="Word order").is_visible(), "else this tests nothing"
    tab.page.evaluate("former.page.open('permute')")
    tab.wait("() => former.page.tab === 'permute' && document.querySelector('.former-permute-controls [data-rev]')")


def test_the_page_has_the_elements_that_its_style_sheets_name(tab):
    tab.open(text="abc")
    for name in (".gradio-container > .main", ".tabs .tabitem > .column", ".block.former > .html-container > .former"):
        assert tab.page.locator(name).count() > 0, name


def test_the_page_says_where_it_is_mounted(tab):
    tab.open(text="abc")
    assert tab.page.evaluate("window.gradio_config.root").rstrip("/") in ("", tab.origin)


def test_the_button_at_the_foot_opens_the_documentation_of_the_api(tab, guard):
    guard.allow("/monitoring/summary|/gradio_api/mcp/")  # Gradio asks for both, which are off
    tab.open(text="abc")
    expect(tab.page.locator("footer:has(> .show-api)")).to_be_hidden()
    tab.page.get_by_role("button", name="Use via API").click()
    expect(tab.page.locator(".api-docs")).to_contain_text("/attention")


@pytest.mark.own_page
def test_an_idle_page_asks_for_no_frames(tab):
    tab.page.add_init_script(
        """window.asked = 0;
           window.plain = window.requestAnimationFrame.bind(window);
           window.requestAnimationFrame = (draw) => (window.asked++, plain(draw));"""
    )
    tab.open(text="abc")
    asked = tab.page.evaluate(
        """async () => {
             const frame = () => new Promise((drawn) => plain(drawn));
             for (let still = 0; still < 600; still++) {
               const before = asked;
               await frame();
               if (asked === before) return 0;
             }
             return asked;
           }"""
    )
    assert asked == 0
