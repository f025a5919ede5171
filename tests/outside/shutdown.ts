// Shuts a service down again and again while clients ask it, and counts what they saw: `node --conditions=@troupe/source
// tests/outside/shutdown.ts 20 [seed]`. No client that sent a request may be reset.
import { mkdtempSync, rmSync } from "node:fs";
import { Agent as Connections, request } from "node:http";
import type { IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { seededRandom, TestChild } from "@troupe-internal/fault-tools";

/** Report of the clients of a service on a number of shutdowns. */
export type ShutdownReport = {
  shutdowns: number;
  /** Answers by their status. */
  statuses: Record<number, number>;
  /** Clients that found no listener any more, which is how each of them ends. */
  refusedConnections: number;
  /** Requests whose connection was reset or closed before the whole answer. */
  resets: string[];
  /** Other mistakes: a 503 that does not say when to come back, a service that did not end well. */
  mistakes: string[];
};

/** A client: its question, milliseconds between two of them, and whether it keeps its connection. */
type Client = { method: string; path: string; body?: string; pauseMs: number; keepsAlive: boolean };

const body = JSON.stringify({ input: "Take what along?" });
const questions: readonly Pick<Client, "method" | "path" | "body">[] = [
  { method: "POST", path: "/agents/quick/run", body },
  { method: "POST", path: "/agents/quick/stream", body },
  { method: "POST", path: "/agents/quick/run", body: JSON.stringify({ input: "x".repeat(500_000) }) },
  { method: "POST", path: "/agents/endless/stream", body },
  { method: "POST", path: "/agents/none/run", body: "x".repeat(500_000) },
  { method: "GET", path: "/ready" },
];

/** Every question by clients of four kinds: with and without pauses, on kept and on fresh connections. */
const clients: readonly Client[] = questions.flatMap((question) =>
  [0, 120].flatMap((pauseMs) => [true, false].map((keepsAlive) => ({ ...question, pauseMs, keepsAlive }))),
);

/** Milliseconds for which the service refuses runs before its listener closes, and those that its runs have. */
const [drainMs, graceMs] = [1500, 2500];

/** Starts a service and shuts it down under load, so many times, at moments drawn from the seed. */
export async function tryShutdowns(shutdowns: number, seed = 1): Promise<ShutdownReport> {
  const random = seededRandom(seed);
  const folder = mkdtempSync(join(tmpdir(), "troupe-shutdown-"));
  const report: ShutdownReport = { shutdowns, statuses: {}, refusedConnections: 0, resets: [], mistakes: [] };
  try {
    for (let index = 0; index < shutdowns; index++) {
      await shutDown(join(folder, `${index}.db`), { report, afterMs: random() * 200 });
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  return report;
}

/** Shuts a service on this file down, some milliseconds after it has answered 20 requests. */
async function shutDown(file: string, { report, afterMs }: { report: ShutdownReport; afterMs: number }): Promise<void> {
  const service = new URL("../http/sqlite-service.ts", import.meta.url);
  const child = await TestChild.start(service, { args: [file, String(graceMs), String(drainMs)] });
  try {
    const { port } = await child.next(isReady);
    const before = report.statuses[200] ?? 0;
    const asking = clients.map((client) => askOn(client, { port, report }));
    while ((report.statuses[200] ?? 0) < before + 20) await sleep(20);
    await sleep(afterMs);

    const { code, signal } = await child.kill("SIGTERM");
    await Promise.all(asking);
    if (code !== 0) report.mistakes.push(`The service ended with ${code ?? signal}.`);
  } finally {
    await child.close();
  }
}

function isReady(message: unknown): message is { port: number } {
  return typeof message === "object" && message !== null && "port" in message;
}

type Target = { port: number; report: ShutdownReport };

/** Lets a client ask until there is no listener. */
async function askOn(client: Client, target: Target): Promise<void> {
  const connections = new Connections({ keepAlive: client.keepsAlive, maxSockets: 1 });
  while (await ask(client, { ...target, connections })) await sleep(client.pauseMs);
  connections.destroy();
}

/** Asks once. Resolves with false when there is no listener any more. */
async function ask(client: Client, { port, report, connections }: Target & { connections: Connections }) {
  const { method, path } = client;
  const headers = { "content-type": "application/json" };
  const sent = request({ port, host: "127.0.0.1", method, path, headers, agent: connections });
  try {
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      sent.on("response", resolve).on("error", reject).end(client.body);
    });
    for await (const _ of answer);
    noteAnswer(client, answer, report);
    return true;
  } catch (error) {
    const { code = "", message } = error as NodeJS.ErrnoException;
    const isRefused = code === "ECONNREFUSED";
    if (isRefused) report.refusedConnections += 1;
    else report.resets.push(`${describe(client)}: ${code} ${message}`);
    return !isRefused;
  }
}

function noteAnswer(
  client: Client,
  { statusCode = 0, headers, complete }: IncomingMessage,
  report: ShutdownReport,
): void {
  report.statuses[statusCode] = (report.statuses[statusCode] ?? 0) + 1;
  if (!complete) report.resets.push(`${describe(client)}: the answer ${statusCode} was cut off`);
  if (statusCode !== 503) return;
  if (headers.connection !== "close") report.mistakes.push(`${describe(client)}: a 503 without Connection: close`);
  if (headers["retry-after"] === undefined) report.mistakes.push(`${describe(client)}: a 503 without Retry-After`);
}

function describe({ method, path, pauseMs, keepsAlive }: Client): string {
  return `${method} ${path}, ${keepsAlive ? "kept" : "fresh"} connections, pauses of ${pauseMs} ms`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const seed = Number(process.argv[3] ?? 1);
  process.stderr.write(`Seed ${seed}\n`);
  const report = await tryShutdowns(Number(process.argv[2] ?? 20), seed);
  process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
  if (report.resets.length + report.mistakes.length > 0) process.exitCode = 1;
}
