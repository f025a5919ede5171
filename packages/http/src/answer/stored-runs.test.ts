import { Agent, Team, TroupeError, Workflow } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it, vi } from "vitest";
import { as, durable, payer, readPart, serveUsers, textOf, toFrames } from "../../test/stored-runs.ts";
import { scripted, talker } from "../../test/runnables.ts";
import { serve } from "../../test/serve.ts";
import type { Service } from "../../test/service.ts";

const body = { input: "Hello?" };
const patience = { timeout: 10_000, interval: 5 };

async function serveDurable(agent: Agent) {
  const runs = await durable({ agents: { a: agent } });
  return { runs, service: await serveUsers({ agents: { a: agent }, runs }) };
}

async function untilStatus(service: Service, path: string, status: string) {
  return await vi.waitFor(async () => {
    const { json } = await service.ask(path);
    expect(json).toMatchObject({ status });
    return json as { status: string; output?: { text: string } };
  }, patience);
}

describe("a durable run", () => {
  it("answers /run with its output and its place, and /stream with chunks whose ids are positions [http.durable-run] [http.durable-stream]", async () => {
    const { service } = await serveDurable(talker("Take an umbrella."));

    const whole = await service.post("/agents/a/run", body);
    const streamed = await service.post("/agents/a/stream", body);

    expect(whole).toMatchObject({ status: 200, json: { text: "Take an umbrella.", status: "completed" } });
    for (const { headers } of [whole, streamed]) {
      const runId = headers.get("x-run-id");
      expect(headers.get("content-location")).toBe(`/runs/${runId}`);
      expect(headers.get("x-session-id")).toMatch(/^[\da-f-]{36}$/);
      expect((await service.ask(`/runs/${runId}`)).json).toMatchObject({ runId, status: "completed" });
    }
    const frames = toFrames(streamed.text);
    expect(textOf(frames)).toBe("Take an umbrella.");
    expect(frames.at(-1)?.data).toMatchObject({ type: "finish", finishReason: "stop" });
    for (const { id } of frames) expect(id).toMatch(/^\d+\.\d+$/);
  });

  it("runs teams and workflows by the names of the service, and leaves all others as they are [http.durable-named]", async () => {
    const member = talker("Yes.");
    const team = new Team({
      name: "t",
      mode: "route",
      model: new ScriptedModel().respond(() => ({ toolCalls: [] })),
      members: [member],
    });
    const workflow = new Workflow({
      name: "w",
      initialState: { n: 1 },
      steps: [{ name: "add", run: ({ n }) => ({ n: n + 1 }) }],
    });
    const runs = await durable({ workflows: { w: workflow } });
    const service = await serve({ agents: { a: member }, teams: { t: team }, workflows: { w: workflow }, runs });

    const kept = await service.post("/workflows/w/run", {});
    const streamed = await service.post("/workflows/w/stream", { input: { n: 4 } });
    const plain = await service.post("/agents/a/run", body);

    expect(kept).toMatchObject({ status: 200, json: { state: { n: 2 }, status: "completed" } });
    expect(toFrames(streamed.text).at(-1)?.data).toMatchObject({ type: "finish", result: { state: { n: 5 } } });
    expect(kept.headers.get("content-location")).not.toBeNull();
    expect(plain.headers.get("content-location")).toBeNull();
    expect(await service.ask(`/runs/${plain.headers.get("x-run-id")}`)).toMatchObject({ status: 404 });
  });

  it("answers at once with 202 where the client prefers that [http.respond-async]", async () => {
    const { service } = await serveDurable(talker("Later."));

    const { status, headers, json } = await service.post("/agents/a/run", body, { prefer: "wait=1, Respond-Async" });

    const location = headers.get("location") ?? "";
    const runId = headers.get("x-run-id");
    expect(status).toBe(202);
    expect(headers.get("preference-applied")).toBe("respond-async");
    expect(headers.get("retry-after")).toBe("1");
    expect(location).toBe(`/runs/${runId}`);
    expect(json).toMatchObject({ runId, sessionId: headers.get("x-session-id") });
    expect(await untilStatus(service, location, "completed")).toMatchObject({ output: { text: "Later." } });
  });

  it("goes on when its client disconnects, unless the request says that it ends [http.disconnect-durable]", async () => {
    const { agent, model } = scripted({ text: "One two three four.", chunkDelayMs: 20 }, { hang: true });
    const { service, runs } = await serveDurable(agent);

    const left = await readPart(service, { method: "POST", path: "/agents/a/stream?early=1", body, cutAfter: 20 });
    await vi.waitFor(() => expect(model.calls[0]?.end).toBe("completed"), patience);
    await readPart(service, {
      method: "POST",
      path: "/agents/a/stream?early=1&onDisconnect=cancel",
      body,
      cutAfter: 20,
    });
    await vi.waitFor(() => expect(model.calls[1]?.end).toBe("cancelled"), patience);

    expect(left.isEnded).toBe(false);
    expect(runs).toBeInstanceOf(RunService);
  });

  it("is one run for requests of one user with one key, and another body is a 422 [http.idempotency-key] [http.idempotency-mismatch]", async () => {
    const { agent, model } = scripted({ text: "Once.", delayMs: 30 }, "Twice.");
    const { service } = await serveDurable(agent);
    const ask = async (user: string, sent: object, verb = "run") =>
      await service.post(`/agents/a/${verb}`, sent, { ...as(user), "idempotency-key": "order-1" });

    const [one, other, stream] = await Promise.all([ask("ada", body), ask("ada", body), ask("ada", body, "stream")]);
    const changed = await ask("ada", { input: "Something else." });
    const bobs = await ask("bob", body);

    const runId = one?.headers.get("x-run-id");
    expect([one?.json, other?.json]).toMatchObject([
      { text: "Once.", runId },
      { text: "Once.", runId },
    ]);
    expect(stream?.headers.get("x-run-id")).toBe(runId);
    expect(textOf(toFrames(stream?.text ?? ""))).toBe("Once.");
    expect(changed).toMatchObject({ status: 422, json: { error: { code: "idempotency_mismatch" } } });
    expect(bobs.json).toMatchObject({ text: "Twice." });
    expect(model.calls).toHaveLength(2);
  });

  it("has the status of its failure, or the event error with its id and usage [http.durable-failure]", async () => {
    const error = new TroupeError("rate_limited", "Too many.", { fields: { retryAfterMs: 2000 } });
    const model = new ScriptedModel().respond(() => ({ error }));
    const { service } = await serveDurable(new Agent({ name: "a", model, retry: { maxRetries: 0 } }));

    const whole = await service.post("/agents/a/run", body);
    const early = await service.post("/agents/a/stream?early=1", body);

    const runId = whole.headers.get("x-run-id");
    expect(whole).toMatchObject({ status: 429, json: { error: { code: "rate_limited", runId } } });
    expect(whole.headers.get("retry-after")).toBe("2");
    expect(toFrames(early.text)).toMatchObject([
      { data: { type: "error", error: { code: "rate_limited", runId: early.headers.get("x-run-id") } } },
    ]);
  });

  it("answers 202 with its waits while it waits, and goes on with the answer of its user [http.waiting-run] [http.answers]", async () => {
    const { agent, paid } = payer();
    const { service } = await serveDurable(agent);

    const asked = await service.post("/agents/a/run", body, as("ada"));
    const { runId, waits } = asked.json as { runId: string; waits: { waitId: string }[] };
    const path = `${asked.headers.get("location")}/answers/${waits[0]?.waitId}`;
    const foreign = await service.post(path, { approved: true }, as("bob"));
    const unknown = await service.post(path.replace(runId, crypto.randomUUID()), { approved: true }, as("bob"));
    const events = service.ask(`/runs/${runId}/events`, { headers: as("ada") });
    const listed = await service.ask("/runs?status=waiting", { headers: as("ada") });
    const answered = await service.post(path, { approved: true, args: { amount: 5 } }, as("ada"));
    const again = await service.post(path, { approved: true, args: { amount: 5 } }, as("ada"));
    const other = await service.post(path, { approved: false }, as("ada"));

    expect(asked).toMatchObject({ status: 202, json: { status: "waiting", waits: [{ kind: "approval" }] } });
    expect(listed.json).toMatchObject({ runs: [{ runId, status: "waiting", waits: [{ kind: "approval" }] }] });
    expect([foreign.status, answered.status, again.status, other.status]).toEqual([404, 204, 204, 409]);
    expect(withoutRequestId(foreign.text)).toBe(withoutRequestId(unknown.text));
    const frames = toFrames((await events).text);
    expect(frames.map(({ data }) => data["type"])).toEqual(expect.arrayContaining(["wait", "tool_result", "finish"]));
    expect(frames.find(({ data }) => data["type"] === "wait")?.data).toMatchObject({ runId, waitId: waits[0]?.waitId });
    expect(textOf(frames)).toBe("It is done.");
    expect(paid).toEqual([{ amount: 5 }]);
  });

  it("lets the host decide who else may answer, and takes the same answer again [http.may-answer] [http.answer-again]", async () => {
    const { agent, paid } = payer();
    const runs = await durable({ agents: { a: agent } });
    const asked: unknown[] = [];
    const service = await serveUsers({
      agents: { a: agent },
      runs,
      mayAnswer: (request, wait) => {
        asked.push(wait);
        return request.headers.get("x-test-user") === "boss";
      },
    });
    const { json } = await service.post("/agents/a/run", body, as("ada"));
    const { runId, sessionId, waits } = json as { runId: string; sessionId: string; waits: { waitId: string }[] };
    const path = `/runs/${runId}/answers/${waits[0]?.waitId}`;

    const refused = await service.post(path, { approved: true }, as("bob"));
    const answered = await service.post(path, { approved: true }, as("boss"));

    expect([refused.status, answered.status]).toEqual([404, 204]);
    expect(asked).toMatchObject([{ kind: "approval", runId, sessionId, name: "a" }, { kind: "approval" }]);
    await vi.waitFor(() => expect(paid).toEqual([{ amount: 20 }]), patience);
    await vi.waitFor(async () => expect((await runs.get(runId, "host")).status).toBe("completed"), patience);
    // An answer whose receipt was lost is sent again, by the owner or the boss.
    const again = async (user: string, at = path) => (await service.post(at, { approved: true }, as(user))).status;
    expect([await again("boss"), await again("ada"), await again("bob")]).toEqual([204, 204, 404]);
    expect(await again("boss", `${path}.0`)).toBe(404);
    expect((await service.post(path, { approved: false }, as("boss"))).status).toBe(409);
    // The boss may answer, and has no other right to the run.
    expect((await service.ask(`/runs/${runId}`, { headers: as("boss") })).status).toBe(404);
  });

  it("keeps its stream open with heartbeats while it waits", async () => {
    const { agent } = payer();
    const runs = await durable({ agents: { a: agent } });
    const service = await serve({ agents: { a: agent }, runs, heartbeatMs: 10 });

    const response = await fetch(`http://127.0.0.1:${service.port}/agents/a/stream`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    let received = "";
    for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      received += piece;
      if (received.slice(received.indexOf('"type":"wait"')).split(": heartbeat").length > 3) break;
    }

    expect(received.indexOf('"type":"wait"')).toBeGreaterThan(0);
  });
});

function withoutRequestId(text: string): string {
  return text.replace(/"requestId":"[^"]*"/, "");
}
