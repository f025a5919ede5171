import { registryEntries } from "../../agents/run/registry.ts";
import { isArrayOf, isCount } from "../../sessions/storage/stored-record.ts";
import { isRecord } from "../../base/util/is-record.ts";
import type { Registries } from "./durable-target.ts";
import type { KeyVault } from "../run-store/key-vault.ts";
import { findMissing, hashOf } from "../run-store/plan-print.ts";
import type { PlanPrint, PlanPrinter, PlanUse } from "../run-store/plan-print.ts";
import type { RunRecord } from "../run-store/run-record.ts";
import type { RunKind } from "../run-store/run-view.ts";

/** A runnable whose runs a process performs. */
type ServedPlan = { readonly kind: RunKind; readonly name: string; readonly plan: PlanPrint };

/** The runnables of a process with their plans, and the ids of its seal keys: everything that its runs depend on. */
export type ServedPlans = { readonly plans: readonly ServedPlan[]; readonly sealIds: readonly string[] };

/** The stored record of a process that performs runs or serves subscriptions. It changes with each heartbeat. */
export type NodeRecord = {
  readonly v: 1;
  readonly heartbeat: number;
  /** The process name in views of runs, for the operator who reads the record. */
  readonly name: string;
  /** True for a process that serves subscriptions to runs. */
  readonly isSubscriber: boolean;
  /** The runnables whose runs the process performs; absent if it performs none. */
  readonly serves?: ServedPlans;
};

/** Describes the runnables and keys with which a process performs runs. */
export function describeServed(parts: { registries: Registries; printer: PlanPrinter; vault: KeyVault }): ServedPlans {
  const { registries, printer, vault } = parts;
  const { agents, teams, workflows } = registries;
  const plansOf = (kind: RunKind, entries: readonly [string, object][]): ServedPlan[] =>
    entries.map(([name, target]) => ({ kind, name, plan: printer.print(target) }));
  const plans = [
    ...plansOf("agent", registryEntries(agents)),
    ...plansOf("team", registryEntries(teams)),
    ...plansOf("workflow", registryEntries(workflows)),
  ];
  return { plans, sealIds: vault.sealIds };
}

/**
 * Returns true if a process can continue a run. It must have the runnable, the seal key with the id `sealId`, and the
 * tools and steps in `use`, unchanged.
 */
export function canServe(
  { plans, sealIds }: ServedPlans,
  { kind, name, plan }: Pick<RunRecord, "kind" | "name" | "plan">,
  { use, sealId }: { use: PlanUse; sealId: string | undefined },
): boolean {
  const served = plans.find((each) => each.kind === kind && each.name === name);
  if (served === undefined || (sealId !== undefined && !sealIds.includes(sealId))) return false;
  return hashOf(served.plan) === hashOf(plan) || findMissing(plan, served.plan, use).length === 0;
}

/** Returns true if a stored value is the record of a process. */
export function isNodeRecord(value: unknown): value is NodeRecord {
  return (
    isRecord(value) &&
    value["v"] === 1 &&
    isCount(value["heartbeat"]) &&
    typeof value["isSubscriber"] === "boolean" &&
    (value["serves"] === undefined || isServed(value["serves"]))
  );
}

function isServed(value: unknown): value is ServedPlans {
  if (!isRecord(value) || !isArrayOf(value["sealIds"], isString)) return false;
  return isArrayOf(value["plans"], isServedPlan);
}

function isServedPlan(value: unknown): value is ServedPlan {
  return isRecord(value) && isString(value["name"]) && isRecord(value["plan"]) && isRecord(value["plan"]["tools"]);
}

function isString(value: unknown): value is string {
  return typeof value === "string";
}
