"""Autoregression over models whose log-probabilities can be worked out by hand."""

import asyncio
import math

import numpy as np
import pytest
from tests.support.ngram_model import Bigrams, chat_only, completions, cut
from tests.support.stub_server import StubServer

from gameproof import aio
from gameproof.errors import EndpointError, PlanError, SpecError
from gameproof.fmi.spec import PRESETS
from gameproof.llm.limits import Limits
from gameproof.llm.local.framing import plain_frame
from gameproof.llm.pool import ModelPool
from gameproof.llm.providers.fake import FakeModel
from gameproof.llm.text_scores import TextScore, too_long
from gameproof.metrics.catalogue import build_metrics
from gameproof.metrics.fmi_autoreg import FRAMES
from gameproof.metrics.predictors.pair_scores import OVER_HTTP
from gameproof.prompts.loading import Trusted, load
from gameproof.records import Item

KL = "KL+direct+token+autoreg"
QUICK = Limits(backoff_s=0.005, longest_backoff_s=0.05, attempt_s=10.0, deadline_s=30.0)
NOT_IN_PROMPT, IN_PROMPT = -3.0, -1.0  # of a word of the text, by whether the frame has it
END = -0.5
WORDS = ("rain", "snow", "fire", "wind", "frost", "flood")


class Model:
    """On this machine: a word of the text is likelier if the frame has it. Counts what goes through it."""

    name = "words"

    def __init__(self, most_words=1000):
        self.most_words = most_words
        self.settings = []

    async def complete(self, request):
        raise AssertionError(request)  # autoregression asks nothing

    async def close(self):
        """Hold nothing."""

    async def score_texts(self, settings, *, dtype, batch):
        assert (dtype, batch) == ("fp32", 8)
        self.settings += settings
        return [[self._score(setting, text) for text in setting.texts] for setting in settings]

    def scoring_notes(self, dtype):
        return (f"scored in {dtype}",)

    def _score(self, setting, text):
        said = " ".join(turn.content for turn in setting.messages).split()
        words = text.split()
        if len(said) + len(words) > self.most_words:
            return too_long(self.most_words)
        return TextScore(
            sum(IN_PROMPT if word in said else NOT_IN_PROMPT for word in words) + END, len(words) + 1
        )

    @property
    def pairs(self):
        return [(setting.messages, text) for setting in self.settings for text in setting.texts]


def make_items(**changes):
    return [
        Item(
            id=word,
            task_id=word,
            candidate=f"{word} nearby",
            references=(f"{word} came",),
            source=f"about {word}",
            **changes,
        )
        for word in WORDS
    ]


def run(metrics, items=None, model=None, **options):
    model = model or Model()
    return asyncio.run(aio.score(items or make_items(), metrics, llm=model, cache="off", **options))


def test_the_score_is_what_the_candidate_adds_to_the_log_probability():
    # "rain" is in the frame of the own candidate and not in the empty one; "came" is in neither.
    assert run([KL])[KL].values.tolist() == [IN_PROMPT - NOT_IN_PROMPT] * 6


def test_the_mean_over_tokens_counts_the_end_of_the_turn():
    name = f"{KL},ratio=token"
    assert run([name])[name].values.tolist() == pytest.approx([(IN_PROMPT - NOT_IN_PROMPT) / 3] * 6)


def test_given_the_source_only_what_is_beyond_it_counts():
    # The source of each item holds the very word that its candidate could add.
    assert run(["GEM_S"])[f"{KL},given=source"].values.tolist() == [0.0] * 6


def test_given_a_source_that_is_not_there_a_score_is_missing():
    items = make_items()
    items[2] = Item(id="snow 2", task_id="snow", candidate="snow", references=("snow came",))
    scores = run(["GEM_S"], items)[f"{KL},given=source"]
    assert scores.reasons == {"snow 2": "no source"}


def test_negatives_are_scored_behind_the_same_candidate():
    # Own: log r = 2. Negatives: "rain nearby" adds nothing to "snow came": log r = 0, so T is sign(0) / 2 = 0.
    name = "TV+fvar+token+autoreg"
    assert run([name])[name].values.tolist() == [0.5] * 6
    # KL: T = 1 + log r, f*(T) = r.
    name = "KL+fvar+token+autoreg"
    assert run([name])[name].values.tolist() == [1 + 2 - 1] * 6


