"""Audit one real metric of another library end to end, with the command line and a stub model over HTTP.

Run it in an environment that has the library: see README.md beside this file.
"""

import os
import subprocess
import sys
import tempfile

from tests.hosts.judge import grade
from tests.support.stub_server import StubServer

HERE = "tests.hosts.model_metrics"
TORCH = "tests.hosts.torch_metrics"
# Name -> the metric's text.
METRICS = {
    "deepeval": f"deepeval:{HERE}:geval",
    "ragas-criteria": f"ragas:{HERE}:ragas_criteria,user_input=source",
    "ragas-accuracy": f"ragas:{HERE}:ragas_accuracy,user_input=source",
    "ragas-bleu": f"ragas:{HERE}:ragas_bleu",
    "inspect": f"inspect:{HERE}:inspect_fact,input=source",
    "inspect-f1": "inspect:inspect_ai.scorer:f1",
    "autoevals": f"autoevals:{HERE}:autoevals_factuality,input=source",
    "autoevals-levenshtein": "autoevals:Levenshtein",
    "torchmetrics-rouge": f"torchmetrics:{TORCH}:rouge,key=rougeL_fmeasure",
    "torchmetrics-bertscore": f"torchmetrics:{TORCH}:bertscore,key=f1",
    "torchmetrics-bertscore-batch": f"torchmetrics:{TORCH}:bertscore,key=f1,batch=true",
    "evaluate": "evaluate:tests/hosts/shared_words,key=shared_words",
}
CHECKS = ("sentence_deletion", "random_replacement", "repeat_text")


def main(name: str, tasks: int) -> int:
    """Run ``gameproof audit`` and print what it prints; return its exit code."""
    with StubServer(grade) as stub, tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "gameproof", "audit", f"planted,tasks={tasks}", "-m", METRICS[name]]
        for check in CHECKS:
            command += ["--perturbation", check]
        os.environ |= {"STUB_URL": stub.url, "HF_HUB_OFFLINE": "1"}
        code = subprocess.run([*command, "-o", f"{folder}/run"], check=False).returncode
        sys.stdout.write(f"{len(stub.calls)} requests to the stub model; exit code {code}\n")
    return code


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in METRICS:
        sys.exit(f"usage: python -m tests.hosts.audit NAME [TASKS], NAME one of {', '.join(METRICS)}")
    sys.exit(main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 7))
