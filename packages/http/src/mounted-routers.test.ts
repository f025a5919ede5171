import express from "express";
import { describe, expect, it } from "vitest";
import { sendRaw } from "../test/raw.ts";
import { counter, desk, scripted, talker } from "../test/runnables.ts";
import { serve } from "../test/serve.ts";
import { createAgentRouter } from "./create-agent-router.ts";

/** Options of a router with one of each subject, and docs. */
const small = { agents: { a: talker() }, teams: { t: desk() }, workflows: { w: counter() }, swagger: {} };

describe("a mounted router", () => {
  it.each([
    ["/api", express.Router(), "/api"],
    ["/", express.Router().use("/inner", createAgentRouter(small)), "/inner"],
    ["/outer", express.Router().use("/inner", createAgentRouter(small)), "/outer/inner"],
    ["/:tenant/v1", express.Router().use("/", createAgentRouter(small)), "/acme/v1"],
  ])("serves all of its paths below the prefix %s [http.mount-prefix]", async (at, router, prefix) => {
    if (router.stack.length === 0) router.use(createAgentRouter(small));
    const service = await serve({}, { before: [express.Router().use(at, router)] });
    const statusAt = async (path: string, init?: RequestInit) => (await service.ask(prefix + path, init)).status;
    const run = { method: "POST", headers: { "content-type": "application/json" }, body: '{"input":"x"}' };

    for (const path of ["/agents/a/run", "/agents/a/stream", "/teams/t/run", "/workflows/w/stream"]) {
      expect([path, await statusAt(path, { ...run, ...(path.startsWith("/w") && { body: "{}" }) })]).toEqual([
        path,
        200,
      ]);
    }
    for (const path of ["/agents", "/health", "/ready", "/docs", "/docs/docs.js"]) {
      expect([path, await statusAt(path)]).toEqual([path, 200]);
    }
    const { json } = await service.ask(`${prefix}/docs/spec.json`);
    expect(json).toMatchObject({ servers: [{ url: prefix }] });
    expect(Object.keys((json as { paths: object }).paths)).toContain("/agents/a/run");
    expect(await service.post("/agents/a/run", { input: "x" })).toMatchObject({ status: 404 });
  });

  it("stands beside a second router in one app, each with agents, runs, sessions and docs of its own", async () => {
    const [one, two] = [scripted("One."), scripted("Two.", "Two again.")];
    const second = createAgentRouter({
      agents: { a: two.agent },
      swagger: { title: "Two" },
      genericApiKeyHeader: false,
    });
    const service = await serve(
      { agents: { a: one.agent }, swagger: { title: "One" } },
      { behind: [express.Router().use("/two", second)] },
    );
    const key = { "x-api-key": "sk-1" };

    expect((await service.post("/agents/a/run", { input: "x", sessionId: "s" }, key)).json).toMatchObject({
      text: "One.",
    });
    expect((await service.post("/two/agents/a/run", { input: "x", sessionId: "s" }, key)).json).toMatchObject({
      text: "Two.",
    });
    await service.post("/two/agents/a/run", { input: "y", sessionId: "s" });

    expect(one.model.calls[0]?.options.apiKey).toBe("sk-1");
    expect(two.model.calls[0]?.options.apiKey).toBeUndefined();
    expect((await service.ask("/sessions/s")).json).toMatchObject({ turns: 1 });
    expect((await service.ask("/two/sessions/s")).json).toMatchObject({ turns: 2 });
    const titleAt = async (path: string) => ((await service.ask(path)).json as { info: { title: string } }).info.title;
    expect([await titleAt("/docs/spec.json"), await titleAt("/two/docs/spec.json")]).toEqual(["One", "Two"]);
  });

  it("keeps the requests of one connection apart", async () => {
    const { agent, model } = scripted("One.", "Two.", "Three.");
    const service = await serve({ agents: { a: agent }, fileUpload: { maxTotalSize: 4_000_000 } });
    const image = { type: "image", data: "A".repeat(2_000_000) };
    const bodies = [
      { input: [image], apiKey: "sk-1", sessionId: "one" },
      { input: 7 },
      { input: "Two?" },
      { input: "Three?" },
    ];
    const requests = bodies.map((each, index) => {
      const body = JSON.stringify(each);
      const connection = index === bodies.length - 1 ? "close" : "keep-alive";
      const lines = ["POST /agents/a/run HTTP/1.1", "Host: test", "Content-Type: application/json"];
      return `${[...lines, `Content-Length: ${body.length}`, `Connection: ${connection}`].join("\r\n")}\r\n\r\n${body}`;
    });

    const received = await sendRaw(service, ...requests);

    expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 400", "HTTP/1.1 200", "HTTP/1.1 200"]);
    // They run at the same time: the large one is not the first.
    const keyOf = (input: unknown) =>
      model.calls.find(({ messages }) => messages[0]?.content === input)?.options.apiKey;
    expect([keyOf("Two?"), keyOf("Three?")]).toEqual([undefined, undefined]);
    expect(model.calls.flatMap(({ options }) => options.apiKey ?? [])).toEqual(["sk-1"]);
    expect(model.calls.map(({ messages }) => messages.length)).toEqual([1, 1, 1]);
    const ids = received.match(/^x-(?:run|request|session)-id: .*$/gim) ?? [];
    expect([ids.length, new Set(ids).size]).toEqual([10, 10]);
  });
});
