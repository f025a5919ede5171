import { describe, expect, it } from "vitest";
import { readPayloadKeys } from "../model/keys/read-payload-keys.ts";
import { readPrincipal } from "./principal.ts";
import { checkFieldNames, readMessage, readRunFields, readSentObject, runFieldNames } from "./run-fields.ts";
import type { RunFields } from "./run-fields.ts";

function read(fields: RunFields, principal?: { userId: string }) {
  return readRunFields(fields, {
    subject: "a",
    readInput: readMessage,
    principal,
    bodyUserId: "unverified",
    readKeys: (apiKey) => readPayloadKeys({ apiKey }),
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
      'Unknown field "__proto__" in the payload. Expected input, sessionId, userId, apiKey or messages.',
    );
  });
});

describe("what a client sent", () => {
  it("must be an object that does not nest too deep", () => {
    const deep = JSON.parse("[".repeat(70) + "]".repeat(70)) as unknown;

    for (const sent of [null, undefined, "x", 7, []])
      expect(() => readSentObject(sent, "payload")).toThrow("The payload must be a JSON object");
    expect(() => readSentObject({ input: deep }, "payload")).toThrow(
      "The payload must not nest deeper than 64 levels.",
    );
  });
});

describe("the keys of a message", () => {
  it("come before those of the connection, each before its own", () => {
    const connection = { apiKey: "old", apiKeys: { openai: "one", google: "two" } };

    expect(readPayloadKeys({}, connection)).toEqual(connection);
    expect(readPayloadKeys({ apiKey: "new", apiKeys: { openai: "three" } }, connection)).toEqual({
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
    const failure = thrownBy(() => readPayloadKeys({ apiKeys }));

    expect(failure).toMatchObject({ code: "invalid_request" });
    expect(String(failure)).not.toContain("secret");
  });
});

describe("a principal", () => {
  it("that the host has made wrong is the host's fault, said with its place", () => {
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
