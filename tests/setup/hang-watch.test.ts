import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { HangWatch } from "./hang-watch.ts";

afterEach(() => {
  vi.useRealTimers();
});

/** Returns a watch with little patience, and a promise of the first lines that it prints. */
function newWatch() {
  const { promise: printed, resolve: print } = Promise.withResolvers<string>();
  return { watch: new HangWatch({ print, afterMs: 20 }), printed };
}

describe("HangWatch", () => {
  it("names a test that does not end, with the servers that are open, while the test has faked all timers", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const { watch, printed } = newWatch();
    vi.useFakeTimers();
    onTestFinished(watch.begin("a.test.ts > waits for ever"));

    const lines = (await printed).split("\n");
    expect(lines[0]).toBe("Still running after 0.02 s: a.test.ts > waits for ever. What keeps the process alive:");
    expect(lines[1]).toMatch(/\d TCPServerWrap/);
    expect(lines).toContain(`  server on port ${port}`);
  });

  it("says nothing of tests that have ended", async () => {
    const { watch, printed } = newWatch();
    watch.begin("one that ends")();
    watch.begin("one that hangs");

    expect(await printed).toContain("one that hangs");
  });
});
