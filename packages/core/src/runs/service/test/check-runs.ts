import { expect } from "vitest";
import { isEnded } from "../../record/run-record.ts";
import type { RunRecord } from "../../record/run-record.ts";
import { ownerKey } from "../../../sessions/storage/owner-key.ts";
import { perCaller } from "./held-node.ts";
import type { RunClients } from "./run-clients.ts";
import { owners } from "./run-world.ts";
import type { KnownRun, RunWorld } from "./run-world.ts";

/** Milliseconds without trouble after which a run was found that its process has lost. */
const lostMs = 42_000;
/** Milliseconds after which a deadline is found at most, with some for the work. */
const sweepPeriodMs = 11_000;
/** Milliseconds without trouble after which all runs have ended or wait, whatever was before. */
const quietMs = 80_000;
/** The time of all checks. */
export const checksMs = 120_000;

type Records = ReadonlyMap<string, RunRecord>;

/** Checks that no run has two ends. */
export async function checkEnds(world: RunWorld): Promise<void> {
  for (const [runId, entries] of await world.logs()) {
    expect(entries.filter(({ t }) => t === "end").length, `ends of ${runId}`).toBeLessThanOrEqual(1);
  }
}

/** Lets nothing come late or fail any more, and checks what is true some time after that. Takes `checksMs`. */
export async function checkAfterwards(world: RunWorld, clients: RunClients): Promise<void> {
  await sleep(1000);
  world.endTrouble();
  const quietAt = Date.now();
  await sleep(quietMs);
  const [records, logs] = [await world.records(), await world.logs()];
  for (const run of world.runs) {
    const { runId, input } = run.request;
    checkThere(run, records);
    const record = records.get(runId);
    if (record === undefined) continue;
    const state = `${input}, which ${run.isCancelled ? "was cancelled, and " : ""}is ${record.status}`;
    checkState(run, record, state);
    const ends = (logs.get(runId) ?? []).filter(({ t }) => t === "end").length;
    // Its log is removed first.
    if (!run.isRemoving) expect(ends, `ends of ${state}`).toBe(isEnded(record.status) ? 1 : 0);
    const foundBy = Math.max(run.deadline, quietAt + lostMs) + sweepPeriodMs;
    expect(record.endedAt ?? Date.now(), `the deadline of ${state}`).toBeLessThanOrEqual(foundBy);
  }
  await checkOpenList(world, records);
  await checkOwnLists(world, records);
  await checkAnswers(world, clients);
  await checkPlaces(world);
  // The table does not speak of a removal beside the end of its run: both remove what the other may still write.
  const removed = world.runs.filter(({ isRemoving }) => isRemoving).map(({ request }) => request.runId);
  const violations = world.recorder.violations.filter((each) => !removed.some((runId) => each.includes(runId)));
  expect(violations.join("\n")).toBe("");
}

function checkThere(run: KnownRun, records: Records): void {
  const { runId, input } = run.request;
  const isThere = records.has(runId);
  if (run.isRefused && !run.isRepeated) expect(isThere, `${input}, which was refused, is there`).toBe(false);
  if (run.isRemoved && !run.isRepeated) expect(isThere, `${input}, which was removed, is there`).toBe(false);
  if (run.isAccepted && !run.isRemoving) expect(isThere, `${input}, which was accepted, is there`).toBe(true);
}

function checkState(run: KnownRun, { status, waits = [] }: RunRecord, state: string): void {
  expect(isEnded(status) || (status === "waiting" && !run.isCancelled), state).toBe(true);
  for (const { id } of waits) expect(run.answers.has(id), `the wait ${id} of ${state} is answered`).toBe(false);
}

/** Checks that the list of open runs has only those that wait, and of these only those that end by themselves. */
async function checkOpenList({ storage }: RunWorld, records: Records): Promise<void> {
  for (const { key } of await storage.list("run-open")) {
    const record = records.get(key);
    // What is left of one that was removed, or whose acceptance failed, goes later.
    if (record === undefined) continue;
    const deadline = Math.max(record.waitsUntil ?? 0, ...(record.waits ?? []).map(({ until = 0 }) => until));
    const message = `the deadline of ${key} on the list of open runs, which is ${record.status}`;
    expect(deadline, message).toBeGreaterThan(Date.now() - sweepPeriodMs);
  }
}

/** Checks that each owner finds its runs and no others, and that those that have ended do not count as open. */
async function checkOwnLists(world: RunWorld, records: Records): Promise<void> {
  for (const owner of owners) {
    const isOwn = (run: RunRecord): boolean => ownerKey(run.owner) === ownerKey(owner);
    const own = [...records.values()].filter(isOwn).map(({ runId }) => runId);
    const { runs } = (await world.node?.service.list(owner, { limit: 100 })) ?? { runs: [] };
    expect(runs.map(({ runId }) => runId).toSorted()).toEqual(own.toSorted());
  }
  // A list that was read has no places of another acceptance any more.
  for (const { key } of await world.storage.list("run-by")) {
    if (!key.includes("/open/") && !key.startsWith("#anonymous/")) continue;
    const run = [...records.values()].find(({ runId }) => key.includes(runId));
    if (run !== undefined) expect(run.status, `the run of the place ${key}`).toBe("waiting");
  }
}

/** Checks that the runs that wait go on with their answers. */
async function checkAnswers(world: RunWorld, clients: RunClients): Promise<void> {
  for (let round = 0; round < 3; round++) {
    for (const run of world.runs) await clients.answerRun(run, 3).catch(() => undefined);
    // Long enough for a deadline that has just come: then the answer is too late.
    await sleep(5000);
  }
  const records = await world.records();
  const open = [...records.values()].filter(({ status }) => !isEnded(status));
  expect(open.map(({ runId, status }) => `${runId.slice(-2)} ${status}`).join(), "open with answers").toBe("");
  expect((await world.storage.list("run-open")).filter(({ key }) => records.has(key))).toEqual([]);
}

/** Checks that each owner has all its open runs again, and each run gets a place. */
async function checkPlaces(world: RunWorld): Promise<void> {
  const records = await world.records();
  // A run that is being accepted has places and no record yet: they count until it is known that no process writes it.
  if ((await world.storage.list("run-open")).some(({ key }) => !records.has(key))) return;
  // The counts are those of the last sweep.
  await sleep(sweepPeriodMs);
  const accepted: string[] = [];
  for (const [index, owner] of owners.entries()) {
    for (let count = 0; count < perCaller; count++) {
      const request = { kind: "agent", name: "chat", input: `more ${index} ${count}`, owner } as const;
      accepted.push((await world.node?.service.accept(request))?.runId ?? "");
    }
  }
  await sleep(3000);
  const after = await world.records();
  expect(accepted.map((runId) => after.get(runId)?.status)).toEqual(accepted.map(() => "completed"));
}

async function sleep(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}
