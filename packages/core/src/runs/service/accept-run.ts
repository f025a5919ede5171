import { TroupeError } from "../../base/errors/troupe-error.ts";
import { Attempt } from "../../agents/journal/attempt.ts";
import { Journal } from "../../agents/journal/journal.ts";
import { countedCaller, hostCaller } from "../../sessions/session/counted-caller.ts";
import type { CountedCaller } from "../../sessions/session/counted-caller.ts";
import { createId } from "../../base/util/create-id.ts";
import { sizeInBytes } from "../../base/util/size-in-bytes.ts";
import { readRequest } from "./accept-request.ts";
import type { CheckedRequest } from "./accept-request.ts";
import { findTarget, startRun } from "../processes/durable-target.ts";
import type { DurableTarget } from "../processes/durable-target.ts";
import { hashOf } from "../record/plan-print.ts";
import type { RunEngine } from "../processes/run-engine.ts";
import { toRunOpts, isLongInput } from "../record/run-input.ts";
import type { BegunRun, ServiceParts } from "../processes/service-parts.ts";
import { isEnded, tagsOf } from "../record/run-record.ts";
import type { RunRecord } from "../record/run-record.ts";
import type { AcceptedRun, RunRequest } from "../record/run-view.ts";

type Acceptance = {
  parts: ServiceParts;
  engine: RunEngine;
  isEphemeral: boolean;
  /**
   * Returns the number of open runs by which a caller's priority is lowered. Rejects with `rate_limited` if another run
   * would exceed a limit.
   */
  admit: (caller: CountedCaller, bytes?: number) => Promise<number>;
};

/**
 * Accepts a run: checks the request as far as possible before the run begins, stores the run, and submits it to the
 * engine. A repeated request returns the existing run.
 */
export async function acceptRun(acceptance: Acceptance, given: RunRequest): Promise<AcceptedRun> {
  const { parts, isEphemeral } = acceptance;
  const request = readRequest(given);
  const target = findTarget(parts.registries, request.kind, request.name);
  if (request.local !== undefined && !isEphemeral) throw notStorable();
  const found = request.fingerprint === undefined ? null : await parts.store.read(request.runId);
  if (found !== null) return await acceptAgain(acceptance, request, found);
  if (request.mustExist) throw new TroupeError("gone", "There is no run of this idempotency key any more.");
  const caller = toCaller(request);
  const counted = countedAs(request, caller);
  parts.memory?.check(caller);
  const open = await acceptance.admit(caller, counted.inputBytes);
  const record = newRecord(parts, request, { counted, open, plan: planOf(parts, request, target) });
  const isNew = await begin(acceptance, { request, target, record });
  if (!isNew) return await acceptAgain(acceptance, request, await parts.store.read(request.runId));
  parts.admission?.add(record, caller);
  parts.memory?.add(record.runId, caller, request.local);
  await submit(acceptance, record);
  return { runId: record.runId, sessionId: record.sessionId, isNew: true };
}

/** Returns the fingerprint of a run: the fingerprint of its runnable, with the tools that the run's client executes. */
function planOf({ printer }: ServiceParts, { options }: CheckedRequest, target: DurableTarget): RunRecord["plan"] {
  return printer.withClientTools(printer.print(target), options.additions?.clientTools);
}

/**
 * Accepts a run, and records the acceptance in the telemetry. The attempts at the run become children of the
 * acceptance.
 */
async function observeAcceptance(acceptance: Acceptance, accepted: Accepted): Promise<boolean> {
  const { request, record } = accepted;
  const { telemetry = acceptance.parts.telemetry } = request;
  if (telemetry === undefined) return await begin(acceptance, accepted, true);
  const { kind, name, runId } = record;
  const operation = telemetry.begin("accept", { kind, name, runId });
  const trace = operation.context();
  if (trace !== undefined) record.trace = trace;
  try {
    const isNew = await operation.run(() => begin(acceptance, accepted, true));
    operation.end({});
    return isNew;
  } catch (error) {
    operation.end({ error });
    throw error;
  }
}

/**
 * Returns the fields of a run's record by which the runs of a caller without a user are counted. The bytes of a short
 * input are not counted.
 */
function countedAs({ input, options }: CheckedRequest, { kind, key }: CountedCaller): Counted {
  if (kind !== "anonymous") return {};
  const isLong = isLongInput({ ...(input !== undefined && { input }), options });
  return { anonymous: key, ...(isLong && { inputBytes: sizeInBytes([input, options]) }) };
}

/**
 * Returns the caller for which a run is counted. A request without an owner that did not come through a transport is
 * the program's own.
 */
function toCaller({ owner, isBearer, address }: CheckedRequest): CountedCaller {
  return owner.userId === undefined && !isBearer ? hostCaller : countedCaller(owner, address);
}

type Accepted = { readonly request: CheckedRequest; readonly target: DurableTarget; readonly record: RunRecord };

/**
 * Makes a run and stores its record. Throws for wrong input and options. Returns false if the id of the run is taken.
 * The run has begun only once it is stored, because another run may have its id.
 */
async function begin(acceptance: Acceptance, accepted: Accepted, isObserved = false): Promise<boolean> {
  const { parts, engine } = acceptance;
  const { request, record } = accepted;
  const { runId } = record;
  if (parts.telemetry !== undefined && !isObserved) return await observeAcceptance(acceptance, accepted);
  const isHere = reservePlace(acceptance, accepted);
  let isNew = false;
  try {
    const begun = makeRun(parts, accepted, isHere);
    const sealed = parts.vault.seal(runId, request.keys);
    if (sealed !== undefined) record.keys = sealed;
    if (request.local !== undefined) parts.locals.set(runId, request.local);
    isNew = await insert(parts, accepted, begun);
    return isNew;
  } finally {
    if (isHere && !isNew) engine.release?.(runId);
  }
}

