import type { RunContext } from "../run/run-context.ts";
import { runOfContext } from "../run/derive-context.ts";
import { canonicalJson } from "../../schema/canonical-json.ts";
import { ownerKey } from "../../sessions/storage/owner-key.ts";
import { LruCache } from "../../base/util/lru-cache.ts";
import { copyPlain } from "./copy-plain.ts";
import type { ToolExecution } from "./tool-execution.ts";
import type { ToolOutcome } from "./tool-outcome.ts";

/** The maximum number of outcomes stored for one tool. */
const maxEntries = 256;

/** The cached outcomes of one tool, by `cacheKey`, and its executions in progress, which equal calls may share. */
export class ToolCache {
  readonly #outcomes: LruCache<string, ToolOutcome>;
  readonly #running = new Map<string, ToolExecution>();

  constructor(ttlMs: number) {
    this.#outcomes = new LruCache({ maxEntries, ttlMs });
  }

  /** The number of stored outcomes of the tool. */
  get size(): number {
    return this.#outcomes.size;
  }

  /** Returns a copy of the outcome of an equal tool call until its time is over, otherwise `undefined`. */
  get(key: string): ToolOutcome | undefined {
    this.#outcomes.prune();
    // Reading does not count as use: an outcome expires a fixed time after its execution.
    const outcome = this.#outcomes.peek(key);
    return outcome === undefined ? undefined : copyPlain(outcome);
  }

  /** Stores the outcome of a tool call, which must not be changed afterwards. Failures are not stored. */
  set(key: string, outcome: ToolOutcome): void {
    if (outcome.error === undefined) this.#outcomes.set(key, outcome);
  }

  /** Returns the execution in progress for an equal call of the tool, or starts an execution. */
  share(key: string, start: () => ToolExecution): ToolExecution {
    const running = this.#running.get(key);
    if (running !== undefined && !running.isOver) return running;
    const execution = start();
    this.#running.set(key, execution);
    void execution.outcome.then(() => this.#forget(key, execution));
    return execution;
  }

  #forget(key: string, execution: ToolExecution): void {
    if (this.#running.get(key) === execution) this.#running.delete(key);
  }
}

/**
 * Makes the cache key of a tool call from its tool, arguments, owner and API keys. It is a hash, so that neither API
 * keys nor long arguments are stored.
 */
export function cacheKey(toolName: string, args: Record<string, unknown>, context: RunContext): string {
  const { userId, verified } = context;
  const { createHash } = process.getBuiltinModule("node:crypto");
  const { tenantId, apiKeys = {} } = runOfContext(context)?.settings ?? {};
  const about = [toolName, ownerKey({ tenantId, userId, verified }), apiKeys, args];
  return createHash("sha256").update(canonicalJson(about)).digest("base64");
}
