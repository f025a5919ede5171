import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { inspect } from "node:util";
import { dumpStorage } from "@troupe-internal/run-checker";
import { CanarySearch } from "@troupe-internal/vendor-fakes";
import { FakeVendor } from "@troupe-internal/vendor-fakes";
import type { PlannedReply } from "@troupe-internal/vendor-fakes";
import { Agent, createLogger, EventBus, InMemoryStorage, Memory, Team, Workflow } from "@troupe/core";
import type { AgentConfig, ModelProvider } from "@troupe/core";
import { createAgentRouter, errorHandler, requestLogger } from "@troupe/http";
import { anthropic } from "@troupe/providers-anthropic";
import { openai } from "@troupe/providers-openai";
import express from "express";
import { expect, it, onTestFinished, vi } from "vitest";

const canary = (place: string): string => `sk-canary-3f9a7c51d2-${place}`;

/** Places of a request for a key, each with its key. */
const carriers: { headers: Record<string, string>; body: object }[] = [
  ...["x-openai-api-key", "x-anthropic-api-key", "x-google-api-key", "x-api-key"].map((name) => ({
    headers: { [name]: canary(name) },
    body: {},
  })),
  { headers: {}, body: { apiKey: canary("body") } },
];
const canaries = carriers.flatMap(({ headers, body }) => [
  ...Object.values(headers),
  ...Object.values(body),
]) as string[];

const paths = ["/agents/openai", "/agents/anthropic", "/teams/desk", "/workflows/flow"].flatMap((path) => [
  `${path}/run`,
  `${path}/stream`,
]);

/** Replies of vendors and their proxies, most of which quote the key. */
const replies: ((key: string) => PlannedReply)[] = [
  () => ({ answer: "Take an umbrella." }),
  (key) => ({ failure: { status: 400, message: `Bad request for ${key}.` } }),
  (key) => ({ failure: { status: 401, message: `Incorrect API key provided: ${key}.` } }),
  (key) => ({ failure: { status: 403, message: `${key} may not do this.` } }),
  (key) => ({ failure: { status: 429, message: `Too many requests of ${key}.` } }),
  (key) => ({ failure: { status: 500, message: `Failed for Bearer ${key}` } }),
  (key) => ({ raw: { status: 502, headers: { "content-type": "text/html" }, frames: [`<h1>${key}</h1>`] } }),
  (key) => ({
    raw: { status: 200, headers: { "content-type": "application/json", "x-key": key }, frames: [`{"key": "${key}"`] },
  }),
  (key) => ({ failure: { status: 500, message: `Lost ${key}.` }, afterAnswer: "Take an" }),
  () => ({ answer: "Take an umbrella.", delivery: { fault: { kind: "reset", at: "before-headers" } } }),
  () => ({ answer: "Take an umbrella.", delivery: { fault: { kind: "cut", at: { afterBytes: 60 } } } }),
];

it("no key of a request is in any answer, log, event or stored record, whatever the vendors do [http.redacted-logs]", async () => {
  const seen: string[] = [];
  const write = vi.spyOn(process.stderr, "write").mockImplementation((text) => seen.push(String(text)) > 0);
  onTestFinished(() => write.mockRestore());
  const vendor = await FakeVendor.start();
  onTestFinished(() => vendor.close());
  const { service, storage, memories } = await serveEverything(vendor, seen);
  let answers = 0;

  for (const reply of replies) {
    vendor.respond(({ key = "none" }) => reply(key));
    const asked = paths.flatMap((path) =>
      carriers.map(async ({ headers, body }) => {
        const input = path.startsWith("/workflows") ? undefined : "Umbrella?";
        const said = { input, sessionId: `s${answers++}`, userId: "ada", ...body };
        seen.push(await exchange(service + path, headers, said));
      }),
    );
    await Promise.all(asked);
  }

  const keysSent = new Set(vendor.exchanges.map(({ key }) => key));
  for (const place of ["x-openai-api-key", "x-anthropic-api-key", "x-api-key", "body"])
    expect(keysSent).toContain(canary(place));
  const stored = JSON.stringify([await dumpStorage(storage), await dumpStorage(memories)]);
  expect(stored).toContain("umbrella");
  expect(seen.length).toBeGreaterThan(2 * answers);
  expect(new CanarySearch(canaries).in([...seen, stored].join("\n"))).toEqual([]);
});

it("the key in an error that a provider throws is in no answer and no log", async () => {
  const seen: string[] = [];
  const careless = (options: { apiKey?: string } = {}): never => {
    throw new TypeError(`Could not send ${options.apiKey} at all.`);
  };
  const model: ModelProvider = {
    providerId: "openai",
    modelId: "careless",
    generate: async (_, options) => await Promise.reject(new Error("Failed.", { cause: careless(options) })),
    stream: (_, options) => careless(options),
  };
  const logger = createLogger({ level: "debug", write: (line) => seen.push(line) });
  const service = await listen(
    express().use(
      createAgentRouter({ agents: { a: new Agent({ name: "a", model }) }, logger }),
      errorHandler({ logger }),
    ),
  );

  for (const { headers, body } of carriers) {
    for (const mode of ["run", "stream"])
      seen.push(await exchange(`${service}/agents/a/${mode}`, headers, { input: "x", ...body }));
  }

  expect(seen.join("\n")).toContain("Could not send");
  expect(new CanarySearch(canaries).in(seen.join("\n"))).toEqual([]);
});

/** Serves agents of two vendors, a team and a workflow of both, with full logging and events. */
async function serveEverything(vendor: FakeVendor, seen: string[]) {
  const [storage, memories] = [new InMemoryStorage(), new InMemoryStorage()];
  const eventBus = new EventBus();
  const events = ["run.start", "run.complete", "run.error", "run.stream.chunk", "tool.call", "tool.result"] as const;
  for (const name of events) eventBus.on(name, (data) => void seen.push(inspect(data, { depth: 8 })));
  const more = {
    storage,
    eventBus,
    logLevel: "debug",
    retry: { maxRetries: 1, initialDelayMs: 1 },
  } satisfies Partial<AgentConfig>;
  const logger = createLogger({ level: "debug", write: (line) => seen.push(line) });
  const first = new Agent({
    name: "openai",
    model: openai("gpt-4.1", { baseURL: `${vendor.url}/v1`, api: "chat", apiKey: "server", logger }),
    memory: new Memory({ storage: memories }),
    ...more,
  });
  const second = new Agent({
    name: "anthropic",
    model: anthropic("claude-opus-4", { baseURL: vendor.url, apiKey: "server", logger }),
    ...more,
  });
  const team = new Team({
    name: "desk",
    mode: "broadcast",
    model: openai("gpt-4.1", { baseURL: `${vendor.url}/v1`, api: "chat", apiKey: "server" }),
    members: [first, second],
    ...more,
  });
  const workflow = new Workflow({
    name: "flow",
    initialState: {},
    eventBus,
    logLevel: "debug",
    steps: [{ name: "one", agent: first, inputFrom: () => "Umbrella?" }],
  });
  const app = express().use(
    requestLogger({ logger }),
    createAgentRouter({
      agents: { openai: first, anthropic: second },
      teams: { desk: team },
      workflows: { flow: workflow },
      logger,
    }),
    errorHandler({ logger }),
  );
  return { service: await listen(app), storage, memories };
}

async function listen(app: express.Express): Promise<string> {
  const server = createServer(app).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Returns status, headers and body of a response as one string. */
async function exchange(url: string, headers: Record<string, string>, body: object): Promise<string> {
  const init = {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  };
  const response = await fetch(url, init);
  return inspect([response.status, [...response.headers], await response.text()]);
}
