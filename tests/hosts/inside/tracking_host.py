"""An audit logged to MLflow's local stores, and to Weights & Biases offline."""

import os
import tempfile
from pathlib import Path

import mlflow
import wandb

import gameproof
from gameproof.integrations.tracking import log_to_mlflow, log_to_wandb, numbers_of

METRICS = ["rougeL", "TV+fvar+statement+overlap,neg=2"]
CHECKS = ["repeat_text", "sentence_deletion"]


def main():
    """Log the same audit everywhere, and read it again where that can be done."""
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.environ["MLFLOW_ALLOW_FILE_STORE"] = "true"
        for uri in (f"sqlite:///{folder}/mlflow.db", f"file://{folder}/files"):
            log = log_to_mlflow(tracking_uri=uri, experiment="judges", run_name="nightly")
            result = gameproof.audit(
                "planted,tasks=2", METRICS, perturbations=CHECKS, out="run", on_result=log
            )
            (run,) = mlflow.search_runs(experiment_names=["judges"], output_format="list")
            numbers = {
                name.replace("+", "_").replace(",", "_").replace("=", "_"): value
                for name, value in numbers_of(result).items()
            }
            assert run.data.metrics == numbers, (run.data.metrics, numbers)
            files = [each.path for each in mlflow.MlflowClient().list_artifacts(run.info.run_id, "gameproof")]
            print(
                f"{uri.partition(':')[0]}: {len(run.data.metrics)} metrics, {len(run.data.params)} parameters, {files}"
            )
            print(
                "  ",
                {
                    name: value
                    for name, value in run.data.tags.items()
                    if name.startswith("TV") and "sign" not in name
                },
            )
        with mlflow.start_run() as active:
            log_to_mlflow()(result)
        tags = mlflow.get_run(active.info.run_id).data.tags
        print("into the active run:", sum(name.startswith(("rougeL", "TV")) for name in tags), "tags")

        log = log_to_wandb(project="judges", mode="offline")
        log(result)
        own = wandb.init(project="judges", mode="offline")
        log(result)
        assert wandb.run is own
        print(
            "wandb summary:",
            {key: own.summary[key] for key in ("rougeL/trusted", "rougeL/effect/repeat_text")},
        )
        own.finish()
        print("wandb wrote:", [path.name[:12] for path in sorted(Path("wandb").glob("offline-run-*"))])


if __name__ == "__main__":
    main()
