import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { StorageDriver } from "@troupe/core";
import { freePort, PostgresServer, seededRandom, TestChild } from "@troupe-internal/fault-tools";
import { entriesOf } from "../../run-log/read-run-log.ts";
import type { StoredEntry } from "../../run-log/read-run-log.ts";
import { buildService } from "../build-service.ts";
import { judgePostgres, judgeSqlite, tracePostgres, traceSqlite } from "../trace-writes.ts";
import type { JudgedWrites } from "../trace-writes.ts";
import { FormsClient } from "./forms-client.ts";
import type { FormsPlace } from "./forms-client.ts";
import { CallsFile } from "./forms-setup.ts";
import type { FormsSetup } from "./forms-setup.ts";
import { forms } from "./forms-steps.ts";
import type { FormName } from "./forms-steps.ts";
import { judgeForms, openStorage } from "./judge-forms.ts";
import type { FormsReport, Life } from "./judge-forms.ts";
import { StepsUnderWay } from "./steps-under-way.ts";

/** A trial: the storage, the number of kills, and the seed of the random moments. */
export type FormsPlan = { kind: FormsSetup["kind"]; kills: number; seed: number };

/** Runs under way at a time. */
const runsAtOnce = 20;
/** Milliseconds after the last kill in which all runs must end. */
const patienceMs = 180_000;
/** Milliseconds that a kill waits for its moment. */
const readyMs = 30_000;
/**
 * The number of processes that serve at a time, and the milliseconds between two kills. Only one process may perform runs
 * over SQLite. Over PostgreSQL the runs of a dead process go on in the other one after some seconds.
 */
const rhythms = {
  sqlite: { processes: 1, leastMs: 400, mostMs: 1600 },
  postgres: { processes: 2, leastMs: 1500, mostMs: 4000 },
};

/** Kills processes while runs of a workflow with steps of all forms are under way, and judges all runs when they are over. */
export async function tryForms(plan: FormsPlan): Promise<FormsReport> {
  const folder = mkdtempSync(join(tmpdir(), "troupe-forms-"));
  const built = await buildService(new URL("./forms-service.ts", import.meta.url));
  const server = plan.kind === "postgres" ? await PostgresServer.create() : undefined;
  const { kind } = plan;
  const common = { kind, address: server?.url ?? join(folder, "runs.db"), effects: join(folder, "effects.jsonl") };
  await (kind === "sqlite" ? traceSqlite : tracePostgres)(common.address);
  const trial = new FormsTrial(plan, built.file, common);
  try {
    await trial.run();
    const { address } = common;
    const writes: JudgedWrites = kind === "sqlite" ? judgeSqlite(address) : await judgePostgres(address);
    return await judgeForms({ ...common, clients: trial.clients, lives: trial.lives, kills: plan.kills, writes });
  } finally {
    await trial.close();
    await server?.close();
    rmSync(folder, { recursive: true });
    built.remove();
  }
}

/** A place in the service for one process at a time. The next one has booted before the one in service is killed. */
type Slot = { port: number; child: TestChild; life: Life; next: Booted };

/** A process that does not serve yet. */
type Booted = { child: TestChild; node: string };

class FormsTrial {
  readonly clients: FormsClient[] = [];
  /** The processes by their names, in the order of their start. */
  readonly lives: Life[] = [];
  readonly #plan: FormsPlan;
  readonly #file: URL;
  readonly #common: Omit<FormsSetup, "node" | "port">;
  readonly #storage: StorageDriver;
  readonly #children: TestChild[] = [];
  readonly #slots: Slot[] = [];
  readonly #random: () => number;
  readonly #place: FormsPlace;
  readonly #following = new Set<Promise<void>>();
  readonly #giveUp = new AbortController();

  constructor(plan: FormsPlan, file: URL, common: Omit<FormsSetup, "node" | "port">) {
    this.#plan = plan;
    this.#file = file;
    this.#common = common;
    this.#random = seededRandom(plan.seed);
    this.#storage = openStorage(common);
    const url = () => `http://127.0.0.1:${this.#anySlot().port}`;
    const calls = new CallsFile(common.effects);
    this.#place = { url, random: this.#random, calls, signal: this.#giveUp.signal };
  }

