import { checkInterleavings } from "@troupe-internal/interleavings";
import type { HeldCalls, Scene } from "@troupe-internal/interleavings";
import { expect, it } from "vitest";
import type { AnyRequestedRun, RunAcceptance, StoredTerms } from "./accept-requested-run.ts";
import { OpenShares } from "./open-shares.ts";

it("each open run has one place, which it gives back at its end and at its refusal, and as many run at once as may, in any order [async.interleavings]", async () => {
  await checkInterleavings(acceptRuns, { seed: 38_503, numRuns: 100 });
});

const maxOpen = 3;

function acceptRuns(held: HeldCalls): Scene {
  const shares = new OpenShares(maxOpen);
  const open = new Set<symbol>();
  const accept = async (isNew: boolean, isTaken = isNew): Promise<void> => {
    const own = Symbol("run");
    const requested = { opts: { userId: "ann" } } as unknown as AnyRequestedRun;
    const over = Promise.withResolvers<void>();
    const acceptBy = async ({ beforeStored }: StoredTerms): Promise<RunAcceptance> => {
      await held.hold("the record of its key", () => undefined);
      const hadRoom = open.size < maxOpen;
      if (isTaken) {
        try {
          await beforeStored?.();
        } catch (error) {
          held.check(!hadRoom, "a run is refused that has room");
          throw error;
        }
        open.add(own);
      }
      try {
        await held.hold("the storage", () => undefined);
      } catch (error) {
        open.delete(own);
        throw error;
      }
      // Another request with its key was first.
      if (!isNew) open.delete(own);
      if (isNew) void held.hold("the run", () => end(), { canFail: false });
      return { runId: "r", sessionId: "s", isNew, ...(isNew && { over: over.promise }) };
    };
    const end = (): void => {
      open.delete(own);
      over.resolve();
    };
    await shares.accept(requested, {} as StoredTerms, acceptBy);
  };
  return {
    operations: {
      "a new run": async () => await accept(true),
      "another new run": async () => await accept(true),
      "a run that is there": async () => await accept(false),
      "a run that is there a moment later": async () => await accept(false, true),
    },
    always: () => expect(open.size, "open runs").toBeLessThanOrEqual(maxOpen),
    again: async () => await Promise.all([accept(true), accept(true), accept(true)]),
    afterwards: () => expect(open.size).toBe(0),
  };
}
