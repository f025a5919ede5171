import { ApiError } from "@troupe-internal/client";
import type { RunInfo, RunnableKind, Wait } from "@troupe-internal/client";
import type { InspectedRun, InspectedRunPage } from "../../src/inspector/inspected-run.ts";
import type { Api } from "../api/api.ts";
import type { OpenRuns } from "../chat/open-runs.ts";
import { Store } from "../ui/store.ts";

/** A question that a run waits for. */
export type InboxWait = Wait & {
  /** True if a part of the subject is hidden or cut, so that it is no basis for other arguments. */
  readonly isCut?: true;
};

/** A waiting run in the inbox. */
export type InboxRun = {
  readonly runId: string;
  readonly kind: RunnableKind;
  readonly name: string;
  readonly sessionId: string;
  /** Milliseconds since 1970; undefined if the service has not sent the time. */
  readonly createdAt?: number | undefined;
  /** The beginning of the run's input, if the inspector shows it. */
  readonly question?: string | undefined;
  readonly waits: readonly InboxWait[];
  /** True for a run of the caller, whose chat may be opened. Undefined if the caller has no user. */
  readonly isOwn: boolean | undefined;
};

/** The waiting runs, newest first. */
export type InboxState = {
  readonly runs: readonly InboxRun[];
  /** True if the service has more runs than were read. */
  readonly hasMore: boolean;
  readonly isLoaded: boolean;
  /** True if the service lists waiting runs for the caller, so that the inbox is worth a link. */
  readonly isListed: boolean;
  readonly failure?: string | undefined;
};

/** The requests that the inbox sends. */
type InboxApi = Pick<Api, "runs" | "run" | "answer">;

/** The parts of the page that the inbox reads. */
export type InboxParts = {
  readonly api: InboxApi;
  readonly openRuns: Pick<OpenRuns, "all">;
  /** False once the service has refused to list what belongs to the caller. */
  readonly sessions: { readonly isListed: boolean };
  /** Reads the waiting runs that the inspector lists. Undefined for a service without an inspector. */
  readonly inspect: (() => Promise<InspectedRunPage>) | undefined;
};

type RunPage = Awaited<ReturnType<InboxApi["runs"]>>;

/** The maximum number of runs that one look reads of each list. */
const mostRuns = 50;
/** Milliseconds for which an answered question stays hidden, while the service may still list it. */
const answeredMs = 15_000;

/**
 * The waiting runs of the caller, and of all users for whom the inspector lists them. For a caller without a user these
 * are the runs that this tab has started.
 */
export class Inbox extends Store<InboxState> {
  readonly #parts: InboxParts;
  /** False once the service has refused the list, which it then does each time. */
  readonly #asks: Record<"own" | "all", boolean>;
  /** The times at which questions were answered here, by run and question. */
  readonly #answered = new Map<string, number>();
  #loading: Promise<void> | undefined;

  constructor(parts: InboxParts) {
    super({ runs: [], hasMore: false, isLoaded: false, isListed: false });
    this.#parts = parts;
    this.#asks = { own: true, all: parts.inspect !== undefined };
  }

  /** The number of questions that a person can answer. */
  get count(): number {
    return countOf(this.state.runs);
  }

  /** Reads the waiting runs. A call during another one waits for that. */
  async load(): Promise<void> {
    this.#loading ??= this.#load().finally(() => (this.#loading = undefined));
    await this.#loading;
  }

