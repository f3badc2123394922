"""Metrics of other libraries, of programs and of servers, made into metrics here.

One file for each host; a host is imported only when one of its metrics is made. The same metrics can be asked
for by a text (``deepeval:package.module:make_metric``): `gameproof list metrics` shows how each is written.
"""

from typing import TYPE_CHECKING

from gameproof._lazy import lazy_names

if TYPE_CHECKING:
    from gameproof.metrics.adapters.autoevals import from_autoevals
    from gameproof.metrics.adapters.call import from_call
    from gameproof.metrics.adapters.command import from_command
    from gameproof.metrics.adapters.deepeval import from_deepeval
    from gameproof.metrics.adapters.hf_evaluate import from_evaluate
    from gameproof.metrics.adapters.hosted import Terms
    from gameproof.metrics.adapters.http import from_http
    from gameproof.metrics.adapters.inspect_ai import from_inspect
    from gameproof.metrics.adapters.promptfoo import from_promptfoo
    from gameproof.metrics.adapters.ragas import from_ragas
    from gameproof.metrics.adapters.sacrebleu import from_sacrebleu
    from gameproof.metrics.adapters.torchmetrics import from_torchmetrics

__all__ = [
    "Terms",
    "from_autoevals",
    "from_call",
    "from_command",
    "from_deepeval",
    "from_evaluate",
    "from_http",
    "from_inspect",
    "from_promptfoo",
    "from_ragas",
    "from_sacrebleu",
    "from_torchmetrics",
]

_HOMES = {
    "Terms": "hosted",
    "from_autoevals": "autoevals",
    "from_call": "call",
    "from_command": "command",
    "from_deepeval": "deepeval",
    "from_evaluate": "hf_evaluate",
    "from_http": "http",
    "from_inspect": "inspect_ai",
    "from_promptfoo": "promptfoo",
    "from_ragas": "ragas",
    "from_sacrebleu": "sacrebleu",
    "from_torchmetrics": "torchmetrics",
}


__getattr__ = lazy_names(__name__, {name: f"{__name__}.{home}" for name, home in _HOMES.items()})
