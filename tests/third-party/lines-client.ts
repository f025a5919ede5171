import { once } from "node:events";
import { connect } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import type { Json } from "@troupe/core";
import type { RunKind } from "@troupe/core/runs";
import { readNdjson } from "@troupe/core/provider";
import { createService } from "@troupe/core/service";
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
import { serveLines } from "../../examples/serve-lines.ts";

/** Serves lines of JSON for the suite of transports. A token is the principal itself, as only a test may have it. */
export const linesHarness: TransportHarness = {
  async serve(served) {
    const authenticate = (token: string) => JSON.parse(token) as Principal;
    const service = createService({ ...served });
    const server = serveLines(service, authenticate);
    await once(server.listen(0, "127.0.0.1"), "listening");
    const { port } = server.address() as AddressInfo;
    const clients: LinesClient[] = [];
    return {
      async connect(principal) {
        const socket = connect(port, "127.0.0.1");
        await once(socket, "connect");
        const client = new LinesClient(socket);
        clients.push(client);
        if (principal !== undefined) await client.signIn(principal);
        return client;
      },
      async close() {
        for (const client of clients) client.disconnect();
        await service.close({ graceMs: 60_000 });
        await new Promise((resolve) => server.close(resolve));
      },
    };
  },
};

type Ids = { runId: string; sessionId: string };

/** A line that the service has sent. */
type Line = {
  id: number;
  started?: Ids;
  event?: { type: string; [field: string]: unknown };
  at?: string;
  result?: Record<string, unknown>;
  error?: SentError;
};

class LinesClient implements TransportClient {
  readonly #socket: Socket;
  readonly #requests = new Map<number, (line: Line | undefined) => void>();
  #count = 0;

  constructor(socket: Socket) {
    this.#socket = socket.on("error", () => undefined);
    void this.#read();
  }

  async signIn(principal: Principal): Promise<void> {
    await this.#ask({ do: "sign-in", token: JSON.stringify(principal) }, () => undefined);
  }

  async call(kind: RunKind, name: string, fields: SentRunFields): Promise<TransportAnswer> {
    const lines: Line[] = [];
    await this.#ask(requestOf(kind, name, fields), (line) => lines.push(line));
    const { result, error } = lines.at(-1) ?? {};
    const { runId, sessionId } = lines[0]?.started ?? {};
    return { runId, sessionId, output: result, ...(error && { error }), data: lines };
  }

  stream(kind: RunKind, name: string, fields: SentRunFields): TransportRun {
    return this.#follow(requestOf(kind, name, fields));
  }

  attach(runId: string, after?: string): TransportRun {
    return this.#follow({ do: "attach", runId, after });
  }

  async cancel(runId: string): Promise<{ status?: string; error?: SentError }> {
    return await this.#result({ do: "cancel", runId });
  }

  async answer(runId: string, waitId: string, answer: Json): Promise<{ error?: SentError }> {
    return await this.#result({ do: "answer", runId, waitId, answer });
  }

  disconnect(): void {
    this.#socket.destroy();
  }

  async #result(request: object): Promise<{ status?: string; error?: SentError }> {
    let answer: { status?: string; error?: SentError } = {};
    await this.#ask(request, ({ result, error }) => (answer = error === undefined ? { ...result } : { error }));
    return answer;
  }

  #follow(request: object): TransportRun {
    const events: TransportEvent[] = [];
    const started = Promise.withResolvers<Ids | undefined>();
    const take = (line: Line): void => {
      if (line.started !== undefined) started.resolve(line.started);
      else events.push(toEvent(line));
    };
    const ended = this.#ask(request, take).finally(() => started.resolve(undefined));
    return { started: started.promise, events, ended };
  }

  /** Sends a request. Resolves behind the last line of its answer, or when the connection ends. */
  async #ask(request: object, take: (line: Line) => void): Promise<void> {
    const id = ++this.#count;
    await new Promise<void>((resolve) => {
      this.#requests.set(id, (line) => {
        // A line behind the last one counts too.
        if (line !== undefined) take(line);
        if (line === undefined || line.result !== undefined || line.error !== undefined) resolve();
      });
      this.#socket.write(`${JSON.stringify({ id, ...request })}\n`);
    });
  }

  async #read(): Promise<void> {
    try {
      for await (const line of readNdjson(this.#socket)) this.#requests.get((line as Line).id)?.(line as Line);
    } catch {
      // The connection has ended.
    }
    for (const end of this.#requests.values()) end(undefined);
  }
}

/** Keeps an own field `__proto__`, which a spread would keep too, but an assignment would not. */
function requestOf(kind: RunKind, name: string, fields: SentRunFields): object {
  return { do: kind, name, ...fields };
}

function toEvent({ event, at, result, error, ...line }: Line): TransportEvent {
  const base = { data: { event, result, error }, ...(at !== undefined && { id: at }) };
  if (error !== undefined) return { ...base, type: "error", error };
  if (event === undefined) return { ...base, data: line, type: result === undefined ? "other" : "done" };
  if (event.type === "tool_call_start") {
    const { id: toolCallId, name: toolName } = event["toolCall"] as { id: string; name: string };
    return { ...base, type: "tool_call", toolCallId, toolName };
  }
  const isKnown = ["text", "tool_result", "wait"].includes(event.type);
  return isKnown ? ({ ...event, ...base } as unknown as TransportEvent) : { ...base, type: "other" };
}
