import type { ScheduledRequest } from "../../runs/schedules/schedule-record.ts";
import type { RunService } from "../../runs/service/run-service.ts";
import type { AcceptedRun, RunKind, RunRequest } from "../../runs/record/run-view.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { RunOpts } from "../../agents/run/run-options.ts";
import type { Json } from "../../sessions/storage/json.ts";
import type { ActiveRuns } from "./active-runs.ts";
import { reachOf } from "../request/run-fields.ts";
import type { RequestedRun } from "../request/run-fields.ts";

/** The options that a protocol sets for a run, besides the fields of the request itself. */
export type ProtocolRunOptions = {
  readonly kind: RunKind;
  /** The name under which the agent, team or workflow is served. */
  readonly name: string;
  /**
   * True if the client asked to cancel the run when it disconnects. @default the policy `onDisconnect`, for a run
   * that is not durable
   */
  readonly endsWithClient?: boolean | undefined;
  /**
   * True for a run that must be stored because clients of the protocol read it again later. @default only durable runs,
   * runs with an idempotency key, and runs that outlive their connection are stored
   */
  readonly isStored?: boolean | undefined;
  /** The idempotency key of the request. A repeated request with the same key returns the same run. */
  readonly key?: string | undefined;
  /**
   * The client's request as JSON, which must be the same each time the key is used. @default the input, the messages,
   * the user and the session
   */
  readonly said?: Json | undefined;
  /** True if the client continues a run that it began earlier: a run with the idempotency key must exist. */
  readonly mustExist?: boolean | undefined;
  /** True for a run that the program itself begins: no limits of callers apply to it. @default false */
  readonly isOwn?: boolean | undefined;
  /** JSON data of the protocol, returned in the `RunView` of the run. */
  readonly note?: Json | undefined;
  /** Milliseconds after which the run is removed, whatever its status. @default no limit */
  readonly ttlMs?: number | undefined;
  /** Called after all checks, before the run is stored: see `RunRequest`. @default no call */
  readonly beforeStored?: (() => Promise<void>) | undefined;
};

/** The options of a run that is stored, and the service that stores it. */
export type StoredTerms = ProtocolRunOptions & {
  readonly service: RunService;
  /** True for the host's service; false for the in-memory service of this process. */
  readonly isDurable: boolean;
};

/** A run accepted by a service: a new run, or a run found by its idempotency key. */
export type RunAcceptance = AcceptedRun & {
  /**
   * Resolves at the end of a new run that is stored in this process. Until then the run holds the data of its request.
   */
  readonly over?: Promise<void>;
};

/** A requested run of any runnable, with the facts for counting it against limits. */
export type AnyRequestedRun = Pick<RequestedRun<unknown, unknown>, "input" | "opts" | "owner" | "address" | "webhook">;

/**
 * Lets a service accept a requested run, or find the run by its idempotency key. A run that is stored in this process
 * counts as active until its end. Throws `unavailable` while a shutdown drains.
 */
export async function acceptRequestedRun(
  requested: AnyRequestedRun,
  target: StoredTerms,
  activeRuns: ActiveRuns,
): Promise<RunAcceptance> {
  activeRuns.checkOpen();
  const { service, isDurable } = target;
  const abort = new AbortController();
  const accepted = await service.accept(toRunRequest(requested, target, abort.signal));
  const { runId, isNew } = accepted;
  if (!isNew || isDurable) return accepted;
  const cancel = (reason: unknown): void => {
    abort.abort(reason);
    // A waiting run has no work in progress that could react to the signal, so its service cancels it.
    void service.cancel(runId, "host").catch(() => undefined);
  };
  try {
    const end = activeRuns.begin(runId, reachOf(requested), cancel);
    return { ...accepted, over: untilOver(service, runId).finally(end) };
  } catch (error) {
    // A shutdown began while the service accepted the run, so the run is cancelled.
    cancel(error);
    throw error;
  }
}

/** Reads the events of a run until its end, or until they are removed. */
async function untilOver(service: RunService, runId: string): Promise<void> {
  try {
    for await (const { type } of service.events(runId, "host")) if (type === "end") return;
  } catch {
    // Errors are ignored, because the service has already logged a failure of its run.
  }
}

function toRunRequest(
  { input, opts, owner, address, webhook }: AnyRequestedRun,
  target: StoredTerms,
  signal: AbortSignal,
): RunRequest {
  const { kind, name, isDurable, isOwn = false, key, said, mustExist, note, ttlMs, beforeStored } = target;
  const { runId, sessionId, isNewSession, userId, apiKey, apiKeys } = opts;
  const { metadata, messages, limits, modelOptions, instructions, fromOutside, model, tools, telemetry } = opts;
  const { additions, isUnstored, continueFrom } = opts;
  const named = isNewSession ? {} : { sessionId };
  const kept = { ...named, limits, modelOptions, instructions, additions, isUnstored, continueFrom, fromOutside };
  if (isDurable) checkStorable(opts);
  else checkUnreported(webhook);
  return {
    kind,
    name,
    ...(isDurable
      ? { input, options: { ...kept, messages, metadata } }
      : {
          options: kept,
          local: { input, messages, metadata, model, tools, signal },
        }),
    ...reachOf({ opts, owner }),
    ...(isOwn && { isBearer: false }),
    address,
    webhook,
    keys: { apiKey, apiKeys },
    ...(telemetry !== undefined && { telemetry }),
    note,
    ttlMs,
    beforeStored,
    ...(key === undefined
      ? { runId }
      : { idempotencyKey: key, mustExist, fingerprint: said ?? fingerprintOf({ input, messages, userId, ...named }) }),
  };
}

/**
 * Returns the client's request for comparison, with hashes instead of files. The host's options are excluded, because
 * they may differ each time. The messages may be any value here: the service checks them later.
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
  const { hash } = process.getBuiltinModule("node:crypto");
  return content.map((part: unknown) =>
    hasOwn(part, "data") && typeof part.data === "string" ? { ...part, data: hash("sha256", part.data) } : part,
  );
}

function hasOwn<Key extends string>(value: unknown, key: Key): value is Record<Key, unknown> {
  return typeof value === "object" && value !== null && Object.hasOwn(value, key);
}

/**
 * Makes the request of a schedule from a requested run. The API keys of the request are omitted, because they would be
 * stored for as long as the schedule.
 */
export function toScheduledRequest(
  { input, opts }: AnyRequestedRun,
  { kind, name }: Pick<ProtocolRunOptions, "kind" | "name">,
): ScheduledRequest {
  checkStorable(opts);
  const { sessionId, isNewSession, metadata, messages, limits, modelOptions, instructions, fromOutside } = opts;
  const named = isNewSession ? {} : { sessionId };
  const options = { ...named, metadata, messages, limits, modelOptions, instructions, fromOutside };
  return { kind, name, input, options };
}

/** Throws `invalid_request` if a webhook is requested for a run that ends with this process. */
export function checkUnreported(webhook: AnyRequestedRun["webhook"]): void {
  if (webhook === undefined) return;
  throw new TroupeError("invalid_request", "webhook is for durable runs, and this run is not durable. Leave it out.");
}

/** Throws `invalid_config` for host options that only a plain run supports. */
function checkStorable({ model, tools }: AnyRequestedRun["opts"]): void {
  if (model === undefined && tools === undefined) return;
  const message =
    "runOptions must give no model and no tools to a durable run: no record can hold them. " +
    "Give them to the agent, or leave the agent out of the RunService.";
  throw new TroupeError("invalid_config", message);
}
