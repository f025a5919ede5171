import { TestChild } from "@troupe-internal/fault-tools";
import { describe, expect, it, onTestFinished } from "vitest";
import { databases, freshQueue } from "../test/servers.ts";

/** Milliseconds by which a program may live longer than one that has no engine. The client's own pause was 2000. */
const marginMs = 500;

for (const { name, url, connection } of databases) {
  describe.skipIf(url === "")(`a program whose engine on ${name} is closed`, { timeout: 60_000 }, () => {
    it("ends as fast as a program without an engine", async () => {
      const plainMs = await leaveMs([]);
      const withEngineMs = await leaveMs([JSON.stringify(connection), freshQueue()]);

      expect(withEngineMs - plainMs).toBeLessThan(marginMs);
    });
  });
}

/** Returns the milliseconds for which the program lived after its last statement. */
async function leaveMs(args: string[]): Promise<number> {
  const child = await TestChild.start(new URL("../test/closing-child.ts", import.meta.url), { args });
  onTestFinished(async () => await child.close());
  expect(await child.exit).toMatchObject({ code: 0 });
  const { leftMs } = JSON.parse(child.output.toString()) as { leftMs: number };
  return leftMs;
}
