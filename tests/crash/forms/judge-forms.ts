import { isDeepStrictEqual } from "node:util";
import type { StorageDriver } from "@troupe/core";
import { PostgresStorage } from "@troupe/storage-postgres";
import { SqliteStorage } from "@troupe/storage-sqlite";
import { entriesOf, recordNumbers } from "../../run-log/read-run-log.ts";
import type { StoredEntry } from "../../run-log/read-run-log.ts";
import { judgeLog } from "../nodes/judge-nodes.ts";
import type { JudgedWrites } from "../trace-writes.ts";
import type { FormsClient } from "./forms-client.ts";
import { CallsFile } from "./forms-setup.ts";
import type { FormsCall, FormsSetup } from "./forms-setup.ts";
import { forms } from "./forms-steps.ts";
import type { FormName } from "./forms-steps.ts";
import { interpret } from "./interpret-steps.ts";
import { StepsUnderWay } from "./steps-under-way.ts";

/** The time in which a process served, in epoch milliseconds. */
export type Life = { node: string; servesSince: number; killedAt: number };

/** The evidence of a trial. */
type FormsCase = Pick<FormsSetup, "kind" | "address" | "effects"> & {
  clients: readonly FormsClient[];
  lives: readonly Life[];
  kills: number;
  writes: JudgedWrites;
};

/** The steps of a form that were under way when their process was killed, and those of them that another process continued that served already. */
type Interrupted = { steps: number; elsewhere: number };

/** The findings of a trial. */
export type FormsReport = {
  runs: number;
  doubts: number;
  writes: number;
  /** Kills at which steps of all forms were under way. */
  wholeKills: number;
  interrupted: Readonly<Record<FormName, Interrupted>>;
  faults: readonly string[];
};

/** Compares all runs with a plain evaluation of their workflow, and counts the steps that kills have interrupted. */
export async function judgeForms(trial: FormsCase): Promise<FormsReport> {
  const storage = openStorage(trial);
  const interruptions = new Interruptions(trial.lives);
  const calls = Map.groupBy(new CallsFile(trial.effects).read(), ({ run }) => run);
  const faults: string[] = [...trial.writes.faults];
  try {
    for (const client of trial.clients) {
      faults.push(...client.faults.map((fault) => `The client of run ${client.number} ${fault}.`));
      faults.push(...(await judgeEnd(client)), ...(await judgeCalls(client, calls.get(client.number) ?? [])));
      const entries = await entriesOf(storage, client.runId);
      interruptions.add(entries);
      const numbers = await recordNumbers(storage, client.runId);
      faults.push(...judgeLog({ runId: client.runId, status: client.end?.status ?? "open", entries, numbers }));
    }
    faults.push(...(await openRuns(storage)));
  } finally {
    await storage.close();
  }
  const { counts, wholeKills } = interruptions;
  const doubts = trial.clients.reduce((sum, client) => sum + client.doubts, 0);
  const { clients, writes } = trial;
  return { runs: clients.length, doubts, writes: writes.writes, wholeKills, interrupted: counts, faults };
}

/** Opens the storage of a trial. */
export function openStorage({ kind, address }: Pick<FormsSetup, "kind" | "address">): StorageDriver {
  return kind === "sqlite" ? new SqliteStorage(address) : new PostgresStorage(address);
}

async function openRuns(storage: StorageDriver): Promise<string[]> {
  return (await storage.list("run-open")).map(({ key }) => `The run ${key} is listed as open.`);
}

/** A run completes with the state of a plain evaluation. */
async function judgeEnd({ number, runId, end }: FormsClient): Promise<string[]> {
  const { state } = await interpret(number);
  if (end?.status !== "completed") return [`The run ${runId} ended as ${end?.status} (${end?.error?.code}).`];
  const found = end.output?.state;
  if (isDeepStrictEqual(found, state)) return [];
  return [`The run ${runId} has the state ${JSON.stringify(found)}. Expected ${JSON.stringify(state)}.`];
}

/** A run makes each call of a plain evaluation once. */
async function judgeCalls({ number, runId }: FormsClient, made: readonly FormsCall[]): Promise<string[]> {
  const byKey = Map.groupBy(made, ({ key }) => key);
  const twice = [...byKey].filter(([, { length }]) => length > 1).map(([key]) => `The effect ${key} took place twice.`);
  const found = [...byKey.values()]
    .flatMap(([call]) => call?.step ?? [])
    .toSorted()
    .join();
  const expected = (await interpret(number)).calls.toSorted().join();
  return found === expected ? twice : [...twice, `The run ${runId} had the calls ${found}. Expected ${expected}.`];
}

/** Counts the steps that had begun in the log of a run, and had not ended, when the process of the run was killed. */
class Interruptions {
  readonly counts = Object.fromEntries(forms.map((form) => [form, { steps: 0, elsewhere: 0 }])) as Record<
    FormName,
    Interrupted
  >;
  readonly #lives: ReadonlyMap<string, Life>;
  readonly #formsAtDeath = new Map<string, Set<FormName>>();

  constructor(lives: readonly Life[]) {
    this.#lives = new Map(lives.map((life) => [life.node, life]));
  }

  get wholeKills(): number {
    return [...this.#formsAtDeath.values()].filter(({ size }) => size === forms.length).length;
  }

  add(entries: readonly StoredEntry[]): void {
    const steps = new StepsUnderWay();
    let before: Life | undefined;
    for (const entry of entries) {
      if (entry.t === "attempt") {
        const next = this.#lives.get(entry["node"] as string);
        if (before !== undefined && before.killedAt < Number(entry["at"])) this.#count(steps.forms, before, next);
        before = next;
      }
      steps.add(entry);
    }
  }

  #count(interrupted: readonly FormName[], dead: Life, next: Life | undefined): void {
    const together = this.#formsAtDeath.get(dead.node) ?? new Set();
    this.#formsAtDeath.set(dead.node, together);
    for (const form of interrupted) {
      this.counts[form].steps += 1;
      if (next !== undefined && next.servesSince < dead.killedAt) this.counts[form].elsewhere += 1;
      together.add(form);
    }
  }
}
