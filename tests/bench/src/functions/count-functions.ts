import { once } from "node:events";
import { createServer, request } from "node:http";
import type { IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import type * as core from "@troupe/core";
import type * as coreRuns from "@troupe/core/runs";
import type * as coreTesting from "@troupe/core/testing";
import type * as http from "@troupe/http";
import { builtInCopies, copyingFunctions } from "./deep-copies.ts";
import type { Copies } from "./deep-copies.ts";
import { functionsEntered } from "./entered-functions.ts";
import type { EnteredFunction } from "./entered-functions.ts";

/** A kind of run: plain, or durable on a `RunService` with storage in memory. */
export type RunKindName = "plain" | "durable";

/** The functions that one request entered, and the deep copies that it made. */
export type RequestCount = { readonly functions: readonly EnteredFunction[]; readonly copies: Copies };

type Packages = typeof core & typeof coreRuns & typeof coreTesting & typeof http;

/** Requests before the counted one, because a first request fills caches. */
const warmUps = 3;
/** Milliseconds after the answer in which a request may still enter functions. */
const settleMs = 50;

/** Serves an agent on plain Node from the checkout at `root`, and counts one `POST /agents/:name/run`. */
export async function countRequest(root: string, kind: RunKindName): Promise<RequestCount> {
  const source = (path: string): string => pathToFileURL(join(root, "packages", path)).href;
  const paths = ["core/src/index.ts", "core/src/runs.ts", "core/src/testing.ts", "http/src/index.ts"];
  const loaded: object[] = await Promise.all(paths.map(async (path) => (await import(source(path))) as object));
  const { url, close } = await serve(Object.assign({}, ...loaded) as Packages, kind);
  try {
    for (let warmUp = 0; warmUp < warmUps; warmUp++) await post(url);
    return await countOne(url);
  } finally {
    await close();
  }
}

async function countOne(url: string): Promise<RequestCount> {
  const builtIns = builtInCopies();
  try {
    const functions = await functionsEntered(async () => {
      await post(url);
      await sleep(settleMs);
    });
    return { functions, copies: { ...copyingFunctions(functions), ...builtIns.counted() } };
  } finally {
    builtIns.restore();
  }
}

async function serve(packages: Packages, kind: RunKindName): Promise<{ url: string; close: () => Promise<void> }> {
  const { Agent, InMemoryStorage, RunService, ScriptedModel, createAgentRouter } = packages;
  const model = new ScriptedModel().respond(() => ({ text: "Hello." }));
  const agents = { bench: new Agent({ name: "bench", model }) };
  const runs = kind === "durable" ? new RunService({ storage: new InMemoryStorage(), agents }) : undefined;
  await runs?.serve();
  const router = createAgentRouter({ agents, ...(runs && { runs }) });
  const server = createServer((incoming, response) => router(incoming, response, () => response.writeHead(404).end()));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await runs?.close();
  };
  return { url: `http://127.0.0.1:${port}/agents/bench/run`, close };
}

/** Posts a short message, which begins a new session in memory, and reads the answer. */
async function post(url: string): Promise<void> {
  const body = '{"input":"Hello!"}';
  const headers = { "content-type": "application/json", "content-length": body.length };
  const sent = request(url, { method: "POST", headers, agent: false });
  sent.end(body);
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  const answer = Buffer.concat(await response.toArray()).toString();
  if (response.statusCode !== 200) throw new Error(`The server answered ${response.statusCode}: ${answer}`);
}
