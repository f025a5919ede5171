import { booleanOption, integerOption, methodsOption, nested, optional } from "../../base/errors/option-checks.ts";
import { customOption, stringOption } from "../../base/errors/option-checks.ts";
import { readOptions, wrongOption } from "../../base/errors/read-options.ts";
import type { OptionTable, OptionContext } from "../../base/errors/read-options.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { checkApiKey } from "../../model/keys/api-keys.ts";
import type { ApiKeys } from "../../model/keys/api-keys.ts";
import { bindGenericKey } from "../../model/keys/select-key.ts";
import { modelOption } from "../../model/model-option.ts";
import { checkModelSettings } from "../../model/model-settings.ts";
import { checkSessionId, checkStoredSessionId, isMemberSessionId } from "../../sessions/session/session-id.ts";
import { checkOwner } from "../../sessions/storage/session-owner.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { telemetryOption } from "../../base/telemetry/telemetry.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import { createId } from "../../base/util/create-id.ts";
import { isRecord } from "../../base/util/is-record.ts";
import { additionsOption } from "./run-additions.ts";
import { messagesOption, refuseInstructions } from "./given-messages.ts";
import type { RunContext } from "./run-context.ts";
import { runLimitsOption, defaultDurationMs } from "./run-limits.ts";
import type { AttemptRunOpts, RunDefaults, RunLimits, RunOpts, RunSettings, ServedRunOpts } from "./run-options.ts";
import { plainSteps } from "./run-steps.ts";
import type { RunSteps } from "./run-steps.ts";
import { inheritanceOf, inheritanceWithoutRun } from "./derive-context.ts";
import type { Inheritance } from "./derive-context.ts";

/** Option names of other libraries, each with the run option that it corresponds to. */
const otherNames = {
  system: "instructions",
  systemPrompt: "instructions",
  threadId: "sessionId",
  thread_id: "sessionId",
  conversationId: "sessionId",
  history: "messages",
  abortSignal: "signal",
  context: "metadata",
  timeout: "limits",
  timeoutMs: "limits",
  temperature: "modelOptions",
  maxTokens: "modelOptions",
} satisfies Record<string, keyof RunOpts>;

/** Run options that are omitted from errors about unknown options. */
const internal = [
  "isNewSession",
  "isUnstored",
  "continueFrom",
  "fromOutside",
  "runId",
  "steps",
  "telemetry",
] satisfies (keyof AttemptRunOpts)[];

const where = { owner: "the run", code: "invalid_request", internal, otherNames } as const;
const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

const optionTable = {
  // The valid form of a session id depends on the parent run, so `readSessionId` checks it.
  sessionId: optional((value) => value as string),
  isNewSession: optional(booleanOption),
  isUnstored: optional(booleanOption),
  continueFrom: optional(
    nested({ runId: stringOption, seq: integerOption(1) } satisfies OptionTable<
      NonNullable<ServedRunOpts["continueFrom"]>
    >),
  ),
  userId: optional((value) => checkOwner({ userId: value as string }).userId),
  verified: optional(booleanOption),
  tenantId: optional((value) => checkOwner({ tenantId: value as string }).tenantId),
  metadata: optional(customOption<Record<string, unknown>>("an object", isRecord)),
  messages: optional(messagesOption),
  apiKey: optional((value) => checkApiKey(value, "apiKey")),
  apiKeys: optional(checkApiKeys),
  signal: optional(customOption<AbortSignal>("an AbortSignal", isSignal)),
  limits: optional(runLimitsOption),
  modelOptions: optional(checkModelSettings),
  model: optional(modelOption),
  instructions: optional(stringOption),
  // Only the array of tools is checked here; the agent checks each tool.
  tools: optional(customOption<NonNullable<RunOpts["tools"]>>("an array of tools and tool sources", Array.isArray)),
  additions: optional(additionsOption),
  parent: optional(customOption<RunContext>("an object", isRecord)),
  runId: optional(
    customOption<string>("a UUID in lower case", (value) => typeof value === "string" && uuid.test(value)),
  ),
  fromOutside: optional(booleanOption),
  steps: optional(methodsOption<RunSteps>("the steps of a RunService", "step", "stream", "part", "child")),
  telemetry: optional(telemetryOption),
} satisfies OptionTable<AttemptRunOpts>;