async function insert(parts: ServiceParts, { request, record }: Accepted, begun?: BegunRun): Promise<boolean> {
  const { runId } = record;
  const { webhook, beforeStored } = request;
  const store = async (): Promise<boolean> => {
    await beforeStored?.();
    return await parts.store.insert(record, begun?.first);
  };
  try {
    const isNew = await (webhook === undefined ? store() : parts.webhooks.storeWith(webhook, record, store));
    if (isNew && begun !== undefined) parts.begun.set(runId, begun);
    return isNew;
  } catch (error) {
    parts.vault.forget(runId);
    parts.locals.delete(runId);
    throw error;
  }
}

/**
 * Reserves a place in the engine for a run whose first attempt begins together with its acceptance. Returns false if
 * this process will not perform the run immediately. Three kinds of runs do not begin here. A run with an idempotency
 * key: another process may accept a repetition of the request first. A run that would have to wait: an attempt without
 * progress counts as failed. A run with a long input: the input is stored before the record.
 */
function reservePlace({ parts, engine }: Acceptance, { request, record }: Accepted): boolean {
  if (!request.isUnique || request.notBefore !== undefined || isLongInput(record)) return false;
  if (parts.store.storage.insertAll === undefined) return false;
  return engine.reserve?.(record.runId, record.priority) === true;
}

/**
 * Makes a run, which checks its input and options. If the run begins in this process at once, returns it with its first
 * attempt. Otherwise the run is dropped, and each attempt makes it again from its record.
 */
function makeRun(parts: ServiceParts, { request, target, record }: Accepted, isHere: boolean): BegunRun | undefined {
  const { kind, keys = {}, local } = request;
  const { runId, plan } = record;
  const given = { kind, input: local?.input ?? request.input };
  if (!isHere) {
    startRun(target, given, toRunOpts(record, { keys, local }));
    return undefined;
  }
  const { node, writer, store } = parts;
  const print = hashOf(plan);
  const controller = new AbortController();
  const journal = Journal.openFirst({ runId, storage: store.storage, writer, node, print });
  const telemetry = parts.telemetry?.continueFrom({ stored: record.trace });
  const opts = toRunOpts(record, { keys, local, signal: controller.signal, telemetry });
  const run = startRun(target, given, { ...opts, steps: journal });
  return {
    record,
    target,
    keys,
    plan,
    print,
    controller,
    journal,
    run,
    telemetry,
    first: Attempt.firstRecord({ node, print }),
  };
}

/**
 * Returns the run of an earlier request with the same idempotency key. Throws if the earlier request was different, or
 * if the new request has no key and its run id is taken.
 */
async function acceptAgain(
  acceptance: Acceptance,
  { runId, fingerprint }: CheckedRequest,
  record: RunRecord | null,
): Promise<AcceptedRun> {
  if (record === null || fingerprint === undefined) {
    throw new TroupeError("conflict", `There is a run with the id ${runId} already. Leave runId out for a new one.`);
  }
  if (record.fingerprint !== fingerprint) {
    throw new TroupeError(
      "idempotency_mismatch",
      "The idempotency key belongs to another request of this caller. Use a new key for a new request.",
      { fields: { runId } },
    );
  }
  // The process that accepted the run may have crashed before it submitted the run.
  if (!isEnded(record.status) && record.status === "queued") await submit(acceptance, record);
  return { runId, sessionId: record.sessionId, isNew: false };
}

async function submit({ parts, engine }: Acceptance, record: RunRecord): Promise<void> {
  const { runId, activation, priority, notBefore } = record;
  // The run is stored: the periodic sweep submits it again if the engine did not accept it.
  await engine
    .submit({ runId, activation, priority, ...(notBefore !== undefined && { notBefore }) })
    .catch((error: unknown) => {
      parts.logger?.warn("The engine did not take a run. It is submitted again.", { runId, error });
    });
}

type Counted = Pick<RunRecord, "anonymous" | "inputBytes">;

type NewRun = Pick<RunRecord, "plan"> & { counted: Counted; open: number };

function newRecord({ now }: ServiceParts, request: CheckedRequest, { counted, open, plan }: NewRun): RunRecord {
  const { runId, kind, name, owner, input, options, sessionId, isBearer } = request;
  const { fingerprint, priority, notBefore, ttlMs, note } = request;
  const createdAt = now();
  const tags = tagsOf(options.metadata);
  return {
    v: 1,
    runId,
    kind,
    name,
    owner,
    sessionId: sessionId ?? createId(),
    ...(sessionId === undefined && { isNewSession: true }),
    ...(isBearer && { isBearer }),
    ...counted,
    ...(input !== undefined && { input }),
    options,
    ...(fingerprint !== undefined && { fingerprint }),
    createdAt,
    ...(ttlMs !== undefined && { expiresAt: createdAt + ttlMs }),
    // The caller with the fewest open runs goes first.
    priority: priority + open,
    ...(notBefore !== undefined && { notBefore }),
    activation: 1,
    status: "queued",
    attempts: 0,
    plan,
    ...(note !== undefined && { note }),
    ...(tags !== undefined && { tags }),
  };
}

function notStorable(): TroupeError {
  return new TroupeError(
    "invalid_request",
    "local is for a RunService without a storage: what no record can hold ends with the process. Leave it out.",
  );
}
