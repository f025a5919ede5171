import { createLogger } from "@troupe/core";
import type { MongoFailures } from "@troupe-internal/mongodb";
import { checkInterleavings } from "@troupe-internal/interleavings";
import type { HeldCalls, Scene } from "@troupe-internal/interleavings";
import { expect, it } from "vitest";
import { ChangeWatch } from "./change-watch.ts";

it("each change is told after it, however often the stream has ended, and none after the close [async.wake-ups]", async () => {
  await checkInterleavings(watchOn, { seed: 38_703, numRuns: 40, stepMs: 250, quietMs: 15_000 });
});

const longestPauseMs = 3200;
const shortestPauseMs = 200;
const lookMs = 50;

async function wait(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}

function watchOn(held: HeldCalls): Scene {
  let written = 0;
  let told = 0;
  let isBroken = false;
  let isClosed = false;
  const cursors: { closes: number }[] = [];
  const open = (signal: AbortSignal) => {
    const cursor = { closes: 0, closed: false };
    cursors.push(cursor);
    let seen = written;
    const tryNext = async (): Promise<object | null> => {
      for (let looks = 0; looks < 20; looks++) {
        if (isBroken || signal.aborted) throw new Error("The stream ended.");
        if (seen < written) return { seen: (seen = written) };
        await wait(lookMs);
      }
      return null;
    };
    return Object.assign(cursor, {
      tryNext,
      close: async (): Promise<void> => void (cursor.closes += 1),
    });
  };
  const failures = { from: (error: unknown) => error as Error } as unknown as MongoFailures;
  const onChange = (): void => {
    held.check(!isClosed, "a change is told after the close");
    told = written;
  };
  const logger = createLogger({ level: "error", write: () => undefined });
  const watch = new ChangeWatch({ open, onChange, failures, logger });
  return {
    operations: {
      "a change": () => (written += 1),
      "the stream breaks": () => (isBroken = true),
      "it is back": () => (isBroken = false),
      "3 s pass": async () => await wait(3000),
    },
    end: async () => {
      // Until the pause is the longest.
      isBroken = true;
      await wait(7000);
      isBroken = false;
      await wait(longestPauseMs + 24 * lookMs);
      held.check(told === written, "a change is not told");
      // Two answers: it has delivered.
      await wait(40 * lookMs);
      // Now a short break costs a short pause.
      isBroken = true;
      await wait(2 * lookMs);
      isBroken = false;
      written += 1;
      // The first answer of a stream comes within a second.
      await wait(shortestPauseMs + 24 * lookMs);
      held.check(told === written, "a change is told late");
      isClosed = true;
      await watch.close();
    },
    afterwards: () => expect(cursors.map(({ closes }) => closes)).toEqual(cursors.map(() => 1)),
  };
}
