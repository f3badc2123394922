"""Public cases, section H: access to log-probabilities."""

import math

import pytest
from tests.support.asking import connected
from tests.support.ngram_model import Bigrams, chat_only, completions, cut
from tests.support.stub_server import StubServer, always, error

from gameproof.errors import BudgetError, CallError, EndpointError
from gameproof.llm.connect import connect
from gameproof.llm.prompt_logprobs import PromptLogProbs, split_pair, sum_continuation
from gameproof.llm.selftest import SENTENCE

CONTEXT = "The capital of Italy is"
BASE_TEN = 1 / math.log(10)


def score(script, context, continuation):
    with StubServer(script) as stub:
        return connected(lambda model: model.logprob(context, continuation), f"bigrams@{stub.url}")


def refusal(script):
    with pytest.raises(EndpointError) as caught:
        score(script, CONTEXT, " Rome.")
    return str(caught.value)


@pytest.mark.parametrize("first_is_null", [True, False])
def test_an_honest_endpoint_passes_and_gives_the_exact_log_probability(first_is_null):
    tokens = cut(f"{CONTEXT} Rome.")
    exact = sum(Bigrams().logprobs(tokens)[-2:])  # " Rome" and "."

    found = score(completions(first_is_null=first_is_null), CONTEXT, " Rome.")

    assert found == pytest.approx(exact, abs=1e-12)  # the same sum of the same doubles, sent as JSON


def test_case_56_a_chat_only_endpoint_is_refused_with_the_cells_that_work():
    message = refusal(chat_only)

    assert "cannot serve autoreg" in message
    assert "TV+fvar+statement+oracle" in message


def test_case_57_one_log_probability_for_a_prompt_of_many_tokens_is_refused():
    message = refusal(completions(n_values=1))

    assert "1 log-probabilities for a prompt of 6 tokens" in message


def test_case_57_an_endpoint_that_ignores_echo_is_refused():
    assert "cannot serve autoreg" in refusal(completions(echo=False))


def test_a_server_that_reads_its_table_one_row_too_far_is_refused_with_both_numbers():
    message = refusal(completions(shift=1))

    assert "when it stands in the prompt" in message
    assert message.count("-") >= 2


def test_logarithms_to_another_base_are_refused():
    assert "when it stands in the prompt" in refusal(completions(scale=BASE_TEN))


def test_scores_that_are_no_log_probabilities_are_refused():
    assert "above 0" in refusal(completions(scale=-1.0))


def test_an_endpoint_that_returns_no_log_probabilities_at_all_is_refused():
    assert "cannot serve autoreg" in refusal(always("yes"))


def test_an_endpoint_that_refuses_echo_is_refused():
    def script(call):
        return (
            error(400, "echo is not supported", param="echo") if "echo" in call.body else completions()(call)
        )

    assert "does not take 'echo'" in refusal(script)


def test_case_58_a_context_that_ends_with_a_space_scores_as_without():
    with_space = score(completions(), f"{CONTEXT} ", "Rome.")

    assert with_space == score(completions(), CONTEXT, " Rome.")


def test_case_58_white_space_before_a_text_belongs_to_the_text():
    assert split_pair("Title\n\n", "Text") == ("Title", "\n\nText")


def test_case_58_a_token_across_the_border_is_an_error_not_a_number():
    scored = PromptLogProbs(prompt="unbelievable", tokens=("unb", "elievable"), logprobs=(-1.0, -2.0))

    with pytest.raises(CallError, match=r"spans the end of the context"):
        sum_continuation(scored, "un", "believable")


def test_a_first_token_without_a_value_is_an_error_not_a_zero():
    with pytest.raises(CallError, match="no log-probability for the token 'The'"):
        score(completions(), "", SENTENCE)


def test_the_self_test_runs_once_for_many_texts():
    with StubServer(completions()) as stub:

        async def work(model):
            return [await model.logprob(CONTEXT, text) for text in (" Rome", " Paris", " old")]

        connected(work, f"bigrams@{stub.url}")
        texts_scored = [call for call in stub.calls if call.body["prompt"].startswith(CONTEXT)]

    assert len(texts_scored) == 3
    assert len(stub.calls) < 20


def test_log_probabilities_are_kept_too(tmp_path):
    with StubServer(completions()) as stub:
        options = {"llm": f"bigrams@{stub.url}", "cache": tmp_path / "calls.sqlite"}
        first = connected(lambda model: model.logprob(CONTEXT, " Rome"), **options)

        async def again(model):
            return await model.logprob(CONTEXT, " Rome"), model.usage()

        second, usage = connected(again, **options)

    assert second == first
    # The self-test asks for a sentence of six tokens, and twice for each token after the first; the text is stored.
    assert (usage.calls, usage.cached) == (1 + 2 * 5, 1)


def test_probing_tells_what_an_endpoint_ignores():
    with StubServer(always("blue")) as stub:
        findings = connected(lambda model: model.probe(), f"stub@{stub.url}")

    told = {finding.probe: finding for finding in findings}
    assert told["chat"].works
    assert "silently ignored" in told["json_schema"].detail
    assert told["logprobs"].detail == "silently ignored"
    assert not told["prompt log-probs"].works


def test_connecting_a_connection_gives_it_back():
    async def work(model):
        return await connect(model) is model

    with StubServer(always("yes")) as stub:
        assert connected(work, f"stub@{stub.url}")


def test_the_calls_of_the_self_test_count():
    async def work(model):
        await model.logprob(CONTEXT, " Rome.")
        return model.usage().calls, model.needs_self_test

    with StubServer(completions()) as stub:
        n_calls, needs_self_test = connected(work, f"bigrams@{stub.url}")
        assert n_calls == len(stub.calls) > 1
    assert not needs_self_test


def test_the_limit_of_calls_holds_for_the_self_test():
    with StubServer(completions()) as stub:
        with pytest.raises(BudgetError, match="limit of 3 model calls"):
            connected(lambda model: model.logprob(CONTEXT, " Rome."), f"bigrams@{stub.url}", max_calls=3)
        assert len(stub.calls) == 3
