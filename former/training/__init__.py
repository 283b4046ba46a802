"""Training the shipped models: `python -m former.training` (see `checkpoints/README.md` for every command).

A run
recipes      all settings of a run: one frozen record for each shipped model and for each training before it
init_weights the weights at step 0: random, with `neighbours`, or another model's, with new blocks if this one is deeper
compute      the device, the precision of products, compilation
optim        Muon and AdamW, and the learning rate schedule
loop         one step, and the run; `parallel` for several processes started by torchrun
state        a run on disk: atomic, resumable, never a pickle; `cache` for data that is slow to derive from a corpus
export       copies a run into a folder of `checkpoints/`
commands     `train`, `evaluate` and the others, one function each; `__main__` parses their arguments

Training data
data         corpora from a local file or their public home, checked against a hash; `batches` has helpers for batches
tasks        the registry of tasks: batches, loss, and measures of quality
  text         the next byte; `segments` with a memory, `pieces` of words by byte-level BPE
  reviews      whether a review is positive; `teacher` is a linear model whose probabilities can serve as targets
  masked       hidden pieces and following sentences, in rows made by `pairs`
  dates_task   dates in the forms that people write (`dates`), parsed back by `dates_reader`
  toys         copying, reversing, sorting, adding: a model of two blocks learns them in half a minute

Measurements (`measure`)
evaluate     bits per byte, every byte predicted once; accuracy on whole splits
heads        which heads of a generator attend to the previous token, and which copy; which heads of `dates` align
curve        a model's bits per byte and its heads at each of its snapshots
by_position  the loss at each position, also beyond the context length of training
stretches    the passages of text on which `former.analysis.scan` measures every head
lengths      the time to read a text, as a function of its length
memory       the peak memory of a step with each of the article's memory tricks on and off
"""
