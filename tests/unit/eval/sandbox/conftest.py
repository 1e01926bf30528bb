"""The databases of the default seed, built once, and an engine over them."""

import pytest

from eval.sandbox.build import DEFAULT_SEED, ensure
from eval.sandbox.engine import Engine, connect


@pytest.fixture(scope="session")
def folder():
    return ensure(DEFAULT_SEED)


@pytest.fixture(scope="session")
def engine(folder):
    return Engine(folder)


@pytest.fixture(scope="session")
def data(folder):
    connection = connect(folder)
    yield lambda sql, *values: connection.execute(sql, values).fetchall()
    connection.close()
