import { ApiError, toApiError } from "./api-error.ts";
import type {
  NewSchedule,
  PublicRun,
  RunInfo,
  RunnableInfo,
  RunnableKind,
  ScheduleChange,
  ScheduleInfo,
  SessionInfo,
  StoredTurn,
} from "./wire.ts";

/** Headers of requests: an object, or a function that is called for each request. */
export type RequestHeaders = Record<string, string> | (() => Record<string, string> | Promise<Record<string, string>>);

/** The address of a service, and the headers of each request. */
export type ApiOptions = {
  /** The address of the service; paths are resolved below it. */
  readonly baseUrl: string | URL;
  /** Headers of each request, such as `authorization`. */
  readonly headers?: RequestHeaders | undefined;
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
};

/** A request to run an agent, a team or a workflow. */
export type RunRequest = {
  readonly kind: RunnableKind;
  readonly name: string;
  readonly input?: unknown;
  /** The session that the run continues. @default a new session */
  readonly sessionId?: string | undefined;
  /** The user, for a service that does not sign its users in. */
  readonly userId?: string | undefined;
  /** The earlier conversation, for a session without turns. */
  readonly messages?: readonly object[] | undefined;
  /** Files to upload with the input. The service must accept uploads. */
  readonly files?: readonly Blob[] | undefined;
  /** Headers of this request, in addition to the headers of the client. */
  readonly headers?: Record<string, string> | undefined;
  /** Signal that ends the reading of the answer. */
  readonly signal?: AbortSignal | undefined;
};

/** The path of the request for a run, the request's idempotency key, and true for a run in the background. */
type RunManner = { readonly path: "run" | "stream"; readonly key?: string; readonly isBackground?: boolean };

/** Options of a list in pages: the size of the page, the cursor after which it begins, and the status of the runs. */
export type PageOptions = {
  /** The maximum number of entries in the page. @default 20 */
  readonly limit?: number;
  /** The field `next` of the previous page, after which this page begins. */
  readonly after?: string;
  /** The status of the runs to list. */
  readonly status?: string;
};

type Sending = Omit<RequestInit, "headers"> & {
  readonly query?: Record<string, string | number | undefined>;
  readonly headers?: Record<string, string>;
};

const json = { "content-type": "application/json" };
const enc = encodeURIComponent;

/** The requests that a client sends to a service. Each throws `ApiError` for a refusal. */
export class ServiceApi {
  readonly #base: URL;
  readonly #headers: RequestHeaders;
  readonly #fetch: typeof globalThis.fetch;

  constructor({ baseUrl, headers = {}, fetch = (...request) => globalThis.fetch(...request) }: ApiOptions) {
    const base = String(baseUrl);
    const { location } = globalThis as { location?: { href: string } };
    this.#base = new URL(base.endsWith("/") ? base : `${base}/`, location?.href);
    this.#headers = headers;
    this.#fetch = fetch;
  }

  /** Returns all agents, teams and workflows. */
  async runnables(): Promise<RunnableInfo[]> {
    const kinds = ["agents", "teams", "workflows"] as const;
    const lists = await Promise.all(
      kinds.map(async (kind) => (await this.#json<Record<typeof kind, RunnableInfo[]>>(kind))[kind]),
    );
    return lists.flat();
  }

  /**
   * Requests a run, and returns the answer: an output, events, or the id of a run in the background. A request with the
   * same idempotency key finds the same run.
   */
  async request(request: RunRequest, { path, key, isBackground = false }: RunManner): Promise<Response> {
    const { kind, name, headers, signal = null, ...fields } = request;
    const form = fields.files === undefined || fields.files.length === 0 ? undefined : toForm(fields);
    return await this.#send(`${kind}s/${enc(name)}/${path}`, {
      method: "POST",
      query: path === "stream" ? { early: 1 } : {},
      headers: {
        ...headers,
        ...(key !== undefined && { "idempotency-key": key }),
        ...(isBackground && { prefer: "respond-async" }),
        ...(form === undefined && json),
      },
      body: form ?? JSON.stringify({ ...fields, files: undefined }),
      signal,
    });
  }

  /**
   * Returns the stream of a run's events: all events, or the events after the event with the id `lastId`. The response
   * has the status 204 if no more events will come.
   */
  async events(runId: string, lastId?: string, signal: AbortSignal | null = null): Promise<Response> {
    const headers: Record<string, string> = lastId === undefined ? {} : { "last-event-id": lastId };
    return await this.#send(`runs/${enc(runId)}/events`, { headers, signal });
  }

  /** Returns a page of the caller's durable runs, newest first. */
  async runs(page: PageOptions = {}): Promise<{ runs: RunInfo[]; next?: string }> {
    return await this.#json("runs", { query: page });
  }

  /** Returns a durable run: a run that outlives its connection. */
  async run(runId: string): Promise<PublicRun> {
    return await this.#json(`runs/${enc(runId)}`);
  }

  /** Cancels a run. */
  async cancel(runId: string): Promise<void> {
    await this.#send(`runs/${enc(runId)}/cancel`, { method: "POST" });
  }

  /** Removes a run with its events. */
  async removeRun(runId: string): Promise<void> {
    await this.#send(`runs/${enc(runId)}`, { method: "DELETE" });
  }

