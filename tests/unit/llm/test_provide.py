import pytest

from gameproof.errors import PlanError
from gameproof.llm.limits import Limits
from gameproof.llm.provide import PROVIDERS, Settings, provide

SETTINGS = Settings(environment={}, limits=Limits())


@pytest.mark.parametrize(
    ("llm", "meant"),
    [
        ("localhost:8000/v1", "--llm http://localhost:8000/v1"),
        ("127.0.0.1:8000", "--llm http://127.0.0.1:8000"),
        ("small@localhost:8000/v1", "--llm small@http://localhost:8000/v1"),
        ("small@models.example.org/v1", "--llm small@http://models.example.org/v1"),
    ],
)
def test_an_address_without_its_scheme_is_not_taken_for_a_model_of_the_default_endpoint(llm, meant):
    with pytest.raises(PlanError, match="begins with http:// or https://") as caught:
        provide(llm, SETTINGS)
    assert caught.value.hint == f"Write {meant}"


@pytest.mark.parametrize("llm", ["qwen2.5:7b", "team@model", "org/model:latest"])
def test_a_name_with_a_colon_or_an_at_sign_is_a_name(llm):
    assert provide(llm, SETTINGS).model.name == llm


@pytest.mark.parametrize("prefix", PROVIDERS)
def test_a_kind_of_model_alone_names_none(prefix):
    with pytest.raises(PlanError, match=f"--llm {prefix}: names no model") as caught:
        provide(f"{prefix}:", SETTINGS)
    assert prefix in caught.value.hint