/**
 * Checks the options of a run and completes them, first from the parent run, then from the configured defaults. Throws
 * `invalid_request` for a wrong or unknown option.
 */
export function resolveRunOpts(given?: ServedRunOpts, defaults: RunDefaults = {}): RunSettings {
  const opts: AttemptRunOpts = given === undefined ? {} : readOptions(optionTable, given, where);
  const parent = opts.parent === undefined ? noParent : inheritanceOf(opts.parent);
  refuseWeaker(opts, parent);
  const fromOutside = opts.fromOutside ?? parent.fromOutside;
  refuseInstructions(opts, fromOutside);
  // The configured session and user belong to the program itself and never stand in for an outside caller.
  const configured = fromOutside ? {} : defaults;
  const { runId, steps, telemetry } = readIdentity(opts, parent, defaults);
  const { sessionId, isNamedSession } = readSessionId(opts, configured, steps);
  return {
    runId,
    parentRunId: parent.parentRunId,
    delegationId: parent.delegationId,
    fromOutside,
    messages: opts.messages,
    sessionId,
    isNamedSession,
    userId: readUserId(opts, parent, configured),
    verified: opts.verified ?? parent.verified,
    tenantId: opts.tenantId ?? parent.tenantId,
    metadata: opts.metadata ?? parent.metadata,
    apiKeys: keysOf(opts, parent, vendorOfKey(opts, fromOutside, defaults)),
    signals: signalsOf(opts),
    limits: limitsOf(parent.endsAt, opts, defaults.limits),
    modelOptions: opts.modelOptions,
    model: opts.model,
    instructions: opts.instructions,
    tools: opts.tools,
    additions: opts.additions,
    parentMeter: parent.meter,
    parentBuses: parent.buses,
    parentLogger: parent.logger,
    ephemeralStorage: parent.ephemeralStorage,
    isUnstored: opts.isUnstored,
    continueFrom: opts.continueFrom,
    sessionStorage: sessionStorageOf(opts, parent),
    steps,
    telemetry,
  };
}

const noParent: Inheritance = {
  ...inheritanceWithoutRun,
  parentRunId: undefined,
  delegationId: undefined,
  userId: undefined,
  verified: true,
  tenantId: undefined,
  metadata: {},
};

/** Returns the run's id, steps and telemetry. A durable run and its child runs have the same ids in every process. */
function readIdentity(
  { runId, steps, telemetry: own }: AttemptRunOpts,
  parent: Inheritance,
  defaults: RunDefaults,
): Pick<RunSettings, "runId" | "steps" | "telemetry"> {
  const telemetry = own ?? parent.telemetry ?? defaults.telemetry;
  if (steps === undefined) return { runId: runId ?? parent.steps.id(""), steps: parent.steps, telemetry };
  return { runId: runId ?? steps.durable?.runId ?? createId(), steps, telemetry };
}

/**
 * Throws if a child run's options contradict its parent run about the caller: by saying that the caller is not from
 * outside, or is verified. Both runs have the same caller.
 */
function refuseWeaker({ fromOutside, verified }: AttemptRunOpts, parent: Inheritance): void {
  if (parent.fromOutside && fromOutside === false) {
    throw new TroupeError(
      "invalid_request",
      "fromOutside must not be false in a child run of a run from outside. Leave it out, or start the run without a parent.",
    );
  }
  if (!parent.verified && verified === true) {
    throw new TroupeError(
      "invalid_request",
      "verified must not be true in a child run of a run with an unverified user. Leave it out, or start the run without a parent.",
    );
  }
}

/**
 * Returns the session id of a run. A child run does not inherit its parent's session, because two runs in one session
 * would wait for each other.
 */