def test_cells_of_one_model_share_every_pass_whatever_their_order():
    cells = [
        f"{divergence}+{estimator}+token+autoreg"
        for estimator in ("direct", "fvar")
        for divergence in ("KL", "TV")
    ]
    for order in (cells, cells[::-1]):
        model = Model()
        run(order, model=model)
        assert len(model.pairs) == len(set(model.pairs))
        frames = [setting.messages for setting in model.settings]
        assert len(frames) == len(set(frames)) == 7  # one a candidate, and one that tells nothing
        assert len(model.pairs) == 6 * 5 + 6  # own reference and four negatives; each reference alone


def test_a_candidate_that_comes_again_is_not_scored_again():
    model = Model()
    items = make_items()
    run(
        [KL],
        [*items, Item(id="again", task_id="rain", candidate="rain nearby", references=("rain came",))],
        model,
    )
    assert len(model.pairs) == 6 + 6


def test_a_text_beyond_the_context_is_missing_and_never_cut():
    words = len(
        " ".join(turn.content for turn in load("frame", "gem").render(candidate=None, source=None)).split()
    )
    model = Model(most_words=words + 20)
    items = make_items()
    items[0] = items[0].with_candidate("rain " * 40)
    scores = run([KL], items, model)[KL]
    assert scores.reasons == {"rain": too_long(words + 20)}


def test_a_reference_beyond_the_context_is_dropped_for_every_candidate():
    words = len(
        " ".join(turn.content for turn in load("frame", "gem").render(candidate=None, source=None)).split()
    )
    items = make_items()
    long = "snow " * 40
    items[1] = Item(id="snow", task_id="snow", candidate="snow", references=(long,))
    table = run(["TV+fvar+token+autoreg"], items, Model(most_words=words + 20))
    assert table.scores[0].reasons == {"snow": too_long(words + 20)}
    assert f"1 of 6 references dropped: {too_long(words + 20)}" in table.notes


def test_clipped_ratios_are_counted_in_the_notes():
    # Own log ratios are 2, those of the 24 negatives are 0: with clip=1 the six own ones are cut.
    table = run(["KL+fvar+token+autoreg,clip=1"])
    assert "6 log ratios cut to 1 nats before an exp" in table.notes


def test_what_the_model_has_to_say_is_among_the_notes():
    assert "scored in fp32" in run([KL]).notes


@pytest.mark.parametrize("preset", [name for name, text in PRESETS.items() if "autoreg" in text])
def test_presets_run_and_their_signatures_rebuild_them(preset):
    table = run([preset])
    (signature,) = table.signatures
    assert "llm=words" in signature
    assert "prompt=g" in signature
    again = run([signature])
    assert again.signatures == (signature,)
    assert again.scores[0].values.tolist() == table.scores[0].values.tolist()


def test_the_frames_differ_in_nothing_but_what_is_given():
    for name in FRAMES:
        frame = load("frame", name.partition(".")[0])
        full = frame.render(candidate=Trusted("X"), source=Trusted("Z"))
        null = frame.render(candidate=None, source=None)
        text = "Not available" if name == "gem.v1" else "Not given"
        assert [turn.content.replace("X", text).replace("Z", text) for turn in full] == [
            turn.content for turn in null
        ]
        # No tokenizer joins a letter and a line break: where the frame ends a token ends.
        assert all(turn.content[-1].isalpha() for turn in (full[-1], null[-1]))


def test_a_frame_that_does_not_exist_is_refused():
    with pytest.raises(SpecError, match=r"gem\.v1 and gppm\.v1"):
        build_metrics([f"{KL},prompt=mine.v1"], llm=Model())


def test_braces_and_markup_of_a_candidate_stay_text():
    model = Model()
    items = [item.with_candidate("{{ 7 * 7 }} <b>") for item in make_items()]
    run([KL], items, model)
    assert any("{{ 7 * 7 }} <b>" in setting.messages[-1].content for setting in model.settings)


def over_http(script, metrics, items=None, work=aio.score):
    async def go(url):
        pool = ModelPool(f"bigrams@{url}", cache="off", limits=QUICK, environment={})
        return await work(items or make_items(), metrics, llm=pool), pool.usages()

    with StubServer(script) as stub:
        return asyncio.run(go(stub.url))


