import { TroupeError } from "../errors/troupe-error.ts";
import { checkApiKey } from "../keys/api-keys.ts";
import type { ApiKeys } from "../keys/api-keys.ts";
import { bindGenericKey } from "../keys/select-key.ts";
import { checkSessionId, checkStoredSessionId, isMemberSessionId } from "../session/session-id.ts";
import { checkOwner } from "../session/session-owner.ts";
import type { StorageDriver } from "../storage/storage-driver.ts";
import { createId } from "../util/create-id.ts";
import { checkRunLimits, defaultDurationMs } from "./check-run-limits.ts";
import { apiKeysOf, endsAtOf, isFromOutside, meterOf, scratchOf, tenantOf } from "./run-context.ts";
import type { RunContext } from "./run-context.ts";
import type { RunLimits, RunOpts } from "./run-options.ts";
import type { UsageMeter } from "./usage-meter.ts";

/** What is called, as far as it decides what the options of a call come to. */
export type RunDefaults = {
  sessionId?: string | undefined;
  userId?: string | undefined;
  limits?: RunLimits | undefined;
  /** The vendor that a generic key is for. */
  providerId?: string | undefined;
};

/** The options of a run when all is settled. */
export type RunRequest = {
  readonly runId: string;
  readonly fromOutside: boolean;
  readonly sessionId: string;
  readonly userId: string | undefined;
  readonly tenantId: string | undefined;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly apiKeys: ApiKeys;
  readonly signals: readonly AbortSignal[];
  readonly limits: Required<RunLimits>;
  readonly parentRunId: string | undefined;
  readonly parentMeter: UsageMeter | undefined;
  /** Where the sessions are kept that end with a run above, if there are such. */
  readonly scratch: StorageDriver | undefined;
  /** The same, when this run's session is one of them. */
  readonly sessionStorage: StorageDriver | undefined;
};

const checks: { readonly [Name in keyof Required<RunOpts>]: (value: unknown, opts: RunOpts) => void } = {
  sessionId: (value, { parent }) => {
    // Only a run of ours may work in a session that a client cannot name.
    if (parent === undefined) checkSessionId(value);
    else checkStoredSessionId(value);
  },
  userId: (value) => void checkOwner({ userId: value as string }),
  tenantId: (value) => void checkOwner({ tenantId: value as string }),
  metadata: (value) => requireObject(value, "metadata"),
  apiKey: (value) => void checkApiKey(value, "apiKey"),
  apiKeys: (value) => checkApiKeys(value),
  signal: (value) => requireSignal(value),
  limits: (value) => void checkRunLimits(value, "invalid_request"),
  parent: (value) => requireObject(value, "parent"),
  runId: (value) => requireUuid(value),
  fromOutside: (value) => requireBoolean(value, "fromOutside"),
};

/** Checks the options of a run and fills in what they leave open; a wrong or unknown one is `invalid_request`. */
export function readRunOpts(opts: RunOpts = {}, defaults: RunDefaults = {}): RunRequest {
  checkOpts(opts);
  const { parent } = opts;
  const { fromOutside, ...above } = aboveOf(opts, defaults);
  return {
    runId: opts.runId ?? createId(),
    fromOutside,
    sessionId: opts.sessionId ?? above.sessionId ?? createId(),
    userId: opts.userId ?? above.userId,
    tenantId: opts.tenantId ?? above.tenantId,
    metadata: opts.metadata ?? above.metadata,
    apiKeys: { ...above.apiKeys, ...ownKeys(opts, defaults.providerId) },
    signals: signalsOf(opts.signal, parent?.signal),
    limits: limitsOf(above.endsAt, opts.limits, defaults.limits),
    parentRunId: above.runId,
    parentMeter: above.meter,
    scratch: above.scratch,
    sessionStorage: sessionStorageOf(opts, above),
  };
}

/** What counts where the call itself says nothing. */
function aboveOf({ parent, fromOutside }: RunOpts, defaults: RunDefaults): FromAbove & { fromOutside: boolean } {
  const isOutside = fromOutside ?? (parent !== undefined && isFromOutside(parent));
  const configured = isOutside ? withoutPerson(defaults) : defaults;
  const above = parent === undefined ? { ...fromNobody, ...configured } : fromParent(parent, configured);
  return { ...above, fromOutside: isOutside };
}

