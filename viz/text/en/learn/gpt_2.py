"""Section "GPT-2" says."""

from __future__ import annotations

MESSAGES = {
    "learn_gpt_2_title": "GPT-2",
    "learn_gpt_2_text": "GPT-2 is the article’s generator with small changes, made large, and it reads pieces of"
    " words. Byte-pair encoding begins with the 256 bytes and merges the commonest pair of neighbours, again and"
    " again: every text can be read, common words are one piece, rare ones several.\n\nA piece holds several bytes, so"
    " bits are counted for each byte, or models could not be compared. The article’s 0.93 is what GPT-2’s makers"
    " report for its largest model on enwik8, without training on it and with 1,024 pieces in view. Ours are small, on"
    " other text: only beside each other do their figures say something.",
    "learn_gpt_2_show": "Show",
    "learn_gpt_2_show_pieces": "pieces",
    "learn_gpt_2_show_bits": "bits",
    "learn_gpt_2_show_sizes": "sizes",
    "learn_gpt_2_show_pieces_hint": "What is merged in a text, and what each piece costs",
    "learn_gpt_2_show_bits_hint": "Pieces beside bytes: one architecture, trained on one corpus",
    "learn_gpt_2_show_sizes_hint": "The published sizes, and one of your own, counted",
    "learn_gpt_2_field": "Text",
    "learn_gpt_2_short": "Two pieces at least, please: the first has nothing before it to be predicted from.",
    "learn_gpt_2_level": "Merges",
    "learn_gpt_2_level_is": "{merges, plural, one {# merge} other {{merges, number} merges}}",
    "learn_gpt_2_pieces": "{bytes, plural, one {# byte} other {# bytes}} in {pieces, plural, one {# piece} other {#"
    " pieces}}: {each} bytes each",
    "learn_gpt_2_piece": "“{label}”: number {id} of the vocabulary, {bytes, plural, one {# byte} other {# bytes}}{bits,"
    " select, none {} other {, {bits} bits}}",
    "learn_gpt_2_coloured": "The background of a piece shows what it costs “gpt” in bits: the stronger its colour, the"
    " more.",
    "learn_gpt_2_uncoloured": "With all merges the pieces are those that “gpt” reads, and each shows what it costs.",
    "learn_gpt_2_on_text": "This text, {bytes} bytes from its second piece on",
    "learn_gpt_2_bits_of": "{bits} bits per byte",
    "learn_gpt_2_unit": "{unit, select, piece {pieces} other {bytes}}",
    "learn_gpt_2_row_reads": "reads",
    "learn_gpt_2_row_vocabulary": "vocabulary",
    "learn_gpt_2_row_parameters": "parameters",
    "learn_gpt_2_row_context": "in view",
    "learn_gpt_2_row_bytes": "bytes trained on",
    "learn_gpt_2_row_seconds": "training by the clock",
    "learn_gpt_2_row_bits": "bits per byte, all in view",
    "learn_gpt_2_row_equal": "bits per byte, 256 bytes in view",
    "learn_gpt_2_in_view": "{count} {unit, select, piece {pieces} other {bytes}}",
    "learn_gpt_2_minutes": "{minutes} min{runs, plural, one {} other {, # runs}}",
    "learn_gpt_2_winner": "{ahead, select, yes {At equal context “{pieces}” needs fewer bits.} other {At equal context"
    " “{pieces}” does not need fewer bits.}} {sooner, select, yes {It was trained for less time, so it is ahead at"
    " equal time too.} other {This says nothing about equal time.}}",
    "learn_gpt_2_source": "From the models’ cards: 5 million bytes that neither was trained on, measured by",
    "learn_gpt_2_reported": "GPT-2’s own figures are those of its paper (Radford et al. 2019, table 3), in bits per"
    " byte: the article says a character. enwik8 is English Wikipedia with its markup, and Wikipedia was left out of"
    " what GPT-2 was trained on. “gpt” and “generator” were trained on Wikipedia, and read another stretch of it,"
    " mostly without markup.",
    "learn_gpt_2_column_name": "model",
    "learn_gpt_2_column_depth": "blocks",
    "learn_gpt_2_column_emb": "e",
    "learn_gpt_2_column_heads": "heads",
    "learn_gpt_2_column_tokens": "pieces",
    "learn_gpt_2_column_positions": "places",
    "learn_gpt_2_column_blocks": "in blocks",
    "learn_gpt_2_column_total": "parameters",
    "learn_gpt_2_column_reported": "enwik8",
    "learn_gpt_2_own": "yours",
    "learn_gpt_2_depth": "Blocks",
    "learn_gpt_2_heads": "Heads of 64 numbers",
    "learn_gpt_2_counted": "Counted on the built module, without its data: 50,257 pieces, 1,024 places. The output"
    " layer is the embedding of the pieces again and has no weights of its own. The paper calls gpt2 117M and gpt2-xl"
    " 1542M; both have more parameters than that.",
    "learn_gpt_2_lesson_pieces": "After {merges, plural, one {# merge} other {{merges, number} merges}} {bytes} bytes"
    " are {pieces} pieces. This text costs “gpt” {gpt} bits per byte, “generator” {generator}.",
    "learn_gpt_2_lesson_bits": "With 256 bytes in view “gpt”, which reads them as pieces, needs {gpt} bits per byte,"
    " and “generator” {generator}.",
    "learn_gpt_2_lesson_sizes": "{depth, plural, one {# block} other {# blocks}} and an embedding of {emb}: {total}"
    " parameters, {share} of them in the blocks.",
    "learn_gpt_2_try_bytes": "Before any merge",
    "learn_gpt_2_try_foreign": "What is rare",
    "learn_gpt_2_try_bits": "Is it better?",
    "learn_gpt_2_question": "“gpt” sees 256 pieces, about 1,000 bytes, and “generator” 256 bytes. Let both see 256"
    " bytes: which needs fewer bits per byte?",
    "learn_gpt_2_choice_pieces": "gpt still",
    "learn_gpt_2_choice_bytes": "generator then",
    "learn_gpt_2_answer": "With 256 bytes in view “gpt” needs {gpt} and “generator” {generator}.",
}
