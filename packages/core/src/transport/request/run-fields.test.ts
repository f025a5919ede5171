import { describe, expect, it } from "vitest";
import { readPayloadApiKeys } from "../../model/keys/read-payload-api-keys.ts";
import { readPrincipal } from "./principal.ts";
import {
  checkFieldNames,
  readMessage,
  readRunFields,
  readClientObject,
  readWorkflowInput,
  reachOf,
  runFieldNames,
} from "./run-fields.ts";
import type { RunFields } from "./run-fields.ts";

function read(fields: RunFields, principal?: { userId: string }) {
  return readRunFields(fields, {
    subject: "a",
    readInput: readMessage,
    principal,
    bodyUserId: "unverified",
    readKeys: (apiKey) => readPayloadApiKeys({ apiKey }),
    where: "payload",
  });
}

describe("the fields of a run", () => {
  it("become a run with ids of its own, a new session and the user of the principal", () => {
    const { opts, owner, input } = read({ input: "x", apiKey: "k", sessionId: null }, { userId: "ada" });
    const other = read({ input: "x" });

    expect(input).toBe("x");
    expect(owner).toEqual({ userId: "ada" });
    expect(opts).toMatchObject({ isNewSession: true, fromOutside: true, userId: "ada", apiKey: "k" });
    expect(new Set([opts.runId, opts.sessionId, other.opts.runId, other.opts.sessionId])).toHaveLength(4);
  });

  it.each([
    ["no input", {}, "The payload must have an input"],
    [
      "too many parts",
      { input: Array.from({ length: 101 }, () => ({ type: "text", text: "x" })) },
      "at most 100 parts",
    ],
    ["a session that is no string", { input: "x", sessionId: 7 }, "sessionId"],
    ["a key that is no string", { input: "x", apiKey: {} }, "The API key in the field apiKey must be"],
    ["a user that is no string", { input: "x", userId: 7 }, "userId must be"],
  ])("are refused with %s", (_what, fields, message) => {
    expect(() => read(fields)).toThrow(
      expect.objectContaining({ code: "invalid_request", message: expect.stringContaining(message) as string }),
    );
  });

  it("are those of their transport alone", () => {
    expect(() => checkFieldNames(["name"], [...runFieldNames, "name"], "payload")).not.toThrow();
    expect(() => checkFieldNames(["__proto__"], undefined, "payload")).toThrow(
      'Unknown field "__proto__" in the payload. Expected input, sessionId, userId, apiKey, messages or webhook.',
    );
  });
});

describe("the options of a requested run", () => {
  const rules = { subject: "a", readInput: readMessage, bodyUserId: "unverified" as const };
  const readKeys = (apiKey: unknown) => readPayloadApiKeys({ apiKey });

  it("are the host's, and none of them stands for the user, the keys, the session or the messages of the client", () => {
    const given = { maxToolRoundtrips: 2, sessionId: "host", userId: "host", apiKey: "host", messages: [], runId: "h" };
    const messages = [{ role: "user", content: "é" }];
    const fields = { input: "x", sessionId: "s", userId: "bob", apiKey: "k", messages };
    const { opts, owner, address, subject } = readRunFields(fields, {
      ...rules,
      principal: undefined,
      hostOptions: given as never,
      readKeys,
      address: "203.0.113.9",
    });

    expect(opts).toEqual({
      maxToolRoundtrips: 2,
      runId: expect.not.stringMatching(/^h$/),
      sessionId: "s",
      isNewSession: false,
      fromOutside: true,
      messages,
      apiKey: "k",
      apiKeys: {},
      userId: "bob",
      verified: false,
    });
    expect([owner, address, subject]).toEqual([{}, "203.0.113.9", "a"]);
  });

  it("take a field that is null for one that is missing", () => {
    const asked: unknown[] = [];
    const nulls = { input: null, sessionId: null, userId: null, apiKey: null, messages: null };
    const { opts } = readRunFields(nulls, {
      ...rules,
      principal: { userId: "ada", tenantId: "t" },
      readInput: (...given) => asked.push(given),
      readKeys: (key) => {
        asked.push(key);
        return { apiKeys: {} };
      },
    });

    expect(asked).toEqual([[undefined, "body"], undefined]);
    expect(opts).toEqual({
      runId: expect.any(String),
      sessionId: expect.any(String),
      isNewSession: true,
      fromOutside: true,
      apiKeys: {},
      userId: "ada",
      tenantId: "t",
    });
  });

  it.each([
    { owner: { userId: "ada" }, opts: { userId: "ada", tenantId: "t" }, isBearer: false },
    { owner: {}, opts: { userId: "bob", verified: false }, isBearer: true },
    { owner: {}, opts: {}, isBearer: true },
  ])("say who reaches the run: of the principal $owner with the options $opts, by its id: $isBearer", (given) => {
    const { owner, opts, isBearer } = given;
    expect(reachOf({ opts, owner } as never)).toEqual({ owner: opts, isBearer });
  });
});

