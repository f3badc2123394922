"""The hosts whose metrics can be asked for by a text: ``deepeval:package.module:make_metric,input=source``."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from urllib.parse import quote, unquote, urlsplit

from gameproof.errors import SpecError
from gameproof.llm.client import public_url
from gameproof.metrics.adapters.hosted import Terms, host_version
from gameproof.metrics.base import Metric
from gameproof.metrics.plugins import load_address

__all__ = ["HOSTS", "Host", "Options", "host_of", "metric_from_host"]

SAFE = "/:@._-+"  # in the texts of these metrics, besides letters and digits
ALIASES = {"https": "http"}  # an address as it is
TRUTHS = {"true": True, "false": False}
COMMON = ("version", "needs", "higher_is_better")  # options of every host
VARIABLE = "vars."  # of promptfoo: whatever an assertion calls its variables


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The options of one metric text, read as what they are."""

    given: Mapping[str, str]

    def text(self, key: str) -> str | None:
        """Return an option as it was written."""
        return self.given.get(key)

    def truth(self, key: str) -> bool:
        """Return true or false; false where nothing is said.

        Raises:
            SpecError: It is neither.
        """
        found = self.given.get(key, "false")
        if found not in TRUTHS:
            raise SpecError(f"{key}: found {found!r}; allowed: true, false")
        return TRUTHS[found]

    def number(self, key: str, default: float) -> float:
        """Return a number above 0.

        Raises:
            SpecError: It is none.
        """
        found = self.given.get(key)
        try:
            number = default if found is None else float(found)
        except ValueError:
            number = 0.0
        if not 0 < number < float("inf"):
            raise SpecError(f"{key}: found {found!r}; allowed: a number above 0")
        return number


Build = Callable[[str, Options, Terms], Metric]


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """One kind of metric from outside, and how its text is written."""

    prefix: str
    target: str  # what stands after the prefix
    summary: str
    build: Build
    package: str | None = None  # its version is a pin of the signature
    fields: Callable[[], Mapping[str, str]] = field(default=dict[str, str])  # field -> part it is filled from
    options: Mapping[str, str] = field(default_factory=dict[str, str])  # own option -> what it takes

    def wishes(self) -> dict[str, str]:
        """Return every option of its own with what may stand there: the default, or what is meant."""
        fields = {key: part for key, part in self.fields().items() if key != VARIABLE}
        return {**self.options, **fields}


def host_of(head: str) -> Host | None:
    """Return the host that a metric's head names, if it names one."""
    prefix, colon, _ = head.partition(":")
    return HOSTS.get(ALIASES.get(prefix, prefix)) if colon else None


def metric_from_host(host: Host, head: str, given: Mapping[str, str]) -> Metric:
    """Make a metric of a text that names a host.

    Args:
        host: Of `host_of`.
        head: Prefix and target, percent-encoded where a comma or a space is meant.
        given: The options after it.

    Raises:
        SpecError: An option is not known, or there is no such metric.
    """
    rest = head.partition(":")[2]
    target = unquote(head if host.prefix == "http" and rest.startswith("//") else rest)  # a plain address
    if not target:
        raise SpecError(f"found nothing after {host.prefix}:; allowed: {host.target}")
    options = dict(given)
    _check_pin(host, options)
    fields = _fields(host, options)
    unknown = [key for key in options if key not in {*COMMON, *host.options, *fields}]
    if unknown:
        legal = [*host.wishes(), *COMMON]
        raise SpecError(
            f"{unknown[0]}: found an option {host.prefix} does not have; allowed: {', '.join(legal)}"
        )
    spoken = {key: value for key, value in options.items() if key != "version"}
    terms: Terms = {"name": _join(host, target, spoken), "fields": _plain_names(fields)}
    if "version" in options:
        terms["version"] = options["version"]
    if "needs" in options:
        terms["needs"] = [need for need in options["needs"].split("+") if need != "nothing"]
    if "higher_is_better" in options:
        terms["higher_is_better"] = Options(given=options).truth("higher_is_better")
    return host.build(target, Options(given=options), terms)


def _check_pin(host: Host, options: dict[str, str]) -> None:
    """Take the host's version out of the options of a signature: it must be the one that is installed."""
    if host.package is None or host.package not in options:
        return
    pinned, installed = options.pop(host.package), host_version(host.package)
    if pinned != installed:
        raise SpecError(f"{host.package}: found {pinned!r}; allowed: {installed}, the version installed here")


