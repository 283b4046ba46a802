"""The small models of each kind."""

import pytest

from tests import kinds


@pytest.fixture
def bundles():
    return kinds.bundles()
