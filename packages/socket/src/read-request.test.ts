import { Agent, createLogger } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import type { ServiceRequest } from "@troupe/core/service";
import type { Server, Socket } from "socket.io";
import { describe, expect, it } from "vitest";
import { FakeSocket } from "../test/fake-sockets.ts";
import { readGatewayOptions } from "./gateway-options.ts";
import type { GatewayOptions } from "./gateway-options.ts";
import { readArguments, readFields, readRunMessage, readText, secretsOf } from "./read-request.ts";
import { SendBudget } from "./send-budget.ts";
import { SocketClient } from "./socket-client.ts";

const agent = new Agent({ name: "helper", model: new ScriptedModel("Hi.") });
const acknowledge = () => {};

it.each<[unknown[], unknown, boolean]>([
  [[], undefined, false],
  [[{ a: 1 }], { a: 1 }, false],
  [[undefined], undefined, false],
  [[1, 2], [1, 2], false],
  [[acknowledge], undefined, true],
  [[{ a: 1 }, acknowledge], { a: 1 }, true],
  [[acknowledge, acknowledge], acknowledge, true],
  [[1, 2, acknowledge], [1, 2], true],
  [[acknowledge, 1], [acknowledge, 1], false],
])("the arguments %j are taken apart", (sent, payload, isAcknowledged) => {
  expect(readArguments(sent)).toStrictEqual({ payload, ...(isAcknowledged && { acknowledge }) });
});

describe("the fields of a payload", () => {
  it("are those of an object that are allowed", () => {
    expect(readFields({ a: 1 }, ["a", "b"])).toStrictEqual({ a: 1 });
    expect(readFields({}, ["a"])).toStrictEqual({});
  });

  it.each<[unknown, string]>([
    [Buffer.from("x"), "The payload must be a JSON object, got binary data."],
    [new Float32Array(1), "The payload must be a JSON object, got binary data."],
    [[{ a: 1 }], "payload"],
    [null, "payload"],
    ["a", "payload"],
    [{ a: 1, c: 2 }, "c"],
  ])("of %j are refused", (payload, words) => {
    const refused = { code: "invalid_request", message: expect.stringContaining(words) as string };
    expect(() => readFields(payload, ["a"])).toThrow(expect.objectContaining(refused));
  });
});

describe("a text", () => {
  it.each(["a", " ", "é".repeat(256)])("is taken: %j", (text) => {
    expect(readText(text, "runId")).toBe(text);
  });

  it.each(["", "x".repeat(257), 7, null, undefined, ["a"], {}])("is refused, and named: %j", (text) => {
    const refused = { code: "invalid_request", message: "runId must be a string of 1 to 256 characters." };
    expect(() => readText(text, "runId")).toThrow(expect.objectContaining(refused));
  });
});

describe("the secrets of a request", () => {
  const socketOf = (auth: unknown, headers: object = {}) => ({ handshake: { headers, auth } }) as unknown as Socket;

  it("are the keys of payload and handshake", () => {
    const socket = socketOf({ apiKey: "k4", token: "k5", n: 7 }, { authorization: "Bearer k2", cookie: "no" });
    const payload = { apiKey: "k1", apiKeys: { openai: "k3", none: null }, input: "no" };
    expect(secretsOf(socket, payload)).toEqual(["k1", "Bearer k2", "k3", "k4", "k5"]);
  });

  it.each([undefined, null, 7, "text", []])("are none of a payload that is %j", (payload) => {
    expect(secretsOf(socketOf(undefined), payload)).toEqual([]);
  });
});

type Setup = { auth?: object; isSignedIn?: boolean; leaves?: boolean; options?: Partial<GatewayOptions> };

/** Reads a request of a client, of the user ada or nobody, who may leave while the host is asked for options. */
async function read(payload: object, setup: Setup = {}, kind: "agent" | "team" = "agent") {
  const { auth = {}, isSignedIn = true, leaves = false, options = {} } = setup;
  const io = { of: () => undefined } as unknown as Server;
  const principal = isSignedIn ? { userId: "ada" } : undefined;
  const socket = Object.assign(new FakeSocket("1", ""), {
    data: { principal },
    handshake: { headers: {}, auth, address: "10.0.0.1" },
  });
  const client = new SocketClient(socket as unknown as Socket, {
    maxRunsPerSocket: 1,
    maxBufferedBytes: 1000,
    budget: new SendBudget(1000),
    logger: createLogger(),
    onFree: () => {},
  });
  const leave = () => {
    client.leave();
    return undefined;
  };
  const own = leaves ? { runOptions: leave } : {};
  const given = { io, agents: { helper: agent }, teams: { desk: agent }, ...options, ...own };
  const { service } = readGatewayOptions(given);
  try {
    return await readRunMessage(client, payload, { kind, service });
  } finally {
    client.leave();
  }
}

const asked = { name: "helper", input: "Hi" };

