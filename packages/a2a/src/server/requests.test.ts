import { request as httpRequest } from "node:http";
import { createLogger } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it } from "vitest";
import { problems1, problems1Open } from "../../test/schemas.ts";
import { heldAgent, message0, message1, scriptedAgent, serveA2A, untilState } from "../../test/serve-a2a.ts";

const hello = () => scriptedAgent([{ text: "Good day." }]);

describe("the endpoint of an A2A server", () => {
  it("is at / by default, and where basePath says [a2a.base-path]", async () => {
    const atRoot = await serveA2A({ agents: { helper: hello() } });
    expect((await atRoot.call("message/send", message0("Hi"), { path: "/" })).result.status.state).toBe("completed");
    const below = await serveA2A({ agents: { helper: hello() }, basePath: "/a2a" });
    expect((await below.call("message/send", message0("Hi"), { path: "/a2a" })).result.status.state).toBe("completed");
    expect((await fetch(below.url, { method: "POST" })).status).toBe(404);
    for (const basePath of ["a2a", "/a2a/", "/a b", "/:x"]) {
      await expect(serveA2A({ agents: { helper: hello() }, basePath })).rejects.toThrow("basePath");
    }
  });

  it("answers what is no call with the error of JSON-RPC, as HTTP 200 [a2a.json-rpc]", async () => {
    const served = await serveA2A({ agents: { helper: hello() } });
    const post = async (body: string, type = "application/json") => {
      const response = await fetch(served.url, { method: "POST", headers: { "content-type": type }, body });
      return { status: response.status, ...((await response.json()) as { id: unknown; error: { code: number } }) };
    };
    expect(await post("{")).toMatchObject({ status: 200, id: null, error: { code: -32700 } });
    expect(await post("[]")).toMatchObject({ status: 200, id: null, error: { code: -32600 } });
    expect(await post('{"jsonrpc":"2.0","id":"a","method":"no/such"}')).toMatchObject({
      status: 200,
      id: "a",
      error: { code: -32601 },
    });
    expect(await post("{}", "text/plain")).toMatchObject({ status: 200, error: { code: -32005 } });
    expect(await post("{}", "application/json; charset=utf-16")).toMatchObject({ error: { code: -32005 } });
  });

  it("refuses a body that is too long before it is read [a2a.limits]", async () => {
    const served = await serveA2A({ agents: { helper: hello() }, maxBodyBytes: 1000 });
    const { status, error } = await served.call("message/send", message0("x".repeat(2000)));
    expect(status).toBe(413);
    expect(error).toMatchObject({ code: -32602, message: expect.stringContaining("1000 bytes") });
    expect((await served.call("message/send", message0("Hi"))).result.status.state).toBe("completed");
  });

  it("refuses other hosts than its own, and pages of other sites [a2a.sources]", async () => {
    const served = await serveA2A({ agents: { helper: hello() }, allowedHosts: ["127.0.0.1"] });
    const origin = { origin: "https://evil.example" };
    expect((await served.call("message/send", message0("Hi"), { headers: origin })).status).toBe(403);
    const status = await new Promise((resolve, reject) => {
      const headers = { host: "evil.example", "content-type": "application/json" };
      httpRequest(served.url, { method: "POST", headers }, (response) => resolve(response.resume().statusCode))
        .on("error", reject)
        .end("{}");
    });
    expect(status).toBe(403);
  });

  it("gives the key of a header to the vendor of the agent, and to no log, task or error [a2a.keys]", async () => {
    const lines: string[] = [];
    const logger = createLogger({ level: "debug", write: (line) => lines.push(line) });
    const model = new ScriptedModel("Good day.", { error: new Error("no") });
    const served = await serveA2A({ agents: { helper: scriptedAgent([], { model }) }, logger });
    const headers = { "x-api-key": "sk-canary-1" };
    const sent = await served.call("message/send", message0("Hi"), { headers });
    const failed = await served.call("message/send", message0("Hi"), { headers });

    expect(model.calls.map(({ options }) => options?.apiKey)).toEqual(["sk-canary-1", "sk-canary-1"]);
    expect(failed.result.status.state).toBe("failed");
    expect(JSON.stringify([sent, failed, lines])).not.toContain("canary");
    const twice = await served.call("message/send", message0("Hi"), { headers: { "x-api-key": "a b" } });
    expect(twice.error.code).toBe(-32602);
  });

  it("routes a message by its path, its tenant, or the agent of its metadata, else to the first [a2a.several-agents]", async () => {
    const agents = {
      one: scriptedAgent([{ text: "1" }, { text: "1" }]),
      two: scriptedAgent([{ text: "2" }, { text: "2" }, { text: "2" }]),
    };
    const served = await serveA2A({ agents, basePath: "/a2a" });
    const textOf = async (params: object, path = "/a2a") => {
      const { result } = await served.call("SendMessage", params, { path });
      return result.task.artifacts[0]?.parts[0];
    };
    expect(await textOf(message1("Hi"))).toEqual({ text: "1" });
    expect(await textOf({ ...message1("Hi"), tenant: "two" })).toEqual({ text: "2" });
    expect(await textOf(message1("Hi", { metadata: { agent: "two" } }))).toEqual({ text: "2" });
    expect(await textOf(message1("Hi"), "/a2a/agents/two")).toEqual({ text: "2" });
    expect((await fetch(`${served.url}/a2a/agents/three`, { method: "POST" })).status).toBe(404);
  });
});

