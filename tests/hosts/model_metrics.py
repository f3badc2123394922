"""Real metrics of DeepEval, Ragas, Inspect and autoevals that ask a model: the stub at STUB_URL."""

import os

QUESTION = "How much of the expected text does the answer tell?"


def geval():
    """Make DeepEval's GEval, with steps of its own so that it asks once for each text."""
    from deepeval.metrics import GEval  # noqa: PLC0415 - not in the environment of the tests
    from deepeval.models import GPTModel  # noqa: PLC0415
    from deepeval.test_case import SingleTurnParams  # noqa: PLC0415

    return GEval(
        name="coverage",
        evaluation_steps=[QUESTION],
        evaluation_params=[SingleTurnParams.ACTUAL_OUTPUT, SingleTurnParams.EXPECTED_OUTPUT],
        model=GPTModel(model="gpt-4o-mini", base_url=os.environ["STUB_URL"], api_key="none"),
    )


def ragas_criteria():
    """Make Ragas' SimpleCriteriaScore, a metric of the first generation."""
    from langchain_openai import ChatOpenAI  # noqa: PLC0415
    from ragas.llms import LangchainLLMWrapper  # noqa: PLC0415
    from ragas.metrics import SimpleCriteriaScore  # noqa: PLC0415

    model = ChatOpenAI(model="stub", base_url=os.environ["STUB_URL"], api_key="none")
    return SimpleCriteriaScore(name="coverage", definition=QUESTION, llm=LangchainLLMWrapper(model))


def ragas_accuracy():
    """Make Ragas' AnswerAccuracy of the collections, which asks twice for each text."""
    from openai import AsyncOpenAI  # noqa: PLC0415
    from ragas.llms import llm_factory  # noqa: PLC0415
    from ragas.metrics.collections import AnswerAccuracy  # noqa: PLC0415

    client = AsyncOpenAI(base_url=os.environ["STUB_URL"], api_key="none")
    return AnswerAccuracy(llm=llm_factory("stub", client=client))


def ragas_bleu():
    """Make Ragas' BleuScore of the collections, which asks no model."""
    from ragas.metrics.collections import BleuScore  # noqa: PLC0415

    return BleuScore()


def inspect_fact():
    """Make Inspect's model_graded_fact with the stub as its grader."""
    from inspect_ai.model import get_model  # noqa: PLC0415
    from inspect_ai.scorer import model_graded_fact  # noqa: PLC0415

    grader = get_model("openai-api/stub/stub", base_url=os.environ["STUB_URL"], api_key="none")
    return model_graded_fact(model=grader, partial_credit=True)


def autoevals_factuality():
    """Make autoevals' Factuality."""
    from autoevals import Factuality  # noqa: PLC0415

    return Factuality(model="gpt-4o-mini", base_url=os.environ["STUB_URL"], api_key="none")
