"""The service: logins, threads, streams in every shape, traces, and the faults of the stream."""

import json
from contextlib import contextmanager

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from eval.sandbox.desk import DEFAULT_OTP, Options
from eval.sandbox.engine import Engine
from eval.sandbox.faults import parse_faults
from eval.sandbox.login import Login
from eval.sandbox.service import ACCOUNTS, create_app
from eval.sandbox.shapes import SHAPES

ONE, TWO = ACCOUNTS
QUESTION = "Net sales by brand in December 2025"


@contextmanager
def served(engine, **options):
    with TestClient(create_app(engine, Options(piece_delay_s=0.0, **options))) as client:
        yield client


@pytest.fixture
def client(engine):
    with served(engine) as client:
        yield client


def log_in(client, login=ONE, otp=DEFAULT_OTP):
    number = client.post("/auth/request-otp", json={"login": login}).json()["request_id"]
    answer = client.post("/auth/verify-otp", json={"request_id": number, "otp": otp})
    return {"Authorization": f"Bearer {answer.json()['access_token']}"}


def put(client, headers, question=QUESTION):
    thread = client.post("/threads", headers=headers).json()["id"]
    assert (
        client.post(f"/threads/{thread}/messages", json={"content": question}, headers=headers).status_code
        == 201
    )
    return thread


def listen(client, headers, thread, shape="message_chunk", until="full_response"):
    """Trigger an answer and gather the frames to the last one."""
    frames = []
    with client.websocket_connect(f"/threads/{thread}/stream?shape={shape}", headers=headers) as socket:
        assert client.post(f"/threads/{thread}/trigger", headers=headers).status_code == 202
        while not frames or until not in frames[-1]:
            frames.append(socket.receive_text())
    return frames


def test_a_wrong_password_locks_after_three_tries(client) -> None:
    number = client.post("/auth/request-otp", json={"login": ONE}).json()["request_id"]
    statuses = [
        client.post("/auth/verify-otp", json={"request_id": number, "otp": otp}).status_code
        for otp in ("1", "2", "3", DEFAULT_OTP)
    ]
    assert statuses == [401, 401, 401, 429]


def test_nobodys_login_and_unknown_requests_are_404(client) -> None:
    assert client.post("/auth/request-otp", json={"login": "nobody@company-9.example"}).status_code == 404
    assert client.post("/auth/verify-otp", json={"request_id": "x", "otp": DEFAULT_OTP}).status_code == 404


def test_a_password_is_good_for_one_token() -> None:
    login = Login(dict(ACCOUNTS), "1", 10.0, lambda: 0.0)
    number = login.request(ONE)
    assert login.verify(number, "1")[0] == "ok"
    assert login.verify(number, "1")[0] == "unknown"


def test_passwords_and_tokens_expire() -> None:
    now = [0.0]
    login = Login(dict(ACCOUNTS), "1", 60.0, lambda: now[0])
    late, number = login.request(ONE), login.request(ONE)
    token = login.verify(number, "1")[1]
    assert login.tenant_of(token) == 1
    now[0] = 61.0
    assert login.tenant_of(token) is None
    now[0] = 301.0
    assert login.verify(late, "1")[0] == "expired"


def test_without_a_token_nothing_is_shown(client) -> None:
    for path in ("/me", "/threads", "/api/public/traces"):
        assert client.get(path).status_code == 401
        for header in ("Bearer x", "Basic x", "Basic eDp5"):
            assert client.get(path, headers={"Authorization": header}).status_code == 401


