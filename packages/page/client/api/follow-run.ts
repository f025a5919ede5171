import { ApiError } from "./api.ts";
import type { Api } from "./api.ts";
import { readEvents } from "./event-reader.ts";
import type { RunEvent } from "./wire.ts";

/** What is heard of a run: its ids, its events, that what came so far is void, and whether the connection is broken. */
export type RunNews =
  | { readonly type: "begun"; readonly runId: string; readonly sessionId: string }
  | { readonly type: "event"; readonly event: RunEvent }
  | { readonly type: "restart" }
  | { readonly type: "broken" };

/** A run to follow: its first response, from which its ids are read, and what asks for the rest of its events. */
type Following = {
  readonly open: () => Promise<Response>;
  readonly api: Pick<Api, "events">;
  readonly signal: AbortSignal;
  /** Waits before another attempt to connect. @default half a second, doubling up to 15 */
  readonly pause?: (failures: number, retryAfterMs: number | undefined) => Promise<void>;
};

/**
 * Follows a run to its last event, over as many connections as it takes. Nothing is sent twice: after a break the events
 * behind the last one are asked for. Ends without more when the signal aborts.
 */
export async function* followRun({ open, api, signal, pause = backOff }: Following): AsyncGenerator<RunNews> {
  let response = await open();
  const runId = response.headers.get("x-run-id") ?? "";
  yield { type: "begun", runId, sessionId: response.headers.get("x-session-id") ?? "" };
  const progress: Progress = { lastId: undefined, failures: 0, isOver: false };
  while (!signal.aborted) {
    yield* hear(response, progress);
    if (progress.isOver || signal.aborted) return;
    yield { type: "broken" };
    const next = await reconnect({ runId, progress, api, signal, pause });
    if (next === undefined) return;
    response = next;
  }
}

/** How far a run has been followed. */
type Progress = { lastId: string | undefined; failures: number; isOver: boolean };

/** Hears what one connection tells. */
async function* hear(response: Response, progress: Progress): AsyncGenerator<RunNews> {
  for await (const { id, event } of eventsOf(response)) {
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

/** Another process goes on with the run: its events begin anew. */
function isHandedOver(event: RunEvent): boolean {
  return event.type === "error" && event.error.code === "interrupted";
}

async function* eventsOf({ body }: Response): AsyncGenerator<{ id: string | undefined; event: RunEvent }> {
  if (body === null) return;
  try {
    for await (const { id, data } of readEvents(body)) yield { id, event: JSON.parse(data) as RunEvent };
  } catch {
    // The connection broke: what is missing is asked for again.
  }
}

type Reconnecting = Required<Omit<Following, "open">> & { readonly runId: string; readonly progress: Progress };

/** Connects again, as often as needed. Returns nothing when the events are complete; throws when the service refuses. */
async function reconnect({ runId, progress, api, signal, pause }: Reconnecting): Promise<Response | undefined> {
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

/** The service may answer later: it is away, busy or starting. */
function mayPass({ status }: ApiError): boolean {
  return status === 0 || status >= 500 || status === 408 || status === 429;
}

async function backOff(failures: number, retryAfterMs: number | undefined): Promise<void> {
  const ms = retryAfterMs ?? Math.min(500 * 2 ** failures, 15_000) * (0.75 + Math.random() / 2);
  await new Promise<void>((resolve) => {
    const timer = setTimeout(goOn, ms);
    addEventListener("online", goOn);
    function goOn() {
      clearTimeout(timer);
      removeEventListener("online", goOn);
      resolve();
    }
  });
}
