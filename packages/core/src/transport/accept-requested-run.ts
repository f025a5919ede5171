import { hash } from "node:crypto";
import type { RunService } from "../runs/durable/run-service.ts";
import type { AcceptedRun, RunKind, RunRequest } from "../runs/run-store/run-view.ts";
import { TroupeError } from "../base/errors/troupe-error.ts";
import type { RunOpts } from "../agents/run/run-options.ts";
import type { Json } from "../sessions/storage/json.ts";
import type { ActiveRuns } from "./active-runs.ts";
import { reachOf } from "./run-fields.ts";
import type { RequestedRun } from "./run-fields.ts";

/** A runnable by its name, and the service that keeps its run: chosen by `ServedRuns.keeperOf`. */
export type RunTarget = {
  readonly kind: RunKind;
  readonly name: string;
  readonly service: RunService;
  /** True for the host's service, whose runs outlive the process. */
  readonly isDurable: boolean;
  /** The idempotency key of the request: a repeated request with the same key is the same run. */
  readonly key?: string | undefined;
  /** True if the client goes on with a run that it has begun: there must be one of its key. */
  readonly mustExist?: boolean | undefined;
  /** JSON of the transport's own, which the views of the run have again. */
  readonly note?: Json | undefined;
  /** Milliseconds after which the run is removed, whatever it does. @default none */
  readonly ttlMs?: number | undefined;
  /** Called once nothing but the storage can refuse the run, see `RunRequest`. @default nothing */
  readonly beforeStored?: (() => Promise<void>) | undefined;
};

/** A run that a service keeps: accepted now, or found again by its key. */
export type KeptRun = AcceptedRun & {
  /** Resolves at the end of a run that was begun now and is kept in this process, which holds what the request brought. */
  readonly over?: Promise<void>;
};

/** A requested run of any runnable, with what it counts for. */
export type AnyRequestedRun = Pick<RequestedRun<unknown, unknown>, "input" | "opts" | "owner" | "address">;

/**
 * Has a service accept a requested run, or find it again by its key. A run that is kept in this process counts as active until
 * its end. Throws `unavailable` while a shutdown drains.
 */
export async function acceptRequestedRun(
  requested: AnyRequestedRun,
  target: RunTarget,
  activeRuns: ActiveRuns,
): Promise<KeptRun> {
  activeRuns.checkOpen();
  const { service, isDurable } = target;
  const abort = new AbortController();
  const accepted = await service.accept(toRunRequest(requested, target, abort.signal));
  const { runId, isNew } = accepted;
  if (!isNew || isDurable) return accepted;
  const cancel = (reason: unknown): void => {
    abort.abort(reason);
    // A run that waits has nothing under way that could hear the signal.
    void service.cancel(runId, "host").catch(() => undefined);
  };
  try {
    const end = activeRuns.begin(runId, reachOf(requested), cancel);
    return { ...accepted, over: untilOver(service, runId).finally(end) };
  } catch (error) {
    // A shutdown has begun meanwhile.
    cancel(error);
    throw error;
  }
}

/** Reads the events of a run to its end, or until they are removed. */
async function untilOver(service: RunService, runId: string): Promise<void> {
  try {
    for await (const { type } of service.events(runId, "host")) if (type === "end") return;
  } catch {
    // The run is the service's, which has logged what failed.
  }
}

function toRunRequest(
  { input, opts, owner, address }: AnyRequestedRun,
  target: RunTarget,
  signal: AbortSignal,
): RunRequest {
  const { kind, name, isDurable, key, mustExist, note, ttlMs, beforeStored } = target;
  const { runId, sessionId, isNewSession, userId, apiKey, apiKeys } = opts;
  const { metadata, messages, limits, modelOptions, instructions, fromOutside, model, tools } = opts;
  const named = isNewSession ? {} : { sessionId };
  if (isDurable) checkStorable(opts);
  return {
    kind,
    name,
    ...(isDurable
      ? { input, options: { ...named, limits, modelOptions, instructions, fromOutside, messages, metadata } }
      : {
          options: { ...named, limits, modelOptions, instructions, fromOutside },
          local: { input, messages, metadata, model, tools, signal },
        }),
    ...reachOf({ opts, owner }),
    address,
    keys: { apiKey, apiKeys },
    note,
    ttlMs,
    beforeStored,
    ...(key === undefined
      ? { runId }
      : { idempotencyKey: key, mustExist, fingerprint: fingerprintOf({ input, messages, userId, ...named }) }),
  };
}

/**
 * Returns the request as its client sent it, with hashes in place of files. The host's options may differ each time. The
 * service checks the messages later: they may be anything yet.
 */
function fingerprintOf({ input, messages, ...named }: Said): Json {
  const said = {
    ...named,
    input: condensed(input),
    messages: Array.isArray(messages) ? messages.map(condensedMessage) : messages,
  };
  return JSON.parse(JSON.stringify(said)) as Json;
}

type Said = Pick<RunOpts, "userId" | "sessionId"> & { input: unknown; messages: unknown };

function condensedMessage(message: unknown): unknown {
  return hasOwn(message, "content") ? { ...message, content: condensed(message.content) } : message;
}

function condensed(content: unknown): unknown {
  if (!Array.isArray(content)) return content;
  return content.map((part: unknown) =>
    hasOwn(part, "data") && typeof part.data === "string" ? { ...part, data: hash("sha256", part.data) } : part,
  );
}

function hasOwn<Key extends string>(value: unknown, key: Key): value is Record<Key, unknown> {
  return typeof value === "object" && value !== null && Object.hasOwn(value, key);
}

/** Throws `invalid_config` for options of the host that only a plain run can have. */
function checkStorable({ model, tools }: AnyRequestedRun["opts"]): void {
  if (model === undefined && tools === undefined) return;
  const message =
    "runOptions must give no model and no tools to a durable run: no record can hold them. " +
    "Give them to the agent, or leave the agent out of the RunService.";
  throw new TroupeError("invalid_config", message);
}