def test_threads_and_traces_belong_to_their_company(client) -> None:
    one, two = log_in(client), log_in(client, TWO)
    thread = put(client, one)
    trace = json.loads(listen(client, one, thread)[-1])["trace_id"]
    assert client.get(f"/threads/{thread}/messages", headers=two).status_code == 404
    assert client.delete(f"/threads/{thread}", headers=two).status_code == 404
    assert client.get("/threads", headers=two).json() == []
    assert client.get(f"/api/public/traces/{trace}", headers=two).status_code == 404
    assert client.get("/api/public/traces", headers=two).json()["data"] == []
    assert client.get(f"/api/public/traces/{trace}", headers=one).status_code == 200
    refused = client.websocket_connect(f"/threads/{thread}/stream", headers=two)
    with refused as socket, pytest.raises(WebSocketDisconnect) as closed:
        socket.receive_text()
    assert closed.value.code == 4404


def test_a_page_hands_its_token_in_the_first_frame(client) -> None:
    headers = log_in(client)
    thread = put(client, headers)
    with client.websocket_connect(f"/threads/{thread}/stream") as socket:
        socket.send_json({"type": "auth", "token": headers["Authorization"].removeprefix("Bearer ")})
        assert socket.receive_json() == {"type": "ready"}
    with client.websocket_connect(f"/threads/{thread}/stream") as socket:
        socket.send_json({"type": "auth", "token": "x"})
        with pytest.raises(WebSocketDisconnect) as closed:
            socket.receive_text()
    assert closed.value.code == 4401


def text_of(shape, frames):
    """The answer as a client of that shape puts it together."""
    if shape == "sse":
        data = [json.loads(f.split("data: ")[1]) for f in frames if f.startswith("event: delta")]
        return "".join(d["content"] for d in data)
    found = [json.loads(frame) for frame in frames if frame.startswith("{")]
    if shape == "message_chunk":
        return "".join(f["content"] for f in found if f["type"] == "message_chunk")
    if shape == "full_response":
        return "".join(f["content"] for f in found)
    if shape == "openai":
        return "".join(f["choices"][0]["delta"].get("content", "") for f in found)
    return "".join(f["delta"]["text"] for f in found if f["type"] == "content_block_delta")


ENDS = {"openai": "[DONE]", "anthropic": "message_stop", "sse": "event: done"}


@pytest.mark.parametrize("shape", SHAPES)
def test_the_pieces_of_every_shape_are_the_stored_answer(client, engine, shape) -> None:
    headers = log_in(client)
    thread = put(client, headers)
    frames = listen(client, headers, thread, shape, ENDS.get(shape, "full_response"))
    stored = client.get(f"/threads/{thread}/messages", headers=headers).json()[-1]
    assert stored["role"] == "assistant"
    assert text_of(shape, frames) == stored["content"] == engine.answer(QUESTION, 1).text


def test_one_answer_at_a_time_and_only_to_a_question(client) -> None:
    headers = log_in(client)
    thread = client.post("/threads", headers=headers).json()["id"]
    assert client.post(f"/threads/{thread}/trigger", headers=headers).status_code == 409
    client.post(f"/threads/{thread}/messages", json={"content": QUESTION}, headers=headers)
    listen(client, headers, thread)
    assert client.post(f"/threads/{thread}/trigger", headers=headers).status_code == 409


def test_the_trace_nests_the_statement(client) -> None:
    headers = log_in(client)
    thread = put(client, headers)
    trace_id = json.loads(listen(client, headers, thread)[-1])["trace_id"]
    trace = client.get(f"/api/public/traces/{trace_id}", headers=headers).json()
    by_id = {one["id"]: one for one in trace["observations"]}
    run = next(one for one in trace["observations"] if one["name"] == "sqlite")
    call = by_id[run["parentObservationId"]]
    assert call["input"]["arguments"]["query"] == run["input"]
    assert by_id[call["parentObservationId"]]["name"] == "answer"
    assert run["output"]["row_count"] == 5
    token = headers["Authorization"].removeprefix("Bearer ")
    assert client.get(f"/api/public/traces/{trace_id}", auth=("any", token)).json() == trace
    listed = client.get(f"/api/public/traces?sessionId={thread}", headers=headers).json()
    assert listed["data"][0]["observations"] == [*by_id]
    assert client.get(f"/api/public/observations/{run['id']}", headers=headers).json() == run


