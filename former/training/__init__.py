"""Training the shipped models: `python -m former.training` (see `checkpoints/README.md` for every command).

What a run is
recipes      everything that fixes it: one frozen record for each shipped model, and for each training it goes on from
init_weights the weights at step 0: random, with `neighbours`, or another model's, grown where this one is deeper
compute      the device, the precision of products, compilation
optim        Muon and AdamW, and the learning rate over time
loop         one step, and the run; `parallel` for several processes by torchrun
state        a run on disk: atomic, resumable, never a pickle; `cache` for what is slow to make of a corpus
export       from a run to a folder in `checkpoints/`
commands     each of `train`, `evaluate` and the others as a function, parsed by `__main__`

What it learns from
data         corpora from a local file or their public home, hash checked; `batches` has what batches are made with
tasks        the registry of tasks: a batch, its loss, its figures
  text         the next byte; `segments` with a memory, `pieces` of words by byte-level BPE
  reviews      whether a review is positive; `teacher` is a linear model whose opinions it may learn from
  masked       hidden pieces and following sentences, in rows of `pairs`
  dates_task   dates in every form that people write (`dates`), read back by `dates_reader`
  toys         copying, reversing, sorting, adding: what a model of two blocks learns in half a minute

What is measured (`measure`)
evaluate     bits per byte, every byte predicted once; accuracy on whole splits
heads        which heads of a generator look at the token before, and which copy; which of `dates` align
curve        what a model is worth at each of its snapshots, and what its heads do there
by_position  how well it predicts at each place, and beyond the length it was trained on
stretches    the stretches of text on which `former.analysis.scan` measures every head
lengths      the time to read a text, over its length
memory       the peak memory of a step with each of the article's tricks on and off
"""
