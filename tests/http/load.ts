import { createNonce, recordSse } from "@troupe-internal/run-checker";
import type { Operation, RecordedStream } from "@troupe-internal/run-checker";

/** A client: the agent it asks, in which mode, and its session. */
export type LoadClient = { agent: string; mode: "run" | "stream"; sessionId: string };

type Question = { input: string; sessionId: string };
type Seen = { runId?: string } & (
  | { type: "ok"; seen: "200"; text: string }
  | { type: "ok"; seen: "finish" }
  | { type: "info" }
);

/** Clients that ask a service until it is gone, and their observations. */
export class Load {
  readonly operations: Operation[] = [];
  readonly streams: RecordedStream[] = [];
  /** Statuses of all answers other than a success. */
  readonly refusals: number[] = [];
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  /** Number of turns that were acknowledged to a client. */
  get acknowledged(): number {
    return this.operations.filter(({ type }) => type === "ok").length;
  }

  /** Lets a client ask until the service is gone. */
  async askOn({ agent, mode, sessionId }: LoadClient): Promise<void> {
    const nonce = createNonce();
    const url = `${this.#url}/agents/${agent}/${mode}`;
    const ask = mode === "run" ? this.#askWhole : this.#askStream;
    let isThere = true;
    for (let turn = 0; isThere; turn++) {
      const operation = { id: `${sessionId} ${turn}`, sessionId };
      const input = `${nonce} question ${turn}`;
      this.operations.push({ ...operation, type: "invoke", nonce, input });
      const seen = await ask(url, { input, sessionId }).catch(() => undefined);
      this.operations.push({ ...operation, ...(seen ?? { type: "info" }) });
      isThere = seen !== undefined;
    }
  }

  readonly #askWhole = async (url: string, question: Question): Promise<Seen> => {
    const response = await post(url, question);
    const { text = "" } = (await response.json()) as { text?: string };
    return response.ok ? { ...runOf(response), type: "ok", seen: "200", text } : this.#refused(response);
  };

  readonly #askStream = async (url: string, question: Question): Promise<Seen> => {
    const response = await post(url, question);
    if (!response.ok || response.body === null) return this.#refused(response);
    const stream = await recordSse(`of ${question.input}`, response.body);
    this.streams.push(stream);
    const isWhole = (stream.chunks.at(-1) as { type?: string } | undefined)?.type === "finish";
    return { ...runOf(response), ...(isWhole ? { type: "ok", seen: "finish" } : { type: "info" }) };
  };

  #refused(response: Response): Seen {
    this.refusals.push(response.status);
    return { ...runOf(response), type: "info" };
  }
}

async function post(url: string, body: object): Promise<Response> {
  const headers = { "content-type": "application/json" };
  return await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
}

function runOf({ headers }: Response): { runId?: string } {
  const runId = headers.get("x-run-id");
  return runId === null ? {} : { runId };
}