describe("a request to run", () => {
  it("has the runnable, its input, the user and the session", async () => {
    const { name, requested, idempotencyKey } = await read({ ...asked, sessionId: "s1", idempotencyKey: "i1" });
    expect([name, idempotencyKey, requested.subject === agent, requested.input]).toEqual(["helper", "i1", true, "Hi"]);
    expect(requested.opts).toMatchObject({ sessionId: "s1", userId: "ada" });
    expect(requested.owner).toEqual({ userId: "ada" });
  });

  it("is for an agent or a team, by its own name", async () => {
    expect((await read({ ...asked, name: "desk" }, {}, "team")).name).toBe("desk");
    for (const [name, kind] of [
      ["desk", "agent"],
      ["helper", "team"],
      ["toString", "agent"],
    ] as const) {
      await expect(read({ ...asked, name }, {}, kind)).rejects.toMatchObject({ code: "not_found" });
    }
  });

  it.each<[string, object, Setup, object]>([
    ["its own", { apiKey: "own" }, { auth: { apiKey: "hand" } }, { apiKey: "own" }],
    ["that of the handshake", {}, { auth: { apiKey: "hand" } }, { apiKey: "hand" }],
    ["that of the handshake in place of null", { apiKey: null }, { auth: { apiKey: "hand" } }, { apiKey: "hand" }],
    [
      "one of a vendor beside that of the handshake",
      { apiKeys: { a: "b" } },
      { auth: { apiKey: "hand" } },
      { apiKey: "hand", apiKeys: { a: "b" } },
    ],
    ["its own beside one that is none", { apiKey: "own" }, { auth: { apiKey: 7 } }, { apiKey: "own" }],
  ])("has the key: %s", async (...[, more, setup, keys]) => {
    expect((await read({ ...asked, ...more }, setup)).requested.opts).toMatchObject(keys);
  });

  it.each<[GatewayOptions["trustAddresses"], string | undefined]>([
    [undefined, undefined],
    [true, "10.0.0.1"],
    [() => "of the host", "of the host"],
    [() => undefined, undefined],
  ])("has the address that the host believes, with trustAddresses %s", async (trustAddresses, expected) => {
    expect((await read(asked, { options: { trustAddresses } })).requested.address).toBe(expected);
  });

  it("has no key where nobody sent one", async () => {
    const { opts } = (await read(asked, { auth: Object.create({ apiKey: "inherited" }) as object })).requested;
    expect(opts.apiKey).toBeUndefined();
  });

  it("is refused for a key of the handshake that is none, which is named", async () => {
    await expect(read(asked, { auth: { apiKey: 7 } })).rejects.toMatchObject({
      code: "invalid_request",
      message: expect.stringContaining("auth.apiKey of the handshake") as string,
    });
  });

  it.each([undefined, null, "!", "~", "x".repeat(255)])("may have the idempotency key %j", async (key) => {
    expect((await read({ ...asked, idempotencyKey: key })).idempotencyKey).toBe(key ?? undefined);
  });

  it.each(["", "x".repeat(256), "a b", "é", "a\n", "\u007f", 7, {}])(
    "is refused with the idempotency key %j",
    async (key) => {
      await expect(read({ ...asked, idempotencyKey: key })).rejects.toMatchObject({
        code: "invalid_request",
        message: "idempotencyKey must be 1 to 255 visible ASCII characters without spaces, such as a new UUID.",
      });
    },
  );

  it("has options of the host, who is given the request of the handshake", async () => {
    const requests: unknown[] = [];
    const runOptions = (request: ServiceRequest) => {
      const { protocol, method, path, principal, native } = request;
      requests.push({ protocol, method, path, principal, id: (native as Socket).id });
      return { metadata: { plan: "free" } };
    };
    expect((await read(asked, { options: { runOptions } })).requested.opts).toMatchObject({
      metadata: { plan: "free" },
    });
    const facts = { protocol: "socket", method: "CONNECT", path: "/", principal: { userId: "ada" } };
    expect(requests).toEqual([{ ...facts, id: "1" }]);
  });

  it("begins nothing for a client that has left meanwhile", async () => {
    await expect(read(asked, { leaves: true })).rejects.toMatchObject({ code: "cancelled" });
  });

  it.each([
    ["trusted", true],
    ["unverified", false],
    [undefined, false],
  ] as const)(
    "a request without a signed-in user has the user that it names, with bodyUserId %s",
    async (bodyUserId, verified) => {
      const { requested } = await read({ ...asked, userId: "bob" }, { isSignedIn: false, options: { bodyUserId } });
      expect(requested.opts).toMatchObject({ userId: "bob", verified });
      expect(requested.owner).toEqual({});
    },
  );

  it("is refused for another user than the one who is signed in", async () => {
    const setup = { options: { bodyUserId: "trusted" } } as const;
    await expect(read({ ...asked, userId: "bob" }, setup)).rejects.toMatchObject({ code: "forbidden" });
  });
});
