"""The manifest of a run folder: its plan, its versions and what each stage was made from."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import cast

from gameproof.errors import RunFolderError
from gameproof.json_text import parse_json

__all__ = ["MANIFEST", "MANIFEST_SCHEMA", "Manifest", "Stage", "read_manifest"]

MANIFEST = "manifest.json"
MANIFEST_SCHEMA = "gameproof.manifest/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """A finished stage."""

    inputs: str  # digest of all that the stage depends on
    files: Mapping[str, str]  # name in the folder -> sha256
    finished: str  # when, in UTC


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What ``manifest.json`` holds."""

    plan: Mapping[str, object] = field(default_factory=dict[str, object])
    versions: Mapping[str, str] = field(default_factory=dict[str, str])
    stages: Mapping[str, Stage] = field(default_factory=dict[str, Stage])

    def with_plan(self, plan: Mapping[str, object], versions: Mapping[str, str]) -> "Manifest":
        """Return the manifest with another plan."""
        return replace(self, plan=dict(plan), versions=dict(versions))

    def with_stage(self, name: str, stage: Stage) -> "Manifest":
        """Return the manifest with a stage finished."""
        return replace(self, stages={**self.stages, name: stage})

    def without_stages(self, beginning: str) -> "Manifest":
        """Return the manifest without the stages whose names begin like this."""
        left = {name: stage for name, stage in self.stages.items() if not name.startswith(beginning)}
        return replace(self, stages=left)

    def to_json(self) -> dict[str, object]:
        """Return what is written."""
        return {
            "schema": MANIFEST_SCHEMA,
            "plan": dict(self.plan),
            "versions": dict(self.versions),
            "stages": {
                name: {"inputs": stage.inputs, "files": dict(stage.files), "finished": stage.finished}
                for name, stage in self.stages.items()
            },
        }


def read_manifest(folder: Path) -> Manifest:
    """Read the manifest of a folder.

    Raises:
        RunFolderError: it cannot be read, is damaged, or was written by a newer version.
    """
    path = folder / MANIFEST
    try:
        content = parse_json(path.read_bytes())
    except OSError as error:
        raise RunFolderError(f"{path} cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise _damaged(path, "it is no JSON") from error
    if not isinstance(content, dict):
        raise _damaged(path, "it holds no object")
    parts = cast("dict[str, object]", content)
    schema = parts.get("schema")
    if schema != MANIFEST_SCHEMA:
        message = f"{path} has the schema {schema!r}; this version reads {MANIFEST_SCHEMA!r}."
        raise RunFolderError(message, hint="Use the version of gameproof that made it, or another folder.")
    stages = {name: _stage(path, name, stage) for name, stage in _object(path, parts, "stages").items()}
    versions = {name: str(version) for name, version in _object(path, parts, "versions").items()}
    return Manifest(plan=_object(path, parts, "plan"), versions=versions, stages=stages)


def _stage(path: Path, name: str, content: object) -> Stage:
    if isinstance(content, dict):
        stage = cast("dict[str, object]", content)
        files = _object(path, stage, "files")
        inputs, finished = stage.get("inputs"), stage.get("finished")
        texts = all(isinstance(digest, str) for digest in files.values())
        if isinstance(inputs, str) and isinstance(finished, str) and texts:
            return Stage(inputs=inputs, files=cast("dict[str, str]", files), finished=finished)
    raise _damaged(path, f"its stage {name!r} is incomplete")


def _object(path: Path, parts: Mapping[str, object], name: str) -> dict[str, object]:
    part = parts.get(name)
    if not isinstance(part, dict):
        raise _damaged(path, f"its {name!r} is no object")
    return cast("dict[str, object]", part)


def _damaged(path: Path, why: str) -> RunFolderError:
    hint = "Remove the folder to begin again, or choose another one with -o."
    return RunFolderError(f"{path} is damaged: {why}.", hint=hint)
