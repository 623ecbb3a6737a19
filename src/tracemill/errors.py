"""What can go wrong, each a thing that a caller can act on.

A message says what happened, to which record or address, and what to do. The CLI prints it as
one sentence and exits with 1. `OSError` and friends are wrapped at the edge that met them.
"""


class TracemillError(Exception):
    """Anything that Tracemill refuses or fails at; the base of all below."""


class SettingsError(TracemillError):
    """tracemill.toml or the environment holds something that cannot be used."""


class SourceUnavailableError(TracemillError):
    """A broker, topic or file that traces should come from cannot be read."""


class StoreLockedError(TracemillError):
    """Another process holds the DuckDB file."""


class StoreError(TracemillError):
    """The store refuses what it was asked, or holds what it should not."""


class StoreBusyError(TracemillError):
    """Another worker of this process changed the same rows; what was undone may be tried again."""


class FencedError(TracemillError):
    """Another worker moved the offsets of this partition: this one is no longer its owner."""


class InvalidRecordError(TracemillError):
    """A record or span cannot become a trace; it is kept as a dead letter with this reason."""


class EnvironmentFailedError(TracemillError):
    """An agent environment cannot be loaded, reset or stepped: infrastructure, never a reward."""


class CheckNotRunError(EnvironmentFailedError):
    """A check could not be run at all: the rollout is unscorable, neither passed nor failed."""


class UnrecordedCallError(TracemillError):
    """A replayed episode holds no reply to this call: what would have come of it nobody knows."""


class ModelUnavailableError(TracemillError):
    """A model did not answer: infrastructure, never a reward."""


class NothingToTrainError(TracemillError):
    """A round was asked for where no row is worth training on."""


class TrainingFailedError(TracemillError):
    """A round did not yield a sound candidate."""


class ContaminationError(TracemillError):
    """A training row is within reach of the suite; the build stops and names it."""


class EmptySuiteError(TracemillError):
    """A gate was asked to judge on no evidence."""


class RegistryError(TracemillError):
    """The registry cannot be reached, or holds no such model version."""
