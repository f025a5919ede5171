import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort, seededRandom, TestChild } from "@troupe-internal/fault-tools";
import { buildService } from "./build-service.ts";
import { answerDoubt, DurableClient } from "./durable-client.ts";
import type { Question, Surroundings } from "./durable-client.ts";
import { resultOf, wordsOf } from "./durable-setup.ts";
import type { DurableSetup } from "./durable-setup.ts";
import type { EventData } from "./read-events.ts";
import { startClerk } from "./remote-clerk.ts";
import { judgeSqlite, traceSqlite } from "./trace-writes.ts";
import type { JudgedWrites } from "./trace-writes.ts";

/** The findings of kills of a service with durable runs. */
export type KillReport = Surroundings["counts"] & {
  kills: number;
  /** Runs by the status of their end; `crashed` for those that no attempt could begin. */
  ends: Record<string, number>;
  effects: number;
  /** The number of effects of the remote member among them. */
  remote: number;
  /** The number of writes that were compared with the table of transitions, and of the kinds of writes among them. */
  writes: number;
  kinds: number;
  faults: string[];
};

/** Clients at a time. */
const clientsAtOnce = 8;
/** Streams that must be in the midst of their text for a kill to count. */
const leastReading = 2;

/** The service that is killed: how it starts, how it begins to serve, and what it is asked. */
type Stage = {
  readonly url: string;
  /** The file of the tools' effects. */
  readonly effects: string;
  /** Starts a process beside the one that serves. */
  boot(): Promise<TestChild>;
  /** Lets the process serve, when the one before is dead. */
  serve(child: TestChild): Promise<TestChild>;
  ask(number: number): Question;
  /** Compares all writes of all processes with the table of transitions. */
  judgeWrites(): JudgedWrites;
};

/** The number of kills, and the seed of the random moments. */
type Plan = { kills: number; seed: number };

/**
 * Kills a service with `SIGKILL` so many times while clients read streams of its durable runs, with and without tools, and
 * lets all runs come to their end. The next process boots while the one before serves, to save time.
 */
export async function killWhileStreaming(plan: Plan): Promise<KillReport> {
  const built = await buildService(new URL("./durable-service.ts", import.meta.url));
  try {
    return await inFolder(async (folder) => {
      const effects = join(folder, "effects.txt");
      await using clerk = await startClerk((task) => appendFileSync(effects, `${task}\n`));
      const { url: clerkUrl } = clerk;
      const setup: DurableSetup = { database: join(folder, "runs.db"), effects, port: await freePort(), clerkUrl };
      await traceSqlite(setup.database);
      return await tryKills(plan, {
        url: `http://127.0.0.1:${setup.port}`,
        effects,
        judgeWrites: () => judgeSqlite(setup.database),
        boot: async () => await TestChild.start(built.file, { args: [JSON.stringify(setup)] }),
        serve: async (child) => {
          const serving = child.next((message): message is object => has(message, "serving"));
          child.send({ serve: true });
          await serving;
          return child;
        },
        ask: (number) => {
          const input = `q${seededRandom(number)().toString(36).slice(2, 10)}`;
          const agent = (["act", "talk", "lead", "talk"] as const)[number % 4] ?? "talk";
          return { agent, isTeam: agent === "lead", input, answer: wordsOf(input).join("") };
        },
      });
    });
  } finally {
    built.remove();
  }
}

/** Kills the demo server in the same way, while its assistant counts. Its process is started when the one before is dead. */
export async function killDemoWhileStreaming(plan: Plan): Promise<KillReport> {
  return await inFolder(async (folder) => {
    const port = await freePort();
    const main = new URL("../../apps/demo-server/src/main.ts", import.meta.url);
    const env = { ...process.env, PORT: String(port), TROUPE_DEMO_DATA: folder, TROUPE_DEMO_MODEL: "offline" };
    const database = join(folder, "troupe.db");
    await traceSqlite(database);
    let running: TestChild | undefined;
    const start = async () => {
      const child = (running = await TestChild.start(main, { env }));
      void child.exit.then(() => (running = undefined));
      return child;
    };
    return await tryKills(plan, {
      url: `http://127.0.0.1:${port}`,
      effects: join(folder, "none.txt"),
      judgeWrites: () => judgeSqlite(database),
      boot: async () => running ?? (await start()),
      serve: async () => {
        const served = running ?? (await start());
        while (!served.output.includes("Ctrl-C stops")) {
          if (running === undefined) throw new Error(`The demo ended before it served: ${served.output.toString()}`);
          await sleep(10);
        }
        return served;
      },
      ask: () => ({ agent: "assistant", input: "Count to 12", answer: "1 2 3 4 5 6 7 8 9 10 11 12" }),
    });
  });
}

