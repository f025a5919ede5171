import { checkInterleavings } from "@troupe-internal/interleavings";
import type { HeldCalls, Scene } from "@troupe-internal/interleavings";
import { afterEach, beforeEach, inject, it, vi } from "vitest";
import { checkAfterwards, checkEnds, checksMs } from "./test/check-runs.ts";
import { RunClients } from "./test/run-clients.ts";
import { RunWorld } from "./test/run-world.ts";

const numRuns = { few: 4, many: 40 }[inject("trials")];

// Pauses before a repetition are longer or shorter by chance.
beforeEach(() => void vi.spyOn(Math, "random").mockReturnValue(0.5));
afterEach(() => void vi.restoreAllMocks());

it.each([
  ["one process after another", true],
  ["two processes at once", false],
])(
  "a run that was accepted ends once or asks, and is its owner's alone, whatever comes late, fails or dies meanwhile: %s [async.interleavings]",
  async (_how, isAlone) => {
    await checkInterleavings((held) => serveRuns(held, isAlone), {
      seed: isAlone ? 38_701 : 38_702,
      numRuns,
      maxSteps: 60,
      stepMs: 400,
      quietMs: checksMs,
    });
  },
);

function serveRuns(held: HeldCalls, isAlone: boolean): Scene {
  const world = new RunWorld(held, isAlone);
  const clients = new RunClients(world);
  let msToPass = 0;
  return {
    operations: {
      "submit a chat": async () => await clients.submit("chat"),
      "submit one that pays": async () => await clients.submit("pay"),
      "submit one that asks": async () => await clients.submit("ask"),
      "submit one again": async () => await clients.submitAgain(),
      "submit for later": async () => await clients.submit("chat", Date.now() + 3000),
      read: async () => await clients.read(),
      answer: async () => await clients.answer(1),
      "answer twice": async () => await clients.answer(1, 2),
      cancel: async () => await clients.cancel(),
      remove: async () => await clients.remove(),
      "a stranger": async () => await clients.meddle(),
      list: async () => await clients.list(),
      "a process dies": () => world.kill(0),
      "a process dies soon": () => world.kill(12),
      "a process is replaced": async () => await world.replace(),
      drain: async () => await world.drain(),
      "12 s pass": () => void (msToPass += 12_000),
      "the storage is slower or quicker": () => world.changePace(),
    },
    always: async () => {
      const ms = msToPass;
      msToPass = 0;
      if (ms > 0) await vi.advanceTimersByTimeAsync(ms);
      await checkEnds(world);
    },
    end: async () => {
      // A failure here would be one of an operation, which may fail.
      await checkAfterwards(world, clients).catch((error: unknown) => held.check(false, String(error)));
      await world.close();
    },
    afterwards: async () => await checkEnds(world),
  };
}
