import { describe, expect, it } from "vitest";
import type { RunRequest } from "../record/run-view.ts";
import type { CountedCaller } from "../../sessions/session/counted-caller.ts";
import { acceptance, other, runId, sealKeys } from "./test/acceptance.ts";

const ada = { tenantId: "t", userId: "ada" };
const tools = { tools: { send: expect.stringMatching(/^[\da-f]{16}$/) } };

describe("acceptRun", () => {
  it("stores a run with all that the request says, and submits it", async () => {
    const { accept, read, engine, admitted } = acceptance({ open: 3 });
    const accepted = await accept({
      runId,
      owner: ada,
      priority: 4,
      notBefore: 5000,
      ttlMs: 60,
      note: { of: "transport" },
      options: { sessionId: "s", metadata: { plan: "free" } },
    });

    expect(accepted).toEqual({ runId, sessionId: "s", isNew: true });
    expect(await read()).toEqual({
      v: 1,
      runId,
      kind: "agent",
      name: "a",
      owner: ada,
      sessionId: "s",
      input: "Hello.",
      options: { sessionId: "s", metadata: { plan: "free" } },
      createdAt: 1000,
      expiresAt: 1060,
      priority: 7,
      notBefore: 5000,
      activation: 1,
      status: "queued",
      attempts: 0,
      plan: tools,
      note: { of: "transport" },
    });
    expect(engine.jobs).toEqual([{ runId, activation: 1, priority: 7, notBefore: 5000 }]);
    expect(admitted).toEqual([[{ kind: "user", key: "t/ada" }, undefined]]);
  });

  it("gives a run a session of its own, and nothing that was not asked for", async () => {
    const { accept, read, engine } = acceptance();
    const { sessionId } = await accept({ runId });
    expect(sessionId).toMatch(/^[\da-f-]{36}$/);
    const owner = expect.not.objectContaining({ userId: expect.anything() });
    expect(await read()).toEqual({
      v: 1,
      runId,
      kind: "agent",
      name: "a",
      owner,
      sessionId,
      isNewSession: true,
      input: "Hello.",
      options: {},
      createdAt: 1000,
      priority: 10,
      activation: 1,
      status: "queued",
      attempts: 0,
      plan: tools,
    });
    expect(engine.jobs).toEqual([{ runId, activation: 1, priority: 10 }]);
  });

  const long = "x".repeat(33_000);
  const bytes = expect.closeTo(33_000, -2);
  it.each<[given: Partial<RunRequest>, caller: object, bytes: unknown, counted: object]>([
    [{}, { kind: "host", key: "#host" }, undefined, {}],
    [{ input: long }, { kind: "host", key: "#host" }, undefined, {}],
    [{ owner: ada, input: long }, { kind: "user", key: "t/ada" }, undefined, {}],
    [{ isBearer: true }, { kind: "anonymous", key: "#" }, undefined, { anonymous: "#", isBearer: true }],
    [
      { isBearer: true, input: long },
      { kind: "anonymous", key: "#" },
      bytes,
      { anonymous: "#", inputBytes: bytes, isBearer: true },
    ],
    [
      { isBearer: true, options: { metadata: { long } } },
      { kind: "anonymous", key: "#" },
      bytes,
      { anonymous: "#", inputBytes: bytes, isBearer: true },
    ],
    [{ owner: { userId: "ada", verified: false } }, { kind: "anonymous", key: "#" }, undefined, { anonymous: "#" }],
    [
      { isBearer: true, address: "192.0.2.1" },
      { kind: "anonymous", key: expect.stringMatching(/^#[\da-f]{16}$/) },
      undefined,
      { anonymous: expect.stringMatching(/^#[\da-f]{16}$/), isBearer: true },
    ],
  ])("counts a run of %j for its caller", async (given, ...[caller, size, counted]) => {
    const { accept, read, admitted } = acceptance();
    await accept({ runId, ...given });
    expect(admitted).toEqual([[caller, size]]);
    const { anonymous, inputBytes, isBearer } = (await read()) ?? {};
    expect(JSON.parse(JSON.stringify({ anonymous, inputBytes, isBearer }))).toEqual(counted);
  });

  it("finds the run of an earlier request with the same key, and submits it again while it is queued", async () => {
    const { accept, engine, admitted, parts } = acceptance();
    const keyed = { idempotencyKey: "k", owner: ada, options: { sessionId: "s" } };
    const first = await accept(keyed);
    expect(await accept({ ...keyed, mustExist: true })).toEqual({ ...first, isNew: false });
    expect(engine.jobs).toEqual([1, 2].map(() => ({ runId: first.runId, activation: 1, priority: 10 })));
    for (const status of ["running", "waiting", "completed"] as const) {
      await parts.store.change(first.runId, (record) => ({ ...record, status }));
      expect(await accept(keyed)).toEqual({ ...first, isNew: false });
    }
    expect(engine.jobs).toHaveLength(2);
    expect(admitted).toHaveLength(1);

    const fields = { runId: first.runId };
    await expect(accept({ ...keyed, input: "Other." })).rejects.toMatchObject({ code: "idempotency_mismatch", fields });
    await expect(accept({ ...keyed, owner: { ...ada, userId: "bob" } })).resolves.toMatchObject({ isNew: true });
  });

  it("finds the run of a request with the same key that was stored meanwhile", async () => {
    const { accept, engine, parts } = acceptance();
    const [one, again] = await Promise.all(
      [1, 2].map(() => accept({ idempotencyKey: "k", options: { sessionId: "s" } })),
    );
    expect([one?.isNew, again?.isNew].toSorted((a) => (a === true ? -1 : 1))).toEqual([true, false]);
    expect(again).toEqual({ ...one, isNew: !one?.isNew });
    expect(new Set(engine.jobs.map(({ runId: id }) => id)).size).toBe(1);
    expect(parts.admission?.check({ kind: "user", key: "-/x" as CountedCaller["key"] }, 0)).toBe(0);
  });

  it.each<[what: string, given: Partial<RunRequest>, code: string]>([
    ["whose id is taken", { runId: other }, "conflict"],
    ["that is gone", { idempotencyKey: "k", mustExist: true }, "gone"],
    ["of an unknown agent", { name: "constructor" }, "not_found"],
    ["with local options", { local: {} }, "invalid_request"],
    ["with wrong options", { options: { limits: { durationMs: 0 } } }, "invalid_request"],
    ["with a wrong input", { input: 5 }, "invalid_request"],
    ["with wrong keys", { keys: { apiKey: "a b" } }, "invalid_request"],
  ])("keeps nothing of a request %s", async (_what, given, code) => {
    const { accept, storage, engine, parts } = acceptance({ sealKeys });
    await accept({ runId: other });
    const before = await storage.list("run-by");
    await expect(accept({ runId, ...given })).rejects.toMatchObject({ code });
    expect(await storage.list("run-by")).toEqual(before);
    expect([engine.jobs.length, parts.locals.size, parts.begun.size]).toEqual([1, 0, 0]);
  });
});
