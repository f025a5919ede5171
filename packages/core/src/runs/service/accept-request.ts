import {
  booleanOption,
  stringOption,
  functionOption,
  integerOption,
  numberFrom,
  oneOf,
  optional,
  customOption,
} from "../../base/errors/option-checks.ts";
import { checkOptionNames, readOptions } from "../../base/errors/read-options.ts";
import type { OptionTable } from "../../base/errors/read-options.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { telemetryOption } from "../../base/telemetry/telemetry.ts";
import { checkSessionId } from "../../sessions/session/session-id.ts";
import { checkOwner } from "../../sessions/storage/session-owner.ts";
import type { SessionOwner } from "../../sessions/storage/session-owner.ts";
import { ownerKey } from "../../sessions/storage/owner-key.ts";
import { toJson } from "../../sessions/storage/check-json.ts";
import type { Json } from "../../sessions/storage/json.ts";
import { canonicalJson } from "../../schema/canonical-json.ts";
import { createId, uuidOf } from "../../base/util/create-id.ts";
import { isRecord } from "../../base/util/is-record.ts";
import type { DurableRunOptions, LocalRunOptions, RunKeys, RunRequest } from "../record/run-view.ts";
import { readRunWebhook } from "../webhooks/webhook-options.ts";
import type { RunWebhook } from "../webhooks/webhook-options.ts";

/** A checked request, with the id of its run and all values that the record stores. */
export type CheckedRequest = Pick<
  RunRequest,
  "kind" | "name" | "notBefore" | "ttlMs" | "beforeStored" | "telemetry"
> & {
  runId: string;
  owner: SessionOwner;
  input: Json | undefined;
  options: DurableRunOptions;
  sessionId: string | undefined;
  keys: RunKeys | undefined;
  local: LocalRunOptions | undefined;
  isBearer: boolean;
  address: string | undefined;
  mustExist: boolean;
  /**
   * True if no other request may have the run's id: a second request with that id is then an error instead of a
   * repetition.
   */
  isUnique: boolean;
  priority: number;
  fingerprint: string | undefined;
  note: Json | undefined;
  webhook: RunWebhook | undefined;
};

const where = { owner: "the run request", code: "invalid_request" } as const;
const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;
const anything = (value: unknown): unknown => value;
const anObject = customOption<Record<string, unknown>>("an object", isRecord);
const defaultPriority = 10;

const keyOption = customOption<string>("a string of 1 to 255 characters", (value) => {
  return typeof value === "string" && value.length >= 1 && value.length <= 255;
});

const requestTable = {
  kind: oneOf("agent", "team", "workflow"),
  name: stringOption,
  input: anything,
  options: optional(anObject),
  owner: optional(anObject),
  keys: optional(anObject),
  isBearer: optional(booleanOption, false),
  address: optional(stringOption),
  local: optional(anObject),
  idempotencyKey: optional(keyOption),
  fingerprint: optional((value) => value as Json),
  mustExist: optional(booleanOption, false),
  priority: optional(integerOption(0, 1_000_000), defaultPriority),
  note: optional(checkNote),
  notBefore: optional(numberFrom(0, 8_640_000_000_000_000)),
  ttlMs: optional(integerOption(1, 1_000_000_000_000)),
  beforeStored: optional(functionOption<() => Promise<void>>()),
  telemetry: optional(telemetryOption),
  webhook: optional((value, name) => readRunWebhook(value, name)),
  runId: optional(
    customOption<string>("a UUID in lower case", (value) => typeof value === "string" && uuid.test(value)),
  ),
} satisfies OptionTable<RunRequest>;

/** The options that a record holds, each checked by the runnable. */
const durableOptions = {
  sessionId: true,
  metadata: true,
  messages: true,
  limits: true,
  modelOptions: true,
  instructions: true,
  additions: true,
  isUnstored: true,
  continueFrom: true,
  fromOutside: true,
} satisfies Record<keyof DurableRunOptions, true>;

/** Options that a transport sets, which errors about unknown options do not list. */
const internalOptions = ["isUnstored", "continueFrom"] satisfies (keyof DurableRunOptions)[];

/** Options of a plain run that a durable run cannot store, each with the advice that its error message gives. */
const refused: Readonly<Record<string, string>> = {
  tools: "Give the tools to the agent.",
  model: "Give the model to the agent.",
  signal: "Cancel the run by its id.",
  apiKey: "Give it as keys.apiKey.",
  apiKeys: "Give them as keys.apiKeys.",
  userId: "Give it in owner.",
  tenantId: "Give it in owner.",
  verified: "Give it in owner.",
  runId: "Give it beside the options.",
  parent: "A durable run has no parent run.",
  isNewSession: "A run without sessionId gets a new session.",
  steps: "The service makes them.",
  telemetry: "Give it beside the options.",
};

