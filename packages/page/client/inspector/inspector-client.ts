import type {
  InspectedEvent,
  InspectedModelCall,
  InspectedRunDetails,
  InspectedRunPage,
  PlacedEvent,
  RepeatedModelCall,
} from "../../src/inspector/inspected-run.ts";
import { readEvents } from "@troupe-internal/client";
import { inspectorStrings } from "../strings/inspector-strings.ts";

/** The runs to list, by the names of the fields in the query. An empty text stands for any. */
export type RunFilter = {
  readonly status: string;
  readonly name?: string;
  readonly session?: string;
  readonly text?: string;
  /** The earliest time at which the runs were created, in milliseconds. */
  readonly since?: string;
  /** The least number of tokens, and of milliseconds that the run took. */
  readonly minTokens?: string;
  readonly minMs?: string;
  /** A tag of the runs, and their user. */
  readonly tag?: string;
  readonly user?: string;
};

/** An update of a followed run: an event, or a broken connection that is being restored. */
type InspectedUpdate = PlacedEvent | "broken";

/** A request that the inspector has refused or could not answer. `isFinal`: the same request would fail again. */
export class InspectorError extends Error {
  readonly isFinal: boolean;

  constructor(message: string, isFinal: boolean) {
    super(message);
    this.isFinal = isFinal;
  }
}

const longestPauseMs = 15_000;

/** Calls the routes of the inspector, which are below the path of the page. */
export class InspectorClient {
  readonly #base: URL;
  /** True if the user may enter keys, which are sent with model calls that are made again. */
  readonly takesKeys: boolean;
  readonly #keyHeaders: () => Record<string, string>;

  /** @param keyHeaders returns the headers with the keys that the user has entered; missing if there is no field for them */
  constructor(page: URL, keyHeaders?: () => Record<string, string>) {
    this.#base = new URL("inspector/runs", page);
    this.takesKeys = keyHeaders !== undefined;
    this.#keyHeaders = keyHeaders ?? (() => ({}));
  }

  /** Lists a page of the runs that match, newest first. */
  async list(
    options: RunFilter & { after?: string | undefined; limit?: string },
    signal: AbortSignal,
  ): Promise<InspectedRunPage> {
    const url = new URL(this.#base);
    const given = Object.entries({ limit: "30", ...options });
    for (const [name, value] of given) if (value !== undefined && value !== "") url.searchParams.set(name, value);
    return (await (await ask(url, signal)).json()) as InspectedRunPage;
  }

  /** Returns the present state of a run. Throws `InspectorError` with a sentence of its own for a run that is not kept. */
  async read(runId: string, signal: AbortSignal): Promise<InspectedRunDetails> {
    const response = await fetch(this.#urlOf(runId), { signal });
    if (response.status === 404) throw new InspectorError(inspectorStrings.notKept, true);
    return (await (await answerOf(response)).json()) as InspectedRunDetails;
  }

  /** Returns the model call that a step of a run has made. `step` is the key of the step in the log. */
  async modelCall(runId: string, step: string, signal: AbortSignal): Promise<InspectedModelCall> {
    const url = new URL(`${this.#urlOf(runId)}/model-call`);
    url.searchParams.set("step", step);
    return (await (await ask(url, signal)).json()) as InspectedModelCall;
  }

  /**
   * Makes the model call of a step again, with a model that the service offers and the user's own keys, and returns its
   * answer.
   */
  async callAgain(runId: string, step: string, wish: { model: string; system: string }): Promise<RepeatedModelCall> {
    const url = new URL(`${this.#urlOf(runId)}/model-call`);
    url.searchParams.set("step", step);
    const headers = { ...this.#keyHeaders(), "Content-Type": "application/json" };
    const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(wish) });
    return (await answerOf(response).then((answered) => answered.json())) as RepeatedModelCall;
  }

  /**
   * Follows the log of a run to its end, over as many connections as necessary. Throws `InspectorError` if the request
   * is refused.
   */
  async *follow(runId: string, signal: AbortSignal): AsyncGenerator<InspectedUpdate> {
    let lastId: string | undefined;
    let failures = 0;
    while (!signal.aborted) {
      if (failures > 0) await pause(Math.min(longestPauseMs, 250 * 2 ** failures), signal);
      failures += 1;
      const events = this.#readFrom(runId, lastId, signal);
      for (let next = await nextOf(events, signal); next !== undefined; next = await nextOf(events, signal)) {
        [lastId, failures] = [next.id, 1];
        yield next;
        if (next.event.type === "end") return;
      }
      yield "broken";
    }
  }

  async *#readFrom(runId: string, after: string | undefined, signal: AbortSignal): AsyncGenerator<PlacedEvent> {
    const headers: Record<string, string> = after === undefined ? {} : { "Last-Event-ID": after };
    const { body } = await ask(`${this.#urlOf(runId)}/events`, signal, headers);
    if (body === null) return;
    for await (const { id, data } of readEvents(body)) {
      const event = JSON.parse(data) as InspectedEvent | { readonly error: { readonly message: string } };
      if (!("type" in event)) throw new InspectorError(event.error.message, true);
      if (id !== undefined) yield { id, event };
    }
  }

  #urlOf(runId: string): string {
    return `${this.#base}/${encodeURIComponent(runId)}`;
  }
}

/**
 * Returns the next event, or undefined if the connection ends or breaks. Throws if the request was refused for good or
 * aborted.
 */
async function nextOf(events: AsyncGenerator<PlacedEvent>, signal: AbortSignal): Promise<PlacedEvent | undefined> {
  try {
    const step: IteratorResult<PlacedEvent, void> = await events.next();
    return step.done === true ? undefined : step.value;
  } catch (error) {
    if (signal.aborted || (error instanceof InspectorError && error.isFinal)) throw error;
    return undefined;
  }
}

async function ask(url: URL | string, signal: AbortSignal, headers: Record<string, string> = {}): Promise<Response> {
  return await answerOf(await fetch(url, { signal, headers }));
}

/** Returns a response that is a success. Throws the error of any other one. */
async function answerOf(response: Response): Promise<Response> {
  if (response.ok) return response;
  const body = (await response.json().catch(() => undefined)) as { error?: { message?: unknown } } | undefined;
  const message = body?.error?.message;
  const isFinal = response.status < 500 && response.status !== 408 && response.status !== 429;
  throw new InspectorError(
    typeof message === "string" ? message : inspectorStrings.answeredStatus(response.status),
    isFinal,
  );
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms * (0.75 + Math.random() / 2));
    signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });
}
