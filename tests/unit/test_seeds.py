"""Named random streams."""

from gameproof.seeds import rng_for


def draws(seed: int, *names: str | int) -> list[int]:
    return rng_for(seed, *names).integers(0, 2**31, size=4).tolist()


def test_the_same_names_give_the_same_draws() -> None:
    assert draws(1, "a", 2) == draws(1, "a", 2)


def test_seed_and_each_name_matter() -> None:
    streams = [draws(1, "a"), draws(2, "a"), draws(1, "b"), draws(1, "a", "a"), draws(1, "aa")]
    assert len({tuple(stream) for stream in streams}) == len(streams)


def test_names_do_not_run_together() -> None:
    assert draws(1, "ab", "c") != draws(1, "a", "bc")
    assert draws(1, "a\x1fb") != draws(1, "a", "b")