def _fields(host: Host, options: Mapping[str, str]) -> dict[str, str]:
    known = host.fields()
    is_open = VARIABLE in known
    return {
        key: value
        for key, value in options.items()
        if key in known or (is_open and key.startswith(VARIABLE) and key != VARIABLE)
    }


def _plain_names(fields: Mapping[str, str]) -> dict[str, str]:
    return {key.removeprefix(VARIABLE): value for key, value in fields.items()}


def _join(host: Host, target: str, options: Mapping[str, str]) -> str:
    """Write the text that asks for the metric, its keys sorted."""
    head = f"{host.prefix}:{quote(target, safe=SAFE)}".replace("~", "%7E")
    return ",".join([head, *(f"{key}={quote(options[key], safe=SAFE)}" for key in sorted(options))])


def _thing(target: str) -> object:
    """Load what an address names; a name without a colon is the host's own."""
    return load_address(target) if ":" in target else target


def _address(target: str) -> object:
    if ":" not in target:
        raise SpecError(f"found {target!r}; allowed: module:function")
    return load_address(target)


def _call(target: str, options: Options, terms: Terms) -> Metric:
    from gameproof.metrics.adapters.call import PAIR, from_call  # noqa: PLC0415 - each text loads its own host

    function = _address(target)
    if isinstance(function, type) or not callable(function):
        raise SpecError(f"found {type(function).__name__}; allowed: a function")
    args = options.text("args")
    return from_call(
        function, args=args.split("+") if args is not None else PAIR, batch=options.truth("batch"), **terms
    )


def _command(target: str, options: Options, terms: Terms) -> Metric:
    from gameproof.metrics.adapters.command import TIMEOUT_S, from_command  # noqa: PLC0415

    return from_command(target, timeout_s=options.number("timeout", TIMEOUT_S), **terms)


def _http(target: str, options: Options, terms: Terms) -> Metric:
    from gameproof.metrics.adapters.http import TIMEOUT_S, from_http  # noqa: PLC0415

    if _says_more(target):
        raise SpecError(
            f"found more than the address {public_url(target)}; allowed: no user, no query (they would stand in every report); "
            "token=VARIABLE sends what an environment variable holds"
        )
    variable = options.text("token")
    token = os.environ.get(variable) if variable is not None else None
    if variable is not None and not token:
        raise SpecError(f"token: found {variable!r}, an environment variable that is not set")
    return from_http(
        target,
        headers={"Authorization": f"Bearer {token}"} if token else None,
        at_once=int(options.number("at_once", 8)),
        timeout_s=options.number("timeout", TIMEOUT_S),
        **terms,
    )


