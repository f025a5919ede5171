import { createHmac } from "node:crypto";
import type { ServiceRequest } from "@troupe/core/service";
import { afterEach, describe, expect, it, vi } from "vitest";
import { teller } from "../../test/agents.ts";
import { serve } from "../../test/serve.ts";
import type { OpenWebUiOptions } from "./open-webui.ts";

const secret = "a secret of Open WebUI";

/** Signs a token as Open WebUI does. */
function token(claims: object = {}, { key = secret, alg = "HS256" } = {}): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const now = Math.floor(Date.now() / 1000);
  const body = `${encode({ alg, typ: "JWT" })}.${encode({ sub: "ada", iss: "open-webui", iat: now, exp: now + 300, ...claims })}`;
  return `${body}.${createHmac("sha256", key).update(body).digest("base64url")}`;
}

const asked = (texts: readonly string[]) =>
  texts.map((content, index) => ({ role: index % 2 === 0 ? "user" : "assistant", content }));

/** The endpoints that Open WebUI calls, by the type of its connection. */
const modes = {
  chat: {
    path: "/v1/chat/completions",
    body: (texts: readonly string[]) => ({ messages: asked(texts) }),
    textOf: (json: { choices: [{ message: { content: string } }] }) => json.choices[0].message.content,
  },
  responses: {
    path: "/v1/responses",
    body: (texts: readonly string[]) => ({
      input: asked(texts).map(({ role, content: text }) => {
        return { type: "message", role, content: [{ type: role === "user" ? "input_text" : "output_text", text }] };
      }),
    }),
    textOf: (json: { output: [{ content: [{ text: string }] }] }) => json.output[0].content[0].text,
  },
};

async function open(openWebUi: OpenWebUiOptions | undefined, mode: keyof typeof modes = "chat") {
  const agent = teller();
  const { post } = await serve({ agents: { teller: agent } }, { api: { openWebUi } });
  const say = async (texts: readonly string[], headers: Record<string, string>) => {
    const { path, body, textOf } = modes[mode];
    const { status, json } = await post(path, { model: "teller", ...body(texts) }, headers);
    return status === 200 ? textOf(json) : status;
  };
  const turnsOf = async (userId: string, tenantId?: string) =>
    (await agent.sessions.listSessions({ userId, ...(tenantId !== undefined && { tenantId }) })).sessions.map(
      ({ sessionId, turns }) => [sessionId, turns],
    );
  return { agent, say, turnsOf };
}

const chatOf = (chatId: string) => ({ "x-openwebui-user-id": "ada", "x-openwebui-chat-id": chatId });
const trusted = { trustUserHeaders: true };

afterEach(() => {
  vi.useRealTimers();
});

describe("the user of a request from Open WebUI", () => {
  it("is in the tenant of the options", async () => {
    const { say, turnsOf } = await open({ ...trusted, tenantId: "é" });
    await say(["one"], chatOf("c1"));
    expect([await turnsOf("ada", "é"), await turnsOf("ada")]).toEqual([[["owui-c1", 1]], []]);
  });

  it.each<[string, OpenWebUiOptions | undefined, Record<string, string>]>([
    ["the options are missing", undefined, {}],
    ["its header is not trusted", {}, {}],
    ["its header is not to be trusted", { trustUserHeaders: false }, {}],
    ["its header is empty", trusted, { "x-openwebui-user-id": "" }],
  ])("is that of the service if %s", async (_, options, headers) => {
    const { say, turnsOf } = await open(options);
    const chat = { ...chatOf("c1"), ...headers, authorization: "Bearer u-eve" };
    await say(["one"], chat);
    const id = options === undefined ? [] : [["owui-c1", 1]];
    expect([await turnsOf("eve"), await turnsOf("ada")]).toEqual([id, []]);
  });

  it("is read from the signed token alone if there is a secret", async () => {
    const { say } = await open({ ...trusted, jwtSecret: secret });
    expect(await say(["one"], chatOf("c1"))).toBe(401);
  });

  it.each([
    [29, "one"],
    [30, 401],
    [31, 401],
  ])("is read %i seconds after the end of the token as %j", async (late, answer) => {
    vi.useFakeTimers({ now: 1_000_000_000, toFake: ["Date"] });
    const { say } = await open({ jwtSecret: secret });
    expect(await say(["one"], { "x-openwebui-user-jwt": token({ exp: 1_000_000 - late }) })).toBe(answer);
  });

  it.each([
    ["a part too many", `${token()}.x`],
    ["a signature that is too short", token().slice(0, -4)],
    ["no time at which it expires", token({ exp: "later" })],
    ["a user that is no text", token({ sub: 7 })],
  ])("is unknown with a token that has %s", async (_, jwt) => {
    const { say } = await open({ jwtSecret: secret });
    expect(await say(["one"], { "x-openwebui-user-jwt": jwt })).toBe(401);
  });
});

describe("mayRun", () => {
  const model = { model: "teller" };

  it.each<[string, string, object?]>([
    ["the list of models", "/v1/models"],
    ["a model", "/v1/models/teller"],
    ["Chat Completions", "/v1/chat/completions", { ...model, messages: asked(["one"]) }],
    ["a stream of Chat Completions", "/v1/chat/completions", { ...model, messages: asked(["one"]), stream: true }],
    ["Responses", "/v1/responses", { ...model, input: "one" }],
    ["a stream of Responses", "/v1/responses", { ...model, input: "one", stream: true }],
  ])("gets the user of Open WebUI for %s", async (_, path, body) => {
    const users = new Set<string | undefined>();
    const mayRun = ({ principal }: ServiceRequest) => {
      users.add(principal?.userId);
      return true;
    };
    const { ask } = await serve({ agents: { teller: teller() } }, { api: { openWebUi: trusted, mayRun } });
    const sent = body && { method: "POST", body: JSON.stringify(body) };
    const { status } = await ask(path, { ...sent, headers: { "content-type": "application/json", ...chatOf("c1") } });
    expect([status, [...users]]).toEqual([200, ["ada"]]);
  });
});

