import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { RunKind } from "@troupe/core/runs";
import { readSse } from "@troupe/core/provider";
import type { Principal } from "@troupe/core/service";
import type {
  SentError,
  SentRunFields,
  TransportAnswer,
  TransportClient,
  TransportEvent,
  TransportHarness,
  TransportRun,
} from "@troupe/core/testing";
import express from "express";
import { createAgentRouter } from "../src/create-agent-router.ts";

type Ids = { runId: string; sessionId: string };

/** Serves over HTTP for the suite of transports. The principal comes in a header, as only a test may have it. */
export const httpHarness: TransportHarness = {
  async serve(served) {
    const app = express();
    app.use((request, _response, next) => {
      const principal = request.get("x-test-principal");
      if (principal !== undefined) Object.assign(request, { principal: JSON.parse(principal) as unknown });
      next();
    });
    const router = createAgentRouter(served);
    app.use(router);
    const server = createServer(app).listen(0, "127.0.0.1");
    await once(server, "listening");
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return {
      connect: async (principal) => new HttpClient(url, principal),
      async close() {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
        await router.service.close({ graceMs: 0 });
      },
    };
  },
};

class HttpClient implements TransportClient {
  readonly #url: string;
  readonly #headers: Record<string, string>;
  readonly #abort = new AbortController();

  constructor(url: string, principal: Principal | undefined) {
    this.#url = url;
    this.#headers = principal === undefined ? {} : { "x-test-principal": JSON.stringify(principal) };
  }

  async call(kind: RunKind, name: string, fields: SentRunFields): Promise<TransportAnswer> {
    const response = await this.#ask(`/${kind}s/${name}/run`, fields);
    const data = (await response.json()) as { error?: SentError };
    return { ...idsIn(response), ...(response.ok ? { output: data } : data), data };
  }

  stream(kind: RunKind, name: string, fields: SentRunFields): TransportRun {
    return this.#follow(async () => await this.#ask(`/${kind}s/${name}/stream?early=1`, fields));
  }

  attach(runId: string, after?: string): TransportRun {
    const query = after === undefined ? "" : `?after=${encodeURIComponent(after)}`;
    return this.#follow(async () => await this.#ask(`/runs/${runId}/events${query}`));
  }

  async cancel(runId: string): Promise<{ status?: string; error?: SentError }> {
    const response = await this.#ask(`/runs/${runId}/cancel`, {});
    return (await response.json()) as { status?: string; error?: SentError };
  }

  async answer(runId: string, waitId: string, answer: unknown): Promise<{ error?: SentError }> {
    const response = await this.#ask(`/runs/${runId}/answers/${waitId}`, answer);
    return response.status === 204 ? {} : ((await response.json()) as { error: SentError });
  }

  disconnect(): void {
    this.#abort.abort();
  }

  async #ask(path: string, body?: unknown): Promise<Response> {
    const post = { method: "POST", headers: { ...this.#headers, "content-type": "application/json" } };
    return await fetch(this.#url + path, {
      ...(body === undefined ? { headers: this.#headers } : { ...post, body: JSON.stringify(body) }),
      signal: this.#abort.signal,
    });
  }

  #follow(ask: () => Promise<Response>): TransportRun {
    const events: TransportEvent[] = [];
    const started = Promise.withResolvers<Ids | undefined>();
    const read = async (): Promise<void> => {
      const response = await ask();
      const ids = idsIn(response);
      started.resolve(response.ok ? (ids as Ids) : undefined);
      if (!response.ok) {
        const data = (await response.json()) as { error: SentError };
        events.push({ type: "error", error: data.error, data });
        return;
      }
      if (response.body === null || response.status === 204) return;
      for await (const { data, id } of readSse(response.body)) events.push(toEvent(JSON.parse(data) as Sent, id));
    };
    // The client may have disconnected.
    const ended = read()
      .catch(() => undefined)
      .finally(() => started.resolve(undefined));
    return { started: started.promise, events, ended };
  }
}

function idsIn({ headers }: Response): Partial<Ids> {
  const [runId, sessionId] = [headers.get("x-run-id"), headers.get("x-session-id")];
  return { ...(runId !== null && { runId }), ...(sessionId !== null && { sessionId }) };
}

type Sent = { type: string; [field: string]: unknown };

/** Plain runs number their events too, but nobody can attach behind them. */
function toEvent(data: Sent, id: string | undefined): TransportEvent {
  const base = { data, ...(id !== undefined && { id }) };
  const event = { ...data, ...base };
  switch (data.type) {
    case "tool_call_start": {
      const { id: toolCallId, name: toolName } = data["toolCall"] as { id: string; name: string };
      return { ...base, type: "tool_call", toolCallId, toolName };
    }
    case "text":
    case "tool_result":
    case "wait":
    case "error":
      return event as unknown as TransportEvent;
    case "finish":
      return { ...base, type: "done" };
    default:
      return { ...base, type: "other" };
  }
}
