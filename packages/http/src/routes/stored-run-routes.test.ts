import type { LookupFunction } from "node:net";
import { Agent, InMemoryStorage, Workflow } from "@troupe/core";
import { describe, expect, it, vi } from "vitest";
import { as, durable, serveUsers } from "../../test/stored-runs.ts";
import { scripted, talker } from "../../test/runnables.ts";
import { serve } from "../../test/serve.ts";

const body = { input: "Hello?" };
const patience = { timeout: 20_000, interval: 5 };

describe("GET /runs", () => {
  it("lists the principal's own, newest first, by pages and status, and is a 401 without one [http.list-runs]", async () => {
    const agent = talker();
    const service = await serveUsers({ agents: { a: agent }, runs: await durable({ agents: { a: agent } }) });
    const ids: (string | null)[] = [];
    for (const user of ["ada", "bob", "ada", "ada"]) {
      const { headers } = await service.post("/agents/a/run", body, as(user));
      if (user === "ada") ids.unshift(headers.get("x-run-id"));
    }

    const first = await service.ask("/runs?limit=2", { headers: as("ada") });
    const { runs, next } = first.json as { runs: { runId: string }[]; next: string };
    const second = await service.ask(`/runs?limit=2&after=${next}`, { headers: as("ada") });

    const rest = (second.json as { runs: { runId: string }[] }).runs;
    expect([...runs, ...rest].map(({ runId }) => runId)).toEqual(ids);
    expect((await service.ask("/runs?status=error", { headers: as("ada") })).json).toEqual({ runs: [] });
    expect((await service.ask("/runs")).status).toBe(401);
    for (const query of ["status=done", "limit=0", "after=x", "what=1"]) {
      expect((await service.ask(`/runs?${query}`, { headers: as("ada") })).status, query).toBe(400);
    }
  });

  it("is an empty list without a service", async () => {
    const service = await serveUsers({ agents: { a: talker() } });

    expect((await service.ask("/runs", { headers: as("ada") })).json).toEqual({ runs: [] });
  });
});

describe("a workflow that waits", () => {
  const waiting = () =>
    new Workflow({
      name: "flow",
      initialState: {},
      steps: [
        {
          name: "city",
          ask: () => "Which city?",
          schema: { type: "object", properties: { name: { type: "string" } } },
        },
        { name: "paid", waitFor: "payment" },
      ],
    });

  it("takes answers that fit and signals of its user, over /runs", async () => {
    const flow = waiting();
    const service = await serveUsers({ workflows: { flow }, runs: await durable({ workflows: { flow } }) });
    const { status, json } = await service.post("/workflows/flow/run", {}, as("ada"));
    const { runId, waits } = json as { runId: string; waits: unknown[] };
    const post = async (path: string, sent: object, user = "ada") =>
      (await service.post(`/runs/${runId}${path}`, sent, as(user))).status;

    expect(status).toBe(202);
    expect(waits).toMatchObject([{ waitId: "w.city.question", kind: "question", about: { question: "Which city?" } }]);
    expect(await post("/answers/w.city.question", { result: { name: 5 } })).toBe(400);
    expect(await post("/signals", { event: "payment", data: 5, id: "p" }, "bob")).toBe(404);
    expect(await post("/signals", { event: "payment", data: 5, id: "p" })).toBe(204);
    expect(await post("/signals", { event: "payment", data: 5, id: "p" })).toBe(204);
    for (const wrong of [{}, { event: 1 }, { event: "e", id: 1 }, { event: "e", more: 1 }])
      expect(await post("/signals", wrong), JSON.stringify(wrong)).toBe(400);
    expect(await post("/answers/w.city.question", { result: { name: "Bodø" } })).toBe(204);
    await expect
      .poll(async () => (await service.ask(`/runs/${runId}`, { headers: as("ada") })).json, patience)
      .toMatchObject({ status: "completed", output: { state: { city: { name: "Bodø" }, paid: 5 } } });
    expect(await post("/signals", { event: "payment" })).toBe(409);
  });
});

