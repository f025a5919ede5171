import { setImmediate as turn } from "node:timers/promises";
import fc from "fast-check";
import { expect, inject, vi } from "vitest";
import { fakeSleeps } from "./fake-sleeps.ts";
import { HeldCalls } from "./held-calls.ts";
import { timersNow, withOwnTimers } from "./own-timers.ts";

/** A subject whose dependencies are held, and the operations on it. */
export type Scene = {
  /** Operations of users and of the outside world by name. Each may happen at any moment, any number of times. */
  readonly operations: Readonly<Record<string, () => unknown>>;
  /** Checks an invariant of every moment. */
  readonly always?: () => unknown;
  /** Ends the subject: closes it, disconnects its clients. Held calls continue to be released meanwhile. */
  readonly end?: () => unknown;
  /** Uses the subject once more after its end. It must not fail: an earlier failure must block no later use. */
  readonly again?: () => Promise<unknown>;
  /** Checks an invariant of the final state, when no operation is active. */
  readonly afterwards: () => unknown;
};

/** Options of {@link checkInterleavings}. */
export type InterleavingOptions = {
  readonly seed: number;
  /** Number of plans; `test:all` runs five times as many. @default 60 */
  readonly numRuns?: number;
  /** Largest number of steps in a plan. @default 24 */
  readonly maxSteps?: number;
  /** Milliseconds of fake time that a time step advances, so that timers fire. Without it, plans have no time steps. */
  readonly stepMs?: number;
  /** Milliseconds of fake time before the last check. @default 0 */
  readonly quietMs?: number;
};

/** A step of a plan: an operation starts, a held call is released or fails, or time passes. */
type Step = { readonly kind: "begin" | "release" | "fail" | "time"; readonly pick: number };

/** Largest number of held calls that are released at the end: a subject that calls forever never comes to rest. */
const mostReleases = 2000;

/** Milliseconds of fake time at the end between two releases of all held calls. */
const quietStepMs = 1000;

/**
 * Runs random plans on a subject: operations start, and the promises that they await resolve or reject, in all orders
 * that the seed draws. Checks that afterwards every operation has ended and no timer is left, and the checks of the
 * scene. Timers are fake.
 */
export async function checkInterleavings(
  create: (held: HeldCalls) => Scene | Promise<Scene>,
  { seed, numRuns = 60, maxSteps = 24, stepMs, quietMs = 0 }: InterleavingOptions,
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(plansOf(maxSteps, stepMs !== undefined), async (plan) => {
      const real = timersNow();
      vi.useFakeTimers({
        toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "Date", "performance"],
      });
      const endSleeps = fakeSleeps();
      try {
        await withOwnTimers(real, async () => await play(plan, create, { stepMs, quietMs }));
      } finally {
        endSleeps();
        vi.useRealTimers();
      }
    }),
    { numRuns: numRuns * { few: 1, many: 5 }[inject("trials")], seed },
  );
}

/** Returns plans of all kinds: in some, calls are released as they come; in others, many are pending at once. */
function plansOf(maxSteps: number, hasTime: boolean): fc.Arbitrary<Step[]> {
  const pick = fc.nat(1000);
  const stepsOf = (begins: number): fc.Arbitrary<Step[]> => {
    const kind = fc.oneof(
      { weight: begins, arbitrary: fc.constant("begin" as const) },
      { weight: 2, arbitrary: fc.constant("release" as const) },
      { weight: 1, arbitrary: fc.constant("fail" as const) },
      { weight: hasTime ? 1 : 0, arbitrary: fc.constant("time" as const) },
    );
    return fc.array(fc.record({ kind, pick }), { minLength: 2, maxLength: maxSteps, size: "max" });
  };
  return fc.oneof(stepsOf(2), stepsOf(4), stepsOf(10));
}

async function play(
  plan: readonly Step[],
  create: (held: HeldCalls) => Scene | Promise<Scene>,
  { stepMs = 0, quietMs }: { stepMs: number | undefined; quietMs: number },
): Promise<void> {
  const held = new HeldCalls();
  const scene = await create(held);
  try {
    for (const step of plan) {
      await take(step, held, { scene, stepMs });
      await settle();
      expect(held.wrong, "what was found wrong").toBeUndefined();
      await scene.always?.();
    }
    if (scene.end !== undefined) held.begin("the end", scene.end);
    await releaseAll(held, plan);
    for (let ms = 0; ms < quietMs; ms += quietStepMs) {
      await vi.advanceTimersByTimeAsync(quietStepMs);
      await releaseAll(held, plan);
    }
    expect(held.pending, "operations that never end").toEqual([]);
    if (scene.again !== undefined) await useAgain(held, scene.again, plan);
    expect(held.wrong, "what was found wrong").toBeUndefined();
    await scene.always?.();
    await scene.afterwards();
    await settle();
    expect(held.wrong, "what was found wrong").toBeUndefined();
    expect(vi.getTimerCount(), "timers that are left").toBe(0);
  } catch (error) {
    throw Object.assign(error as Error, { message: `${String(error)}\n\n${held.trace.join("\n")}` });
  }
}

async function take(
  { kind, pick }: Step,
  held: HeldCalls,
  { scene, stepMs }: { scene: Scene; stepMs: number },
): Promise<void> {
  const operations = Object.entries(scene.operations);
  const [name, operation] = operations[pick % operations.length] ?? [];
  if (kind === "time") {
    held.trace.push(`${stepMs} ms pass`);
    await vi.advanceTimersByTimeAsync(stepMs);
  } else if (kind !== "begin") held.release(pick, kind === "fail");
  else if (name !== undefined && operation !== undefined) held.begin(name, operation);
}

async function useAgain(held: HeldCalls, use: () => Promise<unknown>, plan: readonly Step[]): Promise<void> {
  let outcome = "it never ends";
  held.begin("one more use", async () => {
    outcome = await use().then(
      () => "it ends",
      (error: unknown) => `it fails: ${String(error)}`,
    );
  });
  await releaseAll(held, plan);
  expect(outcome, "one more use").toBe("it ends");
}

/** Releases all held calls, and those that follow from them, in an order that the plan decides. */
async function releaseAll(held: HeldCalls, plan: readonly Step[]): Promise<void> {
  await settle();
  for (let count = 0; held.size > 0; count++) {
    expect(count, "held calls that never come to an end").toBeLessThan(mostReleases);
    held.release(plan[count % plan.length]?.pick ?? 0, false);
    await settle();
  }
}

/** Lets all ready microtasks and macrotasks run. Does not advance the fake timers. */
async function settle(): Promise<void> {
  await turn();
  await turn();
}
