import type { FollowOptions } from "./follow-run.ts";
import { ClientStream } from "./run-stream.ts";
import type { RunIds } from "./run-stream.ts";
import type { AnyService, Entries, NamesOf, StateOf, StructuredOf, WorkflowInputOf } from "./served.ts";
import { ServiceApi } from "./service-api.ts";
import type { ApiOptions, PageOptions, RunRequest } from "./service-api.ts";
import type {
  MessageContent,
  NewSchedule,
  PublicRun,
  RunInfo,
  RunnableInfo,
  RunnableKind,
  RunOutput,
  ScheduleChange,
  ScheduleInfo,
  SessionInfo,
  StoredTurn,
  Wait,
  WorkflowOutput,
} from "./wire.ts";

/** Options of a client: the address of the service, and the headers of each request. */
export type ClientOptions = ApiOptions & {
  /**
   * Waits before the client connects again. Receives the number of failures in a row, and the milliseconds that the
   * service asks to wait. @default the time that the service asks for, else half a second, doubling up to 15 seconds
   */
  readonly pause?: FollowOptions["pause"] | undefined;
};

/** Options of one run. */
export type ClientRunOptions = Omit<RunRequest, "kind" | "name" | "input"> & {
  /**
   * Idempotency key of the request: a second request with the same key starts no second run. @default a new key, for
   * `stream` and `start`
   */
  readonly idempotencyKey?: string | undefined;
};

/** A run that waits for an answer: see `client.runs.answer`. */
export type WaitingRun = RunIds & { readonly status: "waiting"; readonly waits: readonly Wait[] };

/** The ways to run an agent, a team or a workflow. */
export interface RemoteRunnable<Input, Output> {
  /**
   * Runs the agent, team or workflow to its end, or until the run waits for an answer. Throws `ApiError` if the run
   * fails.
   */
  run(input: Input, options?: ClientRunOptions): Promise<Output | WaitingRun>;
  /**
   * Streams a run. Lost connections are restored without a gap. Iterating throws `ApiError` after the event `error`.
   */
  stream(input: Input, options?: ClientRunOptions): ClientStream;
  /** Starts a durable run in the background and returns its ids. The service must offer durable runs. */
  start(input: Input, options?: ClientRunOptions): Promise<RunIds>;
}

/** The caller's durable runs: runs that outlive their connection. */
export interface RemoteRuns {
  list(page?: PageOptions): Promise<{ runs: RunInfo[]; next?: string }>;
  get(runId: string): Promise<PublicRun>;
  /** Follows the events of a run: all events, or the events after the event with the id `after`. */
  events(runId: string, options?: { readonly after?: string; readonly signal?: AbortSignal }): ClientStream;
  /** Answers a question of a waiting run: an approval is `{ approved, reason? }`, a tool's result is `{ result }`. */
  answer(runId: string, waitId: string, answer: object): Promise<void>;
  /**
   * Sends an event to a run, for the workflow step that waits for this event. An event with the same `id` has an effect
   * only once.
   */
  signal(runId: string, event: string, signal?: { data?: unknown; id?: string }): Promise<void>;
  cancel(runId: string): Promise<void>;
  remove(runId: string): Promise<void>;
}

/** The sessions of the caller. */
export interface RemoteSessions {
  list(page?: PageOptions): Promise<{ sessions: SessionInfo[]; next?: string }>;
  get(sessionId: string): Promise<SessionInfo>;
  turns(sessionId: string, after?: number): Promise<StoredTurn[]>;
  rename(sessionId: string, title: string): Promise<SessionInfo>;
  remove(sessionId: string): Promise<void>;
  removeTurns(sessionId: string, from: number): Promise<void>;
}

/** The schedules of the caller, for a service whose callers may have schedules. */
export interface RemoteSchedules {
  list(): Promise<ScheduleInfo[]>;
  /**
   * Creates a schedule. A second request with the same `idempotencyKey` returns the same schedule, in its state at that
   * time.
   */
  create(schedule: NewSchedule, options?: { readonly idempotencyKey?: string | undefined }): Promise<ScheduleInfo>;
  get(id: string): Promise<ScheduleInfo>;
  change(id: string, change: ScheduleChange): Promise<ScheduleInfo>;
  remove(id: string): Promise<void>;
}

