import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
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

async function open(openWebUi: OpenWebUiOptions) {
  const agent = teller();
  const { post } = await serve({ agents: { teller: agent } }, { api: { openWebUi } });
  const say = async (texts: readonly string[], headers: Record<string, string>) => {
    const { status, json } = await post("/v1/chat/completions", { model: "teller", messages: asked(texts) }, headers);
    return status === 200 ? (json.choices[0].message.content as string) : status;
  };
  const turnsOf = async (userId: string) =>
    (await agent.sessions.listSessions({ userId })).sessions.map(({ sessionId, turns }) => [sessionId, turns]);
  return { agent, say, turnsOf };
}

describe("a chat of Open WebUI", () => {
  it("is a session of the user whom Open WebUI has signed for", async () => {
    const { say, turnsOf } = await open({ jwtSecret: secret });
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
    const { say } = await open({ jwtSecret: secret });
    expect(await say(["one"], jwt === undefined ? {} : { "x-openwebui-user-jwt": jwt })).toBe(401);
  });

  it("believes an unsigned user only if the host says so", async () => {
    const headers = { "x-openwebui-user-id": "ada", "x-openwebui-chat-id": "c1" };
    const trusting = await open({ trustUserHeaders: true });
    await trusting.say(["one"], headers);
    expect(await trusting.turnsOf("ada")).toEqual([["owui-c1", 1]]);
    const wary = await open({});
    await wary.say(["one"], headers);
    expect(await wary.turnsOf("ada")).toEqual([]);
  });

  it("has no part of calls for titles, tags and suggestions", async () => {
    const { say, turnsOf } = await open({ trustUserHeaders: true });
    const headers = { "x-openwebui-user-id": "ada", "x-openwebui-chat-id": "c1" };
    await say(["one"], headers);
    await say(["### Task:\nGenerate a concise, 3-5 word title"], headers);
    await say(["Anything"], { ...headers, "x-openwebui-task": "tags_generation" });
    expect(await turnsOf("ada")).toEqual([["owui-c1", 1]]);
  });

  it("loses the turns that its user has edited or regenerated, and takes a chat that began elsewhere", async () => {
    const { say, turnsOf } = await open({ trustUserHeaders: true });
    const headers = { "x-openwebui-user-id": "ada", "x-openwebui-chat-id": "c1" };
    await say(["one"], headers);
    await say(["one", "one", "two"], headers);
    expect(await say(["one", "one", "three"], headers)).toBe("one; three");
    expect(await turnsOf("ada")).toEqual([["owui-c1", 2]]);
    expect(await say(["before", "x", "now"], { ...headers, "x-openwebui-chat-id": "c2" })).toBe("before; now");
  });
});
