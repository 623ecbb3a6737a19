"""A real sentence-transformers model, made here: a few words, of which some mean the same."""

from pathlib import Path

import numpy as np
import pytest

from tests.curation.conversations import DAY, calls, reply, says, trace, user
from tests.curation.kept import keep
from tracemill.curation.finding import FailureMode
from tracemill.curation.mine import mine
from tracemill.curation.modes import failure_modes
from tracemill.curation.nearness import BY_WORDS, ModeNearness, nearness_of
from tracemill.curation.options import CurationOptions
from tracemill.errors import SettingsError
from tracemill.flows.intake import mine_findings
from tracemill.ingest.store import Store
from tracemill.ingest.trace import Trace
from tracemill.settings import ProjectSettings, Settings

MEANINGS = (
    ("[UNK]",), ("voucher", "coupon"), ("expired", "lapsed"), ("seats", "places"), ("left", "free"),
    ("cancel", "drop"), ("flight", "trip"), ("gift", "present"), ("balance", "rest"),
)  # fmt: skip


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    pytest.importorskip("sentence_transformers", reason="the extra `embeddings` is not installed")
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

    words = [word for meaning in MEANINGS for word in meaning]
    tokenizer = Tokenizer(
        models.WordLevel({word: place for place, word in enumerate(words)}, unk_token="[UNK]")
    )
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    directions = np.eye(len(MEANINGS), dtype=np.float32)
    directions[0] /= 1000  # a word that is not known means next to nothing
    weights = np.concatenate(
        [np.tile(directions[place], (len(meaning), 1)) for place, meaning in enumerate(MEANINGS)]
    )
    folder = tmp_path_factory.mktemp("encoder")
    encoder = SentenceTransformer(modules=[StaticEmbedding(tokenizer, embedding_weights=weights)])
    encoder.save(str(folder))
    return str(folder)


def refused_calls(*errors: str, day: int = 0) -> list[Trace]:
    return [
        trace(
            user("refund 332"), calls("refund_order", order_id=332), reply(f"Error: {error}"),
            says("ok"), id_=f"{day}-{place}", day=day,
        )
        for place, error in enumerate(errors)
    ]  # fmt: skip


def mined(store: Store, traces: list[Trace], nearness: ModeNearness) -> dict[str, FailureMode]:
    keep(store, traces)
    mine(store, now=DAY, nearness=nearness)
    return {mode.id: mode for mode in failure_modes(store) if mode.kind == "agent"}


def test_claims_that_mean_the_same_are_one_mode_and_by_their_words_two(
    tmp_path: Path, model: str
) -> None:
    said = refused_calls("voucher expired", "coupon lapsed", "no seats left")

    with Store(tmp_path / "words") as store:
        by_words = mined(store, said, BY_WORDS)
    with Store(tmp_path / "meaning") as store:
        by_meaning = mined(store, said, nearness_of(model, near=0.6))

    assert (len(by_words), len(by_meaning)) == (3, 2)


def test_requests_that_mean_the_same_are_one_mode(tmp_path: Path, model: str) -> None:
    asked = ["cancel the flight now", "drop my next trip", "cancel one trip please"] * 2
    other = ["the gift balance please", "what present rest remains", "tell the gift rest"] * 2
    traces = [
        trace(user(f"{text} {'abcdef'[place % 6]}"), says("I cannot do that."), id_=f"t{place}")
        for place, text in enumerate((*asked, *other))
    ]

    with Store(tmp_path / "store") as store:
        modes = mined(store, traces, nearness_of(model, near=0.6)).values()

    assert sorted(mode.counts[0].traces for mode in modes) == [6, 6]


def test_a_mode_found_by_words_keeps_its_id_and_gathers_what_means_the_same(
    tmp_path: Path, model: str
) -> None:
    with Store(tmp_path / "store") as store:
        first = mined(store, refused_calls("voucher expired", "no seats left"), BY_WORDS)
        second = mined(
            store,
            refused_calls("coupon lapsed", "no places free", day=1),
            nearness_of(model, near=0.6),
        )

    assert set(second) == set(first)
    assert all(len(mode.counts) == 2 for mode in second.values())


def test_by_words_is_the_default_and_a_model_that_is_not_there_is_an_error_in_words(
    tmp_path: Path, model: str
) -> None:
    assert nearness_of(None, near=0.6) is BY_WORDS
    with pytest.raises(SettingsError, match="there is no folder"):
        nearness_of(str(tmp_path / "no-such-model"), near=0.6)
    (tmp_path / "empty").mkdir()
    with pytest.raises(SettingsError, match="cannot be loaded"):
        nearness_of(str(tmp_path / "empty"), near=0.6)


def test_the_settings_reach_the_mining(tmp_path: Path) -> None:
    pytest.importorskip("sentence_transformers", reason="the extra `embeddings` is not installed")
    curation = CurationOptions(embeddings=str(tmp_path / "no-such-model"))
    settings = Settings(curation=curation, project=ProjectSettings(folder=tmp_path / "project"))

    with pytest.raises(SettingsError, match="no-such-model"):
        mine_findings(settings, now=DAY)
