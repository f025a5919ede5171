import type { RunEngine, RunJob } from "../../runs/processes/run-engine.ts";
import { assert, inTime, until } from "./assert.ts";
import type { ConformanceCases } from "./check-conformance.ts";

/** Conformance suite for a `RunEngine`. The subject is an engine without jobs, whose `serve` was not called yet. */
export const runEngineCases = {
  "performs a job that was submitted before it is served, and one that comes after": async (engine) => {
    const performed: string[] = [];
    await engine.submit(job("a"));
    const serving = await engine.serve(async ({ runId }) => void performed.push(runId), { concurrency: 2 });
    await engine.submit(job("b"));
    await until(() => performed.length === 2);
    await serving.drain(0);

    assert.deepEqual(performed.toSorted(), ["a", "b"]);
    assert.equal(await engine.waiting(), 0);
  },
  "takes a job once that is submitted again while it waits or is under way, and again after it": async (engine) => {
    const work = new Work();
    await engine.submit(job("a"));
    await engine.submit(job("a"));
    assert.equal(await engine.waiting(), 1);
    const serving = await engine.serve(work.perform, { concurrency: 2 });
    await until(() => work.started.length === 1);
    await engine.submit(job("a"));
    work.finish();
    await until(() => work.ended.length === 1);
    // The work of a job ends before the engine has noted its end. Until then another submission of the job has no
    // effect.
    for (let times = 0; times < 200 && work.started.length < 2; times++) {
      await engine.submit(job("a"));
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await until(() => work.started.length === 2);
    work.finish();
    await serving.drain(4000);

    assert.deepEqual(work.ended, ["a", "a"]);
  },
  "performs no two jobs of one run at a time": async (engine) => {
    const work = new Work();
    await engine.submit(job("a"));
    const serving = await engine.serve(work.perform, { concurrency: 2 });
    await until(() => work.started.length === 1);
    await engine.submit({ ...job("a"), activation: 2 });
    await engine.submit(job("b"));
    await until(() => work.started.length === 2);
    assert.deepEqual(work.started, ["a", "b"]);
    work.finish();
    await until(() => work.started.length === 3);
    work.finish();
    await serving.drain(4000);

    assert.deepEqual(work.started, ["a", "b", "a"]);
  },
  "performs no more jobs at a time than it may, those of the lowest priority first": async (engine) => {
    const work = new Work();
    for (const [runId, priority] of [
      ["late", 20],
      ["early", 5],
      ["middle", 10],
    ] as const) {
      await engine.submit({ ...job(runId), priority });
    }
    const serving = await engine.serve(work.perform, { concurrency: 1 });
    for (const count of [1, 2, 3]) {
      await until(() => work.started.length === count);
      work.finish();
    }
    await serving.drain(4000);

    assert.deepEqual(work.started, ["early", "middle", "late"]);
    assert.equal(work.most, 1);
  },
  "keeps a job back until its time": async (engine) => {
    const begun = Date.now();
    const times: number[] = [];
    await engine.submit({ ...job("a"), notBefore: begun + 50 });
    const serving = await engine.serve(async () => void times.push(Date.now()), { concurrency: 1 });
    await until(() => times.length === 1);
    await serving.drain(0);

    assert.ok((times[0] ?? 0) >= begun + 49);
  },
  "does not perform a job that was withdrawn": async (engine) => {
    const performed: string[] = [];
    await engine.submit(job("a"));
    await engine.submit(job("b"));
    await engine.withdraw("a");
    const serving = await engine.serve(async ({ runId }) => void performed.push(runId), { concurrency: 1 });
    await until(() => performed.includes("b"));
    await serving.drain(0);

    assert.deepEqual(performed, ["b"]);
  },
  "goes on after a job that failed": async (engine) => {
    const performed: string[] = [];
    const perform = async ({ runId }: RunJob) => {
      performed.push(runId);
      if (runId === "a") throw new Error("This job fails.");
    };
    const serving = await engine.serve(perform, { concurrency: 1 });
    await engine.submit(job("a"));
    await engine.submit(job("b"));
    await until(() => performed.includes("b"));
    await engine.withdraw("a");
    await serving.drain(4000);
  },
  "waits for the jobs under way when it is drained, aborts them after the grace, and takes no more": async (engine) => {
    const work = new Work();
    const serving = await engine.serve(work.perform, { concurrency: 2 });
    await engine.submit(job("a"));
    await until(() => work.started.length === 1);
    const draining = serving.drain(60_000);
    await engine.submit(job("b"));
    assert.deepEqual(work.ended, []);
    const again = serving.drain(1);
    await inTime(Promise.all([draining, again]));

    assert.deepEqual(work.ended, ["a"]);
    assert.equal(work.aborted, 1);
    assert.deepEqual(work.started, ["a"]);
  },
  "performs a job again after the time with which it is handed back": async (engine) => {
    const times: number[] = [];
    const perform = async () => {
      times.push(Date.now());
      return times.length === 1 ? { againInMs: 50 } : undefined;
    };
    const serving = await engine.serve(perform, { concurrency: 1 });
    await engine.submit(job("a"));
    await until(() => times.length === 2);
    await serving.drain(4000);

    assert.ok((times[1] ?? 0) - (times[0] ?? 0) >= 49);
    assert.equal(await engine.waiting(), 0);
  },
  "performs other jobs while one that was handed back waits": async (engine) => {
    const performed: string[] = [];
    const perform = async ({ runId }: RunJob) => {
      performed.push(runId);
      return runId === "a" ? { againInMs: 3_600_000 } : undefined;
    };
    const serving = await engine.serve(perform, { concurrency: 1 });
    await engine.submit(job("a"));
    await engine.submit(job("b"));
    await until(() => performed.includes("b"));
    await serving.drain(4000);

    assert.deepEqual(performed, ["a", "b"]);
    assert.equal(await engine.waiting(), 1);
  },
  "puts a job back into the queue whose signal it aborts, and performs it when it is served again": async (engine) => {
    const work = new Work();
    await engine.submit(job("a"));
    const first = await engine.serve(work.perform, { concurrency: 1 });
    await until(() => work.started.length === 1);
    await first.drain(0);
    assert.equal(await engine.waiting(), 1);
    const second = await engine.serve(work.perform, { concurrency: 1 });
    await until(() => work.started.length === 2);
    work.finish();
    await second.drain(4000);

    assert.equal(work.aborted, 1);
    assert.equal(await engine.waiting(), 0);
  },
  "says since when the longest-waiting job could have been performed, if it says so at all": async (engine) => {
    if (engine.waitingSince === undefined) return;
    assert.equal(await engine.waitingSince(), undefined);
    const begun = Date.now();
    await engine.submit({ ...job("later"), notBefore: begun + 3_600_000 });
    assert.equal(await engine.waitingSince(), undefined);
    await engine.submit({ ...job("first"), priority: 20 });
    const first = await engine.waitingSince();
    await until(() => Date.now() > (first ?? 0));
    // A job of a better priority that came afterwards is performed first, but has not waited longer.
    await engine.submit({ ...job("second"), priority: 5 });

    assert.ok(first !== undefined && Math.abs(first - begun) < 60_000);
    assert.equal(await engine.waitingSince(), first);
    await engine.withdraw("first");
    assert.ok(((await engine.waitingSince()) ?? 0) > first);
    await engine.withdraw("second");
    assert.equal(await engine.waitingSince(), undefined);
  },
} satisfies ConformanceCases<RunEngine>;

function job(runId: string): RunJob {
  return { runId, activation: 1 };
}

/** Jobs that run until `finish` is called or their signal aborts. */
class Work {
  readonly started: string[] = [];
  readonly ended: string[] = [];
  aborted = 0;
  most = 0;
  #finish: (() => void)[] = [];

  readonly perform = async ({ runId }: RunJob, signal: AbortSignal): Promise<void> => {
    this.started.push(runId);
    this.most = Math.max(this.most, this.started.length - this.ended.length);
    await new Promise<void>((resolve) => {
      this.#finish.push(resolve);
      signal.addEventListener("abort", () => {
        this.aborted += 1;
        resolve();
      });
    });
    this.ended.push(runId);
  };

  finish(): void {
    for (const resolve of this.#finish.splice(0)) resolve();
  }
}
