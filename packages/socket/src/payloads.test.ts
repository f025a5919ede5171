import { Agent } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import type { Socket } from "socket.io";
import { describe, expect, it } from "vitest";
import { serveUsers, transports } from "../test/test-client.ts";

const key = "sk-canary-2f6c1d";

function keyed(): { agent: Agent; model: ScriptedModel } {
  const model = new ScriptedModel().respond(() => "Hello.");
  return { agent: new Agent({ name: "talker", model }), model };
}

describe.each(transports)("a payload of the wrong shape over %s", (transport) => {
  it.each<[string, unknown[]]>([
    ["nothing", []],
    ["null", [null]],
    ["undefined", [undefined]],
    ["a number", [0]],
    ["a string", ["a"]],
    ["an array", [[]]],
    ["binary data", [Buffer.from("x")]],
    [
      "two payloads",
      [
        { name: "a", input: "Hi" },
        { name: "a", input: "Hi" },
      ],
    ],
    ["no name", [{ input: "Hi" }]],
    ["an object as name", [{ name: { a: 1 }, input: "Hi" }]],
    ["binary data as name", [{ name: Buffer.from("a"), input: "Hi" }]],
    ["no input", [{ name: "a" }]],
    ["a blank input", [{ name: "a", input: " " }]],
    ["a number as input", [{ name: "a", input: 7 }]],
    ["binary data as input", [{ name: "a", input: Buffer.from("x") }]],
    ["a part with binary data", [{ name: "a", input: [{ type: "image", data: Buffer.from("x") }] }]],
    ["101 parts", [{ name: "a", input: Array.from({ length: 101 }, () => ({ type: "text", text: "x" })) }]],
    ["an unknown field", [{ name: "a", input: "Hi", session: "s" }]],
    ["the field __proto__", [JSON.parse('{"name":"a","input":"Hi","__proto__":{"x":1}}')]],
    ["a session that is none", [{ name: "a", input: "Hi", sessionId: "a/b" }]],
    ["a user that is none", [{ name: "a", input: "Hi", userId: 7 }]],
    ["a key that is none", [{ name: "a", input: "Hi", apiKey: "a b" }]],
    ["keys that are none", [{ name: "a", input: "Hi", apiKeys: ["x"] }]],
    ["an idempotency key that is none", [{ name: "a", input: "Hi", idempotencyKey: "" }]],
    ["65 levels", [{ name: "a", input: "Hi", messages: nested(65) }]],
  ])("is refused: %s [socket.wrong-payload]", async (_what, sent) => {
    const { join } = await serveUsers({ agents: { a: keyed().agent } });
    const client = await join({ transports: [transport] });
    const answer = await client.ask("agent.run", ...sent);
    client.socket.emit("agent.run", ...sent);
    client.socket.emit("agent.cancel", ...sent);
    client.socket.emit("agent.attach", ...sent);
    client.socket.emit("agent.answer", ...sent);

    expect(answer).toMatchObject({ error: expect.any(String), code: "invalid_request" });
    await client.until(() => client.namesOf().length === 5);
    expect(client.received.map(({ name, payload }) => [name, payload["code"]])).toEqual(
      Array.from({ length: 5 }, () => ["agent.error", "invalid_request"]),
    );
    expect(await client.run({ name: "a", input: "Hi" })).toMatchObject({ name: "agent.done" });
  });
});

describe("a text of a payload", () => {
  const whole = { runId: "r", waitId: "w", answer: true, name: "a", input: "Hi" };
  const texts: [string, keyof typeof whole, (keyof typeof whole)[]][] = [
    ["agent.run", "name", ["name", "input"]],
    ["team.run", "name", ["name", "input"]],
    ["agent.attach", "runId", ["runId"]],
    ["agent.cancel", "runId", ["runId"]],
    ["agent.answer", "runId", ["runId", "waitId", "answer"]],
    ["agent.answer", "waitId", ["runId", "waitId", "answer"]],
  ];

  it.each(texts)(
    "a text of a payload of %s has 1 to 256 characters, and its refusal names it: %s [socket.wrong-payload]",
    async (event, field, fields) => {
      const { join } = await serveUsers({ agents: { a: keyed().agent } });
      const client = await join();
      const sent = Object.fromEntries(fields.map((each) => [each, whole[each]]));
      const ask = async (value: unknown) => await client.ask(event, { ...sent, [field]: value });

      for (const value of ["", "é".repeat(257), 7, undefined]) {
        const error = expect.stringMatching(`^${field} must be a string of 1 to 256 characters`);
        expect(await ask(value)).toMatchObject({ code: "invalid_request", error });
      }
      expect(await ask("é".repeat(256))).toMatchObject({ code: "not_found" });
    },
  );
});

