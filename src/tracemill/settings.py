"""Settings: tracemill.toml with environment overrides, read once where a command starts.

A value comes from the environment (`TRACEMILL_KAFKA__BOOTSTRAP_SERVERS`), else from
tracemill.toml, else from the default here. Relative paths are relative to the file's folder.
An unknown key is an error that names the nearest known one.
"""

import difflib
import os
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Self, TypeVar, get_args, get_origin

from pydantic import BaseModel, Field, JsonValue, ValidationError
from pydantic_settings import (
    BaseSettings,
    EnvSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from tracemill.curation.options import CurationOptions
from tracemill.deploy.registry_options import RegistryOptions
from tracemill.deploy.watch import WatchOptions
from tracemill.errors import SettingsError
from tracemill.evaluation.gate_rules import GateRules
from tracemill.ingest.data_loss import LossChoice
from tracemill.ingest.options import IngestOptions
from tracemill.record import Record
from tracemill.training.budget import Budget

Options = TypeVar("Options", bound=BaseModel)

PREFIX = "TRACEMILL_"
FILE_NAME = "tracemill.toml"


class ProjectSettings(Record):
    """The agent that this project improves."""

    name: str = "agent"
    """Name of the registered model."""
    folder: Path = Path(".tracemill")
    """Where everything that Tracemill writes lies."""
    wait_seconds: float = Field(default=15.0, ge=0)
    """How long a command waits for the store while another process has it open."""


class KafkaSettings(Record):
    """Where traces come from."""

    bootstrap_servers: str = "127.0.0.1:9092"
    topics: tuple[str, ...] = ("agent-traces", "agent-feedback")
    client_options: dict[str, JsonValue] = Field(default_factory=dict)
    """Given to librdkafka under its own names: "security.protocol", "sasl.mechanism",
    "ssl.ca.location" and so on (its CONFIGURATION.md lists them)."""
    group: str = "tracemill"
    """Consumer group of the workers that follow the topics (`tracemill ingest --follow`)."""
    on_data_loss: LossChoice = "refuse"
    """Where a topic no longer holds the next offset: "refuse", or go on at the "earliest" or
    "latest" record, and record what was lost."""


class TrainingSettings(Record):
    """How a round trains."""

    base_model: Path | None = None
    """Folder of the model that production serves, in Hugging Face form: the first champion."""
    recipe: str = "sft-then-dpo"
    """Name of a shipped recipe, or path of a TOML file."""
    seed: int = 0
    threads: int | None = None
    """CPU threads of a training process; None: as many as there are cores."""


class EvaluationSettings(Record):
    """How models are tried on the suite."""

    seeds: tuple[int, ...] = (0,)
    temperature: float = 0.0
    max_tokens: int = 128
    """Per assistant message."""


class Settings(BaseSettings):
    """Everything that can be set, by section."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_nested_delimiter="__", frozen=True, extra="forbid"
    )

    project: ProjectSettings = ProjectSettings()
    kafka: KafkaSettings = KafkaSettings()
    ingest: IngestOptions = IngestOptions()
    curation: CurationOptions = CurationOptions()
    training: TrainingSettings = TrainingSettings()
    budget: Budget = Budget()
    evaluation: EvaluationSettings = EvaluationSettings()
    gate: GateRules = GateRules()
    registry: RegistryOptions = RegistryOptions()
    watch: WatchOptions = WatchOptions()

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Let the environment win over the file, whose content is passed to the constructor."""
        return (EnvSettingsSource(settings_cls), init_settings)

    def with_training(self, *, seed: int | None, recipe: str | None) -> Self:
        """Return the settings with another seed or recipe, where one is given."""
        given = {"seed": seed, "recipe": recipe}
        update = {key: value for key, value in given.items() if value is not None}
        return self.model_copy(update={"training": self.training.model_copy(update=update)})

    @property
    def store_path(self) -> Path:
        """The DuckDB file."""
        return self.project.folder / "tracemill.duckdb"

    @property
    def datasets_folder(self) -> Path:
        """Where frozen datasets lie, each under its id."""
        return self.project.folder / "datasets"

    @property
    def rounds_folder(self) -> Path:
        """Where rounds and their candidates lie, each under its id."""
        return self.project.folder / "rounds"

    @property
    def tracking_uri(self) -> str:
        """MLflow's address: the settings' own, else a SQLite file in the project folder."""
        return self.registry.tracking_uri or f"sqlite:///{self.project.folder / 'mlflow.db'}"

    @property
    def artifacts_folder(self) -> Path:
        """Where MLflow's artifacts lie when no server holds them."""
        return self.project.folder / "mlartifacts"


def load_settings(path: Path | None = None) -> Settings:
    """Return the settings of `path`, or of tracemill.toml here if there is one, or the defaults.

    Raises SettingsError: no such file, no TOML, an unknown key, a value of the wrong kind.
    """
    content, folder = _read(path)
    _refuse_unknown(content, Settings, where=str(path or FILE_NAME))
    _refuse_unknown_environment(os.environ)
    try:
        settings = Settings(**content)
    except ValidationError as error:
        raise SettingsError(_in_words(error, path)) from error
    _refuse_circle(settings)
    return _resolve_paths(settings, folder)


def _refuse_circle(settings: Settings) -> None:
    topic = settings.ingest.dead_letter_topic
    if topic in settings.kafka.topics:
        raise SettingsError(
            f"dead_letter_topic {topic!r} is one of the topics that are read: each dead letter "
            "would make another; name a topic of its own"
        )


def _read(path: Path | None) -> tuple[dict[str, Any], Path]:
    file = path or Path(FILE_NAME)
    if not file.is_file():
        if path is not None:
            raise SettingsError(
                f"no settings at {path}: `tracemill init` writes a file to start from"
            )
        return {}, Path.cwd()
    try:
        return tomllib.loads(file.read_text()), file.resolve().parent
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{file} is no TOML: {error}") from error


def _refuse_unknown(content: Mapping[str, Any], model: type[BaseModel], *, where: str) -> None:
    for key, value in content.items():
        if key not in model.model_fields:
            raise SettingsError(_unknown(key, model.model_fields, where))
        inner = models_in(model.model_fields[key].annotation)
        for place, part in _sections(value, f"{where}, section [{key}]", inner):
            _refuse_unknown(part, _model_of(part, inner, where=place), where=place)


def models_in(annotation: Any) -> tuple[type[BaseModel], ...]:
    """Return the models in `Model | None`, `dict[str, Model]`, `tuple[Model | OtherModel, ...]`."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return (annotation,)
    return tuple(model for argument in get_args(annotation) for model in models_in(argument))


def _model_of(
    part: Mapping[str, Any], models: Sequence[type[BaseModel]], *, where: str
) -> type[BaseModel]:
    """The model that the part's `kind` names, where there are several."""
    if len(models) == 1:
        return models[0]
    kinds = {model.model_fields["kind"].default: model for model in models}
    if part.get("kind") not in kinds:
        raise SettingsError(f"{where} has no kind {part.get('kind')!r}: one of {', '.join(kinds)}")
    return kinds[part["kind"]]


def _sections(
    value: Any, where: str, models: Sequence[type[BaseModel]]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the tables in `value` that one of `models` describes, each with its place."""
    if not models:
        return
    if isinstance(value, list):
        yield from ((where, part) for part in value if isinstance(part, dict))
    elif isinstance(value, dict):
        named = {key: part for key, part in value.items() if isinstance(part, dict)}
        if named and len(named) == len(value) and not set(value) & set(models[0].model_fields):
            yield from ((f"{where} {key!r}", part) for key, part in named.items())
        else:
            yield where, value


def _unknown(key: str, known: Mapping[str, object], where: str) -> str:
    nearest = difflib.get_close_matches(key, known, n=1, cutoff=0.0)
    return f"unknown key {key!r} in {where}: did you mean {nearest[0]!r}? Known: {', '.join(known)}"


def _refuse_unknown_environment(environment: Mapping[str, str]) -> None:
    known = dict(_environment_names(Settings, PREFIX))
    for name in environment:
        if name.startswith(PREFIX) and name not in known and not _is_inside(name, known):
            raise SettingsError(_unknown(name, known, "the environment"))


def _environment_names(model: type[BaseModel], prefix: str) -> Iterator[tuple[str, bool]]:
    """Yield each variable's name, and whether free names may follow it (a mapping's keys)."""
    for key, field in model.model_fields.items():
        name, inner = f"{prefix}{key.upper()}", field.annotation
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            yield from _environment_names(inner, f"{name}__")
            yield name, False
        else:
            yield name, get_origin(inner) is dict


def _is_inside(name: str, known: Mapping[str, bool]) -> bool:
    return any(is_open and name.startswith(f"{key}__") for key, is_open in known.items())


def _in_words(error: ValidationError, path: Path | None) -> str:
    first = error.errors()[0]
    key = ".".join(str(part) for part in first["loc"])
    return f"{path or FILE_NAME}: {key} cannot be {first['input']!r}: {first['msg']}"


def _resolve_paths(settings: Settings, folder: Path) -> Settings:
    resolved = _resolve_inside(settings, folder)
    training = resolved.training
    if training.recipe.endswith(".toml"):
        training = training.model_copy(update={"recipe": str(folder / training.recipe)})
    curation = resolved.curation
    if curation.embeddings is not None and (folder / curation.embeddings).is_dir():
        beside = str((folder / curation.embeddings).resolve())
        curation = curation.model_copy(update={"embeddings": beside})
    return resolved.model_copy(update={"training": training, "curation": curation})


def _resolve_inside(options: Options, folder: Path) -> Options:
    """The same options, with every path made absolute from `folder`."""
    update: dict[str, Any] = {}
    for name in type(options).model_fields:
        value = getattr(options, name)
        if isinstance(value, Path):
            update[name] = (folder / value).resolve()
        elif isinstance(value, BaseModel):
            update[name] = _resolve_inside(value, folder)
    return options.model_copy(update=update)
