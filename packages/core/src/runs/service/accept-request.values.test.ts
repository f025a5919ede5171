import { expect, it } from "vitest";
import { checkNote, readRequest } from "./accept-request.ts";

const request = { kind: "agent", name: "a" } as const;
const runId = "0b489b77-e501-4188-8e16-52d0222de4da";
const beforeStored = async () => undefined;

it("a request with everything is read whole", () => {
  const options = {
    sessionId: "s",
    metadata: { é: null },
    messages: [{ role: "user", content: "Before." }],
    limits: { totalTokens: 1 },
    modelOptions: { temperature: 0 },
    instructions: "Be brief.",
    additions: { instructions: "Speak French." },
    fromOutside: true,
  } as const;
  const given = {
    kind: "workflow",
    name: "w",
    input: { n: [1] },
    options,
    owner: { userId: "ada", tenantId: "t", verified: false },
    keys: { apiKey: "k" },
    isBearer: true,
    address: "192.0.2.1",
    local: { metadata: {} },
    idempotencyKey: "i",
    fingerprint: { a: 1 },
    mustExist: true,
    priority: 1_000_000,
    note: { said: [] },
    notBefore: 8_640_000_000_000_000,
    ttlMs: 1_000_000_000_000,
    beforeStored,
    runId,
  } as const;

  expect(readRequest(given)).toEqual({
    ...given,
    sessionId: "s",
    isUnique: false,
    // The hash of {"a":1}.
    fingerprint: "015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862",
  });
});

it("a request with the least has the defaults of all else", () => {
  const read = readRequest({ ...request, runId });
  expect(read).toEqual({
    ...request,
    owner: {},
    options: {},
    isBearer: false,
    mustExist: false,
    priority: 10,
    isUnique: true,
    runId,
  });
  expect(readRequest({ ...request, kind: "team", input: null })).toMatchObject({ kind: "team", input: null });
});

it("the id and the fingerprint of a key are the same in each release", () => {
  const keyed = { ...request, input: "Hello.", idempotencyKey: "k", owner: { userId: "ada", tenantId: "t" } };
  const { runId: id, fingerprint } = readRequest(keyed);
  expect({ id, fingerprint }).toEqual({
    id: "7ba0f561-e4ff-878f-ab4f-9de6a77d037e",
    fingerprint: "ed3672f624ad38ee48da805fe78253d398edc0a629242d82f1b7029b2d5a7558",
  });
  const changes = [{ kind: "team" as const }, { name: "b" }, { input: undefined }, { options: { instructions: "x" } }];
  const others = changes.map((change) => readRequest({ ...keyed, ...change }).fingerprint);
  expect(new Set([fingerprint, ...others]).size).toBe(5);
});

const lostOptions: [name: string, cure: string][] = [
  ["tools", "Give the tools to the agent."],
  ["model", "Give the model to the agent."],
  ["signal", "Cancel the run by its id."],
  ["apiKey", "Give it as keys.apiKey."],
  ["apiKeys", "Give them as keys.apiKeys."],
  ["userId", "Give it in owner."],
  ["tenantId", "Give it in owner."],
  ["verified", "Give it in owner."],
  ["runId", "Give it beside the options."],
  ["parent", "A durable run has no parent run."],
  ["isNewSession", "A run without sessionId gets a new session."],
  ["steps", "The service makes them."],
];
it.each(lostOptions)(
  "a request with a wrong options.%s is refused in these words, also when it is null: ... %s",
  (name, cure) => {
    const message = `options.${name} must be left out of a durable run, which outlives its process. ${cure}`;
    for (const value of [null, false, {}]) {
      expect(() => readRequest({ ...request, options: { [name]: value } })).toThrow(
        expect.objectContaining({ code: "invalid_request", message }),
      );
    }
  },
);

let deep: unknown = 1;
for (let level = 0; level < 65; level++) deep = [deep];

