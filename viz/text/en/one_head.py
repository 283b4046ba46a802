"""Messages of tab Explore: the lines of its folds; and about one head, an edit of one weight, the logits that it adds,
and a traced number."""

from __future__ import annotations

MESSAGES = {
    "panels_absent": "Not available for this model: {names}.",
    "fold_follow": "From q, k and v",
    "fold_follow_about": "how one weight and one output are computed, down to a number in the file of weights",
    "fold_reads": "Between the heads",
    "fold_reads_about": "which heads read what earlier heads write, as arcs",
    "fold_inside": "Predictions inside",
    "fold_inside_about": "what the model predicts after each layer, and which tokens this head raises and lowers",
    "fold_corpus": "Over a corpus",
    "fold_corpus_about": "all heads, measured on many passages instead of one text",
    "fold_forming": "How the heads formed",
    "fold_forming_about": "the same text at several steps of training",
    "edit_weight_of": "Weight {query} → {key}",
    "edit_weight_share": "the rest of the row shares what remains",
    "edit_weight_undo": "Use computed weight",
    "edit_weight_undo_hint": "Undo the change of this weight",
    "edited_weight": "{name}: {query} → {key} set to {weight}{row, select, kept {, the rest of its row unchanged}"
    " other {}}",
    "writes": "What the head writes",
    "writes_hint": "How to read this",
    "writes_means": "A model gives each token that might come next a number, its logit; the softmax turns logits into"
    " probabilities. Here you see what this head adds to each logit at the chosen position: its output goes through"
    " the last norm (as applied there) and the output layer. Its mean over all tokens is subtracted, because adding"
    " the same to every logit changes no probability. The heads, the feed-forward layers and the embedding each add a"
    " part; all parts together are the logit. What later layers compute from the head’s output is not in its part, but"
    " is lost too if you switch the head off.",
    "writes_not": "Available only for models that predict a next token and have a norm before each sublayer. A norm"
    " after each sublayer rescales what heads wrote, so the parts would not add up to a logit.",
    "writes_encoder": "The encoder’s heads do not write into the logits, but into what the decoder reads. Choose the"
    " decoder or the cross-attention.",
    "writes_choose_head": "The mean and the rollout write nothing, because they are not heads: choose a head.",
    "writes_heading": "{name}, at {token}",
    "writes_looks": "attends to",
    "writes_raises": "raises",
    "writes_lowers": "lowers",
    "writes_nothing": "Switched off, this head writes nothing: it raises and lowers no token.",
    "writes_likeliest": "top guess",
    "writes_parts": "What each part adds to the logit",
    "writes_sum_of": "The logit of {token}, part by part",
    "writes_sum_of_pair": "The logit of {token} minus that of {rival}, part by part",
    "writes_choose": "Show the parts of the logit of {token}; with Shift, compare with {token}",
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
    "writes_common": "part common to all tokens {value}",
    "writes_total": "{terms} add up to {sum}; {of, select, pair {the difference of the model’s logits} other"
    " {the model’s logit}} is {logit}.",
    "writes_follows": "{token} follows in the text.",
    "writes_opened": "No token is chosen, so you see the position where the head adds most to the logit of the next"
    " token.",
    "writes_rare": "Also list the {count, number} tokens that hardly occur in the training text",
    "writes_strongest": "Largest of all heads: {name}, at {token}: {value}",
    "writes_without": "The head itself adds {direct} to this {of, select, pair {difference} other {logit}}. Without the"
    " head it is {logit} instead of {before}{of, select, pair {} other {, and the probability {after}"
    " {same, select, yes {in both cases} other {instead of {prob}}}}}: this also removes the effects that later layers"
    " built on it.",
    "trace": "Follow a number",
    "trace_hint": "What this is",
    "trace_means": "One weight, traced back to its score, to q and k, to the numbers from which they are computed, and"
    " to the file of weights. Then forward: what the head adds to its input. Lock a pair in the map to follow another"
    " weight.",
    "trace_choose_head": "The mean and the rollout are not computed from q and k: choose a head.",
    "trace_masked": "The mask hides this pair: there is no weight to follow.",
    "trace_not": "Not available where relative positions or a memory are part of the score.",
    "trace_weight": "weight of {query} → {key} = e^(score − largest) / the sum of these over {keys, plural, one {# key}"
    " other {# keys}} = e^({score} − {most}) / {total} = {weight}",
    "trace_weight_set": "from the scores this weight would be {weight}; you have set it to {changed}",
    "trace_score": "score = q·k / √s = {product} / {root} = {score}",
    "trace_score_by_layer": "score = q·k / (√s · {divisor}) = {product} / {root} = {score}: this model also divides"
    " each layer’s scores by the number of the layer, counted from 1",
    "trace_score_unscaled": "score = q·k = {score}",
    "trace_pick": "Click a number in q, k or v to follow it.",
    "trace_row_q": "q of {token}",
    "trace_row_k": "k of {token}",
    "trace_row_v": "v of {token}",
    "trace_row_out": "out of {token}",
    "trace_row_adds": "adds at {token}",
    "trace_turned": "{part}[{at}] of {token} = {value}: rotary positions turn the point ({part}[{at}], {part}[{pair}])"
    " by an angle that grows with the position. At position {position} the angle is {angle}: {own} × cos({angle})"
    " {sign, select, minus {−} other {+}} {other} × sin({angle})",
    "trace_normed": "{part}[{at}] of {token}{before, select, turn { before it is turned} other {}} = {value}: {part} /"
    " rms × γ = {whole} / {deviation} × {gain}, where rms is the root mean square of the numbers of {part}",
    "trace_number": "{part, select, adds {what the head adds} other {{part}}}[{at}] of {token}{before, select, turn {"
    " before it is turned} norm { before this norm} other {}} = {value}: the sum of"
    " {count} products of a model weight and a number in {of}{biased, select, yes {, and the bias {bias}} other {}}",
    "trace_unjoined": "This model has no map after its heads: their outputs are placed side by side, and each number"
    " passes on unchanged. So its own weight is 1 and all others are 0.",
    "trace_file": "{tensor} in {file}",
    "trace_place": "{tensor}[{row}, {column}] in {file}",
    "trace_rounded": ", stored as a whole number of 8 bits, times a scale of its row",
    "trace_place_only": "{tensor}[{row}, {column}]",
    "trace_x": "The largest of these products uses x[{column}] of {token}, which is r[{column}] after the norm:"
    " {centred, select, yes {(r − mean) / σ × γ + β = ({whole} − {mean}) / {deviation} × {gain} + {bias} = {value}}"
    " other {r / rms × γ = {whole} / {deviation} × {gain} = {value}, where rms is the root mean square of r}}",
    "trace_x_same": "The largest of these products uses x[{column}] of {token} = {value}. This model has a norm"
    " after each sublayer, so x is the output of the layer before",
    "trace_stream": "r[{column}] = {whole}: the residual stream, which is the sum of {terms}",
    "trace_embedding": "{value} of the embedding of {token}",
    "trace_position": "{value} of its position",
    "trace_segment": "{value} of its segment",
    "trace_embedded": "{value} of the embeddings",
    "trace_embeddings": "the embeddings’ [{column}] = {value}: their sum after a norm, (sum − mean) / σ × γ + β ="
    " ({whole} − {mean}) / {deviation} × {gain} + {bias}; the sum is {whole}: {terms}",
    "trace_block": "{value} from layer {layer}",
    "trace_attention": "{value} from the self-attention before",
    "trace_out": "Forward: “out” of {query} is the sum of v over all keys, each times its weight; {key} gives {weight}"
    " × its v. {joins, select, yes {The map that joins the heads turns “out” into what this head adds to the residual"
    " stream:} other {No map joins the heads of this model, so “out” itself is what this head adds to the residual"
    " stream:}}",
    "trace_largest": "Its largest numbers:",
    "trace_added": "The stream of {token} was {before} at {at}; with what this head adds it is {after}. {joins,"
    " select, yes {The other heads and a bias are added too.} other {The other heads fill the other numbers of the"
    " vector.}}",
}
