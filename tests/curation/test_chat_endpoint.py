import pytest

from tests.curation.chat_server import chat_server, saying
from tests.curation.conversations import calls, reply, user
from tests.curation.refund_desk import TOOLS
from tracemill.curation.chat import ChatRequest, Completion
from tracemill.curation.chat_endpoint import ChatEndpoint
from tracemill.ingest.trace import Message, ModelRef

REQUEST = ChatRequest((user("refund 332"), calls("refund_order", order_id=332), reply("ok")), TOOLS)


def complete(endpoint: ChatEndpoint) -> Completion:
    return endpoint.complete([REQUEST], seed=3, temperature=0.5, max_tokens=20)[0]


def test_an_endpoint_is_asked_as_openai_asks_and_its_answer_is_a_completion() -> None:
    with chat_server(lambda _: saying("done")) as server:
        found = complete(ChatEndpoint(server.url, "m"))

    asked = server.asked[0]
    assert server.paths == ["/v1/chat/completions"]
    assert (asked["model"], asked["seed"], asked["temperature"], asked["max_tokens"]) == (
        "m",
        3,
        0.5,
        20,
    )
    assert [message["role"] for message in asked["messages"]] == ["user", "assistant", "tool"]
    assert asked["messages"][1]["tool_calls"][0]["function"]["arguments"] == '{"order_id":332}'
    assert len(asked["tools"]) == len(TOOLS)
    assert found.message == Message(role="assistant", content="done")
    assert (found.finish_reason, found.prompt_tokens, found.completion_tokens) == ("stop", 7, 3)


def test_calls_are_read() -> None:
    answer = saying(None)
    function = {"name": "refund_order", "arguments": '{"order_id": 332}'}
    answer["choices"][0]["message"]["tool_calls"] = [
        {"id": "c1", "type": "function", "function": function}
    ]
    answer["choices"][0]["finish_reason"] = "tool_calls"
    with chat_server(lambda _: answer) as server:
        found = complete(ChatEndpoint(server.url, "m"))

    assert found.message is not None
    assert found.message.tool_calls[0].parsed() == {"order_id": 332}
    assert found.finish_reason == "tool"


def test_the_key_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUDGE_KEY", "k1")
    with chat_server(lambda _: saying("done")) as server:
        complete(ChatEndpoint(server.url, "m", key_variable="JUDGE_KEY"))
        complete(ChatEndpoint(server.url, "m"))

    assert server.keys == ["Bearer k1", None]


def test_a_key_that_is_not_set_is_told_and_nothing_is_asked() -> None:
    with chat_server(lambda _: saying("done")) as server:
        found = complete(ChatEndpoint(server.url, "m", key_variable="NO_SUCH_KEY"))

    assert "set NO_SUCH_KEY" in (found.error or "")
    assert server.asked == []


@pytest.mark.parametrize("answer", [503, "no JSON", {"choices": []}, {}, []])
def test_another_answer_is_an_error_without_a_message(answer: object) -> None:
    with chat_server(lambda _: answer) as server:
        found = complete(ChatEndpoint(server.url, "m"))

    assert found.message is None
    assert "gave no answer of the form" in (found.error or "")


def test_no_server_is_an_error_without_a_message() -> None:
    with chat_server(lambda _: saying("done")) as server:
        gone = ChatEndpoint(server.url, "m", seconds=2)

    assert complete(gone).message is None


def test_an_endpoint_is_asked_over_http_only() -> None:
    with pytest.raises(ValueError, match="no http address"):
        ChatEndpoint("file:///etc/passwd", "m")

    assert ChatEndpoint("https://example.org/v1", "m").ref == ModelRef(name="m")
