import { checkInterleavings } from "@troupe-internal/interleavings";
import type { HeldCalls, Scene } from "@troupe-internal/interleavings";
import { expect, it } from "vitest";
import { LazyConnection } from "./lazy-connection.ts";

it("a lazy connection is opened once, again after a failure, and closed once when its last use has ended, in any order [async.interleavings]", async () => {
  await checkInterleavings((held) => useConnection(held, false), { seed: 38_501 });
  await checkInterleavings((held) => useConnection(held, true), { seed: 38_502 });
});

type Opened = { uses: number; closes: number; close: () => Promise<void> };

function useConnection(held: HeldCalls, isClosed: boolean): Scene {
  const opened: Opened[] = [];
  const connection = new LazyConnection<Opened>("The storage", async () => {
    return await held.hold("the opening", () => {
      const own: Opened = { uses: 0, closes: 0, close: async () => close(own) };
      opened.push(own);
      return own;
    });
  });
  const close = (own: Opened): void => {
    own.closes += 1;
    held.check(own.uses === 0, "a connection is closed that is in use");
  };
  const use = async (): Promise<void> => {
    await connection.use(async (own) => {
      own.uses += 1;
      held.check(own.closes === 0, "a closed connection is used");
      await held.hold("the use", () => undefined).finally(() => (own.uses -= 1));
    });
  };
  return {
    operations: { use, "another use": use, ...(isClosed && { close: async () => await connection.close() }) },
    always: () => expect(opened.length).toBeLessThanOrEqual(1),
    // Without a close before, the connection is open to one more use, whatever has failed.
    ...(!isClosed && { again: use }),
    end: async () => (isClosed ? await connection.close() : undefined),
    afterwards: () => {
      expect(opened.map(({ uses }) => uses)).toEqual(opened.map(() => 0));
      expect(opened.map(({ closes }) => closes)).toEqual(opened.map(() => (isClosed ? 1 : 0)));
    },
  };
}