/** What is configured, but for whose run it is. */
function withoutPerson({ limits, providerId }: RunDefaults): RunDefaults {
  return { limits, providerId };
}

type FromAbove = {
  sessionId?: string | undefined;
  userId?: string | undefined;
  tenantId?: string | undefined;
  metadata: Readonly<Record<string, unknown>>;
  apiKeys: ApiKeys;
  runId?: string;
  meter?: UsageMeter | undefined;
  scratch?: StorageDriver | undefined;
  endsAt: number;
};

const fromNobody: FromAbove = { metadata: {}, apiKeys: {}, endsAt: Infinity };

/** What goes down from the run above. Its session does not: two runs in one session would wait for each other. */
function fromParent(parent: RunContext, defaults: RunDefaults): FromAbove {
  const { userId = defaults.userId, metadata, runId } = parent;
  const [tenantId, apiKeys] = [tenantOf(parent), apiKeysOf(parent)];
  const [meter, scratch, endsAt] = [meterOf(parent), scratchOf(parent), endsAtOf(parent)];
  return { userId, metadata, runId, tenantId, apiKeys, meter, scratch, endsAt };
}

/** A session that somebody named outside of teams is kept where it always was. */
function sessionStorageOf({ sessionId = "" }: RunOpts, { scratch }: FromAbove): StorageDriver | undefined {
  return isMemberSessionId(sessionId) ? scratch : undefined;
}

/** What the call says itself; a vendor without a key is not spoken of. */
function ownKeys({ apiKeys = {}, apiKey }: RunOpts, providerId: string | undefined): ApiKeys {
  const keys = providerId === undefined ? apiKeys : bindGenericKey(apiKeys, apiKey, providerId);
  return Object.fromEntries(Object.entries(keys).filter(([, key]) => key !== undefined));
}

/** A run has the time that it was given, but no more than is left of the run above. */
function limitsOf(endsAt: number, own: RunLimits = {}, configured: RunLimits = {}): Required<RunLimits> {
  const durationMs = own.durationMs ?? configured.durationMs ?? defaultDurationMs;
  return {
    durationMs: Math.max(1, Math.min(durationMs, endsAt - performance.now())),
    totalTokens: own.totalTokens ?? configured.totalTokens ?? Infinity,
  };
}

function checkOpts(opts: RunOpts): void {
  requireObject(opts, "The run options");
  for (const name of Object.keys(opts) as (keyof RunOpts)[]) {
    if (!Object.hasOwn(checks, name)) {
      const known = Object.keys(checks).join(", ");
      throw refusal(`There is no run option ${JSON.stringify(name.slice(0, 64))}: the options are ${known}.`);
    }
    if (opts[name] !== undefined) checks[name](opts[name], opts);
  }
}

function checkApiKeys(value: unknown): void {
  requireObject(value, "apiKeys");
  for (const [vendor, key] of Object.entries(value)) {
    if (key !== undefined) checkApiKey(key, `apiKeys.${vendor}`);
  }
}

function requireObject(value: unknown, name: string): asserts value is object {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return;
  throw refusal(`${name} must be an object.`);
}

function requireUuid(value: unknown): void {
  if (typeof value === "string" && /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(value)) return;
  throw refusal("runId must be a UUID in lower case.");
}

function requireBoolean(value: unknown, name: string): void {
  if (typeof value !== "boolean") throw refusal(`${name} must be true or false.`);
}

function requireSignal(value: unknown): void {
  if (typeof value === "object" && value !== null && "aborted" in value && "addEventListener" in value) return;
  throw refusal("signal must be an AbortSignal.");
}

function signalsOf(own: AbortSignal | undefined, above: AbortSignal | undefined): AbortSignal[] {
  if (own === undefined || own === above) return above === undefined ? [] : [above];
  return above === undefined ? [own] : [own, above];
}

function refusal(message: string): TroupeError {
  return new TroupeError("invalid_request", message);
}
