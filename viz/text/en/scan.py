"""Tab Explore says of its heads over a corpus."""

from __future__ import annotations

MESSAGES = {
    "scan": "Every head over a corpus",
    "scan_hint": "How this is read",
    "scan_means": "One text misleads about a head. Here every head was measured on many stretches of text that the"
    " model was not trained on. Each dot is a head; the darker (on a dark page, the lighter), the deeper its layer. A"
    " click opens it, and its bars run from the 10th to the 90th percentile over the stretches.",
    "scan_across": "Across",
    "scan_down": "Up",
    "scan_chart": "All heads over two measures. The arrow keys go from head to head, Enter opens one.",
    "scan_layer": "layer",
    "scan_source": "{stretches, number} stretches of {length} tokens of {corpus}, split {split}; the effect of removing"
    " a head was measured on {asked, select, hidden {the hidden pieces of} other {the next tokens of}} {removals,"
    " number} of them.",
    "scan_of_previous": "previous token",
    "scan_of_next": "next token",
    "scan_of_first": "first token",
    "scan_of_separator": "[SEP]",
    "scan_of_separator_hint": "Mass on [SEP], which ends the text, averaged over the queries. BERT’s heads rest on it"
    " when what they look for is missing.",
    "scan_of_self": "itself",
    "scan_of_same": "same token earlier",
    "scan_of_elsewhere": "same token elsewhere",
    "scan_of_elsewhere_hint": "Mass on the other places where the query’s token stands, before it or after it, averaged"
    " over the queries that have such a place.",
    "scan_of_copying": "copying",
    "scan_of_decided": "decided",
    "scan_of_decided_hint": "The largest weight on a token that is neither the first nor a special one, averaged over"
    " the queries: heads rest on those when what they look for is not there.",
    "scan_of_entropy": "entropy",
    "scan_of_distance": "distance",
    "scan_of_effect": "effect of removing it",
    "scan_of_effect_hint": "How many bits more a token costs without this head; of BERT, a hidden piece.",
    "scan_dot": "{measure}: {mean}, from {low} to {high}",
    "scan_spread": "{mean}, from {low} to {high}",
    "scan_spread_even": "{mean}, from {low} to {high} ({even} for an even spread)",
    "scan_spread_means": "The mean, and the 10th to the 90th percentile over the stretches.",
    "scan_top": "Where it is most decided",
    "scan_tenth": "{tenth, select, 1 {From the most decided tenth of the others} 10 {From the least decided tenth}"
    " other {From tenth {tenth} of 10}}",
    "scan_places": "Stretches in which this head was seen",
    "scan_places_means": "The outlined token looks at the coloured ones: the stronger the colour, the more. What it"
    " hardly looks at is left out (…). Of each stretch it is the place at which the head is most decided.",
    "scan_weight": "{share} of the attention",
    "scan_looks": "looks from here",
    "scan_plane": "Its queries and keys at these places",
    "scan_plane_chart": "Queries and keys of the head in a plane. The arrow keys go from place to place.",
    "scan_plane_means": "Circles are queries, diamonds the keys they look at most, each less their mean, in the plane"
    " of their first two principal components, which holds {share} of their variance. The darker (on a dark page, the"
    " lighter), the more decided. Groups apart from each other: the head does different things in different places.",
    "scan_queries": "queries",
    "scan_keys": "keys",
    "scan_component": "component {number}",
    "scan_none": "The heads of {name} have not been measured over a corpus. This does it, in minutes: {command}. Then"
    " start the app again.",
    "scan_damaged": "What was measured of this model over a corpus is damaged, or of other weights. This makes it"
    " again: {command}. Then start the app again.",
    "scan_elsewhere": "Only a model in a folder of its own, as former.save writes it, can be measured over a corpus.",
    "scan_kind": "Generators without a memory and BERT are measured over a corpus; this model is another.",
}
