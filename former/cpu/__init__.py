"""Fast twins of the models, for inference on a CPU: tested equal to the readable models.

twin     `optimise` returns the fast twin of a model, or the model itself
packed   the whole pass, by oneDNN or torch's own library, whichever is faster here
step     one new token after a cache, in one compiled call
kernels  the arithmetic of that step, on numpy arrays, compiled by numba
"""

from former.cpu.step import Precision
from former.cpu.step import available as step_available
from former.cpu.twin import FastBert, FastGenerator, optimise

__all__ = ["FastBert", "FastGenerator", "Precision", "optimise", "step_available"]