describe("a name", () => {
  it.each(["__proto__", "constructor", "toString", "b", "A"])(
    "a name that is not registered is not found: %s [socket.own-names]",
    async (name) => {
      const { agent } = keyed();
      const { join } = await serveUsers({ agents: { a: agent }, teams: { t: agent } });
      const client = await join();

      expect(await client.ask("agent.run", { name, input: "Hi" })).toMatchObject({ code: "not_found" });
      expect(await client.ask("team.run", { name, input: "Hi" })).toMatchObject({ code: "not_found" });
      expect(await client.ask("agent.run", { name: "t", input: "Hi" })).toMatchObject({ code: "not_found" });
      expect(client.received).toMatchObject([
        { name: "agent.error", payload: { name, code: "not_found" } },
        { name: "agent.error", payload: { name, code: "not_found" } },
        { name: "agent.error", payload: { name: "t", code: "not_found" } },
      ]);
    },
  );
});

describe("the payload of a run", () => {
  it("has name, input, and perhaps sessionId, userId, messages and null for none [socket.payload]", async () => {
    const { agent, model } = keyed();
    const { join } = await serveUsers({ agents: { a: agent } });
    const client = await join();
    const messages = [{ role: "user", content: "I am Ada." }];
    const first = await client.run({ name: "a", input: "Hi", sessionId: "s1", userId: "ada", messages, apiKey: null });
    const second = await client.run({ name: "a", input: [{ type: "text", text: "Again" }], sessionId: null });

    expect(first).toMatchObject({ name: "agent.done", payload: { sessionId: "s1" } });
    expect(second.payload["sessionId"]).toMatch(/^[\da-f-]{36}$/);
    expect(model.calls[0]?.messages.map(({ content }) => content)).toEqual(["I am Ada.", "Hi"]);
    expect(model.calls[1]?.messages).toHaveLength(1);
  });
});

describe("the API key of a run", () => {
  it("is that of the payload, before that of the handshake [socket.key-payload] [socket.key-handshake]", async () => {
    const { agent, model } = keyed();
    const { join } = await serveUsers({ agents: { a: agent } });
    const client = await join({ auth: { apiKey: "of-handshake" } });
    await client.run({ name: "a", input: "Hi", apiKey: "of-payload" });
    await client.run({ name: "a", input: "Hi" });
    await client.run({ name: "a", input: "Hi", apiKeys: { scripted: "of-vendor" } });
    await (await join()).run({ name: "a", input: "Hi" });

    expect(model.calls.map(({ options }) => options.apiKey)).toEqual([
      "of-payload",
      "of-handshake",
      "of-vendor",
      undefined,
    ]);
  });

  it("is refused when that of the handshake is malformed, unless the payload has one [socket.key-handshake]", async () => {
    const { join } = await serveUsers({ agents: { a: keyed().agent } });
    const client = await join({ auth: { apiKey: { a: 1 } } });

    expect(await client.ask("agent.run", { name: "a", input: "Hi" })).toMatchObject({
      code: "invalid_request",
      error: expect.stringContaining("auth.apiKey of the handshake"),
    });
    expect(await client.run({ name: "a", input: "Hi", apiKey: "k" })).toMatchObject({ name: "agent.done" });
  });

  it("is in no event, error or line of the log [socket.no-key-leaks]", async () => {
    const model = new ScriptedModel().respond(({ options }) => {
      throw new Error(`401 for ${options.apiKey}`);
    });
    const { join, lines } = await serveUsers({
      agents: { a: new Agent({ name: "a", model }) },
      runOptions: ({ native }) => {
        if ((native as Socket).handshake.auth["fails"] === true) throw new Error(`failed with ${key}`);
        return undefined;
      },
    });
    const client = await join({ auth: { apiKey: key }, extraHeaders: { authorization: `Bearer ${key}` } });
    const failing = await join({ auth: { apiKey: key, fails: true } });
    await client.run({ name: "a", input: "Hi" });
    await client.run({ name: "a", input: "Hi", apiKey: key });
    await client.run({ name: "a", input: "Hi", apiKey: `${key} ${key}` });
    await client.run({ name: "a", input: "Hi", apiKeys: { scripted: key } });
    await failing.run({ name: "a", input: "Hi" });

    expect(model.calls.length).toBeGreaterThan(0);
    expect(lines.length).toBeGreaterThan(0);
    expect(JSON.stringify([client.received, failing.received, lines])).not.toContain("canary");
    expect(failing.received).toMatchObject([
      { payload: { code: "internal", error: "Something went wrong in this service." } },
    ]);
  });
});

describe("an acknowledgement that a client asks for", () => {
  it("is answered once, and one that is no function does no harm [socket.acknowledge]", async () => {
    const { join } = await serveUsers({ agents: { a: keyed().agent } });
    const client = await join();
    const ids = await client.ask("agent.run", { name: "a", input: "Hi" });
    client.socket.emit("agent.run", { name: "a", input: "Hi" }, "no function");

    expect(ids).toEqual({ runId: expect.any(String), sessionId: expect.any(String) });
    await client.until(({ name }) => name === "agent.error");
    expect(await client.ask("agent.cancel", { runId: "x" })).toMatchObject({ code: "not_found" });
    expect(client.namesOf().filter((name) => name === "agent.error")).toHaveLength(1);
  });
});

/** Returns arrays within arrays. */
function nested(levels: number): unknown {
  return levels === 0 ? [] : [nested(levels - 1)];
}
