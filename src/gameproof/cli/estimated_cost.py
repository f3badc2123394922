"""Say what the calls of a dry run would cost, and what that is reckoned from."""

__all__ = ["estimate_cost", "tell_cost"]


def estimate_cost(
    tokens_in: int, tokens_out: int, *, price_in: float | None, price_out: float | None
) -> float | None:
    """Return US dollars for estimated tokens at prices for a million; None where no price is given.

    Example:
        >>> estimate_cost(2_000_000, 100_000, price_in=3.0, price_out=15.0)
        7.5
    """
    if price_in is None and price_out is None:
        return None
    from gameproof.llm.budget import Prices  # noqa: PLC0415 - `--help` does not need it

    return Prices(tokens_in=price_in or 0.0, tokens_out=price_out or 0.0).cost(tokens_in, tokens_out)


def tell_cost(
    tokens_in: int, tokens_out: int, *, price_in: float | None, price_out: float | None
) -> str | None:
    """Return a sentence with the cost and its assumptions, or how to have it told; None where nothing is asked."""
    cost = estimate_cost(tokens_in, tokens_out, price_in=price_in, price_out=price_out)
    if cost is None:
        how = "With --price-in and --price-out, US dollars for a million tokens, this says what that costs."
        return how if tokens_in or tokens_out else None
    from gameproof.metrics.llm_calls import CHARACTERS_PER_TOKEN  # noqa: PLC0415 - the same

    amount = f"${cost:,.2f}" if cost >= 0.01 or not cost else "less than $0.01"
    free = [name for name, price in (("--price-in", price_in), ("--price-out", price_out)) if price is None]
    without = f" Without {free[0]} that side counts as free." if free else ""
    return (
        f"That is about {amount}: {tokens_in:,} tokens in at ${price_in or 0:g} and {tokens_out:,} out at "
        f"${price_out or 0:g} a million. A token is taken for {CHARACTERS_PER_TOKEN} characters, a reply for the usual "
        f"length of its kind; retries and a model's hidden thinking come on top.{without}"
    )
