"""The models of one run, found by name or address."""

import asyncio

import pytest
from tests.support.stub_server import StubServer, always

from gameproof.errors import EndpointError
from gameproof.llm.pool import ModelPool


def found(name):
    async def run():
        async with ModelPool(cache="off", environment={}) as models:
            await models.find(name, "overlap", None)
            return models(name).name

    return asyncio.run(run())


def test_an_address_alone_names_a_second_model_such_as_the_one_that_rewrites():
    with StubServer(always("yes"), models=["writer"]) as stub:
        assert found(stub.url) == "writer"


def test_a_name_with_its_address_is_not_asked_for():
    with StubServer(always("yes"), models=["writer", "another"]) as stub:
        assert found(f"another@{stub.url}") == "another"


def test_a_second_address_that_does_not_answer_is_told_as_such():
    with pytest.raises(EndpointError, match="cannot be reached"):
        found("http://127.0.0.1:9/v1")
