import { TroupeError } from "../errors/troupe-error.ts";
import { checkApiKey } from "../keys/api-keys.ts";
import type { ApiKeys } from "../keys/api-keys.ts";
import { bindGenericKey } from "../keys/select-key.ts";
import { checkSessionId, checkStoredSessionId, isMemberSessionId } from "../session/session-id.ts";
import { checkOwner } from "../session/session-owner.ts";
import type { StorageDriver } from "../storage/storage-driver.ts";
import { createId } from "../util/create-id.ts";
import { checkRunLimits, defaultDurationMs } from "./check-run-limits.ts";
import type { RunDefaults, RunLimits, RunOpts, RunSettings } from "./run-options.ts";
import { inheritedFrom, nothingPrivate } from "./run.ts";
import type { Inheritance } from "./run.ts";

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
export function readRunOpts(opts: RunOpts = {}, defaults: RunDefaults = {}): RunSettings {
  checkOpts(opts);
  const parent = opts.parent === undefined ? noParent : inheritedFrom(opts.parent);
  const fromOutside = opts.fromOutside ?? parent.fromOutside;
  // The configured session and user are the program's own: they never stand in for a caller from outside.
  const configured = fromOutside ? {} : defaults;
  return {
    runId: opts.runId ?? createId(),
    parentRunId: parent.parentRunId,
    fromOutside,
    sessionId: readSessionId(opts, configured),
    userId: readUserId(opts, parent, configured),
    tenantId: opts.tenantId ?? parent.tenantId,
    metadata: opts.metadata ?? parent.metadata,
    apiKeys: { ...parent.apiKeys, ...ownKeys(opts, defaults.providerId) },
    signals: signalsOf(opts),
    limits: limitsOf(parent.endsAt, opts.limits, defaults.limits),
    parentMeter: parent.meter,
    ephemeralStorage: parent.ephemeralStorage,
    sessionStorage: sessionStorageOf(opts, parent),
  };
}

const noParent: Inheritance = {
  ...nothingPrivate,
  parentRunId: undefined,
  userId: undefined,
  metadata: {},
};

/** The parent's session is not inherited: two runs in one session would wait for each other. */
function readSessionId({ sessionId, parent }: RunOpts, configured: RunDefaults): string {
  return sessionId ?? (parent === undefined ? configured.sessionId : undefined) ?? createId();
}

function readUserId({ userId }: RunOpts, parent: Inheritance, configured: RunDefaults): string | undefined {
  return userId ?? parent.userId ?? configured.userId;
}

/** A session that a caller named outside of teams is kept where it always was. */
function sessionStorageOf({ sessionId = "" }: RunOpts, { ephemeralStorage }: Inheritance): StorageDriver | undefined {
  return isMemberSessionId(sessionId) ? ephemeralStorage : undefined;
}

/** The keys that the call itself brings; a vendor without a key is left out. */
function ownKeys({ apiKeys = {}, apiKey }: RunOpts, providerId: string | undefined): ApiKeys {
  const keys = providerId === undefined ? apiKeys : bindGenericKey(apiKeys, apiKey, providerId);
  return Object.fromEntries(Object.entries(keys).filter(([, key]) => key !== undefined));
}

/** The limits that the call gives or that are configured, within the time that is left of the parent run. */
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

function signalsOf({ signal, parent }: RunOpts): AbortSignal[] {
  if (parent === undefined || parent.signal === signal) return signal === undefined ? [] : [signal];
  return signal === undefined ? [parent.signal] : [signal, parent.signal];
}

function refusal(message: string): TroupeError {
  return new TroupeError("invalid_request", message);
}
