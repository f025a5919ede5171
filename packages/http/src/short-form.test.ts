import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Agent, createLogger, InMemoryStorage, TroupeError } from "@troupe/core";
import { createRouter, createService } from "@troupe/core/service";
import type { NodeHandler, ServiceRequest } from "@troupe/core/service";
import { ScriptedModel } from "@troupe/core/testing";
import express from "express";
import { expect, it, onTestFinished } from "vitest";
import { payer } from "../test/stored-runs.ts";
import { sendRaw } from "../test/raw.ts";
import { counter, desk, talker } from "../test/runnables.ts";
import { createAgentRouter } from "./create-agent-router.ts";
import type { RouterOptions } from "./create-agent-router.ts";
import { http } from "./http.ts";

/** The id of the last run that a client of one form has begun. */
type Seen = { runId: string };

/** A request, by what the client of one form has seen before. */
type Asked = (seen: Seen) => string;

/** Makes a request, whose body is JSON unless a header says otherwise. */
function ask(line: string, body?: string | object, ...headers: string[]): Asked {
  const text = body === undefined || typeof body === "string" ? (body ?? "") : JSON.stringify(body);
  const [method, path, version = "1.1"] = line.split(" ");
  const length = body === undefined ? [] : [`Content-Length: ${Buffer.byteLength(text)}`];
  const type = body === undefined || headers.some((each) => each.startsWith("Content-Type")) ? [] : [json];
  const host = headers.some((each) => each.startsWith("Host")) ? [] : ["Host: own.example"];
  const head = [...host, "Connection: close", "X-Request-Id: q", ...type, ...length, ...headers];
  return ({ runId }) => {
    return `${[`${method} ${path?.replace("$run", runId)} HTTP/${version}`, ...head].join("\r\n")}\r\n\r\n${text}`;
  };
}

const json = "Content-Type: application/json";
const form = "Content-Type: multipart/form-data; boundary=x";
const field = '--x\r\nContent-Disposition: form-data; name="input"\r\n\r\nHello\r\n--x--\r\n';
const hello = { input: "Hello?" };
const ada = "x-user: ada";
const eve = "x-user: eve";
const key = "Idempotency-Key: k1";

const requests: readonly Asked[] = [
  ...["GET /health", "HEAD /health", "POST /health", "OPTIONS /health", "GET /ready"].map((line) => ask(line)),
  ...["GET /agents", "HEAD /agents", "GET /agents/", "GET /AGENTS", "GET /teams", "GET /workflows"].map((line) =>
    ask(line),
  ),
  ...["GET /agents/a/run", "PUT /agents/a/run", "OPTIONS /agents/a/run", "DELETE /runs"].map((line) => ask(line)),
  ask("GET http://own.example/agents"),
  ask("GET /agents", undefined, "Host: evil.example"),
  ask("POST /agents/a/run", hello),
  ask("POST /agents/a/run", { ...hello, sessionId: "s" }, ada),
  ask("POST /agents/a/run", { ...hello, userId: "bob" }),
  ask("POST /agents/a/run", { ...hello, userId: "bob" }, ada),
  ask("POST /agents/a/run?early=1", hello),
  ask("POST /agents/a/run?early=2", hello),
  ask("POST /agents/a/run?onDisconnect=cancel", hello),
  ask("POST /agents/a/stream 1.0", hello),
  ask("POST /teams/t/run", hello),
  ask("POST /teams/t/stream 1.0", hello),
  ask("POST /workflows/w/run", { input: { count: 3 } }),
  ask("POST /workflows/w/run"),
  ask("POST /workflows/w/stream 1.0", {}),
  ask("POST /agents/nobody/run", hello),
  ask("POST /agents/f/run", hello),
  ask("POST /agents/f/stream 1.0", hello),
  ask("POST /agents/p/run", hello, eve, "Idempotency-Key: p"),
  ask("GET /runs/$run", undefined, eve),
  ask("POST /runs/$run/answers/none", { approved: true }, eve),
  ask("POST /runs/$run/cancel", undefined, eve),
  ask("GET /runs/$run/events 1.0", undefined, eve),
  ask("DELETE /runs/$run", undefined, eve),
  ask("POST /agents/a/run", { ...hello, odd: 1 }),
  ask("POST /agents/a/run", "{"),
  ask("POST /agents/a/run"),
  ask("POST /agents/a/run", "input=x", "Content-Type: text/plain"),
  ask("POST /agents/a/run", hello, "Content-Encoding: gzip"),
  ask("POST /agents/a/run", { input: "x".repeat(3000) }),
  ask("POST /agents/a/run", hello, "x-openai-api-key: a b"),
  ask("POST /agents/a/run", hello, "x-api-key: a b"),
  ask("POST /agents/a/run", hello, "x-user: evil"),
  ask("POST /agents/a/run", hello, key),
  ask("POST /agents/a/run", hello, key),
  ask("POST /agents/a/run", { input: "Another." }, key),
  ask("POST /agents/a/stream 1.0", hello, key, "Last-Event-ID: 2.0"),
  ask("POST /agents/a/stream 1.0", hello, "Last-Event-ID: 1"),
  ask("POST /agents/a/run", field, form),
  ask("POST /agents/a/run", field, form, "Origin: https://evil.example"),
  ...["GET /runs", "GET /runs?status=odd", "GET /runs/none", "GET /runs/none/events", "GET /runs/%zz"].map((line) =>
    ask(line, undefined, ada),
  ),
  ask("GET /runs"),
  ask("POST /runs/none/cancel"),
  ask("POST /runs/none/answers/w", { approved: true }),
  ask("GET /sessions", undefined, ada),
  ask("GET /sessions/s", undefined, ada),
  ask("GET /sessions/s/turns?limit=1", undefined, ada),
  ask("PATCH /sessions/s", { title: "Weather" }, ada),
  ask("DELETE /sessions/s", undefined, ada),
  ask("GET /sessions/s", undefined, ada),
  ...["GET /docs", "GET /docs/spec.json", "GET /docs/docs.js"].map((line) => ask(line)),
  ...["GET /agents/a", "POST /runs/a/b/c", "DELETE /sessions//x", "GET /elsewhere"].map((line) => ask(line)),
];

