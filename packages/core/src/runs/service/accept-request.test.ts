import { describe, expect, it } from "vitest";
import { checkNote, readRequest } from "./accept-request.ts";

const request = { kind: "agent", name: "a", input: "é" } as const;
const keyed = { ...request, idempotencyKey: "k", owner: { userId: "ada", tenantId: "t" } };
const uuid8 = /^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-a[\da-f]{3}-[\da-f]{12}$/;
const refused = (text: string | RegExp) =>
  expect.objectContaining({ code: "invalid_request", message: expect.stringMatching(text) });

describe("the id of a run", () => {
  it("is the same for the same key of the same owner and runnable, whatever the rest", () => {
    const { runId, isUnique } = readRequest(keyed);
    expect(runId).toMatch(uuid8);
    expect(isUnique).toBe(false);
    expect(readRequest({ ...keyed, input: "other", owner: { tenantId: "t", userId: "ada" } }).runId).toBe(runId);
  });

  it.each([
    ["key", { idempotencyKey: "K" }],
    ["user", { owner: { userId: "bob", tenantId: "t" } }],
    ["tenant", { owner: { userId: "ada", tenantId: "u" } }],
    ["owner without a tenant", { owner: { userId: "ada" } }],
    ["verification", { owner: { ...keyed.owner, verified: false } }],
    ["kind", { kind: "team" as const }],
    ["name", { name: "b" }],
  ])("is another one for another %s", (_what, change) => {
    expect(readRequest({ ...keyed, ...change }).runId).not.toBe(readRequest(keyed).runId);
  });

  it("is new without a key, or the one that is given", () => {
    const ids = [readRequest(request), readRequest(request)].map(({ runId }) => runId);
    expect(new Set(ids).size).toBe(2);
    expect(readRequest(request).isUnique).toBe(true);
    const runId = "0b489b77-e501-4188-8e16-52d0222de4da";
    expect(readRequest({ ...request, runId }).runId).toBe(runId);
    for (const wrong of [runId.toUpperCase(), `${runId}0`, "r", ""])
      expect(() => readRequest({ ...request, runId: wrong })).toThrow(refused("UUID in lower case"));
  });
});

describe("the fingerprint of a request with a key", () => {
  it("is that of its runnable, input and options, or of what is given for it", () => {
    const { fingerprint } = readRequest(keyed);
    expect(readRequest({ ...keyed, priority: 1, note: "n" }).fingerprint).toBe(fingerprint);
    expect(readRequest({ ...keyed, input: "e" }).fingerprint).not.toBe(fingerprint);
    expect(readRequest({ ...keyed, options: { instructions: "x" } }).fingerprint).not.toBe(fingerprint);
    const given = readRequest({ ...keyed, fingerprint: { a: 1 } }).fingerprint;
    expect(readRequest({ ...keyed, input: "e", fingerprint: { a: 1 } }).fingerprint).toBe(given);
    expect(readRequest(request).fingerprint).toBeUndefined();
  });
});

describe("a request", () => {
  it("keeps its options, without those that are undefined, and has the defaults of what it leaves out", () => {
    const options = { sessionId: "s", metadata: { é: null }, instructions: undefined };
    expect(readRequest({ ...request, options: options })).toMatchObject({
      options: { sessionId: "s", metadata: { é: null } },
      sessionId: "s",
      owner: {},
      isBearer: false,
      mustExist: false,
      priority: 10,
    });
    expect(readRequest({ ...request, options: options }).options).not.toHaveProperty("instructions");
  });

  it.each([
    "tools",
    "model",
    "signal",
    "apiKey",
    "apiKeys",
    "userId",
    "tenantId",
    "verified",
    "runId",
    "parent",
    "isNewSession",
    "steps",
  ])("may not have options.%s, and is told what to do instead", (name) => {
    const given = { ...request, options: { [name]: false } as never };
    expect(() => readRequest(given)).toThrow(
      refused(new RegExp(`^options.${name} must be left out.*process. [A-Z].*\\.$`)),
    );
    expect(() => readRequest({ ...request, options: { [name]: undefined } })).not.toThrow();
  });

  it.each([
    ["kind", { kind: "thing" }],
    ["name", { name: 7 }],
    ["input", { input: 1n }],
    ["options", { options: [] }],
    ["other", { options: { other: 1 } }],
    ["sessionId", { options: { sessionId: "" } }],
    ["owner", { owner: "ada" }],
    ["userId", { owner: { userId: 7 } }],
    ["idempotencyKey", { idempotencyKey: "" }],
    ["idempotencyKey", { idempotencyKey: "x".repeat(256) }],
    ["mustExist", { mustExist: true }],
    ["priority", { priority: -1 }],
    ["priority", { priority: 1_000_001 }],
    ["priority", { priority: 0.5 }],
    ["ttlMs", { ttlMs: 0 }],
    ["notBefore", { notBefore: -1 }],
    ["note", { note: 1n }],
    ["beforeStored", { beforeStored: "x" }],
    ["unknown", { unknown: 1 }],
  ])("is refused, by the name of what is wrong: %s", (name, change) => {
    expect(() => readRequest({ ...request, ...change } as never)).toThrow(refused(name));
  });

  it.each([
    { idempotencyKey: "x".repeat(255) },
    { priority: 0 },
    { priority: 1_000_000 },
    { ttlMs: 1 },
    { notBefore: 0 },
  ])("may have %j", (change) => {
    expect(readRequest({ ...request, ...change })).toMatchObject(
      "idempotencyKey" in change ? { isUnique: false } : change,
    );
  });
});

it("a note has 262,144 characters of JSON at most", () => {
  expect(checkNote("é".repeat(262_142))).toHaveLength(262_142);
  expect(() => checkNote("é".repeat(262_143))).toThrow(refused("at most 262144 characters as JSON, got 262145"));
});