describe("the webhook of a request", () => {
  const agent = () => talker();
  const webhook = { url: "https://hooks.example.com/ä", secret: `whsec_${"MDEyMzQ1Njc4OWFi".repeat(3)}` };
  const serveHooks = async (allowCallers: boolean) => {
    const agents = { a: agent() };
    const lookup: LookupFunction = (_host, _options, callback) => callback(new Error("No network."), "");
    const runs = await durable({ agents, webhooks: { allowCallers, maxPerOwner: 1, lookup } });
    return await serveUsers({ agents, runs });
  };

  it("is forbidden unless the host allows it, and is not in the description then [webhooks.callers]", async () => {
    const service = await serveHooks(false);
    const refused = await service.post("/agents/a/run", { ...body, webhook }, as("ada"));

    expect(refused.status).toBe(403);
    expect(refused.json).toMatchObject({ error: { code: "forbidden" } });
    expect((await service.post("/agents/a/run", { ...body, webhook: null }, as("ada"))).status).toBe(200);
    expect((await service.ask("/runs?status=error", { headers: as("ada") })).json).toEqual({ runs: [] });
  });

  it("is notified of the run, whose deliveries its user reads [webhooks.callers] [webhooks.deliveries]", async () => {
    const service = await serveHooks(true);
    const { status, headers } = await service.post("/agents/a/run", { ...body, webhook }, as("ada"));
    const path = `/runs/${headers.get("x-run-id")}/deliveries`;

    expect(status).toBe(200);
    await expect
      .poll(async () => (await service.ask(path, { headers: as("ada") })).json, patience)
      .toMatchObject({ deliveries: [{ type: "run.completed", webhook: "run", status: "pending", attempts: 1 }] });
    expect((await service.ask(path, { headers: as("bob") })).status).toBe(404);
    expect((await service.ask(path)).status).toBe(404);
    const answer = await service.ask(path, { headers: as("ada") });
    expect(JSON.stringify(answer.json)).not.toMatch(/whsec_|hooks\.example/);
    const more = await service.post("/agents/a/run", { ...body, webhook }, as("ada"));
    expect(more.status).toBe(429);
    expect((await service.post("/agents/a/run", { ...body, webhook }, as("bob"))).status).toBe(200);
  });

  it.each([
    { ...webhook, url: "http://hooks.example.com/" },
    { ...webhook, url: "https://127.0.0.1/" },
    { ...webhook, secret: "whsec_short" },
    { url: webhook.url },
    "https://hooks.example.com/",
  ])("is a 400 if it is wrong: %j", async (wrong) => {
    const service = await serveHooks(true);

    expect((await service.post("/agents/a/run", { ...body, webhook: wrong }, as("ada"))).status).toBe(400);
  });
});

describe("HEAD /runs/:id/events", () => {
  it("has the headers of the stream, and does not wait for a run that is under way", async () => {
    const { agent } = scripted({ hang: true });
    const service = await serve({ agents: { a: agent }, runs: await durable({ agents: { a: agent } }) });
    const { headers } = await service.post("/agents/a/run", body, { prefer: "respond-async" });

    const head = await service.ask(`${headers.get("location")}/events`, { method: "HEAD" });

    expect([head.status, head.headers.get("content-type")]).toEqual([200, "text/event-stream; charset=utf-8"]);
    expect(head.headers.get("x-run-id")).toBe(headers.get("x-run-id"));
  });
});

