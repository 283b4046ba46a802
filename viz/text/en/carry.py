"""Messages of tab Explore about activation patching, which the page calls "Carry over", and about who reads whom."""

from __future__ import annotations

MESSAGES = {
    "carry": "Carry over",
    "carry_means": "What carrying over means",
    "carry_label": "Share of the difference that comes back, in percent; each row is a layer",
    "carry_hint": "Copies one part of the pinned pass into the pass on screen, and measures how much of the difference"
    " between the two predictions comes back: 0 % means that the prediction stays as on screen, 100 % that it becomes"
    " the one of the pinned text. Switching a head off shows what is lost without it; carrying it over shows what"
    " information it carries.",
    "carry_from_here": "Which part carries the difference into the prediction?",
    "carry_part": "What to carry",
    "carry_parts": "{part, select, heads {output of a head} attention {attention pattern of a head} stream {residual"
    " stream at a token} other {feed-forward output at a token}}",
    "carry_answer": "Answer",
    "carry_rival": "rather than",
    "carry_at": "{says, select, class {Class:} blank {Hidden token {token}:} other {After {token}:}} the logit of"
    " {answer} minus that of {rival} is {before} on screen and {pinned} in the pinned text.",
    "carry_most": "{name} brings back the most: {share} of the difference.",
    "carry_corner": "{part, select, heads {layer\u00a0↓ head\u00a0→}"
    " attention {layer\u00a0↓ head\u00a0→} other {layer\u00a0↓ token\u00a0→}}",
    "carry_token": "Layer {layer}, {token}",
    "carry_found": "{pair, select, number {Whether the subject is singular or plural is known only at the subject"
    " itself until layer 4, where head 5 copies it to the last token.} year {Head 3 of layer 5 copies the century:"
    " carrying it over brings back more than half of the difference.} name {Two heads work one after the other: head 7"
    " of layer 3 attends to the word before each word, and head 0 of layer 4 to what followed the same word before."
    " Each alone brings back more than half of the difference.} blank {Head 2 of layer 0 takes the country to the"
    " hidden word, and head 0 to the word before it: alone, each brings back between a quarter and a half of the"
    " difference.} byte {Information about the kind of bracket stays at the bracket until layer 10, where head 5 copies"
    " about half of it to the last token.} letters {Information about the letter stays at its own position until layer"
    " 1, whose heads together copy it to the end: no single head brings back much more than half of the difference.}"
    " character {In the encoder a single head, head 2 of layer 0, carries the day of the month: it brings back all of"
    " the difference. In the cross-attention the heads share the work: none brings back more than a third.} word {The"
    " changed word’s own vector keeps about two thirds of the difference through all layers; layer 0 copies most of the"
    " rest to the word before it.} other {Many heads carry the information that a quotation mark is open: none brings"
    " back more than a third of the difference.}}",
    "carry_cell": "{name} brings back {share} of the difference.",
    "carry_choose": "Choose a cell to see the prediction with that part carried over.",
    "carry_without": "on screen",
    "carry_pinned": "pinned",
    "carry_carried": "carried over",
    "carry_pairs": "Two texts that differ in one detail, for example:",
    "carry_pair": "“{pinned}” → “{text}”",
    "carry_needs": "Pin a text, then change a word of it: this panel shows which head, or which token’s vector, carries"
    " the difference.",
    "carry_same": "The model predicts the same in both passes, so there is no difference to carry.",
    "carry_alike": "Choose two different predictions: the difference between them is what is measured.",
    "carry_models": "Nothing can be carried from {pinned} into {model}: both passes must come from the same model.",
    "carry_blanks": "The two texts hide different words. Hide the word at the same place in both.",
    "carry_lengths": "The pinned text has {pinned, plural, one {# token} other {# tokens}}, this one has {tokens}."
    " Replace a word by one with the same number of tokens.",
    "carry_running": "Running the model once for each cell of the grid …",
    "carry_work": "The text has {tokens} tokens. With this model, this page can carry {part, select, heads {the output"
    " of every head} attention {the attention pattern of every head} stream {the residual stream at every token} other"
    " {the feed-forward output at every token}} in texts of up to {limit} tokens, as each takes a pass of its own."
    " Shorten both texts{part, select, stream {, or carry the output of a head} mlp {, or carry the output of a head}"
    " other {}}.",
    "reads": "Who reads whom",
    "reads_means": "What an arc means",
    "reads_hint": "Each arc joins two heads: the upper one reads what the lower one writes. Its score is computed from"
    " the weights alone, for any text: how much of the lower head’s output passes into the queries, keys or values of"
    " the upper one (composition). The score does not say whether a given text uses the arc. To find out, pin a second"
    " text and click the arc: then only what passes along this arc comes from the pinned text.",
    "reads_kind": "Read into",
    "reads_kinds": "{kind, select, q {queries} k {keys} other {values}}",
    "reads_count": "Arcs",
    "reads_label": "Arcs between heads, strongest first",
    "reads_arc": "Layer {layer}, head {head} reads layer {from_layer}, head {from_head} into its {kind, select, q"
    " {queries} k {keys} other {values}}: {score}",
    "reads_shown": "The {count, plural, one {strongest arc} other {# strongest arcs}} of {pairs, number}, from {most}"
    " down to {least}; two random matrices score about {chance}.",
    "reads_point": "Point at an arc to see its heads and its score.",
    "reads_needs": "To measure an arc, pin a text and change a word of it: a click on the arc then takes only what runs"
    " along it from the pinned text.",
    "reads_choose": "Click an arc, or choose it by the arrow keys and Enter, to take only what runs along it from the"
    " pinned text.",
    "reads_column": "“{answer}” rather than “{rival}”",
    "reads_step": "{step, select, run {on screen} path {only this arc carried over} whole {all output of the lower"
    " head carried over} other {pinned text}}",
    "reads_share": "Carrying over this arc alone brings back {share} of the difference; carrying over all output of"
    " the lower head, {whole}.",
    "reads_not": "Not available for this model: the scores need at least two layers and no separate encoder.",
    "reads_layer": "layer {layer}",
    "states_now": "On screen",
    "states_pinned": "Pinned",
    "states_carried": "Prediction after each layer with the state carried over",
    "states_lift": "Drag a cell onto the other grid, or choose one here and then one there, to carry this state over.",
    "states_drop": "{state}: now choose where to put it.",
    "states_heading": "Carried over from the pinned text: {from}. It replaces: {to}.",
    "states_back": "Put it back",
}