  /** Answers a question of a run, which then leaves the inbox. */
  async answer(runId: string, waitId: string, answer: object): Promise<void> {
    await this.#parts.api.answer(runId, waitId, answer);
    this.#answered.set(keyOf(runId, waitId), Date.now());
    this.set({ runs: this.#withoutAnswered(this.state.runs) });
  }

  async #load(): Promise<void> {
    try {
      this.#asks.own &&= this.#parts.sessions.isListed;
      const own = await this.#ask(
        "own",
        async () => await this.#parts.api.runs({ status: "waiting", limit: mostRuns }),
      );
      const all = await this.#ask("all", async () => await this.#parts.inspect?.());
      // The inspector shows the same runs again, with shorter arguments.
      if (own !== undefined && all?.sees === "own") this.#asks.all = false;
      this.set({ ...(await this.#stateOf(own, all)), isLoaded: true, failure: undefined });
    } catch (error) {
      this.set({ isLoaded: true, failure: (error as Error).message });
    }
  }

  /** Returns the runs of both lists, each of which is undefined if the service has refused it. */
  async #stateOf(own: RunPage | undefined, all: InspectedRunPage | undefined) {
    const isOwn = own === undefined ? undefined : false;
    const ownRuns = own?.runs ?? (await this.#startedHere());
    const inspected = all?.runs.map((run) => toInspected(run, isOwn)) ?? [];
    return {
      runs: this.#withoutAnswered(merge(ownRuns.map(toOwn), inspected)),
      hasMore: [own, all].some((page) => page?.next !== undefined),
      isListed: [own, all].some((page) => page !== undefined),
    };
  }

  /** Asks for a list unless it was refused before. Returns undefined if it is refused. */
  async #ask<Page>(list: "own" | "all", read: () => Promise<Page>): Promise<Page | undefined> {
    if (!this.#asks[list]) return undefined;
    try {
      return await read();
    } catch (error) {
      if (!isRefusal(error)) throw error;
      this.#asks[list] = false;
      return undefined;
    }
  }

  /** Reads the open runs that this tab has started. A run that was removed is left out. */
  async #startedHere(): Promise<RunInfo[]> {
    const read = this.#parts.openRuns.all().map(async ({ runId }) => {
      try {
        return await this.#parts.api.run(runId);
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return undefined;
        throw error;
      }
    });
    return (await Promise.all(read)).filter((run) => run?.status === "waiting").filter((run) => run !== undefined);
  }

  #withoutAnswered(runs: readonly InboxRun[]): InboxRun[] {
    const now = Date.now();
    for (const [key, at] of this.#answered) if (now - at >= answeredMs) this.#answered.delete(key);
    return runs.flatMap((run) => {
      const waits = run.waits.filter(({ waitId }) => !this.#answered.has(keyOf(run.runId, waitId)));
      return waits.length === 0 ? [] : [{ ...run, waits }];
    });
  }
}

/** Returns true for a wait that a person can answer: others end by themselves. */
export function isAnswerable({ kind }: InboxWait): boolean {
  return kind !== "event" && kind !== "sleep";
}

function countOf(runs: readonly InboxRun[]): number {
  return runs.reduce((count, { waits }) => count + waits.filter(isAnswerable).length, 0);
}

/** A refusal of the service: the caller is not signed in, or may not see the list. */
function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 401 || error.status === 403);
}

function toOwn({ runId, kind, name, sessionId, createdAt, waits = [] }: RunInfo): InboxRun {
  return { runId, kind, name, sessionId, createdAt, waits, isOwn: true };
}

function toInspected({ openWaits: waits = [], ...run }: InspectedRun, isOwn: false | undefined): InboxRun {
  const { runId, kind, name, sessionId, createdAt, question } = run;
  return { runId, kind, name, sessionId, createdAt, question, waits, isOwn };
}

/** Returns the runs of both lists, each once and newest first. An own run has its whole arguments. */
function merge(own: readonly InboxRun[], all: readonly InboxRun[]): InboxRun[] {
  const questions = new Map(all.map(({ runId, question }) => [runId, question]));
  const ownIds = new Set(own.map(({ runId }) => runId));
  const others = all.filter(({ runId }) => !ownIds.has(runId));
  const runs = [...own.map((run) => ({ ...run, question: questions.get(run.runId) })), ...others];
  return runs.toSorted((one, other) => (other.createdAt ?? 0) - (one.createdAt ?? 0));
}

function keyOf(runId: string, waitId: string): string {
  return `${runId} ${waitId}`;
}
