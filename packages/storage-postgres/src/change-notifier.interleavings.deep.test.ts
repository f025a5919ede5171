import type { Connections } from "@troupe-internal/postgres";
import { checkInterleavings } from "@troupe-internal/interleavings";
import type { HeldCalls, Scene } from "@troupe-internal/interleavings";
import { expect, it } from "vitest";
import { ChangeNotifier } from "./change-notifier.ts";

it("each write is told by a notification that is sent after it, also one in the pause or while another is sent [async.wake-ups]", async () => {
  await checkInterleavings((held) => writeOn(held, { isClosed: false }), { seed: 38_701, stepMs: 15, quietMs: 1000 });
  await checkInterleavings((held) => writeOn(held, { isClosed: true }), { seed: 38_702, stepMs: 15, quietMs: 1000 });
});

function writeOn(held: HeldCalls, { isClosed }: { isClosed: boolean }): Scene {
  let written = 0;
  let told = 0;
  let underWay = 0;
  const useRepeatedly = async (): Promise<void> => {
    const now = written;
    underWay += 1;
    held.check(underWay === 1, "two notifications are sent at once");
    // One that fails is lost, and costs no more than a wait.
    await held
      .hold("a notification", () => undefined)
      .finally(() => {
        underWay -= 1;
        told = now;
      });
  };
  const notifier = new ChangeNotifier({ useRepeatedly } as unknown as Connections, "channel");
  const write = (): void => {
    written += 1;
    notifier.announce();
  };
  return {
    operations: { "a write": write },
    end: async () => (isClosed ? await notifier.close() : undefined),
    afterwards: async () => {
      expect(told, "the last write that was told").toBe(written);
      await notifier.close();
    },
  };
}
