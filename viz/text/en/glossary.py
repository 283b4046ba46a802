"""What the words of the field mean: each opens on the page, and the glossary holds them all."""

from __future__ import annotations

MESSAGES = {
    "glossary": "Glossary",
    "term_token": "token",
    "term_token_means": "The unit in which a model reads text: a word, a piece of a word, a character or a byte. Each"
    " becomes a vector, a list of numbers, which the layers change.",
    "term_head": "head",
    "term_head_means": "One of the attentions that a layer computes side by side. Each has queries, keys and values of"
    " its own; what they fetch is put together at the end of the layer.",
    "term_query": "query",
    "term_query_means": "What a token looks with: a vector that the head makes from it. On a map, each row is a query.",
    "term_key": "key",
    "term_key_means": "What a token is found by: a vector that the head makes from it. On a map, each column is a key.",
    "term_value": "value",
    "term_value_means": "What a token hands over when it is looked at: a vector that the head makes from it. The head’s"
    " output for a query is the sum of all values, each times its weight.",
    "term_weight": "weight",
    "term_weight_means": "How much of a query’s attention a key gets: a number from 0 to 1. The weights of one query"
    " sum to 1.",
    "term_score": "score",
    "term_score_means": "How well a query and a key match: their dot product, divided by √s, where s is how many"
    " numbers each of the two holds. The softmax makes weights of the scores.",
    "term_softmax": "softmax",
    "term_softmax_means": "Turns numbers into shares: e to the power of each, divided by the sum of them all. The"
    " shares add up to 1, and the largest number gets the largest share.",
    "term_mass": "mass",
    "term_mass_means": "A part of a query’s attention: the sum of its weights on some of the keys. All of them together"
    " have mass 1, or 100 %.",
    "term_entropy": "entropy",
    "term_entropy_means": "How spread out the attention of a query is, in bits. 0 bits: all of it is on one token. 1"
    " bit: as spread out as over 2 tokens alike, 2 bits over 4, 3 bits over 8.",
    "term_rollout": "rollout",
    "term_rollout_means": "Attention followed through the layers down to the text. Each layer counts as half the mean"
    " of its heads and half no change, since a token also keeps what it was; the layers are multiplied.",
    "term_logit": "logit",
    "term_logit_means": "The number that a model gives each token that might come next. The softmax turns the logits"
    " into probabilities.",
    "term_surprise": "surprise",
    "term_surprise_means": "How unexpected a token was, in bits: −log₂ of the probability that the model gave it"
    " before. 0 bits: it was certain. 1 bit: as a coin toss. Each further bit halves the probability.",
    "term_byte": "␣ ⏎ ‥ xE2",
    "term_byte_means": "What would not be seen in a token: ␣ is a space, ⏎ a new line. A piece that begins with ␣"
    " begins a word. Of bytes, a character beyond plain English takes two to four: it stands at the first, and ‥ at the"
    " others. xE2 is a byte in hexadecimal: of a character that is not whole, or of a control character.",
}
