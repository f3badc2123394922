"""Documents for a query: a corpus, fixed lists, OpenAlex (case 72)."""

import asyncio
import json
import math
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from rank_bm25 import BM25Okapi
from tests.support.stub_server import Answer, Call, StubServer

from gameproof.errors import CallError, DataError, InputError
from gameproof.study.model import Retrieval
from gameproof.study.retrieve import Found, open_retriever
from gameproof.study.retrieve.bm25 import BM25, terms
from gameproof.study.retrieve.local import read_corpus, read_embedded, read_fixed
from gameproof.study.retrieve.openalex import OpenAlex, rebuild_abstract

TEXTS = [
    ["rain", "fell", "on", "the", "river", "all", "night", "and", "the", "river", "rose"],
    ["the", "sun", "shone"],
    ["rain", "and", "sun", "and", "rain"],
    ["a", "river", "without", "rain", "is", "a", "road"],
    ["nothing"],
]


def search(retriever: object, query: str, n: int = 10) -> Found:
    return asyncio.run(retriever.search(query, n))


def test_bm25_equals_rank_bm25_but_for_its_weights_of_terms() -> None:
    """rank_bm25 0.2.2 with k1 1.5 and b .75, its own defaults; its weights are replaced by ours, tested below."""
    ours, theirs = BM25(TEXTS), BM25Okapi(TEXTS)
    theirs.idf = {term: ours.idf(term) for term in theirs.idf}
    for query in (
        ["rain"],
        ["river", "sun", "rain"],
        ["rain", "rain", "the"],
        ["absent"],
        ["nothing", "absent"],
    ):
        assert ours.scores(query) == pytest.approx(list(theirs.get_scores(query)), rel=1e-12, abs=0)


def test_the_weight_of_a_term_is_never_negative() -> None:
    # log(1 + (N - n + 1/2) / (n + 1/2)) with N = 5: "rain" is in 3 texts, "absent" in none.
    ours = BM25(TEXTS)
    assert ours.idf("rain") == pytest.approx(math.log(1 + 2.5 / 3.5), rel=1e-15)
    assert ours.idf("absent") == pytest.approx(math.log(1 + 5.5 / 0.5), rel=1e-15)


def test_equal_scores_keep_the_order_of_the_corpus_and_strangers_stay_out() -> None:
    assert BM25([["a"], ["b"], ["a"]]).best(["a"], 5) == [0, 2]
    assert BM25([]).best(["a"], 5) == []


def test_words_are_compared_by_their_stems() -> None:
    assert terms("Cooling cities") == terms("cool the city")


def test_the_embedded_corpus_answers_its_own_questions() -> None:
    corpus = read_embedded()
    found = search(corpus, "How can cities keep cool in summer?")
    assert found.documents[0].title.startswith("Reflective roofs that keep city flats cool")
    assert 5 <= len(found.documents) <= 10
    titles = [document.title for document in search(corpus, "Do sensors on rivers warn of floods?").documents]
    assert "Low-cost sensors for early flood warnings on small rivers" in titles[:2]
    assert search(corpus, "zzz qqq").documents == ()
    assert "invented" in corpus.source


def test_case_72_a_record_without_an_abstract_is_skipped_and_counted(tmp_path: Path) -> None:
    rows = [
        {"title": "Rain", "abstract": "It rained."},
        {"title": "Rain again"},
        {"title": "Rain", "text": "  "},
    ]
    path = tmp_path / "abstracts.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    found = search(read_corpus(path), "rain")
    assert ([document.id for document in found.documents], found.n_without_abstract) == (["1"], 2)


def test_records_without_an_abstract_count_for_the_queries_that_they_match_alone(tmp_path: Path) -> None:
    path = tmp_path / "abstracts.jsonl"
    rows: list[dict[str, str]] = [{"title": "Rain", "text": "It rained."}, {"title": "The sun"}]
    path.write_text("\n".join(map(json.dumps, rows)))
    corpus = read_corpus(path)
    assert [search(corpus, query).n_without_abstract for query in ("rain", "sun")] == [0, 1]
    lists = tmp_path / "lists.json"
    lists.write_text(json.dumps({"rain?": rows, "sun?": rows[:1]}))
    fixed = read_fixed(lists)
    assert [search(fixed, query).n_without_abstract for query in ("rain?", "sun?", "?")] == [1, 0, 0]


