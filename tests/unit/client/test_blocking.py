"""Both clients have the same methods, and one that is closed says so."""

from __future__ import annotations

import inspect

import pytest

import parley
from parley.client.async_client import AsyncClient
from parley.client.files import FilesClient
from parley.client.memory import MemoryClient
from parley.client.sync_client import Client, Files, PersonMemory, Threads
from parley.client.threads import ThreadsClient

OF_THE_OTHER = {"ensure_uploaded"}
"""Methods for the asynchronous client itself."""
PAIRS = [(AsyncClient, Client), (ThreadsClient, Threads), (FilesClient, Files), (MemoryClient, PersonMemory)]


@pytest.mark.parametrize(("asynchronous", "waiting"), PAIRS, ids=lambda kind: kind.__name__)
def test_each_method_is_there_twice(asynchronous: type, waiting: type) -> None:
    def named(kind: type) -> set[str]:
        return {name for name, value in vars(kind).items() if callable(value) and name[0] != "_"}

    assert named(asynchronous) - OF_THE_OTHER == named(waiting)
    for name in named(waiting):
        theirs, ours = getattr(asynchronous, name), getattr(waiting, name)
        assert list(inspect.signature(theirs).parameters) == list(inspect.signature(ours).parameters), name


def test_it_is_used_in_a_block() -> None:
    client = parley.Client(url="http://127.0.0.1:9")
    with pytest.raises(parley.ClientError, match="use it in a `with` block") as refused:
        client.threads.list()
    assert refused.value.code == "closed"
    with pytest.raises(ValueError, match="one of config, settings and url"):
        parley.Client("config.yaml", url="http://127.0.0.1:9")


def test_what_the_package_does_not_have_is_an_error_as_usual() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Klient'"):
        parley.Klient  # type: ignore[attr-defined]  # noqa: B018