/** A client of a service: see {@link createClient}. */
export interface Client<Of extends AnyService = AnyService> {
  agent<Name extends NamesOf<Of, "agents">>(
    name: Name,
  ): RemoteRunnable<MessageContent, RunOutput<StructuredOf<Entries<Of, "agents">[Name]>>>;
  team<Name extends NamesOf<Of, "teams">>(
    name: Name,
  ): RemoteRunnable<MessageContent, RunOutput<StructuredOf<Entries<Of, "teams">[Name]>>>;
  workflow<Name extends NamesOf<Of, "workflows">>(
    name: Name,
  ): RemoteRunnable<
    WorkflowInputOf<Entries<Of, "workflows">[Name]>,
    WorkflowOutput<StateOf<Entries<Of, "workflows">[Name]>>
  >;
  /** Returns the names, descriptions and forms of input of all agents, teams and workflows of the service. */
  list(): Promise<RunnableInfo[]>;
  readonly runs: RemoteRuns;
  readonly sessions: RemoteSessions;
  readonly schedules: RemoteSchedules;
}

/**
 * Makes a client of a service over HTTP, for browsers, Node, Bun, Deno and Workers. `createClient<typeof service>()`
 * knows the names of the agents, teams and workflows, their inputs and the types of their structured outputs.
 */
export function createClient<Of extends AnyService = AnyService>(options: ClientOptions): Client<Of> {
  const api = new ServiceApi(options);
  const { pause } = options;
  const runnable = (kind: RunnableKind) => (name: string) => new Runnable({ api, kind, name, pause });
  const client: Client = {
    agent: runnable("agent") as Client["agent"],
    team: runnable("team") as Client["team"],
    workflow: runnable("workflow") as Client["workflow"],
    list: async () => await api.runnables(),
    runs: {
      list: async (page) => await api.runs(page),
      get: async (runId) => await api.run(runId),
      events: (runId, { after, signal } = {}) => {
        const open = async (reading: AbortSignal) => withIds(await api.events(runId, after, reading), runId);
        return new ClientStream({ api, open, signal, pause });
      },
      answer: async (...given) => await api.answer(...given),
      signal: async (...given) => await api.signal(...given),
      cancel: async (runId) => await api.cancel(runId),
      remove: async (runId) => await api.removeRun(runId),
    },
    sessions: {
      list: async (page) => await api.sessions(page),
      get: async (sessionId) => await api.session(sessionId),
      turns: async (...given) => await api.turns(...given),
      rename: async (...given) => await api.rename(...given),
      remove: async (sessionId) => await api.removeSession(sessionId),
      removeTurns: async (...given) => await api.removeTurns(...given),
    },
    schedules: {
      list: async () => await api.schedules(),
      create: async (schedule, { idempotencyKey } = {}) => await api.createSchedule(schedule, idempotencyKey),
      get: async (id) => await api.schedule(id),
      change: async (...given) => await api.changeSchedule(...given),
      remove: async (id) => await api.removeSchedule(id),
    },
  };
  // Only the compiler uses the names and types of the service; they do not exist at run time.
  return client as unknown as Client<Of>;
}

/** Adds the id of the run to a response without the header `x-run-id`. */
function withIds(response: Response, runId: string): Response {
  if (response.headers.has("x-run-id")) return response;
  const headers = new Headers(response.headers);
  headers.set("x-run-id", runId);
  return new Response(response.body, { status: response.status, headers });
}

type RunnableInit = Pick<ClientOptions, "pause"> & {
  readonly api: ServiceApi;
  readonly kind: RunnableKind;
  readonly name: string;
};

class Runnable implements RemoteRunnable<unknown, unknown> {
  readonly #api: ServiceApi;
  readonly #kind: RunnableKind;
  readonly #name: string;
  readonly #pause: ClientOptions["pause"];

  constructor({ api, kind, name, pause }: RunnableInit) {
    this.#api = api;
    this.#kind = kind;
    this.#name = name;
    this.#pause = pause;
  }

  async run(input: unknown, { idempotencyKey: key, ...options }: ClientRunOptions = {}): Promise<unknown> {
    const manner = { path: "run" as const, ...(key !== undefined && { key }) };
    return await (await this.#api.request({ ...this.#of(input), ...options }, manner)).json();
  }

  stream(input: unknown, options: ClientRunOptions = {}): ClientStream {
    const { idempotencyKey: key = crypto.randomUUID(), signal, ...rest } = options;
    const open = async (reading: AbortSignal) =>
      await this.#api.request({ ...this.#of(input), ...rest, signal: reading }, { path: "stream", key });
    return new ClientStream({ api: this.#api, open, signal, pause: this.#pause });
  }

  async start(input: unknown, options: ClientRunOptions = {}): Promise<RunIds> {
    const { idempotencyKey: key = crypto.randomUUID(), ...rest } = options;
    const manner = { path: "run", key, isBackground: true } as const;
    const response = await this.#api.request({ ...this.#of(input), ...rest }, manner);
    const { runId, sessionId } = (await response.json()) as RunIds;
    return { runId, sessionId };
  }

  #of(input: unknown): RunRequest {
    return { kind: this.#kind, name: this.#name, input };
  }
}
