"""Messages of tab Explore about heads over a corpus."""

from __future__ import annotations

MESSAGES = {
    "scan": "Every head over a corpus",
    "scan_hint": "How to read this",
    "scan_means": "One text can mislead you about a head. So every head was measured on many passages of text that the"
    " model was not trained on. Each dot is a head; the darker (on a dark page, the lighter), the deeper its layer."
    " Click a dot to open its head. Its bars run from the 10th to the 90th percentile over the passages.",
    "scan_across": "x-axis",
    "scan_down": "y-axis",
    "scan_chart": "All heads by two measures. The arrow keys go from head to head, Enter opens one.",
    "scan_layer": "layer",
    "scan_source": "{stretches, number} passages of {length} tokens of {corpus}, {split, select, val {the validation"
    " split} test {the test split} other {{split}}}. The effect of removing a head was measured on {removals, number}"
    " of them, as the extra bits for {asked, select, hidden {the hidden tokens} other {the next tokens}}.",
    "scan_of_decided": "largest weight",
    "scan_of_decided_hint": "The largest weight on a token that is neither the first nor a special one, averaged over"
    " the queries. Heads attend to the first and to special tokens when they do not find what they look for.",
    "scan_of_entropy": "entropy",
    "scan_of_distance": "distance",
    "scan_of_effect": "effect of removing it",
    "scan_of_effect_hint": "How many more bits a token costs without this head; for BERT, a hidden token.",
    "scan_dot": "{measure}: {mean}, from {low} to {high}",
    "scan_spread": "{mean}, from {low} to {high}",
    "scan_spread_even": "{mean}, from {low} to {high} ({even})",
    "scan_spread_means": "Mean, then 10th to 90th percentile over the passages (in brackets, the value for equal"
    " weights).",
    "scan_top": "Passages with its largest weights",
    "scan_tenth": "{tenth, select, 1 {Other passages: the tenth with the largest weights} 10 {The tenth with the"
    " smallest weights} other {Tenth {tenth} of 10, ordered by weight}}",
    "scan_places": "Passages in which this head was measured",
    "scan_places_means": "The outlined token attends to the coloured ones: the stronger the colour, the larger the"
    " weight. Tokens with hardly any weight are left out (…). Each passage is shown at its query with the largest"
    " weight.",
    "scan_weight": "{share} of the attention",
    "scan_looks": "attends from here",
    "scan_plane": "Its queries and keys at these positions",
    "scan_plane_chart": "Queries and keys of the head in a plane. The arrow keys go from position to position.",
    "scan_plane_means": "Circles are queries, diamonds the keys they attend to most. Their means are subtracted, and"
    " they are drawn in the plane of their first two principal components, which holds {share} of their variance. The"
    " darker (on a dark page, the lighter), the larger the weight. Separate groups suggest that the head does different"
    " things at different positions.",
    "scan_queries": "queries",
    "scan_keys": "keys",
    "scan_component": "component {number}",
    "scan_none": "The heads of {name} have not been measured over a corpus. This command measures them in"
    " a few minutes: {command}. Then restart the app.",
    "scan_damaged": "The measurements of this model over a corpus are damaged, or belong to other weights. This"
    " command repeats them: {command}. Then restart the app.",
    "scan_elsewhere": "Only a model in its own folder, as written by former.save, can be measured over a corpus.",
    "scan_kind": "Only BERT and generators without a memory are measured over a corpus; this model is of another kind.",
}
