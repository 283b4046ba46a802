"""The labels of Gradio's components, and the files of messages, in every language."""

import json

import gradio as gr
from fastapi import FastAPI
from fastapi.testclient import TestClient

from viz.browser import language
from viz.browser.language import label
from viz.text import LANGUAGES, message, note


def test_the_labels_of_a_page_are_found_wherever_they_stand():
    with gr.Blocks(analytics_enabled=False) as page:
        gr.HTML(f"<h1>{label('title')}</h1><p>{label('subtitle')}</p>")
        with gr.Tab(label("tab_mask")):
            gr.Dropdown([(label("model_line", name="a⟧", about=note("none")), "a")], label=label("model"))
            gr.Textbox("[[⟦", label="Text", placeholder=label("text_hint"))
    values = {json.loads(each)["key"] for each in language.labels(page)}
    assert values == {"title", "subtitle", "tab_mask", "model", "model_line", "text_hint"}


def test_a_language_s_messages_are_sent_under_a_name_that_changes_with_them():
    server = FastAPI()
    language.attach(server)
    with gr.Blocks(analytics_enabled=False) as page:
        gr.Tab(label("tab_mask"))
    settings, _ = json.JSONDecoder().raw_decode(language.head(page).split("formerLanguages = ")[1])
    assert settings.keys() == LANGUAGES.keys()
    for name, said in settings.items():
        answer = TestClient(server).get(said["file"])
        assert answer.json() == LANGUAGES[name]
        assert "immutable" in answer.headers["cache-control"]
        assert list(said["labels"].values()) == [message("tab_mask", name)]