describe("the input of a run", () => {
  const parts = (count: number) => Array.from({ length: count }, () => ({ type: "text", text: "x" }));
  const refused = (message: string) => expect.objectContaining({ code: "invalid_request", message });

  it("the input of a run of an agent has at most 100 parts", () => {
    expect(readMessage(parts(100))).toHaveLength(100);
    expect(() => readMessage(parts(101))).toThrow(refused("input must have at most 100 parts, got 101."));
    expect(() => readMessage(undefined)).toThrow(refused('The body must have an input, such as {"input": "Hello"}.'));
  });

  it("the input of a run of a workflow is an object, a string, also an empty one, or missing", () => {
    for (const input of [{}, { é: 1 }, "", "x", undefined]) expect(readWorkflowInput(input)).toBe(input);
    const message =
      "input must be an object, which is merged over the workflow's initial state, or a string for its first agent step.";
    for (const input of [null, [], [{}], 0, false]) expect(() => readWorkflowInput(input)).toThrow(refused(message));
  });
});

describe("what a client sent", () => {
  const nested = (levels: number, inner: unknown = 1): unknown =>
    levels === 0 ? inner : { é: nested(levels - 1, inner) };

  it("may nest 64 levels deep, in objects and arrays, with binary data as a value", () => {
    for (const inner of [1, null, "x", new Uint8Array(2)]) {
      const sent = nested(64, inner);
      expect(readClientObject(sent)).toBe(sent);
    }
    for (const inner of [{}, []]) {
      expect(() => readClientObject(nested(64, inner))).toThrow("The body must not nest deeper than 64 levels.");
    }
    expect(() => readClientObject({ a: 1, b: nested(64) })).toThrow("The body must not nest deeper than 64 levels.");
    expect(() => readClientObject([{}])).toThrow('The body must be a JSON object, such as {"input": "Hello"}.');
  });

  it("has names of which an unknown one is shown with 64 characters, the first first", () => {
    const shown = (names: string[], allowed?: readonly string[]) => () => checkFieldNames(names, allowed);
    const refused = (message: string) => expect.objectContaining({ code: "invalid_request", message });
    expect(shown(["input", "x".repeat(64), "z"])).toThrow(
      refused(
        `Unknown field "${"x".repeat(64)}" in the body. Expected input, sessionId, userId, apiKey, messages or webhook.`,
      ),
    );
    expect(shown(["x".repeat(65)], ["a"])).toThrow(
      refused(`Unknown field "${"x".repeat(64)}" in the body. Expected a.`),
    );
    expect(shown([""], ["a", "b"])).toThrow(refused('Unknown field "" in the body. Expected a or b.'));
    expect(shown([])).not.toThrow();
  });

  it("must be an object that does not nest too deep", () => {
    const deep = JSON.parse("[".repeat(70) + "]".repeat(70)) as unknown;

    for (const sent of [null, undefined, "x", 7, []])
      expect(() => readClientObject(sent, "payload")).toThrow("The payload must be a JSON object");
    expect(() => readClientObject({ input: deep }, "payload")).toThrow(
      "The payload must not nest deeper than 64 levels.",
    );
  });
});

describe("the keys of a message", () => {
  it("come before those of the connection, each before its own", () => {
    const connection = { apiKey: "old", apiKeys: { openai: "one", google: "two" } };

    expect(readPayloadApiKeys({}, connection)).toEqual(connection);
    expect(readPayloadApiKeys({ apiKey: "new", apiKeys: { openai: "three" } }, connection)).toEqual({
      apiKey: "new",
      apiKeys: { openai: "three", google: "two" },
    });
  });

  it.each([
    ["a string", "secret"],
    ["an array", ["secret"]],
    ["the name of a prototype", JSON.parse('{"__proto__": "secret"}') as unknown],
    ["a key that is no string", { openai: 7 }],
    ["a key with a line break", { openai: "secret\n" }],
    ["too many keys", Object.fromEntries(Array.from({ length: 33 }, (_, index) => [`v${index}`, "secret"]))],
  ])("are refused as %s, without a word of them", (_what, apiKeys) => {
    const failure = thrownBy(() => readPayloadApiKeys({ apiKeys }));

    expect(failure).toMatchObject({ code: "invalid_request" });
    expect(String(failure)).not.toContain("secret");
  });
});

describe("a principal", () => {
  it("a principal that the host has made wrong is the host's fault, said with its place", () => {
    const failure = thrownBy(() => readPrincipal({ name: "ada" }, "socket.data.principal"));

    expect(failure).toMatchObject({
      code: "internal",
      message: "socket.data.principal must be { userId, tenantId? }, both strings.",
    });
    expect(readPrincipal(undefined, "socket.data.principal")).toBeUndefined();
  });
});

function thrownBy(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  throw new Error("Nothing was thrown.");
}
