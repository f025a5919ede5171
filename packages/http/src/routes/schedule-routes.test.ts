import { Agent, InMemoryStorage, Workflow } from "@troupe/core";
import type { ServiceOptions } from "@troupe/core/service";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it, vi } from "vitest";
import { serve } from "../../test/serve.ts";

const ada = { "x-user": "ada" };
const bob = { "x-user": "bob" };
const daily = { kind: "agent", name: "a", input: "Berichte über gestern.", cron: "0 8 * * *", timeZone: "Europe/Oslo" };

type Json = Record<string, unknown>;

async function serveSchedules(more: Partial<ServiceOptions> = {}) {
  const model = new ScriptedModel().respond(() => "Done.");
  const a = new Agent({ name: "a", model });
  const w = new Workflow({ name: "w", initialState: {}, steps: [{ name: "s", run: () => ({}), effect: "pure" }] });
  const storage = new InMemoryStorage();
  const authenticate: ServiceOptions["authenticate"] = ({ headers }) => {
    const userId = headers.get("x-user");
    return userId === null ? undefined : { userId };
  };
  const shared = { agents: { a }, workflows: { w }, storage, durable: true, schedules: true, authenticate };
  const service = await serve({ ...shared, ...more });
  const send = async (method: string, path: string, { body, headers = ada }: { body?: unknown; headers?: object }) =>
    await service.ask(path, {
      method,
      headers: { ...headers, ...(body !== undefined && { "content-type": "application/json" }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  return { service, send, runs: service.served.runs };
}

describe("a user's schedules over HTTP", () => {
  it("are created, read, listed, changed and removed", async () => {
    const { send } = await serveSchedules();
    const created = await send("POST", "/schedules", { body: daily });
    const path = created.headers.get("location") ?? "";
    const schedule = {
      ...daily,
      overlap: "skip",
      missed: "one",
      maxMissed: 10,
      jitterMs: 0,
      status: "active",
      pending: [],
      history: [],
    };
    expect(created).toMatchObject({ status: 201, json: schedule });
    expect(path).toBe(`/schedules/${String((created.json as Json)["id"])}`);
    expect((await send("GET", path, {})).json).toEqual(created.json);
    expect((await send("GET", "/schedules", {})).json).toEqual({ schedules: [created.json] });
    const changed = await send("PATCH", path, {
      body: { status: "paused", everyMs: 60_000, input: "Kurz.", at: null },
    });
    expect(changed).toMatchObject({ status: 200, json: { status: "paused", everyMs: 60_000, input: "Kurz." } });
    expect(changed.json).not.toHaveProperty("cron");
    expect((await send("PATCH", path, { body: { status: "active" } })).json).toHaveProperty("nextAt");
    expect((await send("DELETE", path, {})).status).toBe(204);
    expect((await send("GET", path, {})).status).toBe(404);
    expect((await send("GET", "/schedules", {})).json).toEqual({ schedules: [] });
  });

  it.each(["GET", "POST", "PATCH", "PUT", "DELETE"])("have nothing below them that %s could reach", async (method) => {
    const { send } = await serveSchedules();
    const { json } = await send("POST", "/schedules", { body: daily });
    const id = String((json as Json)["id"]);

    for (const path of [`/schedules/${id}/runs`, `/schedules/${id}/ø/1`])
      expect(await send(method, path, {})).toMatchObject({
        status: 404,
        json: { error: { code: "not_found", message: "Nothing was found at this path." } },
      });
    expect((await send("GET", `/schedules/${id}`, {})).json).toEqual(json);
  });

  it("begin runs of that user, in the session that the schedule names, with the host's options and no keys", async () => {
    const runOptions = () => ({ metadata: { team: "Süd" }, limits: { totalTokens: 5000 } });
    const { service, send, runs } = await serveSchedules({ runOptions });
    await service.served.open();
    const body = { ...daily, cron: undefined, timeZone: undefined, at: Date.now(), sessionId: "daily" };
    const headers = { ...ada, "x-openai-api-key": "sk-canary" };
    const { json } = await send("POST", "/schedules", { body, headers });
    const id = String((json as Json)["id"]);
    await vi.waitFor(
      async () =>
        expect((await send("GET", "/runs", {})).json).toMatchObject({
          runs: [{ sessionId: "daily", status: "completed" }],
        }),
      { timeout: 30_000, interval: 5 },
    );

    expect((await send("GET", "/runs", { headers: bob })).json).toEqual({ runs: [] });
    const { request } = (await runs?.schedules.get(id)) ?? {};
    expect(request?.options).toMatchObject({ ...runOptions(), sessionId: "daily", fromOutside: true });
    expect(JSON.stringify(request)).not.toContain("canary");
  });

  it("are one for all requests with an idempotency key, as it is then; another request with it is refused [http.idempotency-key] [http.idempotency-mismatch]", async () => {
    const { send, runs } = await serveSchedules({ schedules: { maxPerUser: 2 } });
    const post = async (key: string, body: object = daily, user: object = ada) =>
      await send("POST", "/schedules", { body, headers: { ...user, "idempotency-key": key } });
    const [first, second] = await Promise.all([post("k-1"), post("k-1")]);
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.json).toEqual(first.json);
    const path = first.headers.get("location") ?? "";
    expect(second.headers.get("location")).toBe(path);
    const paused = await send("PATCH", path, { body: { status: "paused", everyMs: 60_000 } });
    expect((await post("k-1")).json).toEqual(paused.json);

    const mismatch = { status: 422, json: { error: { code: "idempotency_mismatch" } } };
    expect(await post("k-1", { ...daily, input: "Anders." })).toMatchObject(mismatch);
    expect(await post("k-1", { ...daily, cron: "0 9 * * *" })).toMatchObject(mismatch);
    for (const key of ["", "a b", "x".repeat(256)]) expect((await post(key)).status).toBe(400);
    expect(JSON.stringify(await runs?.schedules.list())).not.toContain("fingerprint");
    // The limit counts schedules, and not requests.
    expect((await post("k-2")).status).toBe(201);
    expect([(await post("k-3")).status, (await post("k-2")).status]).toEqual([429, 201]);
    const ofBob = await post("k-1", { ...daily, input: "Anders." }, bob);
    expect(ofBob.status).toBe(201);
    expect((ofBob.json as Json)["id"]).not.toBe((first.json as Json)["id"]);
  });

  it("a user's schedules over HTTP of workflows take an object, or no input", async () => {
    const { send } = await serveSchedules();

    for (const input of [undefined, { day: 1 }]) {
      const body = { ...daily, kind: "workflow", name: "w", input };
      expect((await send("POST", "/schedules", { body })).status).toBe(201);
    }
  });

  it("are as many as the service allows a user, and no more", async () => {
    const { send } = await serveSchedules({ schedules: { maxPerUser: 2 } });
    const statuses: number[] = [];
    for (let count = 0; count < 3; count++) statuses.push((await send("POST", "/schedules", { body: daily })).status);

    expect(statuses).toEqual([201, 201, 429]);
    expect((await send("POST", "/schedules", { body: daily, headers: bob })).status).toBe(201);
  });
});

describe("who may have schedules", () => {
  it("is signed in, and allowed by the host", async () => {
    const allow = vi.fn<(request: { principal?: { userId: string } | undefined }) => boolean>(
      ({ principal }) => principal?.userId === "ada",
    );
    const { send } = await serveSchedules({ schedules: { allow } });
    const { json } = await send("POST", "/schedules", { body: daily });
    const path = `/schedules/${String((json as Json)["id"])}`;
    for (const [headers, status] of [
      [{}, 401],
      [bob, 403],
    ] as const) {
      expect((await send("POST", "/schedules", { body: daily, headers })).status).toBe(status);
      expect((await send("GET", "/schedules", { headers })).status).toBe(status);
      for (const method of ["GET", "DELETE"]) expect((await send(method, path, { headers })).status).toBe(status);
      expect((await send("PATCH", path, { body: {}, headers })).status).toBe(status);
    }
    expect(allow).toHaveBeenCalled();
  });

  it("is the user who is named, if a request names one", async () => {
    const { send } = await serveSchedules();

    expect((await send("POST", "/schedules", { body: { ...daily, userId: "bob" } })).status).toBe(403);
    expect((await send("POST", "/schedules", { body: { ...daily, userId: "ada" } })).status).toBe(201);
  });

  it("does not reach those of the program", async () => {
    const { send, runs } = await serveSchedules();
    const request = { kind: "agent", name: "a", input: "Report." } as const;
    await runs?.schedules.put({ id: "own", everyMs: 60_000, request });

    expect((await send("GET", "/schedules/own", {})).status).toBe(404);
    expect((await send("GET", "/schedules", {})).json).toEqual({ schedules: [] });
  });

  it("is nobody, unless the service has the option", async () => {
    const { send } = await serveSchedules({ schedules: false });

    for (const method of ["GET", "POST"]) expect((await send(method, "/schedules", {})).status).toBe(404);
  });
});

describe("a wrong request for a schedule", () => {
  it.each([
    [{ kind: "robot" }, 400, "kind must be agent, team or workflow."],
    [{ name: 5 }, 400, "name must be a string"],
    [{ name: "nobody" }, 404, "nobody"],
    [{ input: " " }, 400, "input"],
    [{ input: undefined }, 400, "input"],
    [{ cron: "61 * * * *" }, 400, 'The minute "61"'],
    [{ timeZone: "Mars" }, 400, '"Mars" is unknown'],
    [{ everyMs: 5000 }, 400, "one of cron, everyMs and at, got 2"],
    [{ overlap: "allow" }, 400, "overlap"],
    [{ jitterMs: -1 }, 400, "jitterMs"],
    [{ apiKey: "sk" }, 400, 'Unknown field "apiKey"'],
    [{ id: "mine" }, 400, 'Unknown field "id"'],
    [{ sessionId: "a b" }, 400, "sessionId"],
  ])("%j is refused, and the field is named", async (wrong, status, message) => {
    const { send } = await serveSchedules();
    const answer = await send("POST", "/schedules", { body: { ...daily, ...wrong } });

    expect(answer).toMatchObject({ status, json: { error: { message: expect.stringContaining(message) } } });
    expect((await send("GET", "/schedules", {})).json).toEqual({ schedules: [] });
  });

  it("a wrong change of a schedule is refused, and changes nothing", async () => {
    const { send } = await serveSchedules();
    const { json } = await send("POST", "/schedules", { body: daily });
    const path = `/schedules/${String((json as Json)["id"])}`;
    for (const body of [
      { status: "ended" },
      { kind: "team" },
      { everyMs: 999 },
      { cron: "wrong" },
      { input: 5 },
      { isPaused: true },
    ]) {
      expect((await send("PATCH", path, { body })).status).toBe(400);
    }

    expect((await send("GET", path, {})).json).toEqual(json);
  });
});