def _says_more(address: str) -> bool:
    """Say whether an address has a user, a query or a fragment."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return False  # `from_http` says that it is none
    return "@" in parts.netloc or bool(parts.query or parts.fragment)


def _evaluate(target: str, options: Options, terms: Terms) -> Metric:
    from gameproof.metrics.adapters.hf_evaluate import from_evaluate  # noqa: PLC0415

    return from_evaluate(
        _thing(target),
        key=options.text("key"),
        batch=options.truth("batch"),
        download=options.truth("download"),
        **terms,
    )


def _torchmetrics(target: str, options: Options, terms: Terms) -> Metric:
    from gameproof.metrics.adapters.torchmetrics import from_torchmetrics  # noqa: PLC0415

    return from_torchmetrics(_address(target), key=options.text("key"), batch=options.truth("batch"), **terms)


def _sacrebleu(target: str, options: Options, terms: Terms) -> Metric:
    from gameproof.metrics.adapters.sacrebleu import from_sacrebleu  # noqa: PLC0415

    del options
    return from_sacrebleu(_thing(target), **terms)


def _deepeval(target: str, options: Options, terms: Terms) -> Metric:
    from gameproof.metrics.adapters.deepeval import from_deepeval, no_tracking  # noqa: PLC0415

    del options
    no_tracking()  # before the user's module imports the host
    return from_deepeval(_address(target), **terms)


def _ragas(target: str, options: Options, terms: Terms) -> Metric:
    from gameproof.metrics.adapters.deepeval import no_tracking  # noqa: PLC0415
    from gameproof.metrics.adapters.ragas import from_ragas  # noqa: PLC0415

    no_tracking()
    return from_ragas(_address(target), key=options.text("key"), **terms)


def _autoevals(target: str, options: Options, terms: Terms) -> Metric:
    from gameproof.metrics.adapters.autoevals import from_autoevals  # noqa: PLC0415

    del options
    return from_autoevals(_thing(target), **terms)


def _inspect(target: str, options: Options, terms: Terms) -> Metric:
    from gameproof.metrics.adapters.inspect_ai import from_inspect  # noqa: PLC0415

    return from_inspect(_address(target), key=options.text("key"), **terms)


def _promptfoo(target: str, options: Options, terms: Terms) -> Metric:
    from gameproof.metrics.adapters.promptfoo import from_promptfoo  # noqa: PLC0415

    del options
    return from_promptfoo(target, **terms)


def _fields_of(module: str) -> Callable[[], Mapping[str, str]]:
    """Return the fields of an adapter, which is loaded only when they are asked for."""

    def fields() -> Mapping[str, str]:
        import importlib  # noqa: PLC0415

        return importlib.import_module(f"gameproof.metrics.adapters.{module}").FIELDS

    return fields


def _variables() -> Mapping[str, str]:
    from gameproof.metrics.adapters.promptfoo import VARIABLES  # noqa: PLC0415

    return {VARIABLE: "", **{f"{VARIABLE}{name}": part for name, part in VARIABLES.items()}}


KEY = "<name of the number>"
BATCH = "false|true"
MAKER = "module:make_metric"

HOSTS: Mapping[str, Host] = {
    host.prefix: host
    for host in (
        Host(
            prefix="call",
            target="module:function",
            summary="your own function of parts of an item, such as candidate and reference",
            build=_call,
            options={"args": "candidate+reference", "batch": BATCH},
        ),
        Host(
            prefix="command",
            target="PROGRAM",
            summary="a program: a line of JSON in for each text, a line with its score out",
            build=_command,
            options={"timeout": "<seconds>"},
        ),
        Host(
            prefix="http",
            target="URL",
            summary='a server: each text is posted as JSON and answered with {"score": ...}',
            build=_http,
            options={"at_once": "8", "timeout": "<seconds>", "token": "<environment variable>"},
        ),
        Host(
            prefix="deepeval",
            target=MAKER,
            summary="a DeepEval metric",
            build=_deepeval,
            package="deepeval",
            fields=_fields_of("deepeval"),
        ),
        Host(
            prefix="ragas",
            target=MAKER,
            summary="a Ragas metric, of either generation",
            build=_ragas,
            package="ragas",
            fields=_fields_of("ragas"),
            options={"key": KEY},
        ),
        Host(
            prefix="autoevals",
            target="NAME",
            summary="an autoevals scorer, or module:make_metric",
            build=_autoevals,
            package="autoevals",
            fields=_fields_of("autoevals"),
        ),
        Host(
            prefix="inspect",
            target="module:scorer",
            summary="an Inspect scorer",
            build=_inspect,
            package="inspect-ai",
            fields=_fields_of("inspect_ai"),
            options={"key": KEY},
        ),
        Host(
            prefix="promptfoo",
            target="FILE.py",
            summary="a Python assertion written for promptfoo: get_assert(output, context)",
            build=_promptfoo,
            fields=_variables,
        ),
        Host(
            prefix="evaluate",
            target="NAME",
            summary="a module of Hugging Face evaluate that is on this machine: its name or folder",
            build=_evaluate,
            package="evaluate",
            fields=_fields_of("hf_evaluate"),
            options={"key": KEY, "batch": BATCH, "download": BATCH},
        ),
        Host(
            prefix="torchmetrics",
            target=MAKER,
            summary="a torchmetrics text metric",
            build=_torchmetrics,
            package="torchmetrics",
            fields=_fields_of("torchmetrics"),
            options={"key": KEY, "batch": BATCH},
        ),
        Host(
            prefix="sacrebleu",
            target="NAME",
            summary="BLEU, CHRF or TER of sacrebleu, or module:make_metric",
            build=_sacrebleu,
            package="sacrebleu",
        ),
    )
}
