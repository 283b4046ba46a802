"""Example texts for the models, in the language that each model was trained on, whatever the language of the page."""

from __future__ import annotations

LONG = (  # beyond the window of `sparse`, so that it leaves pairs out, and beyond a segment of `xl`
    "Amsterdam is the capital of the Netherlands. It has a population of about 900,000 people, and it is known for"
    " its canals. Rotterdam is the second city of the Netherlands. It has a population of about 650,000 people, and"
    " it is known for its harbour.",
    "John Smith was born in London in 1850. He studied at the University of London and became a painter. Mary Smith"
    " was born in Paris in 1855. She studied at the University of Paris and became a painter.",
)
REVIEWS = (
    "I expected little, but this film was a wonderful surprise: funny, warm and beautifully played.",
    "Not a single joke works. A dull, lazy film, and far too long.",
    "The acting is not bad at all, but the story is a mess.",
)
EXAMPLES = {  # by what a model predicts, its variant or its unit; `Loaded.examples` takes the first key that fits
    "piece": (
        "The painter John Smith (born April 3, 1924, died July 1, 2004) and Mary Smith (born May 5, 1930, died June 6,"
        " 1999)",
        "Berlin is the capital of Germany, Paris is the capital of France, and Rome is the capital of",
        "In 1879 Albert Einstein was born in Ulm, in the German Empire. In 1905 Albert Einstein was living in Bern.",
    ),
    "blank": (
        "She was born in New [York] City, and he was elected president of the United [States].",
        "On the [other] hand, Los [Angeles] is one [of] the [most] important cities in the country.",
        "The species is found in Africa and Asia. [SEP] It is one [of] the [most] common birds.",
        "The species is found in Africa and Asia. [SEP] He was elected president of the United States.",
        "The unbelievable embeddings were tokenized.",
    ),
    "byte": (
        "The cat sat on the mat. The cat sat on the mat.",
        "In 1879 Albert Einstein was born in Ulm, in the German Empire.",
        "[[Berlin]] is the capital of [[Germany]], and [[Paris]] is the capital of [[France]].",
        "1, 2, 4, 8, 16, 32, 64, 128",
    ),
    "letters": (  # twenty tokens, repeated: only copying can predict what follows
        "tgkqwzmbrxhcvdpjlfnstgkqwzmbrxhcvdpjlfnstgkqwzmbrx",
        "The cat sat on the mat. The cat sat on the mat.",
        "abracadabra abracadabra",
    ),
    "memory": LONG,
    "pattern": LONG,
    "character": (
        "4 July 1976",
        "the twenty-first of November, 2026",
        "2026-11-21",
        "4 July 1976 → 1976-04-07",
    ),
    "class": REVIEWS,
    "word": REVIEWS,
}
BRACKETS = {"byte": ("[[Berlin]] and [[Paris", "((Berlin)) and ((Paris")}
PRAISE = {"word": ("A good film with a good story.", "A bad film with a good story.")}
CARRIED = {  # by the same names: pairs of texts whose predictions differ, one to pin and one to compare
    "piece": {  # message `carry_found` says by each name what carries the difference, in the model of `MEASURED_IN`
        "number": ("The cities in the north of the country", "The city in the north of the country"),
        "year": ("The war began in 1914 and ended in", "The war began in 1814 and ended in"),
        "name": ("The band Blue Star released an album. Blue", "The band Red Star released an album. Blue"),
        "quote": ('The song "Yellow River', "The song Yellow River was"),
    },
    "blank": {"blank": ("The capital of France is [Paris].", "The capital of Japan is [Paris].")},
    "byte": BRACKETS,
    "letters": {"letters": ("tgkqwzmbrxhcvtgkq", "tgkqyzmbrxhcvtgkq")},
    "memory": BRACKETS,
    "pattern": BRACKETS,
    "character": {"character": ("4 July 1976", "5 July 1976")},
    "class": PRAISE,
    "word": PRAISE,
}
MEASURED_IN = {  # by the name of a pair: the model in which its finding was measured
    **dict.fromkeys(CARRIED["piece"], "gpt"),
    **{"blank": "bert", "byte": "generator", "letters": "tiny-induction", "character": "dates", "word": "classifier"},
}
GAMES = (  # invented for the game of tab Generate, so that no model has read them
    "The harbour of Ostmar lies on the northern coast of the island. Fishermen built it in 1862 from the stones of an"
    " old church, and only three years later a storm destroyed half of it. Today small boats bring tourists to the"
    " lighthouse, where a museum shows how the people of Ostmar once lived from fish, salt and luck.",
    "When Clara Weiss was eleven years old, her teacher told her that girls could not become engineers. She kept the"
    " letter in which he repeated it. Forty years later Clara Weiss opened the longest bridge in the country, and she"
    " read the letter aloud to the crowd.",
    "The blue-tailed lizard is a small reptile that is found in the dry valleys of the south. It feeds on ants and"
    " beetles, and it can drop its tail when a bird catches it. A new tail grows within a few weeks, but the new tail"
    " is never blue again.",
)
MASK_TEXT = "The cat sat on the mat."
MASK_LONG_TEXT = (
    "Amsterdam is the capital of the Netherlands. It has a population of about 900,000 people, and it is known for its"
    " canals, its museums and its bicycles."
)
PAIRS = (  # texts that mean something else with their words in another order
    ("This film is not bad but wonderful.", "This film is not wonderful but bad."),
    ("Never awful, always amazing.", "Never amazing, always awful."),
    ("Not horrible at all: brilliant.", "Not brilliant at all: horrible."),
    ("It is not terrible at all, it is amazing.", "It is not amazing at all, it is terrible."),
    ("It is not awful, it is excellent.", "It is not excellent, it is awful."),
)
REVIEW = REVIEWS[1]  # to be shuffled