describe("the cards of an A2A server", () => {
  const at = async (url: string, headers: Record<string, string> = {}) => {
    const response = await fetch(url, { headers });
    return { response, card: (await response.json()) as Record<string, unknown> };
  };

  it("are at both well-known paths and at the endpoint, in the form that the client knows [a2a.card]", async () => {
    const served = await serveA2A({ agents: { helper: hello() }, basePath: "/a2a" });
    const url = `${served.url}/a2a`;
    const { card, response } = await at(`${served.url}/.well-known/agent.json`);
    expect(card).toMatchObject({ name: "helper", url, protocolVersion: "0.3.0", version: "1.0.0" });
    expect(response.headers.get("vary")).toContain("Host");
    expect(response.headers.get("cache-control")).toContain("private");
    expect((await at(`${served.url}/.well-known/agent-card.json`)).card).toEqual(card);
    expect((await at(url)).card).toEqual(card);
    const one = await at(`${served.url}/.well-known/agent-card.json`, { "a2a-version": "1.0" });
    expect(one.card).not.toHaveProperty("url");
    expect(one.card).toMatchObject({
      supportedInterfaces: [
        { url, protocolBinding: "JSONRPC", protocolVersion: "1.0" },
        { url: `${url}/rest`, protocolBinding: "HTTP+JSON", protocolVersion: "1.0" },
        { url, protocolBinding: "JSONRPC", protocolVersion: "0.3" },
      ],
    });
    expect((await at(`${url}/agents/helper/.well-known/agent-card.json`)).card["url"]).toBe(`${url}/agents/helper`);
    expect((await fetch(`${url}/agents/nobody/.well-known/agent.json`)).status).toBe(404);
  });

  it("have the version, provider, schemes and address of the options, and may be cached [a2a.version] [a2a.provider]", async () => {
    const served = await serveA2A({
      agents: { helper: hello() },
      version: "2.1.0",
      provider: { organization: "Ada & Co" },
      baseUrl: "https://agents.example/",
      securitySchemes: { bearer: { type: "http", scheme: "bearer" } },
      security: [{ bearer: [] }],
    });
    const { card, response } = await at(`${served.url}/.well-known/agent.json`);
    expect(card).toMatchObject({
      version: "2.1.0",
      url: "https://agents.example/",
      provider: { organization: "Ada & Co", url: "https://agents.example" },
      security: [{ bearer: [] }],
    });
    expect(response.headers.get("cache-control")).toContain("public");
    const tag = response.headers.get("etag") ?? "";
    const again = await fetch(`${served.url}/.well-known/agent.json`, { headers: { "if-none-match": tag } });
    expect(again.status).toBe(304);
  });
});

