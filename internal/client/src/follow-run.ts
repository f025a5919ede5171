import { ApiError, mayPass } from "./api-error.ts";
import { readEvents } from "./event-reader.ts";
import type { ServiceApi } from "./service-api.ts";
import type { RunEvent } from "./wire.ts";

/** A change of a followed run: its ids, an event, a restart of its events, or a broken connection. */
export type RunUpdate =
  | { readonly type: "begun"; readonly runId: string; readonly sessionId: string }
  | { readonly type: "event"; readonly event: RunEvent }
  | { readonly type: "restart" }
  | { readonly type: "broken" };

/** A run to follow, and the functions that request the rest of its events. */
export type FollowOptions = {
  /** Requests the run's first response, which contains its ids. Called again after a failure that may be temporary. */
  readonly open: () => Promise<Response>;
  /** Returns true if a request for the first response is repeated after this many failures. @default never */
  readonly mayReopen?: (error: ApiError, failures: number) => boolean;
  readonly api: Pick<ServiceApi, "events">;
  readonly signal: AbortSignal;
  /**
   * Waits before the next attempt to connect. @default `retryAfterMs`, else half a second, doubling up to 15 seconds
   */
  readonly pause?: (failures: number, retryAfterMs: number | undefined) => Promise<void>;
};

/**
 * Follows a run to its last event, over as many connections as necessary. After a break, only events that have not
 * arrived yet are requested. Ends silently when the signal aborts. Throws if the service refuses a request.
 */
export async function* followRun(options: FollowOptions): AsyncGenerator<RunUpdate> {
  const { api, signal, pause = backOff } = options;
  let response = yield* openRun({ mayReopen: () => false, ...options, pause });
  const runId = response.headers.get("x-run-id") ?? "";
  yield { type: "begun", runId, sessionId: response.headers.get("x-session-id") ?? "" };
  const progress: Progress = { lastId: undefined, failures: 0, isOver: false };
  while (!signal.aborted) {
    yield* readUpdates(response, progress, signal);
    if (progress.isOver || signal.aborted) return;
    yield { type: "broken" };
    const next = await reconnect({ runId, progress, api, signal, pause });
    if (next === undefined) return;
    response = next;
  }
  // If the signal aborted before the response was read, the response is still open.
  response.body?.cancel().catch(() => {});
}

type OpenOptions = Required<Omit<FollowOptions, "api" | "signal">>;

async function* openRun({ open, mayReopen, pause }: OpenOptions): AsyncGenerator<RunUpdate, Response> {
  for (let failures = 0; ; failures++) {
    try {
      return await open();
    } catch (error) {
      if (!(error instanceof ApiError) || !mayReopen(error, failures)) throw error;
      yield { type: "broken" };
      await pause(failures, error.retryAfterMs);
    }
  }
}

/** The progress of following a run: the id of the last event, the failures in a row, and true once the run is over. */
type Progress = { lastId: string | undefined; failures: number; isOver: boolean };

/** Yields the updates of a followed run that arrive on one connection. */
async function* readUpdates(response: Response, progress: Progress, signal: AbortSignal): AsyncGenerator<RunUpdate> {
  for await (const { id, event } of eventsOf(response, signal)) {
    progress.failures = 0;
    progress.lastId = id;
    if (isHandedOver(event)) {
      progress.lastId = undefined;
      yield { type: "restart" };
      return;
    }
    progress.isOver = event.type === "finish" || event.type === "error";
    yield { type: "event", event };
    if (progress.isOver) return;
  }
}

/** Returns true if another process continues the run, so that its events start again. */
function isHandedOver(event: RunEvent): boolean {
  return event.type === "error" && event.error.code === "interrupted";
}

type SentEvent = { readonly id: string | undefined; readonly event: RunEvent };

async function* eventsOf({ body }: Response, signal: AbortSignal): AsyncGenerator<SentEvent> {
  if (body === null) return;
  try {
    for await (const { id, data } of readEvents(body, signal)) yield { id, event: JSON.parse(data) as RunEvent };
  } catch {
    // The connection broke. The missing events are requested again.
  }
}

type ReconnectOptions = Required<Omit<FollowOptions, "open" | "mayReopen">> & {
  readonly runId: string;
  readonly progress: Progress;
};

/**
 * Requests the rest of a run's events, as often as necessary. Returns undefined if all events have arrived or the
 * signal aborts; throws if the service refuses a request.
 */
async function reconnect({ runId, progress, api, signal, pause }: ReconnectOptions): Promise<Response | undefined> {
  let retryAfterMs: number | undefined;
  while (!signal.aborted) {
    await pause(progress.failures++, retryAfterMs);
    if (signal.aborted) return undefined;
    try {
      const response = await api.events(runId, progress.lastId, signal);
      return response.status === 204 ? undefined : response;
    } catch (error) {
      if (signal.aborted) return undefined;
      if (!(error instanceof ApiError) || !mayPass(error)) throw error;
      ({ retryAfterMs } = error);
    }
  }
  return undefined;
}

type OnlineEvents = Record<"addEventListener" | "removeEventListener", (type: "online", listener: () => void) => void>;

async function backOff(failures: number, retryAfterMs: number | undefined): Promise<void> {
  const ms = retryAfterMs ?? Math.min(500 * 2 ** failures, 15_000) * (0.75 + Math.random() / 2);
  // Only browsers have these functions, which report that the network is available again.
  const { addEventListener: listen, removeEventListener: stopListening } = globalThis as Partial<OnlineEvents>;
  await new Promise<void>((resolve) => {
    listen?.("online", goOn);
    const timer = setTimeout(goOn, ms);
    function goOn() {
      clearTimeout(timer);
      stopListening?.("online", goOn);
      resolve();
    }
  });
}
