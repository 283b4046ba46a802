"""Training the shipped models: `python -m former.training` (see `checkpoints/README.md` for every command).

data      corpora from a local file or their public home, hash checked
tasks     the registry of tasks, in `text`, `reviews`, `masked` and `dates_task`: a batch, its loss, its figures
batches   what the tasks' batches are made with
teacher   a linear model whose opinions the classifier learns from, besides the labels
recipes   everything that fixes a run, one frozen record for each shipped model: its kind, its task, its corpus
begin     what a run begins with: random weights, or another model's, grown where this one is deeper
compute   the device, the precision of products, compilation
optim     Muon and AdamW, the learning rate over time, the weights at step 0
state     a run on disk: atomic, resumable, never a pickle
loop      one step, and the run
parallel  several processes by torchrun
evaluate  bits per byte, every byte predicted once; accuracy on whole splits
heads     which heads of a generator look at the token before, and which copy; which of `dates` align
memory    the peak memory of a step with each of the article's tricks on and off
toys      copying, reversing, sorting, adding: what a model of two blocks learns in half a minute
dates     dates in every form that people write, and as 2026-11-21; `dates_reader` reads the forms back
export    from a run to a directory in `checkpoints/`
"""
