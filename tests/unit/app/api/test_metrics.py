"""GET /metrics: by route template, and never what somebody sent."""

from __future__ import annotations

import httpx
from prometheus_client.parser import text_string_to_metric_families


async def test_numbers_by_template_act_and_stage_and_nothing_of_the_caller(client: httpx.AsyncClient) -> None:
    word = "Zanzibar"
    message = {"messages": [{"role": "user", "content": f"Java in {word}"}]}
    await client.post("/chat", json=message, headers={"x-request-id": f"{word}-id"})
    await client.get(f"/assessments/{word}")
    await client.get(f"/{word}")
    await client.request("BREW", f"/{word}")
    answer = await client.get("/metrics")
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert word not in answer.text
    assert "BREW" not in answer.text
    samples = [sample for family in text_string_to_metric_families(answer.text) for sample in family.samples]
    requests = {
        (sample.labels["route"], sample.labels["method"], sample.labels["status"]): sample.value
        for sample in samples
        if sample.name == "recommender_http_requests_total"
    }
    assert requests["/chat", "POST", "200"] == 1
    assert requests["/assessments/{assessment_id}", "GET", "404"] == 1
    assert requests["unmatched", "any", "404"] == 2
    values = {(sample.name, sample.labels.get("act")): sample.value for sample in samples}
    assert values["recommender_turns_total", "recommend"] == 1
    assert values["recommender_ready", None] == 1
    assert values["recommender_turns_in_progress", None] == 0