describe("the session of a chat of Open WebUI", () => {
  it.each([
    ["a", true],
    ["a.b:c@d-e_F", true],
    ["x".repeat(120), true],
    ["x".repeat(121), false],
    ["a b", false],
    ["a/b", false],
    ["", false],
  ])("is kept for the id %j: %s", async (chatId, isKept) => {
    const { say, turnsOf } = await open(trusted);
    expect(await say(["one"], chatOf(chatId))).toBe("one");
    expect(await turnsOf("ada")).toEqual(isKept ? [[`owui-${chatId}`, 1]] : []);
  });

  it.each<[string, OpenWebUiOptions, boolean]>([
    ["left out", {}, true],
    ["true", { chatSessions: true }, true],
    ["false", { chatSessions: false }, false],
  ])("is kept if the option is %s as it says", async (_, options, isKept) => {
    const { say, turnsOf } = await open({ ...trusted, ...options });
    await say(["one"], chatOf("c1"));
    expect(await turnsOf("ada")).toEqual(isKept ? [["owui-c1", 1]] : []);
  });

  it.each([
    ["### Task:\nGive tags", false],
    [" \n###  Task: x", false],
    ["# Task: x", true],
    ["A ### Task: x", true],
    ["### Tasks", true],
  ])("has %j as a turn: %s", async (prompt, isTurn) => {
    const { say, turnsOf } = await open(trusted);
    await say([prompt], chatOf("c1"));
    expect(await turnsOf("ada")).toEqual(isTurn ? [["owui-c1", 1]] : []);
  });

  it("loses an edited turn behind the first page of turns too", async () => {
    const { agent, say, turnsOf } = await open(trusted);
    const session = { sessionId: "owui-c1", userId: "ada" };
    const texts: string[] = [];
    for (let turn = 0; turn < 102; turn++) {
      await agent.run(`${turn}`, session);
      texts.push(`${turn}`, "x");
    }
    expect(await say([...texts.slice(0, 202), "é"], chatOf("c1"))).toMatch(/; 100; é$/);
    expect(await turnsOf("ada")).toEqual([["owui-c1", 102]]);
  });
});

describe.each(["chat", "responses"] as const)("a chat of Open WebUI over %s", (mode) => {
  it("is a session of the user whom Open WebUI has signed for", async () => {
    const { say, turnsOf } = await open({ jwtSecret: secret }, mode);
    const headers = { "x-openwebui-user-jwt": token(), "x-openwebui-chat-id": "c1" };
    expect(await say(["one"], headers)).toBe("one");
    expect(await say(["one", "one", "two"], headers)).toBe("one; two");
    expect(await turnsOf("ada")).toEqual([["owui-c1", 2]]);
    expect(await say(["one"], { ...headers, "x-openwebui-user-jwt": token({ sub: "bob" }) })).toBe("one");
    expect(await turnsOf("bob")).toEqual([["owui-c1", 1]]);
  });

  it.each([
    ["no token", undefined],
    ["another key", token({}, { key: "other" })],
    ["another algorithm", token({}, { alg: "none" })],
    ["another issuer", token({ iss: "x" })],
    ["an expired token", token({ exp: 1 })],
    ["a token without a user", token({ sub: "" })],
    ["text that is no token", "x.y"],
  ])("is unauthorized with %s", async (_title, jwt) => {
    const { say } = await open({ jwtSecret: secret }, mode);
    expect(await say(["one"], jwt === undefined ? {} : { "x-openwebui-user-jwt": jwt })).toBe(401);
  });

  it("believes an unsigned user only if the host says so", async () => {
    const headers = { "x-openwebui-user-id": "ada", "x-openwebui-chat-id": "c1" };
    const trusting = await open({ trustUserHeaders: true }, mode);
    await trusting.say(["one"], headers);
    expect(await trusting.turnsOf("ada")).toEqual([["owui-c1", 1]]);
    const wary = await open({}, mode);
    await wary.say(["one"], headers);
    expect(await wary.turnsOf("ada")).toEqual([]);
  });

  it("has no part of calls for titles, tags and suggestions", async () => {
    const { say, turnsOf } = await open({ trustUserHeaders: true }, mode);
    const headers = { "x-openwebui-user-id": "ada", "x-openwebui-chat-id": "c1" };
    await say(["one"], headers);
    await say(["### Task:\nGenerate a concise, 3-5 word title"], headers);
    await say(["Anything"], { ...headers, "x-openwebui-task": "tags_generation" });
    expect(await turnsOf("ada")).toEqual([["owui-c1", 1]]);
  });

  it("loses the turns that its user has edited or regenerated, and takes a chat that began elsewhere", async () => {
    const { say, turnsOf } = await open({ trustUserHeaders: true }, mode);
    const headers = { "x-openwebui-user-id": "ada", "x-openwebui-chat-id": "c1" };
    await say(["one"], headers);
    await say(["one", "one", "two"], headers);
    expect(await say(["one", "one", "three"], headers)).toBe("one; three");
    expect(await turnsOf("ada")).toEqual([["owui-c1", 2]]);
    expect(await say(["before", "x", "now"], { ...headers, "x-openwebui-chat-id": "c2" })).toBe("before; now");
  });
});
