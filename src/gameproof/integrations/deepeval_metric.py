"""A gameproof metric inside DeepEval: in `assert_test`, `evaluate` and `deepeval test run`."""

from functools import cache
from typing import Any, Unpack

from gameproof.audits.ready import Outcome, ReadyMetric, Terms
from gameproof.integrations.hosting import Wanted, as_ready, explain, lacking
from gameproof.metrics.adapters.deepeval import no_tracking
from gameproof.metrics.adapters.hosted import import_host
from gameproof.metrics.spec_text import split_spec
from gameproof.records import Item

__all__ = ["deepeval_metric"]

PACKAGE = "deepeval"
TASK = "task_id"  # in a test case's metadata: the task's id in the pool
FIELDS = {"reference": "expected_output", "source": "context", "query": "input"}


def deepeval_metric(
    metric: Wanted,
    *,
    threshold: float | None = None,
    verbose_mode: bool = False,
    flaky: bool = False,
    **terms: Unpack[Terms],
) -> Any:  # Any: DeepEval's BaseMetric, which is not installed where gameproof is made
    """Make a DeepEval metric.

    ``actual_output`` is scored, ``expected_output`` is its reference, ``context`` (or ``retrieval_context``) its
    source, ``input`` its query. With a pool the test case's task is found in it by these texts, or by ``task_id``
    in the case's metadata, and all references of the task serve. A text without a score has DeepEval's ``error`` and
    no ``score``; a field that the metric needs and the case lacks is DeepEval's MissingTestCaseParamsError.

    Args:
        metric: A name, a metric, a function of an `Item`, or a `ReadyMetric`.
        threshold: The score that passes, reached from the metric's better side; None passes no judgement.
        verbose_mode: Whether DeepEval prints the signature and the notes.
        flaky: As DeepEval's own metrics have it.
        terms: `Terms`: pool, llm, cache, limits, rename, reference, group_by, seed.

    Raises:
        InputError: DeepEval is not installed, or as in `ReadyMetric`.
    """
    ready = as_ready(metric, terms)
    return _metric_class()(ready, threshold=threshold, verbose_mode=verbose_mode, flaky=flaky)


@cache
def _metric_class() -> Any:  # Any: a class of the host
    no_tracking()
    base = import_host("deepeval.metrics", PACKAGE).BaseMetric
    missing_params = import_host("deepeval.errors", PACKAGE).MissingTestCaseParamsError

    class GameproofMetric(base):
        """DeepEval copies metrics by the names of these arguments: the copies share what is ready."""

        def __init__(
            self, ready: ReadyMetric, *, threshold: float | None, verbose_mode: bool, flaky: bool
        ) -> None:
            self.ready = ready
            self.threshold = threshold
            self.verbose_mode = verbose_mode
            self.flaky = flaky
            self.evaluation_model = split_spec(ready.signature).options.get("llm")
            self.include_reason = True

        def measure(self, test_case: Any, *_: object, **__: object) -> float | None:
            return self._keep(self.ready.score([self._item(test_case)])[0])

        async def a_measure(self, test_case: Any, *_: object, **__: object) -> float | None:
            (outcome,) = await self.ready.ascore([self._item(test_case)])
            return self._keep(outcome)

        def is_successful(self) -> bool | None:
            self.success = _verdict(self.ready, self.score, self.threshold)
            return self.success

        @property
        def __name__(self) -> str:
            return f"gameproof {self.ready.name}"

        def _item(self, test_case: Any) -> Item:
            self.score = self.reason = self.error = self.verbose_logs = None
            item = _item_of(self.ready, test_case)
            lacks = lacking(self.ready, item)
            if lacks is not None:
                self.error = f"the test case has {lacks}{_where(lacks)}"
                raise missing_params(f"{self.__name__}: {self.error}")
            return item

        def _keep(self, outcome: Outcome) -> float | None:
            self.score = outcome.value
            self.error = None if outcome.value is not None else f"no score: {outcome.reason}"
            self.reason = explain(self.ready, outcome)
            self.is_successful()
            if self.verbose_mode:
                self.verbose_logs = "\n".join([self.reason, *self.ready.notes])
            return outcome.value

    return GameproofMetric


def _item_of(ready: ReadyMetric, test_case: Any) -> Item:  # Any: DeepEval's LLMTestCase
    contexts: list[Any] = test_case.context or test_case.retrieval_context or []
    expected: str | None = test_case.expected_output
    metadata: dict[str, Any] = test_case.metadata or {}
    return ready.item(
        test_case.actual_output or "",
        references=[expected] if expected else [],
        source="\n\n".join(str(getattr(each, "context", each)) for each in contexts) or None,
        query=test_case.input or None,
        task=metadata.get(TASK),
    )


def _verdict(ready: ReadyMetric, score: float | None, threshold: float | None) -> bool | None:
    return None if threshold is None else ready.meets(score, threshold)


def _where(lacks: str) -> str:
    field = FIELDS.get(lacks.removeprefix("no "))
    return f": fill '{field}'" if field else ""