def test_what_is_no_text_does_not_reach_a_page(tmp_path: Path) -> None:
    path = tmp_path / "lists.json"
    path.write_text('{"*": [{"title": "Half \\ud800 a\\u0000", "text": "It\\u0007 rained\\ud83d."}]}')
    (found,) = search(read_fixed(path), "rain").documents
    assert (found.title, found.text) == ("Half  a", "It rained.")


def test_a_line_separator_inside_a_text_ends_no_line(tmp_path: Path) -> None:
    path = tmp_path / "abstracts.jsonl"
    path.write_text('{"title": "Rain", "text": "It rained.\u2028All day."}\n', encoding="utf-8")
    assert search(read_corpus(path), "rain").documents[0].text.endswith("All day.")


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ('{"rain?": ["a text", null]}', "'rain\\?', document 1: found the text 'a text'"),
        ("[" * 100_000, "is not JSON"),
    ],
)
def test_fixed_lists_of_the_wrong_form_are_refused(tmp_path: Path, content: str, told: str) -> None:
    path = tmp_path / "lists.json"
    path.write_text(content)
    with pytest.raises(InputError, match=told):
        read_fixed(path)


def test_a_corpus_tells_all_of_its_bad_lines(tmp_path: Path) -> None:
    path = tmp_path / "abstracts.jsonl"
    path.write_text('{"title": "a", "text": "b"}\nno\n[1]\n')
    with pytest.raises(DataError) as caught:
        read_corpus(path)
    assert [problem.where for problem in caught.value.problems] == ["abstracts.jsonl:2", "abstracts.jsonl:3"]
    path.write_text('{"title": "a"}\n')
    with pytest.raises(InputError, match="no document with an abstract"):
        read_corpus(path)


def test_fixed_lists_give_a_query_its_own_documents(tmp_path: Path) -> None:
    path = tmp_path / "lists.json"
    path.write_text(
        json.dumps({"Does it rain?": [{"title": "a", "text": "x"}], "*": [{"title": "b", "text": "y"}]})
    )
    lists = read_fixed(path)
    assert [document.title for document in search(lists, " does it  RAIN? ").documents] == ["a"]
    assert [document.title for document in search(lists, "else").documents] == ["b"]
    opened = open_retriever(Retrieval(kind="fixed", corpus=path))
    assert opened.suggestions == ("Does it rain?",)
    path.write_text("[]")
    with pytest.raises(InputError, match="expected a JSON object of lists"):
        read_fixed(path)


def test_case_72_without_a_key_the_study_starts_on_the_local_corpus_and_says_so() -> None:
    opened = open_retriever(Retrieval(kind="openalex"), environment={})
    assert "OPENALEX_API_KEY is not set" in opened.notes[0]
    assert "invented abstracts" in opened.notes[0]
    assert search(opened.retriever, "rivers").documents


def test_case_72_an_abstract_is_put_together_from_its_word_positions() -> None:
    text = "the rain in the north of the country and the rain in the south"
    index: dict[str, list[int]] = {}
    for place, word in enumerate(text.split()):
        index.setdefault(word, []).append(place)
    assert rebuild_abstract(index) == text
    assert rebuild_abstract(dict(reversed(index.items()))) == text
    assert rebuild_abstract(None) == rebuild_abstract({}) == rebuild_abstract({"word": "junk"}) == ""


def work(number: int, words: str | None) -> dict[str, object]:
    index = None if words is None else {word: [place] for place, word in enumerate(words.split())}
    return {
        "id": f"https://openalex.org/W{number}",
        "doi": f"https://doi.org/10.1/{number}",
        "display_name": f"Title {number}",
        "publication_year": 2000 + number,
        "abstract_inverted_index": index,
    }


def openalex(server: StubServer, **settings: float) -> OpenAlex:
    url = f"http://127.0.0.1:{server.port}"
    return OpenAlex(key="word-of-the-key", url=url, **{"per_second": 1000.0, "timeout_s": 5.0} | settings)