/**
 * Checks a request, except its runnable, its keys and the values that the runnable checks itself. Wrong requests are
 * `invalid_request`.
 */
export function readRequest(given: RunRequest): CheckedRequest {
  const read = readOptions(requestTable, given, where);
  const owner = checkOwner(read.owner ?? {});
  const options = readDurableOptions(read.options ?? {});
  const input = read.input === undefined ? undefined : readJson(read.input, "input");
  const { kind, name, idempotencyKey, fingerprint = { kind, name, input, options } } = read;
  if (read.mustExist && idempotencyKey === undefined) {
    throw new TroupeError("invalid_request", "mustExist goes with an idempotencyKey, by which the run is found.");
  }
  return {
    ...read,
    owner,
    options,
    input,
    sessionId: options.sessionId,
    keys: read.keys,
    local: read.local,
    notBefore: read.notBefore,
    ttlMs: read.ttlMs,
    address: read.address,
    note: read.note,
    beforeStored: read.beforeStored,
    telemetry: read.telemetry,
    webhook: read.webhook,
    isUnique: idempotencyKey === undefined,
    runId:
      read.runId ??
      (idempotencyKey === undefined ? createId() : keyedId([ownerKey(owner), kind, name, idempotencyKey])),
    fingerprint: idempotencyKey === undefined ? undefined : fingerprintOf(fingerprint, read.webhook),
  };
}

/** Returns the hash that identifies a request. It covers the secret of a webhook, because only the hash is stored. */
function fingerprintOf(fingerprint: unknown, webhook: RunWebhook | undefined): string {
  const said = readJson(fingerprint, "fingerprint");
  return sha256(webhook === undefined ? said : [said, webhook]);
}

function readDurableOptions(given: Record<string, unknown>): DurableRunOptions {
  for (const [name, cure] of Object.entries(refused)) {
    if (given[name] === undefined) continue;
    throw new TroupeError(
      "invalid_request",
      `options.${name} must be left out of a durable run, which outlives its process. ${cure}`,
    );
  }
  const options = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  checkOptionNames(durableOptions, options, { path: "options", code: "invalid_request", internal: internalOptions });
  if (options["sessionId"] !== undefined) checkSessionId(options["sessionId"]);
  return readJson(options, "options") as DurableRunOptions;
}

/** The maximum length of a run's note as JSON, in characters, because each `RunView` of the run contains it. */
const longestNote = 262_144;

/** Returns the note of a run, after a check that it is JSON and not too long. */
export function checkNote(note: unknown): Json {
  const checked = readJson(note, "note");
  const { length } = JSON.stringify(checked);
  if (length <= longestNote) return checked;
  const message = `The note of a run must have at most ${longestNote} characters as JSON, got ${length}.`;
  throw new TroupeError("invalid_request", message);
}

function readJson(value: unknown, name: string): Json {
  try {
    return toJson(value);
  } catch (cause) {
    throw new TroupeError("invalid_request", `${name} of a durable run must be JSON, at most 64 levels deep.`, {
      cause,
    });
  }
}

/** Returns the id of the run that a schedule begins at one of its times: the same on all processes. */
export function scheduledRunId({ id, owner }: { id: string; owner: SessionOwner }, at: number): string {
  return keyedId([ownerKey(owner), "schedule", id, String(at)]);
}

/**
 * Returns the id of the schedule that an owner's request creates, and the hash of the request. With an idempotency key,
 * all requests of the owner with this key get the same id. Without a key, the id is random and there is no hash.
 */
export function scheduleIds(
  owner: SessionOwner,
  key: unknown,
  said: unknown,
): { id: string; fingerprint: string | undefined } {
  if (key === undefined) return { id: createId(), fingerprint: undefined };
  const { key: idempotencyKey } = readOptions({ key: keyOption }, { key }, { ...where, owner: "the schedule" });
  return {
    id: keyedId([ownerKey(owner), "schedules", idempotencyKey]),
    fingerprint: fingerprintOf(said, undefined),
  };
}

/** Makes the id of a run or a schedule from an idempotency key. The same key always gives the same id. */
function keyedId(parts: readonly string[]): string {
  return uuidOf(canonicalJson(parts));
}

function sha256(value: unknown): string {
  return process.getBuiltinModule("node:crypto").hash("sha256", canonicalJson(value));
}
