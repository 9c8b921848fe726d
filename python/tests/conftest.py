"""Fixtures of the tests."""

import pytest
from synthetic import make_documents


@pytest.fixture
def documents():
    return make_documents()
