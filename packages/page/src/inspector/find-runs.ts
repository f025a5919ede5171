import { TroupeError } from "@troupe/core";
import { runStatuses } from "@troupe/core/runs";
import type { RunCaller, RunListOptions, RunService, RunView } from "@troupe/core/runs";
import { Questions } from "./questions.ts";

/** The runs to find. Without a filter beyond the status, they are the runs of one page of the list. */
export type RunQuery = {
  readonly status?: RunListOptions["status"];
  readonly limit?: number | undefined;
  readonly after?: string | undefined;
  /** The name of the agent, team or workflow. */
  readonly name?: string | undefined;
  readonly session?: string | undefined;
  /** A text in the question, the name or an id, in any case and without regard to accents. */
  readonly text?: string | undefined;
  /** The earliest time at which the runs were created. */
  readonly since?: number | undefined;
  /** The least number of tokens of an ended run. */
  readonly minTokens?: number | undefined;
  /** The least number of milliseconds that an ended run took. */
  readonly minMs?: number | undefined;
  /** A tag of the run, for a caller who sees all runs. */
  readonly tag?: string | undefined;
  /**
   * The user of the runs, for a caller who sees all runs. A `~` before the id stands for a user whom a client has named
   * without proof.
   */
  readonly user?: string | undefined;
  /** The tenant of the user. */
  readonly tenant?: string | undefined;
};

/** A found run, with the beginning of its question. */
export type FoundRun = { readonly run: RunView; readonly question: string | undefined };

/** Found runs, newest first. `next` is the cursor at which the search continues. */
export type FoundPage = { readonly runs: readonly FoundRun[]; readonly next?: string };

/** The number of runs that are read at once for a filter. */
const pageSize = 100;
/** The maximum number of runs that one request reads for a filter, whether they match or not. */
const mostRead = 500;

/** Finds the runs of a service for the inspector. A request reads a bounded number of runs, however many there are. */
export class RunFinder {
  readonly #runs: Pick<RunService, "list">;
  readonly #questions: Questions;

  constructor(runs: Pick<RunService, "list" | "readInput">) {
    this.#runs = runs;
    this.#questions = new Questions(runs);
  }

  /** Returns runs of the caller, newest first. Throws `invalid_request` for a wrong option. */
  async find(caller: RunCaller, query: RunQuery): Promise<FoundPage> {
    const { status, limit, after } = query;
    // The runs of a user are listed by status. Those of all users are not, so their status is a filter like the others.
    const lister = listerOf(caller, query);
    const listed = lister === "host" ? undefined : status;
    if (isUnfiltered(query) && listed === status) {
      const { runs, next } = await this.#runs.list(lister, { status, limit, after, hasOutputs: true });
      return toPage(await this.#withQuestions(runs, caller), next);
    }
    const wanted = checkLimit(limit);
    checkStatus(status);
    const found: FoundRun[] = [];
    let cursor = after;
    for (let read = 0; read < mostRead; read += pageSize) {
      const page = await this.#runs.list(lister, {
        status: listed,
        limit: pageSize,
        after: cursor,
        hasOutputs: true,
      });
      const recent = page.runs.filter(({ createdAt }) => createdAt >= (query.since ?? 0));
      found.push(...(await this.#matching(recent, caller, query)));
      if (recent.length < page.runs.length || page.next === undefined) return toPage(found, undefined);
      cursor = page.next;
      if (found.length >= wanted) break;
    }
    return toPage(found, cursor);
  }

  async #matching(runs: readonly RunView[], caller: RunCaller, query: RunQuery): Promise<FoundRun[]> {
    const { status, name, session, text, tag } = query;
    const wanted = Object.entries({ status, name, sessionId: session }).filter(([, value]) => value !== undefined);
    const chosen = runs
      .filter((run) => wanted.every(([field, value]) => run[field as keyof RunView] === value) && isLarge(run, query))
      .filter(({ tags = [] }) => tag === undefined || tags.includes(tag));
    const read = await this.#withQuestions(chosen, caller);
    if (text === undefined) return read;
    const part = folded(text);
    return read.filter(({ run, question = "" }) =>
      [question, run.name, run.runId, run.sessionId].some((each) => folded(each).includes(part)),
    );
  }

  async #withQuestions(runs: readonly RunView[], caller: RunCaller): Promise<FoundRun[]> {
    return await Promise.all(
      runs.map(async (run) => ({ run, question: await this.#questions.read(run.runId, caller) })),
    );
  }
}

/** Returns the number of tokens that a run has used. Undefined if it has not ended, or its output reports no usage. */
export function tokensOf({ output }: RunView): number | undefined {
  const { usage } = Object(output) as { usage?: { totalTokens?: unknown } | null };
  const tokens = usage?.totalTokens;
  return typeof tokens === "number" ? tokens : undefined;
}

/** Returns true for a run that took as many tokens and as much time as the query asks for. */
function isLarge(run: RunView, { minTokens, minMs }: RunQuery): boolean {
  const { createdAt, startedAt = createdAt, endedAt } = run;
  if (minMs !== undefined && (endedAt === undefined || endedAt - startedAt < minMs)) return false;
  return minTokens === undefined || (tokensOf(run) ?? -1) >= minTokens;
}

/**
 * Returns the caller whose list of runs is read. The runs of a user have a list of their own, so that those of others
 * need not be read.
 */
function listerOf(caller: RunCaller, { user, tenant, tag }: RunQuery): RunCaller {
  if (caller !== "host" && [user, tenant, tag].some((filter) => filter !== undefined)) throw notForUsers();
  if (user === undefined && tenant === undefined) return caller;
  if (user === undefined) throw new TroupeError("invalid_request", "tenant needs the user whose runs are listed.");
  const isClaimed = user.startsWith("~");
  const scope = { ...(tenant !== undefined && { tenantId: tenant }), ...(isClaimed && { verified: false }) };
  return { userId: isClaimed ? user.slice(1) : user, ...scope };
}

function notForUsers(): TroupeError {
  return new TroupeError("forbidden", "You see your own runs alone. Leave user, tenant and tag out.");
}

function isUnfiltered({ name, session, text, since, minTokens, minMs, tag }: RunQuery): boolean {
  return [name, session, text, since, minTokens, minMs, tag].every((filter) => filter === undefined);
}

function toPage(runs: readonly FoundRun[], next: string | undefined): FoundPage {
  return { runs, ...(next !== undefined && { next }) };
}

function checkLimit(limit = 20): number {
  if (Number.isInteger(limit) && limit >= 1 && limit <= 100) return limit;
  throw new TroupeError("invalid_request", "limit must be an integer from 1 to 100.");
}

function checkStatus(status: string | undefined): void {
  if (status === undefined || runStatuses.some((known) => known === status)) return;
  throw new TroupeError("invalid_request", `status must be ${runStatuses.join(", ")}, or be left out.`);
}

/** Returns a text without accents and case, so that `alesund` is found in `Ålesund`. */
function folded(text: string): string {
  return text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
}