describe("a run by its id", () => {
  it("is the same 404 whether it is another user's or unknown, on every path [http.foreign-run]", async () => {
    const agent = talker();
    const service = await serveUsers({ agents: { a: agent }, runs: await durable({ agents: { a: agent } }) });
    const runId = (await service.post("/agents/a/run", body, as("ada"))).headers.get("x-run-id");
    const requests: [string, string, object?][] = [
      ["GET", ""],
      ["DELETE", ""],
      ["GET", "/events"],
      ["POST", "/cancel"],
      ["POST", "/answers/t.0.0", { approved: true }],
    ];

    for (const caller of [as("bob"), {}]) {
      for (const [method, path, sent] of requests) {
        const ask = async (id: string | null) => {
          const headers = { ...caller, "x-request-id": "r", ...(sent && { "content-type": "application/json" }) };
          const { status, text: answer } = await service.ask(`/runs/${id}${path}`, {
            method,
            headers,
            ...(sent && { body: JSON.stringify(sent) }),
          });
          return { status, answer };
        };
        const foreign = await ask(runId);

        expect(foreign.status, `${method} ${path}`).toBe(404);
        expect(foreign).toEqual(await ask(crypto.randomUUID()));
        expect(foreign).toEqual(await ask("x".repeat(300)));
      }
    }
    expect((await service.ask(`/runs/${runId}`, { headers: as("ada") })).status).toBe(200);
  });

  it("a run by its id without a user is reached by everyone who knows it, and so is one of a user that is only claimed [http.bearer-run]", async () => {
    const agent = talker();
    const service = await serveUsers({ agents: { a: agent }, runs: await durable({ agents: { a: agent } }) });

    for (const sent of [body, { ...body, userId: "ada" }]) {
      const { headers } = await service.post("/agents/a/run", sent);
      const path = headers.get("content-location") ?? "";

      expect((await service.ask(path)).status).toBe(200);
      expect((await service.ask(`${path}/events`)).status).toBe(200);
    }
  });

  it.each([
    ["of nobody", body, 200],
    ["of a user that is only claimed", { ...body, userId: "ada" }, 404],
  ])(
    "%s is found by a signed-in user for a cancel as it is for a read [http.cancel-reach]",
    async (_whose, sent, status) => {
      const { agent } = scripted({ hang: true }, { hang: true });
      const service = await serveUsers({ agents: { a: agent } });
      const { headers } = await service.post("/agents/a/run", sent, {
        prefer: "respond-async",
        "idempotency-key": crypto.randomUUID(),
      });
      const kept = headers.get("location") ?? "";

      expect((await service.ask(kept, { headers: as("bob") })).status).toBe(status);
      expect((await service.ask(`${kept}/cancel`, { method: "POST", headers: as("bob") })).status).toBe(status);
      expect((await service.ask(`${kept}/cancel`, { method: "POST" })).status).toBe(200);
    },
  );

  it("is removed with its events, and so are the runs of a session that is deleted [http.delete-run] [http.delete-session-runs]", async () => {
    const agent = talker("Hi.", { storage: new InMemoryStorage() });
    const service = await serveUsers({ agents: { a: agent }, runs: await durable({ agents: { a: agent } }) });
    const run = async () => {
      const { headers } = await service.post("/agents/a/run", { ...body, sessionId: "trip" }, as("ada"));
      return headers.get("content-location") ?? "";
    };
    const ask = async (path: string, method = "GET") =>
      (await service.ask(path, { method, headers: as("ada") })).status;
    const [one, other] = [await run(), await run()];

    expect([await ask(one, "DELETE"), await ask(one), await ask(`${one}/events`), await ask(other)]).toEqual([
      204, 404, 404, 200,
    ]);
    expect([await ask("/sessions/trip", "DELETE"), await ask(other)]).toEqual([204, 404]);
  });

  it("ends before its session is deleted, and writes nothing into it afterwards [http.delete-session-runs]", async () => {
    const storage = new InMemoryStorage();
    const { model } = scripted("Hi.", { hang: true }, { hang: true });
    const kept = new Agent({ name: "a", model, storage });
    const service = await serveUsers({ agents: { a: kept }, runs: await durable({ agents: { a: kept } }) });
    const sent = { ...body, sessionId: "trip" };
    await service.post("/agents/a/run", sent, as("ada"));
    const begin = async () => {
      const { headers } = await service.post("/agents/a/run", sent, { ...as("ada"), prefer: "respond-async" });
      return headers.get("location") ?? "";
    };
    const paths = [await begin(), await begin()];
    await vi.waitFor(() => expect(model.calls).toHaveLength(2), patience);
    const ask = async (path: string, method = "GET") =>
      (await service.ask(path, { method, headers: as("ada") })).status;

    expect(await ask("/sessions/trip", "DELETE")).toBe(204);
    expect([await ask(paths[0] ?? ""), await ask(paths[1] ?? ""), await ask("/sessions/trip")]).toEqual([
      404, 404, 404,
    ]);
    expect([await storage.list("turns"), await storage.list("sessions")]).toEqual([[], []]);
  });

  it("keeps its session, when it cannot be removed [http.delete-session-runs]", async () => {
    const agent = talker("Hi.", { storage: new InMemoryStorage() });
    const runs = await durable({ agents: { a: agent } });
    const service = await serveUsers({ agents: { a: agent }, runs });
    await service.post("/agents/a/run", { ...body, sessionId: "trip" }, as("ada"));
    vi.spyOn(runs, "forgetSession").mockRejectedValueOnce(new Error("The storage is down."));
    const ask = async (method: string) => (await service.ask("/sessions/trip", { method, headers: as("ada") })).status;

    expect([await ask("DELETE"), await ask("GET")]).toEqual([500, 200]);
    expect([await ask("DELETE"), await ask("GET")]).toEqual([204, 404]);
  });

  it("is cancelled, and tells when it was over before [http.cancel-durable]", async () => {
    const { agent, model } = scripted({ hang: true }, "Over.");
    const service = await serve({ agents: { a: agent }, runs: await durable({ agents: { a: agent } }) });
    const begin = async () => {
      const { headers } = await service.post("/agents/a/run", body, { prefer: "respond-async" });
      return headers.get("location") ?? "";
    };
    const path = await begin();
    await vi.waitFor(() => expect(model.calls).toHaveLength(1), patience);

    const told = await service.ask(`${path}/cancel`, { method: "POST" });
    await vi.waitFor(
      async () => expect((await service.ask(path)).json).toMatchObject({ status: "cancelled" }),
      patience,
    );
    const second = await service.ask(`${path}/cancel`, { method: "POST" });
    const over = (await service.post("/agents/a/run", body)).headers.get("content-location");
    const third = await service.ask(`${over}/cancel`, { method: "POST" });

    expect(told.json).toMatchObject({ status: "cancelling" });
    expect([second.json, third.json]).toMatchObject([{ status: "cancelled" }, { status: "completed" }]);
  });

  it.each([
    ["PUT", "/runs", "GET, HEAD, OPTIONS"],
    ["POST", "/runs/x", "GET, DELETE, HEAD, OPTIONS"],
    ["DELETE", "/runs/x/events", "GET, HEAD, OPTIONS"],
    ["GET", "/runs/x/cancel", "POST, OPTIONS"],
    ["GET", "/runs/x/answers/y", "POST, OPTIONS"],
  ])("refuses %s %s with the methods that it takes", async (method, path, allowed) => {
    const service = await serve({ agents: { a: talker() } });

    const answer = await service.ask(path, { method });

    expect([answer.status, answer.headers.get("allow")]).toEqual([405, allowed]);
  });
});
