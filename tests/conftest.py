"""What holds for every test: few threads, so that parallel workers do not fight over the cores."""

import os

import hypothesis
import torch

if "OMP_NUM_THREADS" not in os.environ:  # tests/machines.py asks for more
    torch.set_num_threads(1)
# A shared machine may stall any one example for seconds: no deadline, and as many examples as a minute allows.
hypothesis.settings.register_profile("former", deadline=None, max_examples=40)
hypothesis.settings.load_profile("former")
