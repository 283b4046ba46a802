"""The same models, faster on a CPU, for inference only: tested equal, and built only of what they know.

twin     `optimise`: the fast twin of a model, or the model itself
packed   the whole pass, on oneDNN or torch's own library, whichever is faster here
step     one new token after a cache, in one compiled call
kernels  the arithmetic of that step, on numpy arrays, compiled by numba
"""

from former.cpu.step import Precision
from former.cpu.step import available as step_available
from former.cpu.twin import FastBert, FastGenerator, optimise

__all__ = ["FastBert", "FastGenerator", "Precision", "optimise", "step_available"]