describe("the card at agent-card.json", () => {
  const path = "/.well-known/agent-card.json";
  const asked: [string, Record<string, string>, boolean][] = [
    ["no version and any type, as kits and the official Python clients of 0.3 and 1.0", { accept: "*/*" }, true],
    ["JSON and no version, as the official JavaScript client of 0.3", { accept: "application/json" }, true],
    ["version 0.3", { "a2a-version": "0.3", accept: "application/a2a+json" }, true],
    ["an empty version", { "a2a-version": "" }, true],
    ["version 1.0", { "a2a-version": "1.0" }, false],
    ["the type of 1.0", { accept: "application/a2a+json" }, false],
    ["the type of 1.0 among others", { accept: "text/plain, Application/A2A+JSON; q=0.9, */*" }, false],
    ["a type that only begins like that of 1.0", { accept: "application/a2a+json-seq" }, true],
  ];

  it.each(asked)("is for a client that asks for %s [a2a.card-versions]", async (_, headers, has0) => {
    const served = await serveA2A({ agents: { helper: scriptedAgent([]) }, baseUrl: "https://agents.example" });
    const response = await fetch(served.url + path, { headers });
    const card = (await response.json()) as object;
    expect("protocolVersion" in card).toBe(has0);
    expect(has0 ? problems1Open("AgentCard", card) : problems1("AgentCard", card)).toEqual([]);
    expect(response.headers.get("vary")).toBe("A2A-Version, Accept");
    expect(response.headers.get("cache-control")).toBe("public, max-age=3600");

    const head = await fetch(served.url + path, { method: "HEAD", headers });
    expect(await head.text()).toBe("");
    for (const name of ["etag", "vary", "cache-control", "content-type", "content-length"])
      expect(head.headers.get(name)).toBe(response.headers.get(name));
    const tag = response.headers.get("etag") ?? "";
    const unchanged = await fetch(served.url + path, { headers: { ...headers, "if-none-match": tag } });
    expect([unchanged.status, unchanged.headers.get("vary")]).toEqual([304, "A2A-Version, Accept"]);
    const other = has0 ? { "a2a-version": "1.0" } : { "a2a-version": "0.3" };
    expect((await fetch(served.url + path, { headers: { ...other, "if-none-match": tag } })).status).toBe(200);
  });
});

describe("the card mode v1", () => {
  it("sends the card of 1.0 to a client that names no version, and to one of 0.x its own [a2a.card-mode]", async () => {
    const served = await serveA2A({ agents: { helper: scriptedAgent([]) }, cardMode: "v1" });
    const cardAt = async (path: string, headers: Record<string, string> = {}) =>
      (await (await fetch(served.url + path, { headers })).json()) as Record<string, unknown>;
    const path = "/.well-known/agent-card.json";
    for (const card of [await cardAt(path), await cardAt(path, { "a2a-version": "1.0" }), await cardAt("/")]) {
      expect(card).toHaveProperty("supportedInterfaces");
      expect(card).not.toHaveProperty("url");
    }
    expect(await cardAt(path, { "a2a-version": "0.3" })).toHaveProperty("url");
    expect(await cardAt("/.well-known/agent.json")).toHaveProperty("protocolVersion");
    await expect(serveA2A({ agents: { helper: scriptedAgent([]) }, cardMode: "v2" as "v1" })).rejects.toThrow(
      /cardMode/,
    );
  });
});

describe("a stream over A2A", () => {
  it("brings the text as the agent makes it, each event a response of its own [a2a.message-stream]", async () => {
    const { agent, release } = heldAgent(["One ", "two."]);
    const served = await serveA2A({ agents: { helper: agent } });
    const kinds: unknown[] = [];
    for await (const event of served.stream("message/stream", message0("Hi"))) {
      const text = (event.artifact?.parts[0] as { text?: string } | undefined)?.text;
      kinds.push(text ?? event.status.state);
      if (text === "One ") release();
    }
    expect(kinds).toEqual(["submitted", "working", "One ", "two.", "One two.", "completed"]);
  });

  it("can be left: the task goes on, and is there to get [a2a.tasks-get] [a2a.resubscribe]", async () => {
    const { agent, release, aborts } = heldAgent();
    const served = await serveA2A({ agents: { helper: agent } });
    let id = "";
    for await (const event of served.stream("message/stream", message0("Hi"))) {
      id ||= event.id;
      if (event.kind === "artifact-update") break;
    }
    release();
    expect((await untilState(served, id, "completed")).artifacts[0]?.parts).toEqual([
      { kind: "text", text: "One two." },
    ]);
    expect(aborts()).toBe(0);
  });
});