function readSessionId(
  { sessionId, isNewSession = false, parent }: AttemptRunOpts,
  configured: RunDefaults,
  steps: RunSteps,
): Pick<RunSettings, "sessionId" | "isNamedSession"> {
  // Only a child run may be given an id in the form of the sessions of a team's members.
  const check = parent === undefined ? checkSessionId : checkStoredSessionId;
  if (sessionId !== undefined) return { sessionId: check(sessionId), isNamedSession: !isNewSession || steps.isResumed };
  const name = parent === undefined ? configured.sessionId : undefined;
  if (name !== undefined) return { sessionId: name, isNamedSession: true };
  // If an earlier process began the run, that process may have created the session, so the session counts as existing.
  return { sessionId: steps.id("session"), isNamedSession: steps.isResumed };
}

function readUserId({ userId }: RunOpts, parent: Inheritance, configured: RunDefaults): string | undefined {
  return userId ?? parent.userId ?? configured.userId;
}

/**
 * Returns the storage for a session that lasts only as long as the run or its parent run. Returns undefined for any
 * other session, because that is in the storage of its agent or team.
 */
function sessionStorageOf(
  { sessionId = "", isUnstored }: AttemptRunOpts,
  { ephemeralStorage }: Inheritance,
): StorageDriver | undefined {
  if (isUnstored === true) return new InMemoryStorage();
  return isMemberSessionId(sessionId) ? ephemeralStorage : undefined;
}

/**
 * Returns the vendor to which a generic API key belongs: the vendor of the run's model. The key of an outside caller
 * belongs to the runnable's vendor, because the host chose the model.
 */
function vendorOfKey({ model }: RunOpts, fromOutside: boolean, { providerId }: RunDefaults): string | undefined {
  return fromOutside ? providerId : (model?.providerId ?? providerId);
}

const noKeys: ApiKeys = {};

/** Returns the API keys of a run: its own keys, and the keys of its parent run. Vendors without a key are omitted. */
function keysOf(
  { apiKeys = noKeys, apiKey }: RunOpts,
  { apiKeys: inherited }: Inheritance,
  providerId: string | undefined,
): ApiKeys {
  if (apiKeys === noKeys && apiKey === undefined) return inherited;
  const keys = providerId === undefined ? apiKeys : bindGenericKey(apiKeys, apiKey, providerId);
  const own = Object.entries(keys).filter(([, key]) => key !== undefined);
  return own.length === 0 ? inherited : { ...inherited, ...Object.fromEntries(own) };
}

/**
 * Returns the limits from the call or the configuration, limited by the parent run's remaining time. For a durable run
 * the time that earlier processes used is subtracted.
 */
function limitsOf(
  endsAt: number,
  { limits: own = {}, steps = plainSteps }: AttemptRunOpts,
  configured: RunLimits = {},
): RunSettings["limits"] {
  const whole = own.durationMs ?? configured.durationMs ?? defaultDurationMs;
  const durationMs = whole - (steps.durable?.performedMs ?? 0);
  return {
    durationMs: Math.max(1, Math.min(durationMs, endsAt - performance.now())),
    totalTokens: own.totalTokens ?? configured.totalTokens ?? Infinity,
  };
}

function checkApiKeys(value: unknown, name: string, place: OptionContext): ApiKeys {
  if (!isRecord(value)) throw wrongOption({ ...place, name }, "an object", value);
  for (const [vendor, key] of Object.entries(value)) {
    if (key !== undefined) checkApiKey(key, `${name}.${vendor}`);
  }
  return value as ApiKeys;
}

function isSignal(value: unknown): boolean {
  return typeof value === "object" && value !== null && "aborted" in value && "addEventListener" in value;
}

function signalsOf({ signal, parent }: RunOpts): AbortSignal[] {
  if (parent === undefined || parent.signal === signal) return signal === undefined ? [] : [signal];
  return signal === undefined ? [parent.signal] : [signal, parent.signal];
}
