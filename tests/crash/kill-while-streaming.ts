import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort, seededRandom, TestChild } from "@troupe-internal/fault-tools";
import { buildService } from "./build-service.ts";
import { DurableClient } from "./durable-client.ts";
import type { Surroundings } from "./durable-client.ts";
import { resultOf } from "./durable-setup.ts";
import type { DurableSetup } from "./durable-setup.ts";

/** What the kills of a service with durable runs have shown. */
export type KillReport = Surroundings["counts"] & {
  kills: number;
  /** Runs by the status of their end; `crashed` for those that no attempt could begin. */
  ends: Record<string, number>;
  effects: number;
  faults: string[];
};

/** Clients at a time. */
const clientsAtOnce = 8;
/** Streams that must be in the midst of their text for a kill to count. */
const leastReading = 2;

/**
 * Kills a service with `SIGKILL` so many times while clients read streams of its durable runs, with and without tools, and
 * lets all runs come to their end. The next process boots while the one before serves, to save time.
 */
export async function killWhileStreaming({ kills, seed }: { kills: number; seed: number }): Promise<KillReport> {
  const folder = mkdtempSync(join(tmpdir(), "troupe-kills-"));
  const built = await buildService("./durable-service.ts");
  const setup: DurableSetup = {
    database: join(folder, "runs.db"),
    effects: join(folder, "effects.txt"),
    port: await freePort(),
  };
  const processes: TestChild[] = [];
  const boot = async (): Promise<TestChild> => {
    const child = await TestChild.start(built.file, { args: [JSON.stringify(setup)] });
    processes.push(child);
    await child.next((message): message is object => has(message, "ready"));
    return child;
  };
  try {
    return await new Killing(setup, boot, { kills, seed }).run();
  } finally {
    for (const child of processes) await child.close();
    built.remove();
    rmSync(folder, { recursive: true });
  }
}

class Killing {
  readonly #boot: () => Promise<TestChild>;
  readonly #kills: number;
  readonly #around: Surroundings;
  readonly #clients: DurableClient[] = [];
  readonly #following = new Set<Promise<void>>();
  readonly #faults: string[] = [];

  constructor(setup: DurableSetup, boot: () => Promise<TestChild>, { kills, seed }: { kills: number; seed: number }) {
    this.#boot = boot;
    this.#kills = kills;
    const counts = { reconnects: 0, resets: 0, doubts: 0, interrupted: 0 };
    const url = `http://127.0.0.1:${setup.port}`;
    this.#around = { url, effects: setup.effects, random: seededRandom(seed), counts };
  }

  async run(): Promise<KillReport> {
    let service = await serve(await this.#boot());
    for (let killed = 0; killed < this.#kills; killed++) {
      const next = this.#boot();
      await this.#untilReading();
      await service.kill();
      service = await serve(await next);
    }
    await Promise.all(this.#following);
    return this.#report();
  }

  /** Waits a random time, and then until enough streams are in the midst of their text. */
  async #untilReading(): Promise<void> {
    await this.#fill(500 + this.#around.random() * 1200);
    while (this.#clients.filter(({ isReading }) => isReading).length < leastReading) await this.#fill(3);
  }

  /** Lets new clients begin in place of those that are done, for some milliseconds. */
  async #fill(ms: number): Promise<void> {
    for (const until = performance.now() + ms; performance.now() < until; await sleep(Math.min(ms, 10))) {
      while (this.#following.size < clientsAtOnce) this.#begin();
    }
  }

  #begin(): void {
    const number = this.#clients.length;
    const client = new DurableClient(number % 2 === 0 ? "act" : "talk", number % 4 < 2, this.#around);
    this.#clients.push(client);
    const following = client.follow().then(
      () => undefined,
      (error: unknown) => void this.#faults.push(`The client of ${client.question} failed: ${String(error)}`),
    );
    this.#following.add(following);
    void following.then(() => this.#following.delete(following));
  }

  #report(): KillReport {
    const { effects, counts } = this.#around;
    const lines = existsSync(effects) ? readFileSync(effects, "utf8").trimEnd().split("\n") : [];
    const ends: Record<string, number> = {};
    for (const { end } of this.#clients) {
      const name = end?.error?.code ?? end?.status ?? "none";
      ends[name] = (ends[name] ?? 0) + 1;
    }
    const faults = [
      ...this.#faults,
      ...this.#clients.flatMap((client) => [...judgeRun(client), ...judgeEffects(client, lines)]),
    ];
    return { kills: this.#kills, ...counts, ends, effects: lines.length, faults };
  }
}

function* judgeRun({ question, agent, runId, faults }: DurableClient): Generator<string> {
  for (const fault of faults) yield `The client of ${question} (${agent}, run ${runId}) ${fault}.`;
}

/** Compares the effects of a run with the results that it stored: each once, and none that is not there. */
function* judgeEffects({ agent, runId, end }: DurableClient, lines: readonly string[]): Generator<string> {
  const own = lines.filter((line) => line.startsWith(`${runId}/`));
  if (new Set(own).size < own.length) yield `The run ${runId} has had an effect twice: ${own.join(", ")}.`;
  if (agent !== "act" || end?.status !== "completed") return;
  const results = (end.output?.toolCalls ?? []).map(({ result }) => String(result)).toSorted();
  const expected = own.map(resultOf).toSorted();
  if (own.length !== 2 || results.join() !== expected.join())
    yield `The run ${runId} has the results ${results.join(", ")} and the effects ${own.join(", ")}.`;
}

async function serve(child: TestChild): Promise<TestChild> {
  const serving = child.next((message): message is object => has(message, "serving"));
  child.send({ serve: true });
  await serving;
  return child;
}

function has(message: unknown, name: string): boolean {
  return typeof message === "object" && message !== null && name in message;
}