  /** Answers a question of a waiting run. */
  async answer(runId: string, waitId: string, answer: object): Promise<void> {
    const path = `runs/${enc(runId)}/answers/${enc(waitId)}`;
    await this.#send(path, { method: "POST", headers: json, body: JSON.stringify(answer) });
  }

  /** Sends an event to a run. */
  async signal(runId: string, event: string, signal: { data?: unknown; id?: string } = {}): Promise<void> {
    const body = JSON.stringify({ event, ...signal });
    await this.#send(`runs/${enc(runId)}/signals`, { method: "POST", headers: json, body });
  }

  /** Returns the caller's schedules. */
  async schedules(): Promise<ScheduleInfo[]> {
    return (await this.#json<{ schedules: ScheduleInfo[] }>("schedules")).schedules;
  }

  /** Creates a schedule. A request with the same idempotency key finds the same schedule. */
  async createSchedule(schedule: NewSchedule, key?: string): Promise<ScheduleInfo> {
    const headers = { ...json, ...(key !== undefined && { "idempotency-key": key }) };
    return await this.#json("schedules", { method: "POST", headers, body: JSON.stringify(schedule) });
  }

  /** Returns one schedule. */
  async schedule(id: string): Promise<ScheduleInfo> {
    return await this.#json(`schedules/${enc(id)}`);
  }

  /** Changes a schedule, and returns it. */
  async changeSchedule(id: string, change: ScheduleChange): Promise<ScheduleInfo> {
    return await this.#json(`schedules/${enc(id)}`, { method: "PATCH", headers: json, body: JSON.stringify(change) });
  }

  /** Removes a schedule. Runs that it has begun continue. */
  async removeSchedule(id: string): Promise<void> {
    await this.#send(`schedules/${enc(id)}`, { method: "DELETE" });
  }

  /** Returns a page of the caller's sessions. Throws `unauthorized` if the service cannot identify its caller. */
  async sessions(page: PageOptions = {}): Promise<{ sessions: SessionInfo[]; next?: string }> {
    return await this.#json("sessions", { query: page });
  }

  /** Returns one session. */
  async session(sessionId: string): Promise<SessionInfo> {
    return await this.#json(`sessions/${enc(sessionId)}`);
  }

  /** Changes the title of a session, and returns the session. */
  async rename(sessionId: string, title: string): Promise<SessionInfo> {
    return await this.#json(`sessions/${enc(sessionId)}`, {
      method: "PATCH",
      body: JSON.stringify({ title }),
      headers: json,
    });
  }

  /** Deletes a session with its turns. */
  async removeSession(sessionId: string): Promise<void> {
    await this.#send(`sessions/${enc(sessionId)}`, { method: "DELETE" });
  }

  /** Deletes the turns of a session from a given number on. */
  async removeTurns(sessionId: string, from: number): Promise<void> {
    await this.#send(`sessions/${enc(sessionId)}/turns`, { method: "DELETE", query: { from } });
  }

  /** Returns the turns of a session after a given number, oldest first. */
  async turns(sessionId: string, behind = 0): Promise<StoredTurn[]> {
    const turns: StoredTurn[] = [];
    for (let after: number | undefined = behind; after !== undefined;) {
      const query = after === 0 ? {} : { after };
      const page: { turns: StoredTurn[]; next?: number } = await this.#json(`sessions/${enc(sessionId)}/turns`, {
        query,
      });
      turns.push(...page.turns);
      after = page.next;
    }
    return turns;
  }

  /** Returns the address of a file in a stored turn. The service sends it as a download. */
  partUrl(sessionId: string, seq: number, index: number): string {
    return new URL(`sessions/${enc(sessionId)}/turns/${seq}/parts/${index}`, this.#base).href;
  }

  async #json<Body>(path: string, options?: Sending): Promise<Body> {
    return (await (await this.#send(path, options)).json()) as Body;
  }

  async #send(path: string, { query = {}, headers, ...init }: Sending = {}): Promise<Response> {
    const url = new URL(path, this.#base);
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, String(value));
    const common = typeof this.#headers === "function" ? await this.#headers() : this.#headers;
    let response: Response;
    try {
      response = await this.#fetch(url, { ...init, headers: { ...common, ...headers }, cache: "no-store" });
    } catch (error) {
      if (init.signal?.aborted === true) throw error;
      throw new ApiError({ code: "network", message: "The service could not be reached. Is it running?" });
    }
    if (response.ok) return response;
    throw await toApiError(response);
  }
}

/** Makes a form with the files to upload. Services refuse a file name with a control character, such as a tab. */
function toForm({ input, files = [], sessionId, userId }: Omit<RunRequest, "kind" | "name">): FormData {
  const form = new FormData();
  if (typeof input === "string") {
    if (input.trim() !== "") form.append("input", input);
  } else if (input !== undefined) {
    const message = "Files can be sent with a text. Send other input without files.";
    throw new ApiError({ code: "invalid_request", message });
  }
  for (const file of files) form.append("files", file, nameOf(file));
  if (sessionId !== undefined) form.append("sessionId", sessionId);
  if (userId !== undefined) form.append("userId", userId);
  return form;
}

function nameOf(file: Blob & { readonly name?: string }): string {
  const plain = (file.name ?? "").replaceAll(/[\p{Cc}\p{Cf}]/gu, " ").trim();
  return Array.from(plain).slice(0, 255).join("") || "file";
}
