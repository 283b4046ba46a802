"""Settings for all tests: few threads, so that parallel workers do not compete for the cores; the small models."""

import os

import hypothesis
import pytest
import torch

from tests import kinds

if "OMP_NUM_THREADS" not in os.environ:  # tests/machines.py asks for more
    torch.set_num_threads(1)
# A shared machine may stall any one example for seconds: no deadline, and as many examples as a minute allows.
hypothesis.settings.register_profile("former", deadline=None, max_examples=40)
hypothesis.settings.load_profile("former")

# The longest tests, single files first.
LONG = (
    *("tests/viz/server/test_requests", "tests/browser/page/test_geometry", "tests/test_readme"),
    *("tests/browser/", "tests/viz/server/", "tests/training/"),
)


@pytest.hookimpl(wrapper=True, optionalhook=True)
def pytest_xdist_auto_num_workers():
    """Returns one more than the number of cores, since tests often wait for a page, a process or a timer."""
    return (yield) + 1


def pytest_collection_modifyitems(items):
    """Puts the long files first: with --no-loadscope-reorder no worker starts one when the others have finished."""
    items.sort(key=lambda item: [not item.nodeid.startswith(path) for path in LONG])


@pytest.fixture
def bundles():
    """The small models of each kind."""
    return kinds.bundles()