  async run(): Promise<void> {
    const { kind, kills } = this.#plan;
    const { processes, leastMs, mostMs } = rhythms[kind];
    for (let index = 0; index < processes; index++) await this.#open();
    for (let killed = 0; killed < kills; killed++) {
      await this.#fill(leastMs + this.#random() * (mostMs - leastMs));
      const slot = this.#anySlot();
      await this.#untilReady(slot);
      await this.#kill(slot);
    }
    const timer = setTimeout(() => this.#giveUp.abort(), patienceMs);
    await Promise.all(this.#following);
    clearTimeout(timer);
  }

  async close(): Promise<void> {
    this.#giveUp.abort();
    for (const child of this.#children) await child.close();
    await this.#storage.close();
  }

  /** Lets new clients begin in place of those that are done, for some milliseconds. */
  async #fill(ms: number): Promise<void> {
    for (const until = performance.now() + ms; performance.now() < until; await sleep(20)) {
      while (this.#following.size < runsAtOnce) this.#begin();
    }
  }

  /**
   * Waits until steps of all forms are under way in a process, and each run has made progress in one of its last two
   * attempts: a run whose processes die again and again without progress would be given up.
   */
  async #untilReady({ life }: Slot): Promise<void> {
    for (const until = performance.now() + readyMs; performance.now() < until; await this.#fill(50)) {
      const open = this.clients.filter(({ runId, end }) => runId !== "" && end === undefined);
      const logs = await Promise.all(open.map(async ({ runId }) => await entriesOf(this.#storage, runId)));
      const own = logs.filter((entries) => entries.findLast(({ t }) => t === "attempt")?.["node"] === life.node);
      const isWhole = new Set(own.flatMap(formsUnderWay)).size === forms.length;
      if (isWhole && !logs.some((entries) => countFruitless(entries) > 1)) return;
    }
  }

  #begin(): void {
    const client = new FormsClient(this.clients.length, this.#place);
    this.clients.push(client);
    const following = client.follow();
    this.#following.add(following);
    void following.then(() => this.#following.delete(following));
  }

  #anySlot(): Slot {
    const slot = this.#slots[Math.floor(this.#random() * this.#slots.length)];
    if (slot === undefined) throw new Error("No process serves.");
    return slot;
  }

  async #open(): Promise<void> {
    const port = await freePort();
    const first = await this.#boot(port);
    this.#slots.push({ port, child: first.child, life: await this.#serve(first), next: await this.#boot(port) });
  }

  async #kill(slot: Slot): Promise<void> {
    slot.life.killedAt = Date.now();
    await slot.child.kill();
    slot.child = slot.next.child;
    slot.life = await this.#serve(slot.next);
    slot.next = await this.#boot(slot.port);
  }

  async #boot(port: number): Promise<Booted> {
    const node = `node${this.#children.length}`;
    const setup: FormsSetup = { ...this.#common, node, port };
    const child = await TestChild.start(this.#file, { args: [JSON.stringify(setup)] });
    this.#children.push(child);
    return { child, node };
  }

  async #serve({ child, node }: Booted): Promise<Life> {
    if (!child.messages.some((message) => has(message, "ready")))
      await child.next((message): message is object => has(message, "ready"));
    const serving = child.next((message): message is object => has(message, "serving"));
    child.send({ serve: true });
    await serving;
    const life: Life = { node, servesSince: Date.now(), killedAt: Infinity };
    this.lives.push(life);
    return life;
  }
}

function formsUnderWay(entries: readonly StoredEntry[]): FormName[] {
  const steps = new StepsUnderWay();
  for (const entry of entries) steps.add(entry);
  return steps.forms;
}

/** Returns the number of attempts since the last step that was done, or the last new wait. */
function countFruitless(entries: readonly StoredEntry[]): number {
  const last = entries.findLastIndex(({ t }) => t === "done" || t === "wait");
  return entries.slice(last + 1).filter(({ t }) => t === "attempt").length;
}

function has(message: unknown, name: string): boolean {
  return typeof message === "object" && message !== null && name in message;
}
