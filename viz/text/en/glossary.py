"""Messages of the glossary: the terms of the field, and what each means."""

from __future__ import annotations

MESSAGES = {
    "glossary": "Glossary",
    "term_token": "token",
    "term_token_means": "The unit in which a model reads text: a word, a piece of a word, a character or a byte. Each"
    " token becomes a vector, a list of numbers, which the layers change.",
    "term_embedding": "embedding",
    "term_embedding_means": "The vector that a model looks up for each token before the first layer. Training sets its"
    " numbers.",
    "term_position": "position",
    "term_position_means": "Where a token is in the text. Attention alone does not see it, so a model adds a vector"
    " for each position, or uses the distance between tokens.",
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
    "term_mask": "mask",
    "term_mask_means": "Hides keys from a query: their scores become −∞ before the softmax, so their weights are 0. A"
    " causal mask hides all tokens after the query.",
    "term_softmax": "softmax",
    "term_softmax_means": "Turns numbers into shares: e to the power of each, divided by the sum of these powers. The"
    " shares add up to 1, and the largest number gets the largest share.",
    "term_mass": "share of attention",
    "term_mass_means": "The sum of a query’s weights on some of the keys. Over all keys it is 100 %.",
    "term_entropy": "entropy",
    "term_entropy_means": "How spread out a query’s attention is, in bits. 0 bits: all of it is on one token. 1 bit: as"
    " if shared equally by 2 tokens. 2 bits: by 4. 3 bits: by 8.",
    "term_rollout": "rollout",
    "term_rollout_means": "Attention followed through all layers back to the text. Each layer counts as half the mean"
    " of its heads plus half the identity matrix, because a token also keeps its own vector. The matrices of the layers"
    " are multiplied.",
    "term_residual": "residual stream",
    "term_residual_means": "Each token’s vector as it passes through all layers. Attention and feed-forward layers"
    " add to it; in models such as BERT, a norm rescales it after each addition.",
    "term_norm": "layer norm",
    "term_norm_means": "Shifts and scales the numbers of a vector to mean 0 and standard deviation 1, then multiplies"
    " each by a learned number and adds another. It makes deep models easier to train.",
    "term_pass": "pass",
    "term_pass_means": "One run of a model over a text, with all numbers that it computes on the way.",
    "term_feed_forward": "feed-forward layer",
    "term_feed_forward_means": "The second part of each block: two linear maps with a nonlinear function between them,"
    " applied to each token’s vector by itself.",
    "term_logit": "logit",
    "term_logit_means": "The number a model gives to each token that might come next. The softmax turns the logits"
    " into probabilities.",
    "term_log_odds": "log-odds",
    "term_log_odds_means": "A probability p written as ln(p / (1 − p)): 0 at one half, positive above, negative below.",
    "term_surprise": "surprise",
    "term_surprise_means": "How unexpected a token was, in bits: −log₂ of the probability the model gave it. 0 bits:"
    " it was certain. 1 bit: like a coin toss. Each further bit halves the probability.",
    "term_loss": "loss",
    "term_loss_means": "The number that training makes smaller. For a language model it is the mean surprise of the"
    " right tokens.",
    "term_gradient": "gradient",
    "term_gradient_means": "How fast a number, usually the loss, grows with each parameter of the model. A training"
    " step moves the parameters against it.",
    "term_temperature": "temperature",
    "term_temperature_means": "The logits are divided by it before the softmax. Below 1, likely tokens become even"
    " likelier; above 1, unlikely tokens get a better chance.",
    "term_top_k": "top-k",
    "term_top_k_means": "Draws the next token only from the k likeliest ones.",
    "term_top_p": "top-p",
    "term_top_p_means": "Draws the next token only from the likeliest ones: the fewest whose probabilities add up to at"
    " least p.",
    "term_byte": "␣ ⏎ ‥ xE2",
    "term_byte_means": "How invisible characters are shown: ␣ is a space, ⏎ a new line. A token that begins with ␣"
    " begins a word. A character outside ASCII, such as é, takes two to four bytes: it is shown at the first, and ‥"
    " at the others. xE2 is a byte in hexadecimal; it is used where a character is incomplete or cannot be printed.",
}
