"""Messages of the glossary: the terms of the field, and what each means."""

from __future__ import annotations

MESSAGES = {
    "glossary": "Glossary",
    "term_token": "token",
    "term_token_means": "The unit in which a model reads text: a word, a piece of a word, a character or a byte. Each"
    " token becomes a vector, a list of numbers, which the layers change.",
    "term_head": "head",
    "term_head_means": "One of several attention computations that a layer runs in parallel. Each head has its own"
    " queries, keys and values; their outputs are combined at the end of the layer.",
    "term_query": "query",
    "term_query_means": "The vector with which a token searches the others. The head computes it from the token’s"
    " vector. On a map, each row is a query.",
    "term_key": "key",
    "term_key_means": "The vector that queries are compared with. The head computes it from the token’s vector. On a"
    " map, each column is a key.",
    "term_value": "value",
    "term_value_means": "The vector that a token passes on to the tokens that attend to it. The head computes it from"
    " the token’s vector. The head’s output for a query is the sum of all values, each times its weight.",
    "term_weight": "weight",
    "term_weight_means": "How much a query attends to a key: a number from 0 to 1. The weights of one query sum to 1.",
    "term_score": "score",
    "term_score_means": "How well a query and a key match: their dot product, divided by √s, where s is the size of"
    " the two vectors. The softmax turns scores into weights.",
    "term_softmax": "softmax",
    "term_softmax_means": "Turns numbers into shares: e to the power of each, divided by the sum of these powers. The"
    " shares add up to 1, and the largest number gets the largest share.",
    "term_mass": "share of attention",
    "term_mass_means": "A part of a query’s attention: the sum of its weights on some of the keys. On all keys together"
    " it is 100 %.",
    "term_entropy": "entropy",
    "term_entropy_means": "How spread out a query’s attention is, in bits. 0 bits: all of it is on one token. 1 bit: as"
    " if shared equally by 2 tokens. 2 bits: by 4. 3 bits: by 8.",
    "term_rollout": "rollout",
    "term_rollout_means": "Attention followed through all layers back to the text. Each layer counts as half the mean"
    " of its heads and half no change, because a token also keeps its own vector; the layers are multiplied.",
    "term_logit": "logit",
    "term_logit_means": "The number a model gives to each token that might come next. The softmax turns the logits"
    " into probabilities.",
    "term_surprise": "surprise",
    "term_surprise_means": "How unexpected a token was, in bits: −log₂ of the probability the model gave it. 0 bits:"
    " it was certain. 1 bit: like a coin toss. Each further bit halves the probability.",
    "term_byte": "␣ ⏎ ‥ xE2",
    "term_byte_means": "How invisible characters are shown: ␣ is a space, ⏎ a new line. A token that begins with ␣"
    " begins a word. A character beyond plain English takes two to four bytes: it is shown at the first of them, and ‥"
    " at the others. xE2 is a byte in hexadecimal; it is used where a character is incomplete or cannot be printed.",
}
