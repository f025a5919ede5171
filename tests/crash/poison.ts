import { setTimeout as sleep } from "node:timers/promises";
import type { StorageDriver } from "@troupe/core";
import { PostgresStorage } from "@troupe/storage-postgres";
import { SqliteStorage } from "@troupe/storage-sqlite";
import { TestChild } from "@troupe-internal/fault-tools";
import { entriesOf } from "../run-log/read-run-log.ts";
import { buildService } from "./build-service.ts";
import type { BegunRuns, PoisonOrder, PoisonSetup } from "./poison-setup.ts";
import { judgePostgres, judgeSqlite, tracePostgres, traceSqlite } from "./trace-writes.ts";

/** The number of runs beside a poison run. */
const neighbours = 30;
/** Milliseconds after a kill in which the last of its runs must go on. */
const mostResumeMs = 5000;
/** Deaths after which a poison run must have ended: each of its three counted ones, and some that do not count. */
const mostDeaths = 12;
const patienceMs = 120_000;

type EndedRun = { runId: string; status: string; error?: { code?: string } };

/** The findings of a poison run beside neighbours, and of one kill without a poison run. */
export type PoisonReport = {
  /** Processes that the poison run has killed. */
  deaths: number;
  /** The neighbours and the poison run by their ends. */
  ends: Record<string, number>;
  /** Milliseconds from the plain kill to the next attempt at each run, the shortest first. */
  resumeMs: number[];
  writes: number;
  faults: string[];
};

/** Lets a poison run kill its process again and again beside its neighbours, and then kills a process with neighbours once. */
export async function tryPoison(setup: PoisonSetup): Promise<PoisonReport> {
  const { kind, address } = setup;
  await (kind === "sqlite" ? traceSqlite : tracePostgres)(address);
  const built = await buildService(new URL("./poison-service.ts", import.meta.url));
  const storage = kind === "sqlite" ? new SqliteStorage(address) : new PostgresStorage(address);
  const trial = new PoisonTrial(built.file, setup, storage);
  try {
    const { deaths, ends } = await trial.poison();
    const resumeMs = await trial.killOnce();
    const { writes, faults } = kind === "sqlite" ? judgeSqlite(address) : await judgePostgres(address);
    return { deaths, ends, resumeMs, writes, faults: [...trial.faults, ...faults] };
  } finally {
    await trial.close();
    await storage.close();
    built.remove();
  }
}

class PoisonTrial {
  readonly faults: string[] = [];
  readonly #file: URL;
  readonly #setup: PoisonSetup;
  readonly #storage: StorageDriver;
  readonly #processes: TestChild[] = [];

  constructor(file: URL, setup: PoisonSetup, storage: StorageDriver) {
    this.#file = file;
    this.#setup = setup;
    this.#storage = storage;
  }

  /** Begins a poison run beside its neighbours, and a process after each death, until all runs have ended. */
  async poison(): Promise<Pick<PoisonReport, "deaths" | "ends">> {
    const names = [...Array.from({ length: neighbours }, () => "neighbour" as const), "poison" as const];
    let process = await this.#boot();
    const { begun } = await this.#begin(process, names);
    let deaths = 0;
    while (await this.#diesFirst(process, begun)) {
      deaths += 1;
      if (deaths > mostDeaths) break;
      process = await this.#boot();
      await this.#begin(process, []);
    }
    await process.close();
    const runs = await this.#endedOf(begun);
    const poison = begun.at(-1);
    for (const runId of begun) {
      const { status, error } = runs.find((run) => run.runId === runId) ?? { status: "open" };
      const [found, expected] = [error?.code ?? status, runId === poison ? "crashed" : "completed"];
      if (found !== expected) this.faults.push(`The run ${runId} ended as ${found}. Expected ${expected}.`);
    }
    const ends = Map.groupBy(runs, ({ status, error }) => error?.code ?? status);
    return { deaths, ends: Object.fromEntries(Array.from(ends, ([end, { length }]) => [end, length])) };
  }

  /** Kills a process with neighbours once, and returns the milliseconds until each run went on. */
  async killOnce(): Promise<number[]> {
    const [process, next] = [await this.#boot(), await this.#boot()];
    const names = Array.from({ length: neighbours }, () => "neighbour" as const);
    const { begun } = await this.#begin(process, names);
    await this.#until(async () => (await this.#attemptsOf(begun)).every((times) => times.length > 0));
    const killedAt = Date.now();
    await process.kill();
    await this.#begin(next, []);
    await this.#until(async () => (await this.#endedOf(begun)).length === begun.length);
    const resumed = (await this.#attemptsOf(begun)).map(([, second]) => (second ?? Infinity) - killedAt);
    const times = resumed.toSorted((one, other) => one - other);
    const last = times.at(-1) ?? Infinity;
    if (last > mostResumeMs) this.faults.push(`The last run went on after ${last} ms. Expected ${mostResumeMs} ms.`);
    const ended = (await this.#endedOf(begun)).filter(({ status }) => status === "completed").length;
    if (ended < begun.length) this.faults.push(`${begun.length - ended} runs of one kill did not complete.`);
    return times;
  }

  async close(): Promise<void> {
    for (const process of this.#processes) await process.close();
  }

  async #boot(): Promise<TestChild> {
    const child = await TestChild.start(this.#file, { args: [JSON.stringify(this.#setup)] });
    this.#processes.push(child);
    if (!child.messages.some((message) => has(message, "ready"))) {
      await child.next((message): message is object => has(message, "ready"));
    }
    return child;
  }

  /** Lets a process serve and begin runs. A process that dies before it can tell has begun none of its own. */
  async #begin(child: TestChild, begin: PoisonOrder["begin"]): Promise<BegunRuns> {
    const told = child.next((message): message is BegunRuns => has(message, "begun"));
    child.send({ begin });
    return begin.length > 0 ? await told : await told.catch(() => ({ begun: [] }));
  }

  /** Returns true if the process dies before all of these runs have ended. */
  async #diesFirst(child: TestChild, runIds: readonly string[]): Promise<boolean> {
    let isDead = false;
    void child.exit.then(() => (isDead = true));
    await this.#until(async () => isDead || (await this.#endedOf(runIds)).length === runIds.length);
    return isDead;
  }

  async #endedOf(runIds: readonly string[]): Promise<EndedRun[]> {
    const records = await Promise.all(runIds.map((runId) => this.#storage.get("runs", runId)));
    const runs = records as unknown as (EndedRun | null)[];
    return runs.filter((run) => run !== null && ["completed", "error", "cancelled"].includes(run.status)) as EndedRun[];
  }

  /** Returns the times of the attempts at each run. */
  async #attemptsOf(runIds: readonly string[]): Promise<number[][]> {
    const logs = await Promise.all(runIds.map((runId) => entriesOf(this.#storage, runId)));
    return logs.map((entries) => entries.flatMap(({ t, ...entry }) => (t === "attempt" ? [Number(entry["at"])] : [])));
  }

  async #until(isSo: () => Promise<boolean>): Promise<void> {
    for (const until = performance.now() + patienceMs; !(await isSo()); await sleep(50)) {
      if (performance.now() > until) throw new Error("The runs of the trial did not come to their end.");
    }
  }
}

function has(message: unknown, name: string): boolean {
  return typeof message === "object" && message !== null && name in message;
}