def test_an_endpoint_that_passes_the_self_test_gives_the_exact_ratio():
    frame = load("frame", "gem")

    def exact(candidate, text):
        context = plain_frame(frame.render(candidate=candidate, source=None))
        return sum(Bigrams().logprobs(cut(context + text))[len(cut(context.rstrip())) :])

    table, _ = over_http(completions(), [KL])
    expected = [
        exact(Trusted(item.candidate), item.references[0]) - exact(None, item.references[0])
        for item in make_items()
    ]
    # a model of bigrams sees only the last token of a frame, which is the same: nothing is gained
    assert expected == [0.0] * 6
    assert table[KL].values == pytest.approx(expected, abs=1e-12)
    assert OVER_HTTP in table.notes


def test_case_56_a_chat_only_endpoint_is_refused_before_anything_is_scored():
    with pytest.raises(EndpointError, match="cannot serve autoreg") as caught:
        over_http(chat_only, [KL])
    assert "TV+fvar+statement+oracle" in str(caught.value)


@pytest.mark.parametrize("script", [completions(echo=False), completions(n_values=1), completions(shift=1)])
def test_case_57_an_endpoint_that_ignores_what_it_is_asked_is_refused(script):
    with pytest.raises(EndpointError, match="cannot serve autoreg"):
        over_http(script, [KL])


def test_a_model_that_only_chats_is_refused_with_the_cells_that_work():
    with pytest.raises(EndpointError, match="it answers chats only"):
        run([KL], model=FakeModel(lambda request: request.purpose))


@pytest.mark.parametrize("option", ["ratio=token", "dtype=bf16"])
def test_an_endpoint_is_not_asked_for_what_only_a_local_model_can_do(option):
    with pytest.raises(SpecError, match=f"{option} needs a model on this machine"):
        over_http(completions(), [f"{KL},{option}"])


def test_without_a_model_a_cell_is_refused():
    with pytest.raises(SpecError, match="asks a language model"):
        build_metrics([KL])


def test_a_dry_run_counts_the_calls_of_an_endpoint_to_the_call():
    metrics = ["TV+fvar+token+autoreg", KL]
    counted, _ = over_http(completions(), metrics, work=_count)
    _, usages = over_http(completions(), metrics)
    assert counted.calls == 6 * 5 + 6
    # The self-test scores a sentence of six tokens, then writes and scores each but the first: a note says so.
    self_test = 1 + 2 * 5
    assert usages[0].calls == counted.calls + self_test
    assert any("comes first, once" in note for note in counted.notes)


async def _count(items, metrics, *, llm):
    return await aio.dry_run(items, metrics, llm=llm, perturbations=[])


def test_scores_are_finite_where_frames_are_empty_of_words():
    scores = run([KL], [item.with_candidate("?") for item in make_items()])[KL]
    assert scores.values.tolist() == [0.0] * 6
    assert not any(map(math.isnan, scores.values))


def test_scoring_without_preparation_is_refused():
    (metric,) = build_metrics([KL], llm=Model())
    with pytest.raises(PlanError, match="must see them first"):
        asyncio.run(metric.score(make_items()))


def test_contrast_has_one_place_for_each_negative():
    contrast = run(["KL+fvar+token+autoreg"]).scores[0].contrast
    assert contrast is not None
    assert contrast.negatives.shape == (6, 4)
    assert np.all(contrast.negatives == 1.0)  # f*(1 + log 1) = 1


def test_a_dry_run_of_a_local_model_counts_no_calls_and_says_why():
    model = Model()
    counted = asyncio.run(aio.dry_run(make_items(), [KL], llm=model, perturbations=["sentence_deletion"]))
    assert counted.calls == 0
    assert any("counts as no calls" in note for note in counted.notes)
    assert not model.settings  # nothing went through it


def test_an_audit_scores_variants_against_what_was_prepared_on_the_originals():
    model = Model()
    items = [item.with_candidate(f"{item.candidate}. It rained. It stopped.") for item in make_items()]
    result = asyncio.run(
        aio.audit(
            items, [KL, "TV+fvar+token+autoreg"], llm=model, cache="off", perturbations=["sentence_deletion"]
        )
    )
    assert [metric.metric for metric in result.metrics] == [KL, "TV+fvar+token+autoreg"]
    assert len(model.pairs) == len(set(model.pairs))
    assert any("scored in fp32" in note for note in result.run["notes"])


def test_a_note_says_which_metrics_it_is_about_unless_it_is_about_all():
    clipped = "KL+fvar+token+autoreg,clip=1"
    notes = run([KL, clipped]).notes
    assert f"{clipped}: 6 log ratios cut to 1 nats before an exp" in notes
    assert "scored in fp32" in notes
