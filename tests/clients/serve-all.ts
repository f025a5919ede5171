import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { a2a } from "@troupe/a2a";
import { agUi } from "@troupe/ag-ui";
import { createLogger } from "@troupe/core";
import { createRouter, createService } from "@troupe/core/service";
import type { ServiceOptions } from "@troupe/core/service";
import { requestRecordOf } from "@troupe/core/transport";
import type { RequestRecord, Service } from "@troupe/core/transport";
import { http } from "@troupe/http";
import { mcp } from "@troupe/mcp";
import { openaiApi } from "@troupe/openai-api";
import { chatStream } from "@troupe/use-chat";
import { onTestFinished } from "vitest";

/** An answer with its whole body, and what the service has noted of its request. */
export type Answered = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly record: RequestRecord;
};

/** A service that is served over all protocols of HTTP, and the lines of its log. */
export type ServedAll = {
  readonly service: Service;
  readonly lines: string[];
  /** Sends a request, and resolves once the service is done with it. */
  readonly post: (path: string, body: object, headers?: Record<string, string>) => Promise<Answered>;
  /** Sends a request of another method than POST. */
  readonly ask: (
    path: string,
    init: Omit<RequestInit, "headers"> & { headers: Record<string, string> },
  ) => Promise<Answered>;
};

/** Serves over all protocols of HTTP until the test is over. The headers `x-user` and `x-tenant` sign a user in. */
export async function serveAll(options: ServiceOptions): Promise<ServedAll> {
  const lines: string[] = [];
  const service = createService({
    logger: createLogger({ level: "debug", write: (line) => lines.push(line) }),
    authenticate: ({ headers }) => {
      const [userId, tenantId] = [headers.get("x-user"), headers.get("x-tenant")];
      return userId === null ? undefined : { userId, ...(tenantId !== null && { tenantId }) };
    },
    ...options,
  });
  const router = createRouter(service, [
    http(),
    chatStream(),
    agUi(),
    openaiApi({ chat: { approvals: "deny" } }),
    a2a(),
    mcp(),
  ]);
  const records = new Map<string, Promise<RequestRecord>>();
  const server = createServer((request, response) => {
    const closed = once(response, "close").then(() => requestRecordOf(response));
    records.set(String(request.headers["x-request-id"]), closed);
    router(request, response, () => response.writeHead(404).end());
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  await service.open();
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await service.close({ graceMs: 0 });
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let requests = 0;
  const post: ServedAll["post"] = async (path, body, headers = {}) => {
    const common = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    return await ask(path, { method: "POST", headers: { ...common, ...headers }, body: JSON.stringify(body) });
  };
  const ask: ServedAll["ask"] = async (path, init) => {
    const id = `q${++requests}`;
    const response = await fetch(url + path, { ...init, headers: { "x-request-id": id, ...init.headers } });
    const text = await response.text();
    const record = (await records.get(id)) ?? {};
    return { status: response.status, headers: response.headers, text, record };
  };
  return { service, lines, post, ask };
}