/** The options for both forms, each time with new models and storages. */
function served(): RouterOptions {
  const talking = (name: string) => talker("Hello.", { name, storage: new InMemoryStorage() });
  const error = new TroupeError("guardrail_blocked", "Not that.");
  const failing = new ScriptedModel().respond(() => ({ text: "Well, ", error }));
  return {
    agents: { a: talking("a"), f: new Agent({ name: "f", model: failing }), p: payer().agent },
    teams: { t: desk() },
    workflows: { w: counter() },
    authenticate: ({ headers }: ServiceRequest) => {
      const userId = headers.get("x-user") ?? undefined;
      if (userId === "evil") throw new TroupeError("unauthorized", "Sign in.");
      return userId === undefined ? undefined : { userId };
    },
    fileUpload: true,
    swagger: {},
    logger: createLogger({ write: () => undefined }),
  };
}

const configurations: [title: string, more: () => RouterOptions, at: string][] = [
  ["few options", () => ({}), ""],
  [
    "all options",
    () => ({
      storage: new InMemoryStorage(),
      durable: true,
      runOptions: () => ({ metadata: { plan: "gold" } }),
      limits: { durationMs: 60_000 },
      bodyUserId: "trusted",
      genericApiKeyHeader: false,
      allowedHosts: ["own.example"],
      allowedOrigins: ["https://app.example"],
      trustAddresses: true,
      maxBodyBytes: 2000,
      onDisconnect: "continue",
      resumeMs: 1000,
      heartbeatMs: 100_000,
      swagger: { title: "Help", docsPath: "/docs", specPath: "/docs/spec.json", questions: { a: "Why?" } },
      fileUpload: { maxFiles: 1 },
      middleware: [(_request, response, next) => next(void response.setHeader("X-Seen", "yes"))],
    }),
    "/api",
  ],
];

it.each(configurations)(
  "createAgentRouter and createRouter over a service answer alike, byte for byte, with %s",
  async (_, more, at) => {
    const short = createAgentRouter({ ...served(), ...more() });
    onTestFinished(async () => await short.service.close({ graceMs: 0 }));
    const { swagger, fileUpload, middleware, ...shared } = { ...served(), ...more() };
    const service = createService(shared);
    onTestFinished(async () => await service.close({ graceMs: 0 }));
    const long = createRouter(service, [http({ swagger, fileUpload })], { middleware });

    const [ofShort, ofLong] = [await answersOf(short, at), await answersOf(long, at)];
    for (const [index, { asked, answer }] of ofShort.entries()) {
      expect({ asked, answer }).toEqual(ofLong[index]);
    }
    const statuses = new Set(ofShort.map(({ answer }) => Number(answer.slice("HTTP/1.1 ".length, 12))));
    expect([...statuses].toSorted((one, other) => one - other)).toEqual(
      expect.arrayContaining([200, 204, 400, 401, 404]),
    );
    expect(ofShort.length).toBeGreaterThan(60);
  },
);

/** Sends all requests to a handler, and returns its answers without what differs from run to run. */
async function answersOf(handler: NodeHandler, at: string): Promise<{ asked: string; answer: string }[]> {
  const app = express().use(at === "" ? "/" : at, handler);
  app.use((_request, response) => void response.status(200).send("The host."));
  const server = createServer(app).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const ids = new Map<string, string>();
  const seen: Seen = { runId: "none" };
  const answers: { asked: string; answer: string }[] = [];
  for (const request of requests) {
    const bytes = request(seen).replace(" /", ` ${at}/`).replace("http://own.example/", `http://own.example${at}/`);
    const answer = await sendRaw({ port }, bytes);
    seen.runId = /^x-run-id: (.+)\r$/im.exec(answer)?.[1] ?? seen.runId;
    answers.push({ asked: neutral(bytes.slice(0, 400), ids), answer: neutral(answer, ids) });
  }
  return answers;
}

/** Replaces ids by their place among all, and times and durations by nothing. */
function neutral(text: string, ids: Map<string, string>): string {
  const length = Buffer.byteLength(text.slice(text.lastIndexOf("\r\n\r\n") + 4));
  return text
    .replace(`\r\nContent-Length: ${length}\r\n`, "\r\nContent-Length: exact\r\n")
    .replace(/^Date: .*$/m, "Date:")
    .replaceAll(/\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/g, (id) => {
      ids.set(id, ids.get(id) ?? `id-${ids.size}`);
      return ids.get(id) ?? id;
    })
    .replaceAll(/"(durationMs|timeToFirstTokenMs|createdAt|updatedAt|startedAt|endedAt)":[\d.]+/g, '"$1":0');
}