def test_a_late_trace_is_not_there_yet(engine) -> None:
    with served(engine, trace_delay_s=60.0) as client:
        headers = log_in(client)
        trace_id = json.loads(listen(client, headers, put(client, headers))[-1])["trace_id"]
        assert client.get(f"/api/public/traces/{trace_id}", headers=headers).status_code == 404
        assert client.get("/api/public/traces", headers=headers).json()["meta"]["totalItems"] == 0


def faulty(folder, *faults):
    return Engine(folder, parse_faults(faults))


def test_a_closed_stream_ends_without_a_final(folder) -> None:
    with served(faulty(folder, "closed-stream")) as client:
        headers = log_in(client)
        thread = put(client, headers)
        with pytest.raises(WebSocketDisconnect):
            listen(client, headers, thread)
        assert len(client.get(f"/threads/{thread}/messages", headers=headers).json()) == 1


def test_a_stalled_stream_says_no_more_and_stays_open(folder) -> None:
    with served(faulty(folder, "stalled-stream")) as client:
        headers = log_in(client)
        thread = put(client, headers)
        with client.websocket_connect(f"/threads/{thread}/stream", headers=headers) as socket:
            client.post(f"/threads/{thread}/trigger", headers=headers)
            while client.app.state.desk.tasks:
                client.get("/health")
            frames = [socket.receive_json() for _ in client.app.state.desk.threads[thread]._events]
        assert {frame["type"] for frame in frames} == {"message_start", "message_chunk"}


def test_a_doubled_final_comes_twice(folder, engine) -> None:
    with served(faulty(folder, "doubled-final")) as client:
        headers = log_in(client)
        frames = listen(client, headers, put(client, headers))
        text = text_of("message_chunk", frames)
    assert text == f"{engine.answer(QUESTION, 1).text}\n\n{engine.answer(QUESTION, 1).text}"


def test_a_storm_of_heartbeats_does_not_change_the_answer(folder, engine) -> None:
    with served(faulty(folder, "heartbeat-storm")) as client:
        headers = log_in(client)
        frames = listen(client, headers, put(client, headers))
    assert sum("heartbeat" in frame for frame in frames) >= 100
    assert text_of("message_chunk", frames) == engine.answer(QUESTION, 1).text


def test_an_expired_password_lets_nobody_in(folder) -> None:
    with served(faulty(folder, "expired-otp")) as client:
        number = client.post("/auth/request-otp", json={"login": ONE}).json()["request_id"]
        answer = client.post("/auth/verify-otp", json={"request_id": number, "otp": DEFAULT_OTP})
    assert (answer.status_code, "expired" in answer.json()["detail"]) == (401, True)


def test_what_fired_is_in_the_ledger_and_nowhere_else(folder, tmp_path) -> None:
    ledger, traces = tmp_path / "ledger.jsonl", tmp_path / "traces.jsonl"
    with served(faulty(folder, "digit-swap", "heartbeat-storm"), ledger=ledger, trace_file=traces) as client:
        headers = log_in(client)
        thread = put(client, headers)
        frames = listen(client, headers, thread)
        stored = client.get(f"/threads/{thread}/messages", headers=headers).text
    line = json.loads(ledger.read_text(encoding="utf-8"))
    assert line["fired"] == ["digit-swap", "heartbeat-storm"]
    shown = "".join(frames) + stored + traces.read_text(encoding="utf-8")
    assert "digit-swap" not in shown
    assert "fault" not in shown


def test_the_page_is_strict(client) -> None:
    page = client.get("/")
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert "unsafe" not in page.headers["content-security-policy"]
    for hook in ("data-login", "data-messages", "aria-busy", "data-send", "data-status"):
        assert hook in page.text
    assert "<script>" not in page.text
    assert "style=" not in page.text
    assert client.get("/page/chat.js").status_code == 200
    assert client.get("/page/..%2Fservice.py").status_code == 404
