import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createLogger } from "@troupe/core";
import { createHandler, createRouter, createService } from "@troupe/core/service";
import type { Principal, ServiceOptions, ServiceRequest } from "@troupe/core/service";
import type { Protocol, Service } from "@troupe/core/transport";
import OpenAI from "openai";
import { inject, onTestFinished } from "vitest";
import { openaiApi } from "../src/index.ts";
import type { OpenAiApiOptions } from "../src/index.ts";

type Answer = { status: number; headers: Headers; json: Body; text: string };

/** A served API with a client of the official library, and the lines that the service has logged. */
export type TestApi = {
  readonly url: string;
  readonly client: OpenAI;
  readonly service: Service;
  readonly lines: string[];
  /** Makes a client of the official library for a user. */
  readonly as: (userId: string, headers?: Record<string, string>) => OpenAI;
  readonly ask: (path: string, init?: RequestInit) => Promise<Answer>;
  readonly post: (path: string, body: unknown, headers?: Record<string, string>) => ReturnType<TestApi["ask"]>;
};

// oxlint-disable-next-line typescript/no-explicit-any -- the answers of a foreign API, looked at by tests alone
type Body = any;

/** The options of the protocol, and the protocols beside it. */
type Hosting = { api?: OpenAiApiOptions; beside?: readonly Protocol[] };

/** Serves agents to clients of OpenAI's API until the test is over. `Authorization: Bearer u-ada` is the user ada. */
export async function serve(options: ServiceOptions, { api, beside = [] }: Hosting = {}): Promise<TestApi> {
  const lines: string[] = [];
  const logger = createLogger({ level: "debug", write: (line) => lines.push(line) });
  const service = createService({ logger, authenticate: readUser, ...options });
  const protocols = [openaiApi(api), ...beside];
  const router = createRouter(service, protocols);
  const server = createServer((request, response) => router(request, response, () => response.writeHead(404).end()));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await service.close({ graceMs: 0 });
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const send = inject("httpServer") === "fetch" ? byHandler(createHandler(service, protocols)) : fetch;
  const ask: TestApi["ask"] = async (path, init) => {
    const response = await send(url + path, init);
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
    const { status, headers } = response;
    return { status, headers, text, json: isJson ? (JSON.parse(text) as unknown) : undefined };
  };
  const post: TestApi["post"] = async (path, body, headers = {}) =>
    await ask(path, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
  const clientOf = (apiKey: string, defaultHeaders: Record<string, string> = {}) =>
    new OpenAI({ apiKey, baseURL: `${url}/v1`, maxRetries: 0, defaultHeaders, fetch: send });
  const as = (userId: string, headers?: Record<string, string>) => clientOf(`u-${userId}`, headers);
  return { url, client: clientOf("nobody"), service, lines, as, ask, post };
}

/** Returns a `fetch` that calls a web-standard handler in place of a server. */
function byHandler(handle: (request: Request) => Promise<Response>): typeof fetch {
  return async (input, init) => await handle(new Request(input, init));
}

function readUser({ headers }: ServiceRequest): Principal | undefined {
  const [, userId] = /^Bearer u-(.+)$/.exec(headers.get("authorization") ?? "") ?? [];
  return userId === undefined ? undefined : { userId };
}

/** Reads all events of a stream of the official library. */
export async function readAll<Event>(stream: AsyncIterable<Event>): Promise<Event[]> {
  const events: Event[] = [];
  for await (const event of stream) events.push(event);
  return events;
}
