import { createNonce, recordSse } from "@troupe-internal/run-checker";
import type { Operation } from "@troupe-internal/run-checker";

/** A session of one client, and the agent that it asks. */
export type ClientSession = { sessionId: string; nonce: string; agent: "chat" | "messages" };

/**
 * End of a question for its client: a complete answer, an error with a code, a connection that broke while the question was
 * in flight (`cut`), or no connection at all (`unreached`).
 */
export type Answer = { end: "acknowledged" | "cut" | "unreached" } | { end: "refused"; status: number; code: string };

type Seen = { runId?: string; text?: string };
type ErrorBody = { error?: { code?: string } };

/** A client that records its questions and the answers for the checker. */
export class Client {
  readonly operations: Operation[] = [];
  #asked = 0;
  #inFlight = 0;

  /** Number of questions without an answer yet. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** Returns a new session. */
  newSession(): ClientSession {
    const nonce = createNonce();
    return {
      sessionId: `session-${nonce}`,
      nonce,
      agent: Number.parseInt(nonce.slice(-1), 16) % 2 === 0 ? "chat" : "messages",
    };
  }

  /** Asks the service at this URL, alternately for a whole answer and for a stream. */
  async ask(url: string, { sessionId, nonce, agent }: ClientSession): Promise<Answer> {
    const id = String(++this.#asked);
    const input = `Question #${id}# of ${nonce}.`;
    this.operations.push({ id, sessionId, type: "invoke", nonce, input });
    const seen: Seen = {};
    const ask = this.#asked % 2 === 0 ? askWhole : askStream;
    this.#inFlight += 1;
    const answer = await ask(`${url}/agents/${agent}`, { input, sessionId }, seen).catch(toLostAnswer);
    this.#inFlight -= 1;
    if (answer.end === "acknowledged") this.operations.push({ id, sessionId, type: "ok", seen: "200", ...seen });
    // After an error of the storage it is unknown whether the turn was written.
    else this.operations.push({ id, sessionId, type: "info", ...seen });
    return answer;
  }
}

async function askWhole(agentUrl: string, body: object, seen: Seen): Promise<Answer> {
  const response = await post(`${agentUrl}/run`, body, seen);
  if (!response.ok) return await refusal(response);
  const { text } = (await response.json()) as { text: string };
  seen.text = text;
  return { end: "acknowledged" };
}

async function askStream(agentUrl: string, body: object, seen: Seen): Promise<Answer> {
  const response = await post(`${agentUrl}/stream`, body, seen);
  if (!response.ok || response.body === null) return await refusal(response);
  const { chunks } = await recordSse(agentUrl, response.body);
  const events = chunks as { type: string; text?: string; error?: { code?: string } }[];
  const last = events.at(-1);
  seen.text = events.map(({ type, text }) => (type === "text" ? text : "")).join("");
  if (last?.type === "finish") return { end: "acknowledged" };
  return last?.type === "error" ? { end: "refused", status: 200, code: last.error?.code ?? "" } : { end: "cut" };
}

async function post(url: string, body: object, seen: Seen): Promise<Response> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  const runId = response.headers.get("x-run-id");
  if (runId !== null) seen.runId = runId;
  return response;
}

async function refusal(response: Response): Promise<Answer> {
  const { error } = (await response.json()) as ErrorBody;
  return { end: "refused", status: response.status, code: error?.code ?? "" };
}

function toLostAnswer(error: unknown): Answer {
  const { cause } = error as { cause?: { code?: string } };
  return { end: cause?.code === "ECONNREFUSED" ? "unreached" : "cut" };
}