def ask(server: StubServer, query: str, n: int, **settings: float) -> Found:
    async def run() -> Found:
        retriever = openalex(server, **settings)
        try:
            return await retriever.search(query, n)
        finally:
            await retriever.close()

    return asyncio.run(run())


def test_case_72_openalex_is_asked_with_the_key_and_for_abstracts() -> None:
    works = [work(1, "it rained"), work(2, None), work(3, "the sun shone"), work(4, "fog")]
    with StubServer(lambda _: Answer(body={"results": works}), scripted_gets=True) as server:
        found = ask(server, "rain, wind & sun", 2)
    assert [(each.id, each.title, each.text, each.url, each.year) for each in found.documents] == [
        ("https://openalex.org/W1", "Title 1", "it rained", "https://doi.org/10.1/1", 2001),
        ("https://openalex.org/W3", "Title 3", "the sun shone", "https://doi.org/10.1/3", 2003),
    ]
    assert found.n_without_abstract == 1
    asked = parse_qs(urlsplit(server.calls[0].path).query)
    assert urlsplit(server.calls[0].path).path == "/works"
    assert asked["api_key"] == ["word-of-the-key"]
    assert asked["filter"] == ["has_abstract:true"]
    assert asked["search"] == ["rain  wind & sun"]
    assert "mailto" not in asked


def test_an_answer_that_comes_in_many_pieces_is_read_to_its_end() -> None:
    # About 1 MB, as twenty works with long abstracts have: no socket hands that over at once.
    works = [work(number, " ".join(f"word{place}" for place in range(3000))) for number in range(20)]
    with StubServer(lambda _: Answer(body={"results": works}), scripted_gets=True) as server:
        found = ask(server, "rain", 20)
    assert [len(each.text.split()) for each in found.documents] == [3000] * 20


def test_an_answer_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gameproof.study.retrieve.openalex.MAX_BYTES", 1_000)
    with (
        StubServer(lambda _: Answer(body={"results": ["x" * 2_000]}), scripted_gets=True) as server,
        pytest.raises(CallError, match="more than 1,000 bytes"),
    ):
        ask(server, "rain", 3)


@pytest.mark.parametrize("status", [429, 503])
def test_a_passing_failure_is_tried_again_after_the_wait_that_is_asked_for(status: int) -> None:
    def answer(call: Call) -> Answer:
        if call.number < 2:
            return Answer(status=status, body={}, headers={"Retry-After": "0.01"})
        return Answer(body={"results": [work(1, "it rained")]})

    with StubServer(answer, scripted_gets=True) as server:
        assert len(ask(server, "rain", 3).documents) == 1
    assert len(server.calls) == 3


@pytest.mark.parametrize(
    ("answer", "told", "n_calls"),
    [
        (Answer(status=403, body={"error": "word-of-the-key is wrong"}), "the key was not accepted", 1),
        (Answer(status=400, body={}), "OpenAlex answered HTTP 400", 1),
        (Answer(status=429, body={}, headers={"Retry-After": "3600"}), "asks to wait for 3600 s", 1),
        (Answer(status=500, body={}, headers={"Retry-After": "0.01"}), "OpenAlex answered HTTP 500", 4),
        (Answer(body=b"<html>"), "no JSON", 1),
        (Answer(body={"results": None}), "no list of results", 1),
    ],
)
def test_a_failure_is_told_without_the_key(answer: Answer, told: str, n_calls: int) -> None:
    with StubServer(lambda _: answer, scripted_gets=True) as server, pytest.raises(CallError) as caught:
        ask(server, "rain", 3)
    assert told in str(caught.value)
    assert "word-of-the-key" not in str(caught.value)
    assert len(server.calls) == n_calls


def test_requests_keep_their_distance() -> None:
    """At 50 a second, five requests take at least 4 gaps of 20 ms, however fast the answers are."""

    async def run(server: StubServer) -> float:
        retriever = openalex(server, per_second=50.0)
        started = asyncio.get_running_loop().time()
        await asyncio.gather(*(retriever.search("rain", 1) for _ in range(5)))
        took = asyncio.get_running_loop().time() - started
        await retriever.close()
        return took

    with StubServer(lambda _: Answer(body={"results": []}), scripted_gets=True) as server:
        assert asyncio.run(run(server)) >= 4 / 50
