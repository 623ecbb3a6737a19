import doctest

from tracemill.evaluation import stats, wording


def test_the_examples_in_the_docstrings_are_true() -> None:
    for module in (wording, stats):
        result = doctest.testmod(module)

        assert result.attempted > 0
        assert result.failed == 0