async function tryKills(plan: Plan, stage: Stage): Promise<KillReport> {
  const processes = new Set<TestChild>();
  const noted = async (child: Promise<TestChild>): Promise<TestChild> => {
    processes.add(await child);
    return await child;
  };
  const boot = async () => await noted(stage.boot());
  const serve = async (child: TestChild) => await noted(stage.serve(child));
  try {
    return await new Killing({ ...stage, boot, serve }, plan).run();
  } finally {
    for (const child of processes) await child.close();
  }
}

async function inFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), "troupe-kills-"));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

class Killing {
  readonly #stage: Stage;
  readonly #kills: number;
  readonly #around: Surroundings;
  readonly #clients: DurableClient[] = [];
  readonly #following = new Set<Promise<void>>();
  readonly #faults: string[] = [];

  constructor(stage: Stage, { kills, seed }: Plan) {
    this.#stage = stage;
    this.#kills = kills;
    const counts = { reconnects: 0, resets: 0, doubts: 0, interrupted: 0 };
    const answerTo = (wait: EventData) => answerDoubt(wait, (key) => readLines(stage.effects).includes(key));
    this.#around = { url: stage.url, random: seededRandom(seed), counts, answerTo };
  }

  async run(): Promise<KillReport> {
    let service = await this.#stage.serve(await this.#stage.boot());
    for (let killed = 0; killed < this.#kills; killed++) {
      const next = this.#stage.boot();
      await this.#untilCompleted(killed / 2);
      await this.#untilReading();
      await service.kill();
      service = await this.#stage.serve(await next);
    }
    await Promise.all(this.#following);
    return this.#report();
  }

  /**
   * Waits until more than `count` runs have completed. Otherwise a slow machine would kill all runs before they have done
   * anything, and hardly one would have something to go on with.
   */
  async #untilCompleted(count: number): Promise<void> {
    while (this.#clients.filter(({ end }) => end?.status === "completed").length <= count) await this.#fill(10);
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
    const client = new DurableClient(this.#stage.ask(number), number % 4 < 2, this.#around);
    this.#clients.push(client);
    const following = client.follow().then(
      () => undefined,
      (error: unknown) => void this.#faults.push(`The client of run ${client.runId} failed: ${String(error)}`),
    );
    this.#following.add(following);
    void following.then(() => this.#following.delete(following));
  }

  #report(): KillReport {
    const { counts } = this.#around;
    const lines = readLines(this.#stage.effects);
    const remote = this.#clients.filter(({ question }) => lines.includes(question.input)).length;
    const ends: Record<string, number> = {};
    for (const { end } of this.#clients) {
      const name = end?.error?.code ?? end?.status ?? "none";
      ends[name] = (ends[name] ?? 0) + 1;
    }
    const { writes, kinds, faults: forbidden } = this.#stage.judgeWrites();
    const faults = [
      ...this.#faults,
      ...forbidden,
      ...this.#clients.flatMap((client) => [
        ...judgeRun(client),
        ...judgeEffects(client, lines),
        ...judgeRemote(client, lines),
      ]),
    ];
    return { kills: this.#kills, ...counts, ends, effects: lines.length, remote, writes, kinds, faults };
  }
}

function readLines(file: string): string[] {
  return existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n") : [];
}

function* judgeRun({ question: { agent }, runId, faults }: DurableClient): Generator<string> {
  for (const fault of faults) yield `The client of the run ${runId} of ${agent} ${fault}.`;
}

/** Counts the tasks of a run's remote member: one, and none that is not there. */
function* judgeRemote({ question: { agent, input }, runId, end }: DurableClient, lines: readonly string[]) {
  const tasks = lines.filter((line) => line === input).length;
  const isMissing = tasks === 0 && agent === "lead" && end?.status === "completed";
  if (tasks > 1 || isMissing) yield `The remote member of the run ${runId} had ${tasks} tasks.`;
}

/** Compares the effects of a run with the results that it stored: each once, and none that is not there. */
function* judgeEffects({ question: { agent }, runId, end }: DurableClient, lines: readonly string[]) {
  const own = lines.filter((line) => line.startsWith(`${runId}/`));
  if (new Set(own).size < own.length) yield `The run ${runId} has had an effect twice: ${own.join(", ")}.`;
  if (agent !== "act" || end?.status !== "completed") return;
  const results = (end.output?.toolCalls ?? []).map(({ result }) => String(result)).toSorted();
  const expected = own.map(resultOf).toSorted();
  if (own.length !== 2 || results.join() !== expected.join())
    yield `The run ${runId} has the results ${results.join(", ")} and the effects ${own.join(", ")}.`;
}

function has(message: unknown, name: string): boolean {
  return typeof message === "object" && message !== null && name in message;
}
