"""Broken promises say what they saw, as broken tests do; on PostgreSQL most pairs are long."""

import pytest

pytest.register_assert_rewrite("tests.contract.promises")
_PAIRS = "tests/contract/test_contract.py::test_promise["


@pytest.hookimpl(tryfirst=True)  # editions look at the marks after it
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    from tests.contract.pairs import is_repeated  # not before the line above has been said

    engine = config.getoption("--engine")
    for item in items:
        case = getattr(item, "callspec", None)
        if (
            item.nodeid.startswith("tests/contract/test_contract.py")
            and case
            and is_repeated(case.id, engine)
        ):
            item.add_marker(pytest.mark.long)
