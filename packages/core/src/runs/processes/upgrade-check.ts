import { readLog } from "../../agents/journal/read-log.ts";
import type { RunWait } from "../../agents/run/run-wait.ts";
import type { Json } from "../../sessions/storage/json.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import { readProperty } from "../../base/util/read-property.ts";
import { lookUpTarget } from "./durable-target.ts";
import { canServe } from "./live-nodes.ts";
import { addUse, findMissing, hashOf } from "../record/plan-print.ts";
import type { PlanUse } from "../record/plan-print.ts";
import { isEnded } from "../record/run-record.ts";
import type { RunRecord } from "../record/run-record.ts";
import type { UpgradeFinding } from "../record/run-view.ts";
import type { Ready, ServiceParts } from "./service-parts.ts";

/**
 * Returns what the next attempt at a run needs. If something is missing in this process, such as a tool or a seal key,
 * returns a wait for it. If that wait was answered, returns `"giveUp"`, or what this process has, provided that the
 * runnable and the seal key are there.
 */
export async function getReady(
  parts: ServiceParts,
  record: RunRecord,
  answers: ReadonlyMap<string, Json>,
): Promise<Ready | { wait: RunWait } | "giveUp"> {
  const missing = await findMissingParts(parts, record);
  const id = `upgrade-${hashOf(missing)}`;
  const choice = missing.length === 0 ? "again" : readProperty(answers.get(id), "choice");
  if (choice === "giveUp") return "giveUp";
  const target = choice === "again" ? lookUpTarget(parts.registries, record.kind, record.name) : undefined;
  const keys = parts.vault.open(record.runId, record.keys);
  if (target === undefined || keys === null)
    return { wait: { id, kind: "upgrade", about: { name: record.name, missing } } };
  const plan = parts.printer.print(target, record.plan);
  return { target, keys, plan, print: hashOf(plan) };
}

/**
 * Returns sentences that describe the parts of a run that this process lacks or has changed. A part is its runnable,
 * the seal key of its keys, a tool that a model has called, or a workflow step that was performed.
 */
export async function findMissingParts(parts: ServiceParts, record: RunRecord): Promise<string[]> {
  const { registries, printer, vault, store } = parts;
  const target = lookUpTarget(registries, record.kind, record.name);
  if (target === undefined) return [`The ${record.kind} ${record.name} is gone.`];
  if (vault.open(record.runId, record.keys) === null) return ["The seal key that opens the caller's keys is gone."];
  const plan = printer.print(target, record.plan);
  if (hashOf(plan) === hashOf(record.plan)) return [];
  return findMissing(record.plan, plan, await readUse(store.storage, record.runId));
}

/** Finds the open runs for which something is missing in this process, such as a tool or a seal key. */
export async function* checkOpenRuns(parts: ServiceParts): AsyncGenerator<UpgradeFinding, void> {
  for await (const record of parts.store.lists.listAll()) {
    if (isEnded(record.status)) continue;
    const missing = await findMissingParts(parts, record);
    const { runId, kind, name } = record;
    if (missing.length > 0) yield { runId, kind, name, missing };
  }
}

/** Returns true if another live process has all parts that a run needs and this process lacks. */
export async function fitsElsewhere({ nodes, vault, store }: ServiceParts, record: RunRecord): Promise<boolean> {
  const use = await readUse(store.storage, record.runId);
  const sealId = vault.sealIdOf(record.keys);
  return await nodes.someOther((served) => canServe(served, record, { use, sealId }));
}

async function readUse(storage: StorageDriver, runId: string): Promise<PlanUse> {
  const use = { tools: new Set<string>(), steps: new Set<string>() };
  for await (const page of readLog(storage, runId)) addUse(use, page);
  return use;
}
