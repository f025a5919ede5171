import { TroupeError } from "../../base/errors/troupe-error.ts";
import { Journal } from "../../agents/journal/journal.ts";
import { countedCaller, hostCaller } from "../../sessions/session/counted-caller.ts";
import type { CountedCaller } from "../../sessions/session/counted-caller.ts";
import { createId } from "../../base/util/create-id.ts";
import { sizeInBytes } from "../../base/util/size-in-bytes.ts";
import { readRequest } from "./accept-request.ts";
import type { CheckedRequest } from "./accept-request.ts";
import { findTarget, startRun } from "../attempts/durable-target.ts";
import type { DurableTarget } from "../attempts/durable-target.ts";
import { LocalEngine } from "../attempts/local-engine.ts";
import { hashOf } from "../run-store/plan-print.ts";
import type { RunEngine } from "../attempts/run-engine.ts";
import { toRunOpts } from "../run-store/run-opts.ts";
import type { BegunRun, ServiceParts } from "../attempts/service-parts.ts";
import { isLongInput } from "../run-store/run-input.ts";
import { isEnded } from "../run-store/run-record.ts";
import type { RunRecord } from "../run-store/run-record.ts";
import type { AcceptedRun, RunRequest } from "../run-store/run-view.ts";

type Acceptance = {
  parts: ServiceParts;
  engine: RunEngine;
  isEphemeral: boolean;
  /** Returns the number of open runs of a caller. Rejects with `rate_limited` when one more is too many. */
  admit: (caller: CountedCaller, bytes?: number) => Promise<number>;
};

/** Accepts a run: checks it as far as it can be checked before it begins, stores it, and submits it to the engine. */
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
  const open = await admit(acceptance, caller, counted.inputBytes);
  const record = newRecord(parts, request, { counted, open, plan: parts.printer.print(target) });
  checkStart(target, request, record);
  const sealed = parts.vault.seal(request.runId, request.keys);
  if (sealed !== undefined) record.keys = sealed;
  if (request.local !== undefined) parts.locals.set(request.runId, request.local);
  const begun = beginHere(acceptance, { request, target, record });
  const isNew = await insert(acceptance, { record, begun, beforeStored: request.beforeStored });
  if (!isNew) return await acceptAgain(acceptance, request, await parts.store.read(request.runId));
  countOpen(parts, record, { caller, local: request.local });
  await submit(acceptance, record);
  return { runId: record.runId, sessionId: record.sessionId, isNew: true };
}

/** Returns the number of open runs of a caller. Rejects with `rate_limited` when one more is too many, or has no room. */
async function admit(acceptance: Acceptance, caller: CountedCaller, bytes?: number): Promise<number> {
  acceptance.parts.memory?.check(caller);
  return await acceptance.admit(caller, bytes);
}

/** Returns what a record says of a caller without a user. Its short inputs are bounded by their number. */
function countedAs({ input, options }: CheckedRequest, { kind, key }: CountedCaller): Counted {
  if (kind !== "anonymous") return {};
  const isLong = isLongInput({ ...(input !== undefined && { input }), options });
  return { anonymous: key, ...(isLong && { inputBytes: sizeInBytes([input, options]) }) };
}

function countOpen(
  { admission, memory }: ServiceParts,
  record: RunRecord,
  { caller, local }: { caller: CountedCaller; local: CheckedRequest["local"] },
): void {
  admission?.add(record, caller);
  memory?.add(record.runId, caller, local);
}

/** Returns the caller that a run counts for. One without an owner that no transport has brought is the program's. */
function toCaller({ owner, isBearer, address }: CheckedRequest): CountedCaller {
  return owner.userId === undefined && !isBearer ? hostCaller : countedCaller(owner, address);
}

/** Refuses wrong input and options: the run that this makes never begins. */
function checkStart(target: DurableTarget, { kind, input, keys = {}, local }: CheckedRequest, record: RunRecord): void {
  startRun(target, { kind, input: local?.input ?? input }, toRunOpts(record, { keys, local }));
}

/**
 * Begins the first attempt at a run together with its acceptance, where this process is going to perform it at once, and keeps
 * its place in the engine. A request that may come twice is not begun, because the other one may be the one that is accepted,
 * and neither is a run that would wait: an attempt that has done nothing counts as one that failed. A long input is stored
 * before its record, which is not the one that was made here.
 */
function beginHere(
  { parts, engine }: Acceptance,
  { request, target, record }: { request: CheckedRequest; target: DurableTarget; record: RunRecord },
): BegunRun | undefined {
  const { runId, plan, keys: sealed } = record;
  if (!request.isUnique || request.notBefore !== undefined || isLongInput(record)) return undefined;
  if (parts.store.storage.insertAll === undefined) return undefined;
  if (!(engine instanceof LocalEngine) || !engine.reserve(runId, record.priority)) return undefined;
  const print = hashOf(plan);
  const first = Journal.firstRecord({ node: parts.node, print });
  return { record, first, target, keys: parts.vault.open(runId, sealed) ?? {}, plan, print };
}

/** Stores a new run. It has begun only once it is stored: under its id there may be another. */
async function insert(
  { parts, engine }: Acceptance,
  {
    record,
    begun,
    beforeStored,
  }: { record: RunRecord; begun: BegunRun | undefined } & Pick<RunRequest, "beforeStored">,
): Promise<boolean> {
  const { store, vault, locals } = parts;
  const { runId } = record;
  let isNew = false;
  try {
    await beforeStored?.();
    isNew = await store.insert(record, begun?.first);
    if (isNew && begun !== undefined) parts.begun.set(runId, begun);
    return isNew;
  } catch (error) {
    vault.forget(runId);
    locals.delete(runId);
    throw error;
  } finally {
    if (!isNew && begun !== undefined && engine instanceof LocalEngine) engine.release(runId);
  }
}

/** Returns the run of an earlier request with the same key; one that asked for something else is refused. */
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
  // The process that accepted it may have died before it submitted it.
  if (!isEnded(record.status) && record.status === "queued") await submit(acceptance, record);
  return { runId, sessionId: record.sessionId, isNew: false };
}

async function submit({ parts, engine }: Acceptance, record: RunRecord): Promise<void> {
  const { runId, activation, priority, notBefore } = record;
  // The run is stored: the sweep submits it again if the engine did not take it.
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
  };
}

function notStorable(): TroupeError {
  return new TroupeError(
    "invalid_request",
    "local is for a RunService without a storage: what no record can hold ends with the process. Leave it out.",
  );
}
