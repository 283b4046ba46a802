"""Messages of the whole page, and those that several tabs share."""

from __future__ import annotations

MESSAGES = {
    "title": "Former",
    "subtitle": "Look inside a transformer",
    "model": "Model",
    "text": "Text",
    "text_hint": "Type something and see what every head attends to",
    "how_measured": "How this was measured",
    # refusals and remarks; each says what to do
    "bad_request": "The server could not read this request. Please reload the page.",
    "long_address": "This address has {given, number} bytes; the limit is {limit, number}. It was probably made with a"
    " very long text: shorten the text, then copy the link again.",
    "long_address_home": "Open the page without it",
    "not_possible": "This could not be computed. Please change the text or the settings, or reload the page.",
    "empty_text": "There is no text yet: type a few words.",
    "long_text": "This text has {given, number} characters; the limit is {limit, number}. Please shorten it.",
    "no_tokens": "There is nothing in this text that the model could read as a word. Please type a few words.",
    "token_beyond": "This model has no vector for “{token}”, a token that was added to its tokenizer later. Please"
    " leave it out.",
    "not_numbers": "This model’s prediction is not a number (NaN): its weights are damaged, or its numbers became too"
    " large. Please change the text, or choose another model.",
    "dropped": "The tokenizer drops {characters}: the model does not see {count, plural, one {it} other {them}}.",
    "cut_text": "This model reads {kept} {unit, select, word {words} piece {tokens} character {characters} other"
    " {bytes}} at once. Your text has {total}; the {end, select, last {last} other {first}} {kept} are shown.",
    "cut_pass": "With this many heads the page shows {kept} {unit, select, word {words} piece {tokens} character"
    " {characters} other {bytes}} at once. Your text has {total}; the {end, select, last {last} other {first}} {kept}"
    " are shown.",
    "unknown_words": "{count, plural, one {1 of {total} words is} other {# of {total} words are}} not in the model’s"
    " vocabulary; it sees {count, plural, one {it} other {them}} as <unk>.",
    "unknown_characters": "{count, plural, one {1 of {total} characters is} other {# of {total} characters are}} not in"
    " the model’s vocabulary; it sees {count, plural, one {it} other {them}} as <unk>.",
    "unreadable": "The model cannot read this text: {count, plural, one {its only {unit, select, character {character}"
    " other {word}} is not in the vocabulary and becomes} other {# of its {total} {unit, select, character {characters}"
    " other {words}} are not in the vocabulary and become}} {token}, so what is shown says little about it.{learned,"
    " select, english { This model was trained on English.} other {}}",
    "unreadable_bytes": "The model can hardly read this text: {count} of its {total} tokens are only bytes of a"
    " character.{learned, select, english { This model was trained on English.} other {}}",
    "bad_number": "{name} must be a number from {low} to {high}, not {given}.",
    "bad_whole_number": "{name} must be a whole number from {low} to {high}, not {given}.",
    "no_writer": "None of the models here can write text: that needs a generator trained with a causal mask.",
    "no_such_model": "There is no model of this name here, or this tab cannot use it because it has no causal mask."
    " Please choose another.",
    "too_short": "A single token leaves nothing to predict: type a little more.",
    "busy_measuring": "The server is busy with other measurements. Please try again in a few seconds.",
    "busy_shared": "The server cannot reach its shared storage just now. Please try again in a few seconds.",
    # what the parts of several tabs say
    "products_place": "index",
    "products_weight": "model weight",
    "products_input": "number in {of}",
    "products_product": "product",
    "products_rest": "the {count} smaller products, summed",
    "arrival_fetching": "Downloading {name}{known, select, yes {: {done} of {total} MB} other { …}}",
    "arrival_opening": "Opening {name} …",
    "arrival_here": "{name} has been downloaded. Reload the page to find it in the menu of models.",
    "arrival_failed": "{name} is not shown: {why}",
    "arrival_not_downloaded": "it could not be downloaded from Hugging Face. Its name may be wrong, or the server may"
    " have no connection.",
    "arrival_not_shown": "this page cannot show the attention of this kind of model.",
    "arrival_out_of_memory": "it needs {needed} GB of memory, and {free} GB are free.",
    "arrival_damaged": "its files are incomplete, damaged or of an unknown architecture.",
    "arrival_reload": "Reload",
    "api_button": "Use via API",
    "buttons_hints": "What the controls do",
    "token_at": "“{label}” ({at})",
    "tabs_more": "More tabs",
    "tokens_read_out": "Tokens: the arrow keys move through them and read out their numbers.",
    "overview": "All heads",
    "map": "Head map",
    "lines": "Lines",
    "strip": "Tokens",
    "layer": "Layer",
    "head": "Head",
    "head_name": "Layer {layer}, head {head}",
    "query": "query (attends from)",
    "key": "key (attends to)",
    "masked": "masked: this query may not see a later token",
    "padding": "masked: this key is padding, not part of the text",
    "pair_padding": "This key is padding, not part of the text. The mask hides it, so its weight is 0.",
    "bad_link": "The link’s {name} (“{given}”) cannot be shown; {used} is shown instead.",
    "python_copy": "Copy as Python",
    "python_copied": "Copied. These lines reproduce this panel’s numbers and its picture:",
    "python_lines": "These lines reproduce this panel’s numbers and its picture:",
    "python_writing": "Writing the lines …",
    "python_early": "There is nothing on the screen yet. Please wait a moment and try again.",
    "python_close": "Close",
    "link_copy": "Copy link",
    "link_here": "Link to this view",
    "link_copied": "Copied: this link opens the page as it is now.",
    "link_left_out": "Left out of this link: {names} ({bytes, number} bytes in an address). A link holds at most"
    " {limit, number} bytes. Shorten the text if you want to share it.",
    "link_was_left_out": "This link had no room for {names}; the page shows the default instead.",
    "link_refused": "The browser does not let this page copy. The link is selected: press Ctrl+C, or ⌘C on a Mac.",
    "offline": "The server did not answer. You still see the last answer; please try again.",
    "examples": "Examples",
    "none": "none",
    "lesson_article": "The article: “{section}”",
    "lesson_hint": "Opens Peter Bloem’s “Transformers from scratch” in a new tab",
    "maximise": "Maximise",
    "player_play": "{running, select, yes {Stop} other {Play}}",
    "restore": "Restore",
    "labelled": "{label}: {value}",
    # numbers
    "number_share": "{value}\u00a0%",
    "number_below": "<\u00a0{value}",
    "range": "{from} to {to}",
    "list_between": ", ",
    "list_apart": "; ",
    "list_and": "{first} and {last}",
    "list_sentences": " ",
    "number_power": "{value}\u00a0×\u00a010{power}",
    # errors of the API for programs
    "api_no_model": "No model “{given}” is available for this; available: {names}.",
    "api_no_endpoint": "The API has no endpoint “{given}”; it has {names}.",
    "api_arguments": "Expected {expected}, got {given}.",
    "api_edits": "“{given}” is not a valid change of this model’s heads. An example: {example}",
    "api_stack": "This model has no stack of layers named “{given}”; it has {names}.",
    "api_top": "The number of tokens to list",
}
