import { describe, expect, it, onTestFinished } from "vitest";
import { sleep } from "../../base/async/sleep.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { silentLogger } from "../../base/log/logger.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import type { RunView } from "../record/run-view.ts";
import { RunService } from "./run-service.ts";
import { runnableOf } from "./test/asking-runnable.ts";
import { fakeClock, soon } from "./test/services.ts";

/** The number of runs beside those that end their process. */
const neighbours = 30;
/** Milliseconds that a step of a neighbour takes, and after which a poison run ends its process. */
const stepMs = 500;
const poisonMs = 100;

/** A process over the shared storage. After its death it reaches nothing. */
class Process {
  readonly service: RunService;
  readonly death = new AbortController();
  /** The times of this process at which neighbours began their step. */
  readonly begun: number[] = [];

  constructor(storage: StorageDriver) {
    const { signal } = this.death;
    const driver = new Proxy(storage, {
      getPrototypeOf: () => Object.prototype,
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== "function" || name === "watch") return name === "watch" ? undefined : member;
        return async (...args: unknown[]): Promise<unknown> => {
          signal.throwIfAborted();
          return (await Reflect.apply(member, target, args)) as unknown;
        };
      },
    });
    const startedAt = performance.now();
    const neighbour = runnableOf(async function* (journal) {
      const step = journal.begin("m/0");
      begun.push(performance.now() - startedAt);
      await sleep(stepMs, signal);
      step.done("answer");
      yield { type: "text", text: "Done." };
      return "Done.";
    });
    const { begun } = this;
    const poison = runnableOf(async function* (journal) {
      yield* [];
      journal.begin("m/0");
      await sleep(poisonMs, signal);
      die();
      return await new Promise<string>(() => undefined);
    });
    const die = () => this.die();
    this.service = new RunService({ storage: driver, agents: { neighbour, poison }, logger: silentLogger });
    onTestFinished(() => this.die());
  }

  die(): void {
    this.death.abort(new TroupeError("storage_unavailable", "The process has died."));
    void this.service.close().catch(() => undefined);
  }
}

async function accept({ service }: Process, names: readonly string[]): Promise<void> {
  await soon(Promise.all(names.map((name) => service.accept({ kind: "agent", name, input: "Go." }))));
}

const isOpen = ({ status }: RunView) => status === "queued" || status === "running";

/** Serves the runs in one process after another until all are over, and returns them with the number of deaths. */
async function playDeaths(storage: StorageDriver, names: readonly string[]) {
  let process = new Process(storage);
  await soon(process.service.serve());
  await accept(process, names);
  for (let deaths = 0; ;) {
    await soon(sleep(20));
    if (process.death.signal.aborted) {
      deaths += 1;
      process = new Process(storage);
      await soon(process.service.serve());
      continue;
    }
    const { runs } = await soon(process.service.list("host", { limit: 100 }));
    if (!runs.some(isOpen)) return { runs, deaths };
    expect(deaths).toBeLessThan(40);
  }
}

const codesOf = (runs: readonly RunView[], name: string) =>
  runs.filter((run) => run.name === name).map(({ status, error }) => error?.code ?? status);

const alike = (count: number, code: string) => Array.from({ length: count }, () => code);

describe("a run that ends its process", () => {
  it("is given up after three deaths if it has no neighbours [durable.crashed]", async () => {
    fakeClock();
    const { runs, deaths } = await playDeaths(new InMemoryStorage(), ["poison"]);
    expect([codesOf(runs, "poison"), deaths]).toEqual([["crashed"], 3]);
  });

  it.each([0, 7, neighbours])("takes none of its neighbours with it, of which %i were there before", async (before) => {
    fakeClock();
    const names = alike(neighbours, "neighbour");
    const { runs, deaths } = await playDeaths(new InMemoryStorage(), [
      ...names.slice(0, before),
      "poison",
      ...names.slice(before),
    ]);
    expect(codesOf(runs, "neighbour")).toEqual(alike(neighbours, "completed"));
    expect(codesOf(runs, "poison")).toEqual(["crashed"]);
    expect(deaths).toBeLessThanOrEqual(5);
  });

  it("takes no neighbours with it if there are several such runs", async () => {
    fakeClock();
    const names = ["poison", ...alike(10, "neighbour"), "poison", ...alike(10, "neighbour"), "poison"];
    const { runs } = await playDeaths(new InMemoryStorage(), names);
    expect(codesOf(runs, "neighbour")).toEqual(alike(20, "completed"));
    expect(codesOf(runs, "poison")).toEqual(alike(3, "crashed"));
  });
});

it("all runs come back within five seconds after one death", async () => {
  fakeClock();
  const storage = new InMemoryStorage();
  const first = new Process(storage);
  await soon(first.service.serve());
  await accept(first, alike(neighbours, "neighbour"));
  await soon(sleep(50));
  first.die();
  const second = new Process(storage);
  await soon(second.service.serve());
  await soon(sleep(5000));

  expect(second.begun).toHaveLength(neighbours);
  expect(Math.max(...second.begun)).toBeLessThan(5000);
});