const refused: [change: object, message: string][] = [
  [{ mustExist: true }, "mustExist goes with an idempotencyKey, by which the run is found."],
  [{ input: 1n }, "input of a durable run must be JSON, at most 64 levels deep."],
  [{ input: deep }, "input of a durable run must be JSON, at most 64 levels deep."],
  [{ note: deep }, "note of a durable run must be JSON, at most 64 levels deep."],
  [{ options: { metadata: { at: 1n } } }, "options of a durable run must be JSON, at most 64 levels deep."],
  [{ idempotencyKey: "k", fingerprint: () => 1 }, "fingerprint of a durable run must be JSON, at most 64 levels deep."],
  [{ note: "x".repeat(262_143) }, "The note of a run must have at most 262144 characters as JSON, got 262145."],
  [
    { when: 1 },
    'Unknown option "when" of the run request "a". Expected kind, name, input, options, owner, keys, isBearer, address, local, idempotencyKey, fingerprint, mustExist, priority, note, notBefore, ttlMs, beforeStored, telemetry, webhook or runId.',
  ],
  [
    { options: { temperature: 1 } },
    'Unknown option "temperature" of options. Expected sessionId, metadata, messages, limits, modelOptions, instructions, additions or fromOutside.',
  ],
  [{ kind: "thing" }, 'kind must be "agent", "team" or "workflow", got a string.'],
  [{ name: 7 }, "name must be a string, got 7."],
  [{ options: [] }, "options must be an object, got an array."],
  [{ owner: "ada" }, "owner must be an object, got a string."],
  [{ keys: "k" }, "keys must be an object, got a string."],
  [{ local: 1 }, "local must be an object, got 1."],
  [{ address: 1 }, "address must be a string, got 1."],
  [{ isBearer: 1 }, "isBearer must be true or false, got 1."],
  [{ mustExist: "yes" }, "mustExist must be true or false, got a string."],
  [{ idempotencyKey: "" }, "idempotencyKey must be a string of 1 to 255 characters, got a string."],
  [{ priority: 1_000_001 }, "priority must be an integer from 0 to 1000000, got 1000001."],
  [
    { notBefore: 8_640_000_000_000_001 },
    "notBefore must be a number from 0 to 8640000000000000, got 8640000000000001.",
  ],
  [{ ttlMs: 1_000_000_000_001 }, "ttlMs must be an integer from 1 to 1000000000000, got 1000000000001."],
  [{ beforeStored: 1 }, "beforeStored must be a function, got 1."],
  [{ runId: "r" }, "runId must be a UUID in lower case, got a string."],
];
it.each(refused.map(([change, message]) => ({ change, message })))(
  "a request is refused: $message",
  ({ change, message }) => {
    expect(() => readRequest({ ...request, ...change })).toThrow(
      expect.objectContaining({ code: "invalid_request", message }),
    );
  },
);

it("a value that is no JSON has its cause", () => {
  expect(() => readRequest({ ...request, input: 1n })).toThrow(expect.objectContaining({ cause: expect.any(Error) }));
});

it.each([null, false, 0, "", [], {}])("a note may be %j", (note) => {
  expect(checkNote(note)).toEqual(note);
  expect(readRequest({ ...request, note }).note).toEqual(note);
});

it.each([
  ["1 character of three bytes", "語"],
  ["254 characters of two bytes", "é".repeat(254)],
  ["255 characters of two bytes", "é".repeat(255)],
  ["127 surrogate pairs and a letter", `${"😀".repeat(127)}a`],
])("an idempotency key may have %s", (_, idempotencyKey) => {
  expect(readRequest({ ...request, idempotencyKey })).toMatchObject({ isUnique: false });
});

it.each([
  ["256 characters of two bytes", "é".repeat(256)],
  ["128 surrogate pairs, which are 256 characters", "😀".repeat(128)],
])("an idempotency key is refused with %s", (_, idempotencyKey) => {
  expect(() => readRequest({ ...request, idempotencyKey })).toThrow(
    "idempotencyKey must be a string of 1 to 255 characters",
  );
});

it("idempotency keys that look alike are keys of different runs", () => {
  const keys = ["é", "e\u0301", "É", " é", "é ", "\ud800", "\ud801", "\ufffd", "null", "undefined"];
  const ids = keys.map((idempotencyKey) => readRequest({ ...request, idempotencyKey }).runId);
  expect(new Set(ids).size).toBe(keys.length);
});

it.each(["\n", " ", "\0"])("a runId with %j after it is refused", (more) => {
  expect(() => readRequest({ ...request, runId: runId + more })).toThrow("runId must be a UUID in lower case");
});
