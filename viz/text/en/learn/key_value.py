"""Messages of Learn's section "Why 'self', why 'key' and 'value'"."""

from __future__ import annotations

MESSAGES = {
    "learn_key_value_title": "Why “self”, why “key” and “value”",
    "learn_key_value_text": "Attention is a dictionary that always answers: with an average of its values.\n\nA Python"
    " dictionary stores a value under each key. A query must equal a key exactly, or there is an error. Attention is a"
    " soft dictionary: every key gets a weight, larger for a larger dot product with the query, and the values are"
    " averaged with these weights. At the hard end of the slider one key gets all the weight. Even then attention never"
    " fails: some key always has the largest product.\n\nThe idea is older than transformers. In recurrent translation"
    " models the query (in today’s words) came from the sentence being written, keys and values from the sentence being"
    " read. In self-attention one sequence provides all three: each word has a query, a key and a value.",
    "learn_key_value_names": "spring summer autumn winter",
    "learn_key_value_query": "query",
    "learn_key_value_hard": "hard",
    "learn_key_value_softer": "soft",
    "learn_key_value_soft": "From the hard limit to soft",
    "learn_key_value_degree": "{kind, select, hard {T = 0, the hard limit} plain {T = 1, attention} other"
    " {T = {temperature}}}",
    "learn_key_value_itself": "Let every key be a query (self-attention)",
    "learn_key_value_dictionary": "A Python dictionary",
    "learn_key_value_attention": "Attention: a soft dictionary",
    "learn_key_value_plane": "Keys and the query as arrows in the plane. You can drag each tip, or move it with the"
    " arrow keys.",
    "learn_key_value_tip": "{name}: {x} across, {y} up. The arrow keys move it.",
    "learn_key_value_column_key": "key",
    "learn_key_value_column_score": "score",
    "learn_key_value_column_weight": "weight",
    "learn_key_value_column_value": "value",
    "learn_key_value_column_part": "w · v",
    "learn_key_value_value_of": "Value of {name}",
    "learn_key_value_value_limit": "A value is a number from −{most} to {most}.",
    "learn_key_value_ask": "Set the query to the key of {name}",
    "learn_key_value_asks": "Use {name} as the query",
    "learn_key_value_sum": "y = {terms} = {y}",
    "learn_key_value_scale": "The values lie between {least} and {most}; attention returns {y}.",
    "learn_key_value_lesson": "{asker, select, keys {The query is the key of “{name}”. The dictionary returns {found};"
    " attention returns {y}} other {{hit, select, yes {The dictionary has this key and returns {found}; attention"
    " returns {y}} other {The dictionary has no such key. Attention returns {y}}}}}, with {share} of the weight on"
    " “{best}”.",
    "learn_key_value_try_there": "The query is exactly “{name}”",
    "learn_key_value_try_hard": "A missing key, at the hard limit",
    "learn_key_value_try_itself": "Keys as queries",
    "learn_key_value_puzzle": "Bring the answer within 0.1 of the value of “{name}”, {value}, by moving only keys.",
    "learn_key_value_question": "A query of (0, 0) matches no key. What does attention return?",
    "learn_key_value_choice_error": "Nothing: an error, as a dictionary would",
    "learn_key_value_choice_zero": "0",
    "learn_key_value_choice_average": "The average of all values",
    "learn_key_value_answer": "Every dot product is 0, so the softmax makes all weights equal: each value has a weight"
    " of {share}, and the answer is {y}.",
    "learn_key_value_sample": "Spring came late, and summer was as short as winter had been long.",
}
