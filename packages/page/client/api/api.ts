import { plainLine } from "../ui/unseen.ts";
import type { Settings } from "../settings.ts";
import type { Failure, RunInfo, RunnableInfo, RunnableKind, SessionInfo, StoredTurn } from "./wire.ts";
import { cutText } from "../ui/cut-text.ts";

/** A refusal of the service, or its absence (`network`), with a message for people. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  /** The vendor whose key is missing or was refused. */
  readonly vendor: string | undefined;
  /** Milliseconds after which the request may be repeated. */
  readonly retryAfterMs: number | undefined;

  constructor(failure: Failure, status = 0, retryAfterMs?: number) {
    super(failure.message);
    this.code = failure.code;
    this.vendor = failure.vendor;
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

/** A request to run something: the text, attached files, and the session that it continues. */
export type RunRequest = {
  readonly kind: RunnableKind;
  readonly name: string;
  readonly text: string;
  readonly files: readonly File[];
  readonly sessionId: string | undefined;
};

type Sending = RequestInit & { query?: Record<string, string> };

/** The part of the service's API that the page uses. Vendor keys are sent only in headers of requests for runs. */
export class Api {
  /** False if the service has no users, and so lists no sessions and runs. */
  readonly hasUsers: boolean;
  readonly #base: URL;
  readonly #keyHeaders: () => Record<string, string>;

  constructor({ api, hasUsers }: Pick<Settings, "api" | "hasUsers">, keyHeaders: () => Record<string, string>) {
    this.hasUsers = hasUsers;
    this.#base = api;
    this.#keyHeaders = keyHeaders;
  }

  /** Returns all agents, teams and workflows. */
  async runnables(): Promise<RunnableInfo[]> {
    const kinds = ["agents", "teams", "workflows"] as const;
    const lists = await Promise.all(
      kinds.map(async (kind) => (await this.#json<Record<typeof kind, RunnableInfo[]>>(kind))[kind]),
    );
    return lists.flat();
  }

  /** Returns a page of the caller's sessions. Throws `unauthorized` if the service does not know its caller. */
  async sessions(after?: string): Promise<{ sessions: SessionInfo[]; next?: string }> {
    return await this.#json("sessions", { query: { limit: "40", ...(after !== undefined && { after }) } });
  }

  /** Returns one session. */
  async session(sessionId: string): Promise<SessionInfo> {
    return await this.#json(`sessions/${encodeURIComponent(sessionId)}`);
  }

  /** Changes the title of a session, and returns the session. */
  async rename(sessionId: string, title: string): Promise<SessionInfo> {
    const body = JSON.stringify({ title });
    return await this.#json(`sessions/${encodeURIComponent(sessionId)}`, { method: "PATCH", body, headers: json });
  }

  /** Deletes a session with its turns. */
  async removeSession(sessionId: string): Promise<void> {
    await this.#send(`sessions/${encodeURIComponent(sessionId)}`, { method: "DELETE" });
  }

  /** Deletes the turns of a session from a given number on. */
  async removeTurns(sessionId: string, from: number): Promise<void> {
    const query = { from: String(from) };
    await this.#send(`sessions/${encodeURIComponent(sessionId)}/turns`, { method: "DELETE", query });
  }

  /** Returns the turns of a session after a given number, oldest first. */
  async turns(sessionId: string, behind = 0): Promise<StoredTurn[]> {
    const turns: StoredTurn[] = [];
    for (let after: number | undefined = behind; after !== undefined;) {
      const query: Record<string, string> = after === 0 ? {} : { after: String(after) };
      const path = `sessions/${encodeURIComponent(sessionId)}/turns`;
      const page: { turns: StoredTurn[]; next?: number } = await this.#json(path, { query });
      turns.push(...page.turns);
      after = page.next;
    }
    return turns;
  }

  /** Returns the address of a file in a stored turn. The service sends it as a download. */
  partUrl(sessionId: string, seq: number, index: number): string {
    return this.#url(`sessions/${encodeURIComponent(sessionId)}/turns/${seq}/parts/${index}`).href;
  }

  /**
   * Starts a run, which continues if this connection breaks, and returns the stream of its events. A request with the
   * same key finds the same run.
   */
  async start(request: RunRequest, key: string): Promise<Response> {
    const { kind, name } = request;
    const form = request.files.length > 0 ? toForm(request) : undefined;
    return await this.#send(`${kind}s/${encodeURIComponent(name)}/stream`, {
      method: "POST",
      query: { early: "1" },
      headers: { ...this.#keyHeaders(), "idempotency-key": key, ...(form === undefined && json) },
      body: form ?? JSON.stringify(toBody(request)),
    });
  }

  /**
   * Returns the stream of a run's events: all of them, or those after the event with this id. The status is 204 if no
   * more will come.
   */
  async events(runId: string, lastId: string | undefined, signal: AbortSignal): Promise<Response> {
    const headers: Record<string, string> = lastId === undefined ? {} : { "last-event-id": lastId };
    return await this.#send(`runs/${encodeURIComponent(runId)}/events`, { headers, signal });
  }

  /** Returns the caller's newest durable runs; none if the service has no users. */
  async runs(): Promise<RunInfo[]> {
    if (!this.hasUsers) return [];
    return (await this.#json<{ runs: RunInfo[] }>("runs", { query: { limit: "50" } })).runs;
  }

  /** Stops a run. */
  async cancel(runId: string): Promise<void> {
    await this.#send(`runs/${encodeURIComponent(runId)}/cancel`, { method: "POST" });
  }

  /** Answers a question of a waiting run. */
  async answer(runId: string, waitId: string, answer: object): Promise<void> {
    const path = `runs/${encodeURIComponent(runId)}/answers/${encodeURIComponent(waitId)}`;
    await this.#send(path, { method: "POST", headers: json, body: JSON.stringify(answer) });
  }

  #url(path: string, query: Record<string, string> = {}): URL {
    const url = new URL(path, this.#base);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    return url;
  }

  async #json<Body>(path: string, options?: Sending): Promise<Body> {
    return (await (await this.#send(path, options)).json()) as Body;
  }

  async #send(path: string, { query, ...init }: Sending = {}): Promise<Response> {
    let response: Response;
    try {
      response = await fetch(this.#url(path, query), { ...init, cache: "no-store" });
    } catch (error) {
      if (init.signal?.aborted === true) throw error;
      throw new ApiError({ code: "network", message: "The service could not be reached. Is it running?" });
    }
    if (response.ok) return response;
    throw await toError(response);
  }
}

const longestFileName = 255;
const json = { "content-type": "application/json" };

async function toError(response: Response): Promise<ApiError> {
  const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
  const body = (await response.json().catch(() => undefined)) as { error?: Partial<Failure> } | undefined;
  const code = body?.error?.code ?? "unknown";
  const { message = `The service answered ${response.status} ${response.statusText}.`, vendor } = body?.error ?? {};
  return new ApiError(
    { code, message, ...(vendor !== undefined && { vendor }) },
    response.status,
    Number.isFinite(seconds) ? seconds * 1000 : undefined,
  );
}

function toForm({ text, files, sessionId }: RunRequest): FormData {
  const form = new FormData();
  if (text.trim() !== "") form.append("input", text);
  for (const file of files) form.append("files", file, nameOf(file));
  if (sessionId !== undefined) form.append("sessionId", sessionId);
  return form;
}

/** Returns the name of an attached file for a form. Services refuse a name with a control character, such as a tab. */
function nameOf({ name }: File): string {
  return cutText(plainLine(name).trim(), longestFileName) || "file";
}

function toBody({ kind, text, sessionId }: RunRequest): object {
  const session = sessionId === undefined ? {} : { sessionId };
  if (kind !== "workflow") return { input: text, ...session };
  if (text.trim() === "") return session;
  return { input: toState(text), ...session };
}

/** Returns the input of a workflow: a JSON object is its state, any other text is for its first agent. */
function toState(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : text;
  } catch {
    return text;
  }
}
