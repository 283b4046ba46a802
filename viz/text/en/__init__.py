"""Every word the app shows; `{name}` is filled in where the text is used.

Here is what Python says, and what scripts of every tab say; beside this file, what those of one tab say.
"""

from __future__ import annotations

from viz.text.en import classroom, explore, generate, mask, permute

TITLE = "Former"
SUBTITLE = "See a transformer think"

# Beside each tab's sentence: the section of the article that it is about
ARTICLE = "https://peterbloem.nl/blog/transformers"
SECTIONS = {
    "explore": "In Pytorch: complete self-attention",
    "generate": "Text generation transformer",
    "mask": "Text generation transformer",
    "permute": "Using the positions",
}

# What one types
MODEL = "Model"
TEXT = "Text"
TEXT_HINT = "Type something and see where every head looks"
CLASSES = {2: ("negative", "positive")}  # of a classifier whose card does not name its classes
EXAMPLES = {
    "generator": (
        "The cat sat on the mat. The cat sat on the mat.",
        "In 1879 Albert Einstein was born in Ulm, in the German Empire.",
        "[[Berlin]] is the capital of [[Germany]], and [[Paris]] is the capital of [[France]].",
        "1, 2, 4, 8, 16, 32, 64, 128",
    ),
    "classifier": (
        "I expected little, but this film was a wonderful surprise: funny, warm and beautifully played.",
        "Not a single joke works. A dull, lazy film, and far too long.",
        "The acting is not bad at all, but the story is a mess.",
    ),
}

# Refusals and remarks; each says what to do
EMPTY_TEXT = "There is no text to look at yet: type a few words."
LONG_TEXT = "This text has {given:,} characters; the limit is {limit:,}. Please shorten it."
NO_TOKENS = "There is nothing in this text that the model could read as a word. Please type a few words."
CUT = "This model reads {kept} {unit}s at once. Your text has {total}; the {end} {kept} are shown."
END = {"generator": "first", "classifier": "last"}  # what is read of a text that is too long
UNKNOWN = "{count} of {total} words are not in the model's vocabulary; it sees them as <unk>."
BAD_EDIT = "This change of a head cannot be made, so nothing was changed."
UNKNOWN_MODEL = "There is no model “{given}” here; {used} is shown instead."

# In front of a class
BAD_ROOM = "A room's name is made of letters, digits and hyphens, 40 at the most; “{given}” is not."
TAKEN_ROOM = "Somebody else is leading the room “{name}”. Choose another name."
FULL_ROOMS = "Very many rooms are open just now. Please try again later."
LONG_VIEW = "This view is too long to be followed: {given:,} characters; the limit is {limit:,}."

# Tab Generate
NO_WRITER = "None of the models here writes text: it takes a generator that was trained with a causal mask."
NO_PROMPT = "There is no text to write on from yet: type at least one character."
LONG_WRITTEN = "The text may grow by {limit:,} tokens, and this would be more. Go back, or begin anew."
BAD_WRITTEN = "This text holds tokens that the model does not know; begin anew."
BAD_NUMBER = "{name} must be a number from {low} to {high}, not {given}."
BAD_WHOLE_NUMBER = "{name} must be a whole number from {low} to {high}, not {given}."
BAD_ORDER = "The server could not read this request. Please load the page again."
BUSY = "Very many people are having a model write just now. Please try again in a few seconds."
RULES = {
    "temperature": "Temperature",
    "top_k": "Top-k",
    "top_p": "Top-p",
    "seed": "Seed",
    "length": "Length",
    "pace": "Pace",
}


# Tab Explore
MANY_EDITS = "{given} changes at once are too many; the limit is {limit}. Please take some of them back."
BAD_LINK_EDITS = "This link asks for changes of heads that this model cannot make (“{given}”); they were left out."
TOO_SHORT = "There is nothing to measure on a single byte: type at least two."
NO_VERDICT = "This model gives no verdict that words could carry."
BUSY_MEASURING = "Very many measurements are under way just now. Please try again in a few seconds."

# Tab Mask
MASK_TEXT = "The cat sat on the mat."
MASK_LONG_TEXT = (
    "Amsterdam is the capital of the Netherlands. It has a population of about 900,000 people, and it is known for its"
    " canals, its museums and its bicycles."
)
MASK_FIELDS = {"layer": "Layer", "head": "Head", "size": "Window or stride", "seed": "Seed"}
NO_SUCH_MODEL = "This model is not here, or it was not trained with a causal mask. Please choose another."
NO_SUCH_MASK = "There is no such mask. Please choose one of those on the page."

# Tab Permute: texts whose words in another order say something else
PAIRS = (
    ("This film is not bad but wonderful.", "This film is not wonderful but bad."),
    ("Never awful, always amazing.", "Never amazing, always awful."),
    ("Not horrible at all: brilliant.", "Not brilliant at all: horrible."),
    ("It is not terrible at all, it is amazing.", "It is not amazing at all, it is terrible."),
    ("It is not awful, it is excellent.", "It is not excellent, it is awful."),
)
REVIEW = "Not a single joke works. A dull, lazy film, and far too long."  # to be shuffled
NO_CLASSIFIER = "None of the models here is a classifier, which this tab takes apart."
MANY_WORDS = "This tab moves {kept} words at most. Your text has {total}; the first {kept} are taken."
MISFIT_ORDER = "The order asked for does not fit this text’s {count} words; they stand as typed."

# Read by scripts as former.text[...]; {name} is filled in by former.say(key, {name: value})
BROWSER = {
    **{f"write_{name}": label for name, label in RULES.items()},
    "write_model": MODEL,
    "mask_model": MODEL,
    "overview": "All heads",
    "map": "Head map",
    "lines": "Lines",
    "strip": "Tokens",
    "layer": "Layer",
    "head": "Head",
    "query": "query (attends from)",
    "key": "key (attends to)",
    "masked": "masked: a later token, which this query may not see",
    "bad_link": "This link holds a {name} that cannot be shown (“{given}”); {used} is shown instead.",
    "offline": "The server did not answer. What you see is the last answer; please try again.",
    "examples": "Examples",
    "none": "none",
    "lesson_article": "The article: “{section}”",
    "lesson_explore_head": "Look at layer {layer}, head {head}: it {habit}",
    "lesson_explore_mean": "The mean of layer {layer}’s heads {habit}",
    "lesson_explore_rollout": "Followed down through layers 0 to {layer}, the attention {habit}",
    "lesson_generate": "Next, the model gives “{token}” {share} and is unsure by {bits} bits, as among {among} tokens"
    " alike: take another candidate, and the text branches.",
    "lesson_generate_sure": "Next, the model gives “{token}” {share} and is all but sure ({bits} bits): take another"
    " candidate even so, and the text branches.",
    "lesson_hint": "Opens Peter Bloem’s “Transformers from scratch” in a new tab",
    "maximise": "Maximise",
    "restore": "Restore",
    **explore.BROWSER,
    **generate.BROWSER,
    **mask.BROWSER,
    **permute.BROWSER,
    **classroom.BROWSER,
}
