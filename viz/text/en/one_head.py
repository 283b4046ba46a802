"""Tab Explore says of one head: a weight that is set, what it writes, and a number that is followed."""

from __future__ import annotations

MESSAGES = {
    "edit_weight_of": "Weight {query} → {key}",
    "edit_weight_share": "the rest of the row shares what is left",
    "edit_weight_undo": "As computed",
    "edit_weight_undo_hint": "Take back what was done to this weight",
    "edited_weight": "{name}: {query} → {key} set to {weight}{row, select, kept {, the rest of its row kept} other {}}",
    "writes": "What the head writes",
    "writes_hint": "How this is read",
    "writes_means": "A model gives each token that might come next a number, its logit; the softmax makes probabilities"
    " of them. Here is what this head adds to each logit at the chosen place: its output, through the last norm as it"
    " was applied there and the output layer, less its average over all tokens (what is added to all alike changes no"
    " probability). Every head, every feed-forward layer and the embedding add a part, and all parts together are the"
    " logit. What later layers make of the head is not in its part; where it is switched off, that is gone too.",
    "writes_not": "This is shown of models that predict a next token and norm before each sublayer. Where a norm comes"
    " after each sublayer, it rescales what heads wrote, so parts do not add up to a logit.",
    "writes_encoder": "The encoder’s heads write into what the decoder reads, not into the logits. Choose the decoder"
    " or the cross-attention.",
    "writes_choose_head": "A mean and a rollout write nothing of their own: choose a head.",
    "writes_heading": "{name}, at {token}",
    "writes_looks": "looks at",
    "writes_raises": "raises",
    "writes_lowers": "lowers",
    "writes_nothing": "Switched off, this head writes nothing: it raises and lowers no token.",
    "writes_likeliest": "the model says",
    "writes_parts": "What each part adds to the logit",
    "writes_sum_of": "The logit of {token}, part by part",
    "writes_choose": "Take the logit of {token} apart",
    "writes_layer": "{layer}",
    "writes_head": "{head}",
    "writes_self": "self {head}",
    "writes_cross": "cross {head}",
    "writes_feed_forward": "feed-forward",
    "writes_cell": "Layer {layer}, {column}: {value}",
    "writes_input": "embedding {value}",
    "writes_heads": "heads {value}",
    "writes_cross_heads": "cross-attention heads {value}",
    "writes_feed_forwards": "feed-forwards {value}",
    "writes_constant": "biases {value}",
    "writes_common": "the same for every token {value}",
    "writes_total": "{terms} make {sum}; the model’s logit is {logit}.",
    "writes_follows": "{token} follows in the text.",
    "writes_without": "Directly the head adds {direct} to this logit. Without the head it is {logit} in place of"
    " {before}, and the probability {after} in place of {prob}: what other layers made of the head is gone with it.",
    "trace": "Follow a number",
    "trace_hint": "What this is",
    "trace_means": "One weight, followed back: to its score, to q and k, to the numbers they are made of, and to the"
    " file of weights. And forward: what the head adds to what it read. Lock a pair in the map to follow"
    " another weight.",
    "trace_open": "Follow {query} → {key}",
    "trace_close": "Close",
    "trace_choose_head": "A mean and a rollout are not computed from q and k: choose a head.",
    "trace_masked": "The mask hides this pair: there is no weight to follow.",
    "trace_not": "Numbers are not followed where relative positions or a memory have a part in the score.",
    "trace_weight": "weight of {query} → {key} = e^(score − largest) / the sum of these over {keys, plural, one {# key}"
    " other {# keys}} = e^({score} − {most}) / {total} = {weight}",
    "trace_weight_set": "from the scores this weight would be {weight}; you have changed it to {changed}",
    "trace_score": "score = q·k / √s = {product} / {root} = {score}",
    "trace_score_by_layer": "score = q·k / (√s · {divisor}) = {product} / {root} = {score}: this model divides the"
    " scores of each layer by its number, counted from 1",
    "trace_score_unscaled": "score = q·k = {score}",
    "trace_pick": "Click a number of q, k or v to follow it.",
    "trace_row_q": "q of {token}",
    "trace_row_k": "k of {token}",
    "trace_row_v": "v of {token}",
    "trace_row_out": "out of {token}",
    "trace_row_adds": "adds at {token}",
    "trace_number": "{part, select, adds {what the head adds} other {{part}}}[{at}] of {token} = {value}: the sum of"
    " {count} products of a weight and a number of {of}{biased, select, yes {, and the bias {bias}} other {}}",
    "trace_unjoined": "This model has no map after its heads: their outputs stand side by side, and each number goes on"
    " as it is. So its own weight is 1 and all others are 0.",
    "trace_file": "{tensor} in {file}",
    "trace_place": "{tensor}[{row}, {column}] in {file}",
    "trace_place_only": "{tensor}[{row}, {column}]",
    "trace_x": "x[{column}] of {token}, in the largest of these products, is r[{column}] after the norm: (r − mean) / σ"
    " × γ + β = ({whole} − {mean}) / {deviation} × {gain} + {bias} = {value}",
    "trace_x_same": "x[{column}] of {token}, in the largest of these products, = {value}: this model norms after each"
    " sublayer, so x is what the layer before gave",
    "trace_stream": "r[{column}] = {whole}: the residual stream, which is the sum of {terms}",
    "trace_embedding": "{value} of the embedding of {token}",
    "trace_position": "{value} of its position",
    "trace_segment": "{value} of its segment",
    "trace_embedded": "{value} of the embeddings",
    "trace_embeddings": "the embeddings’ [{column}] = {value}: their sum after a norm, (sum − mean) / σ × γ + β ="
    " ({whole} − {mean}) / {deviation} × {gain} + {bias}; the sum is {whole}: {terms}",
    "trace_block": "{value} from layer {layer}",
    "trace_attention": "{value} from the self-attention before",
    "trace_out": "Forward: out of {query} is the sum of v over all keys, each times its weight; {key} gives {weight} ×"
    " its v. {joins, select, yes {The map that joins the heads turns out into} other {No map joins the heads of this"
    " model: out is, in its own places,}} what this head adds to the residual stream:",
    "trace_largest": "Its largest numbers:",
    "trace_added": "The stream of {token} was {before} at {at}; with what this head adds it is {after}. {joins, select,"
    " yes {The other heads and a bias are added beside it.} other {The other heads fill the other places.}}",
}
