import { connect } from "node:net";
import { McpToolServer } from "@troupe/mcp";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { DemoServers, post, startTimeoutMs } from "./test/start-demo.ts";

const servers = new DemoServers();
const start = async (variables?: Record<string, string>) => await servers.start(variables);
const stop = async () => await servers.stop();

afterAll(async () => await servers.dispose());

// Side by side: the model takes its time for each word.
describe.concurrent("the demo server without a key", () => {
  let url: string;
  let said: string;
  const lines: string[] = [];
  const errors = () => lines.join("");

  beforeAll(async () => {
    const demo = await start();
    ({ url, said } = demo);
    demo.child.stderr?.on("data", (line: string) => lines.push(line));
  }, startTimeoutMs);

  afterAll(stop);

  async function raw(bytes: string): Promise<string> {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket.write(bytes);
    return (await socket.setEncoding("utf8").toArray()).join("");
  }

  async function ask(path: string, init?: RequestInit) {
    const response = await fetch(url + path, init);
    const text = await response.text();
    return { status: response.status, headers: response.headers, json: text === "" ? undefined : JSON.parse(text) };
  }

  it("prints what it serves, that the model is not a language model, and commands to try", () => {
    expect(said).toContain("assistant, support, extractor, companion");
    expect(said).toContain("not a language model");
    expect(said.match(/^ {2}curl .*$/gm)).toHaveLength(3);
    for (const path of ["/,", "/docs", "/mcp", "/a2a", "/.well-known/agent-card.json"])
      expect(said).toContain(url + path);
  });

  it("serves its agents, teams and workflow to MCP clients too, and knows their users", async () => {
    const headers = { "x-demo-user": "ada" };
    const server = new McpToolServer({ name: "demo", transport: "http", url: `${url}/mcp`, headers });
    const tools = await server.getTools();
    await server.close();
    const names = tools.map(({ name }) => name);

    expect(names).toEqual(
      expect.arrayContaining(["demo__ask_assistant", "demo__ask_travel-desk", "demo__run_morning-briefing"]),
    );
    expect((await ask("/mcp", post({}, { "x-demo-user": "a b" }))).status).toBe(400);
  });

  it("answers the commands that it prints", async () => {
    for (const command of said.match(/^ {2}curl .*$/gm) ?? []) {
      const [, address = "", body = ""] = /(http:\S+).* -d '(.*)'/.exec(command) ?? [];
      const init = post(JSON.parse(body));
      const response = await fetch(address, init);

      expect(response.status, command).toBe(200);
      expect(await response.text()).toMatch(/Ada|Tokyo|Bergen/);
    }
  });

  it("runs an agent that calls its tools", async () => {
    const { status, json } = await ask(
      "/agents/assistant/run",
      post({ input: "How is the weather in Oslo and what is 12 * 7?" }),
    );

    expect(status).toBe(200);
    expect(json.text).toBe("In Oslo it is 9 °C with rain, says the demo's table. 12 * 7 = 84.");
    expect(json.toolCalls.map((call: { toolName: string }) => call.toolName)).toEqual(["get_weather", "calculate"]);
    expect(json).toMatchObject({ modelProvider: "offline", structured: null });
  });

  it("streams an agent word by word", async () => {
    const response = await fetch(`${url}/agents/assistant/stream`, post({ input: "Hello, I am Ada." }));
    const chunks = [...(await response.text()).matchAll(/^data: (.*)$/gm)].map(([, data = ""]) => JSON.parse(data));

    expect(response.headers.get("content-type")).toContain("text/event-stream");
    expect(chunks.slice(0, -1).map(({ text }) => text)).toEqual(["Nice", " to", " meet", " you,", " Ada."]);
    expect(chunks.at(-1)).toMatchObject({ type: "finish", finishReason: "stop" });
  });

  it("takes files in a multipart form", async () => {
    const body = new FormData();
    body.set("input", "What is this?");
    body.append("files", new Blob(["hello"], { type: "text/plain" }), "a.txt");

    const { json } = await ask("/agents/assistant/run", { method: "POST", body });

    expect(json.text).toBe('I received a file named "a.txt" (text/plain, 5 bytes). I cannot read attachments.');
  });

  it("serves its API documentation", async () => {
    const page = await fetch(`${url}/docs`);

    expect(page.headers.get("content-type")).toContain("text/html");
    expect((await ask("/docs/spec.json")).json).toMatchObject({
      openapi: "3.0.3",
      info: { title: "Troupe demo server" },
    });
  });

  it("answers with data from an agent that has structured output", async () => {
    const { json } = await ask("/agents/weather-report/run", post({ input: "What is the weather in Reykjavik?" }));

    expect(json.structured).toMatchObject({ city: "Reykjavik", temperatureC: -3, sky: "snow" });
  });

  it("has a team that combines answers, and one that routes a question to a member", async () => {
    const input = "What is the weather in Tokyo, and what is 2 + 3?";
    const travel = await ask("/teams/travel-desk/run", post({ input }));
    const help = await ask("/teams/help-desk/run", post({ input: "What is 2 + 3?" }));

    expect(travel.json.text).toBe(
      "The meteorologist says: In Tokyo it is 17 °C with clouds, says the demo's table. The accountant says: 2 + 3 = 5.",
    );
    expect(help.json.text).toBe("2 + 3 = 5.");
  });

  it("streams the answer of the member that a question was routed to", async () => {
    const text = await (await fetch(`${url}/teams/help-desk/stream`, post({ input: "What is 2 + 3?" }))).text();

    expect(text).toContain('"name":"calculate"');
    expect(text).toContain('"type":"finish"');
  });

  it("runs and streams a workflow", async () => {
    const { json } = await ask("/workflows/morning-briefing/run", post({ input: { city: "Bergen" } }));
    const dry = await (
      await fetch(`${url}/workflows/morning-briefing/stream`, post({ input: { city: "Paris" } }))
    ).text();

    expect(json).toMatchObject({ status: "completed", state: { city: "Bergen", umbrella: true } });
    expect(json.state.briefing).toMatch(/^Good morning\. In Bergen it is \d\d:\d\d .* Take an umbrella\.$/);
    expect(dry).toContain("Leave the umbrella.");
  });

  it("lists its agents, teams and workflows", async () => {
    const names = async (kind: string) => (await ask(`/${kind}`)).json[kind].map(({ name }: { name: string }) => name);

    expect(await names("agents")).toContain("openai-assistant");
    expect(await names("teams")).toEqual(["travel-desk", "help-desk", "city-guides", "trip-planners"]);
    expect(await names("workflows")).toEqual(["morning-briefing"]);
  });

  it("lets a user list, read and delete sessions", async () => {
    const headers = { "x-demo-user": "grace" };
    await ask("/agents/assistant/run", post({ input: "Hi", sessionId: "of-grace" }, headers));

    expect((await ask("/sessions", { headers })).json.sessions).toMatchObject([{ sessionId: "of-grace", turns: 1 }]);
    expect((await ask("/sessions/of-grace", { headers })).json).toMatchObject({ userId: "grace" });
    expect((await ask("/sessions/of-grace/turns", { headers })).json.turns).toMatchObject([{ input: "Hi" }]);
    expect((await ask("/sessions/of-grace")).status).toBe(404);
    expect((await ask("/sessions/of-grace", { method: "DELETE", headers })).status).toBe(204);
    expect((await ask("/sessions/of-grace", { headers })).status).toBe(404);
    expect((await ask("/sessions")).status).toBe(401);
  });

  it.each([
    ["an empty one", ""],
    ["one of 256 characters", "a".repeat(256)],
    ["one in Latin 1 that takes too much room in a key", "\u00e9".repeat(100)],
  ])("refuses %s in x-demo-user as the client's mistake", async (_, userId) => {
    for (const path of ["/sessions", "/agents"]) {
      const { status, json } = await ask(path, { headers: { "x-demo-user": userId } });

      expect(status).toBe(400);
      expect(json.error).toMatchObject({ code: "invalid_request", message: expect.stringContaining("x-demo-user") });
    }
  });

  it("answers this machine's own names alone, and no page of another site", async () => {
    const statusOf = async (headers: string, line = "GET /agents") => {
      return (await raw(`${line} HTTP/1.1\r\n${headers}\r\nConnection: close\r\n\r\n`)).slice("HTTP/1.1 ".length, 12);
    };

    for (const host of ["localhost:3000", "127.0.0.1", "[::1]:80"]) expect(await statusOf(`Host: ${host}`)).toBe("200");
    expect(await statusOf("Host: rebound.example:3000")).toBe("403");
    expect(await statusOf("Host: localhost\r\nOrigin: https://evil.example", "POST /agents/assistant/run")).toBe("403");
  });

  it.each([
    ["http://[::1/agents", "403"],
    ["http://localhost:99999/agents", "200"],
    ["http://a:b/agents", "403"],
    ["ws://[::1?x", "403"],
    ["http://localhost/agents", "200"],
    ["http://[::1]:3000/health?x", "200"],
    ["*", "404"],
    ["//[::1/agents", "404"],
    ["/agents#[::1", "200"],
  ])("answers the target %s with %s, and without a warning of Node", async (target, status) => {
    const answer = await raw(`GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);

    expect(answer.slice("HTTP/1.1 ".length, 12)).toBe(status);
    expect(errors()).not.toContain("Deprecation");
  });

  it("cancels a run in the middle of its answer", async () => {
    const response = await fetch(`${url}/agents/assistant/stream`, post({ input: "Count to 1000" }));
    const { json } = await ask(`/runs/${response.headers.get("x-run-id")}/cancel`, { method: "POST" });
    const text = await response.text();

    expect(json).toMatchObject({ status: expect.stringMatching(/^cancell(?:ed|ing)$/) });
    expect(text).toContain('"code":"cancelled"');
    expect(text).not.toContain('"finish"');
  });

  it.each([
    ["openai-assistant", "x-openai-api-key"],
    ["claude-assistant", "x-anthropic-api-key"],
    ["gemini-assistant", "x-google-api-key"],
  ])("asks for a key when %s has none", async (name, header) => {
    const { status, json } = await ask(`/agents/${name}/run`, post({ input: "Hi" }));

    expect(status).toBe(401);
    expect(json.error).toMatchObject({ code: "unauthorized", message: expect.stringContaining(header) });
  });

  it("has a page for browsers at /", async () => {
    const page = await fetch(url, { headers: { accept: "text/html,application/xhtml+xml,*/*;q=0.8" } });
    const text = await page.text();
    const [script = ""] = /assets\/[\w-]+\.js/.exec(text) ?? [];

    expect(page.headers.get("content-type")).toContain("text/html");
    expect((await fetch(`${url}/${script}`)).status).toBe(200);
  });

  it("answers clients of A2A with the agent that they name, and shows its card", async () => {
    const card = await ask("/.well-known/agent-card.json");
    const message = {
      kind: "message",
      messageId: "m1",
      role: "user",
      parts: [{ kind: "text", text: "What is 6 * 7?" }],
      metadata: { agent: "accountant" },
    };
    const sent = { jsonrpc: "2.0", id: 1, method: "message/send", params: { message } };
    const { json } = await ask("/a2a", post(sent));

    expect(card.json).toMatchObject({ url: `${url}/a2a` });
    expect(json.result).toMatchObject({ kind: "task", status: { state: "completed" } });
    expect(json.result.artifacts).toMatchObject([{ parts: [{ text: "6 * 7 = 42." }] }]);
  });

  it("answers from its documentation, and remembers its users", async () => {
    const support = await ask("/agents/support/run", post({ input: "Can a run survive a restart of the server?" }));
    const headers = { "x-demo-user": "eve" };
    await ask("/agents/companion/run", post({ input: "I live in Bergen." }, headers));

    expect(support.json.text).toContain("docs/guide/durable-runs.md");
    await vi.waitFor(async () => {
      const { json } = await ask("/agents/companion/run", post({ input: "What do you know about me?" }, headers));
      expect(json.text).toContain("Lives in Bergen");
    });
  });

  it("answers /health, /ready and /", async () => {
    expect((await ask("/health")).json).toEqual({ status: "ok" });
    expect((await ask("/ready")).json).toEqual({ status: "ready" });
    expect((await ask("/")).json.endpoints).toContain("POST /runs/:runId/cancel");
  });

  it("answers an unknown path with a not_found error body", async () => {
    const { status, headers, json } = await ask("/nowhere", { method: "POST" });

    expect(status).toBe(404);
    expect(json).toMatchObject({ error: { code: "not_found", requestId: headers.get("x-request-id") } });
    expect(headers.get("x-powered-by")).toBeNull();
  });
});
