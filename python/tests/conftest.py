"""What tests are given."""

import pytest
from made import make


@pytest.fixture
def documents():
    return make()
