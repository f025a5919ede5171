import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TestChild } from "@troupe-internal/fault-tools";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { post } from "../../test/clients.ts";

const isReady = (message: unknown): message is { port: number } =>
  typeof message === "object" && message !== null && "port" in message;

const isWorking = (message: unknown): message is { works: true } =>
  typeof message === "object" && message !== null && "works" in message;

async function startService(graceMs: number, manner = "") {
  const folder = mkdtempSync(join(tmpdir(), "troupe-http-"));
  const args = [join(folder, "journal"), String(graceMs), manner];
  const child = await TestChild.start(new URL("../../test/service-child.ts", import.meta.url), { args });
  onTestFinished(async () => {
    await child.close();
    rmSync(folder, { recursive: true });
  });
  const { port } = await child.next(isReady);
  return { child, service: { url: `http://127.0.0.1:${port}` } };
}

describe("a process with onSignals", () => {
  it.each(["SIGTERM", "SIGINT"] as const)("ends on %s with exit code 0 when its runs are over", async (signal) => {
    const { child, service } = await startService(30_000);
    const answer = post(service, "/agents/a/run");
    await child.next(isWorking);

    const exit = child.kill(signal);

    expect((await answer).status).toBe(200);
    expect(await exit).toEqual({ code: 0, signal: null });
  });

  it("ends runs that take longer than the grace period", async () => {
    const { child, service } = await startService(300, "slow");
    const answer = post(service, "/agents/a/run");
    await child.next(isWorking);

    const exit = child.kill("SIGTERM");

    expect((await answer).status).toBe(503);
    expect(await exit).toEqual({ code: 0, signal: null });
  });

  it("ends at once with exit code 1 on a second signal", async () => {
    const { child, service } = await startService(600_000, "slow");
    const answer = post(service, "/agents/a/run").catch(() => undefined);
    await child.next(isWorking);

    void child.kill("SIGTERM");
    // The first signal has arrived when the service takes no more connections.
    await vi.waitUntil(
      async () =>
        await fetch(`${service.url}/ready`).then(
          ({ ok }) => !ok,
          () => true,
        ),
    );
    const exit = await child.kill("SIGTERM");

    // Code 1 and not 0: the grace period was not over.
    expect(exit).toEqual({ code: 1, signal: null });
    await answer;
  });

  it("ends with a warning if the host keeps it alive", async () => {
    const { child } = await startService(5000, "kept alive");

    const exit = await child.kill("SIGTERM");

    expect(exit).toEqual({ code: 0, signal: null });
    expect(child.output.toString()).toContain("something keeps it alive after the shutdown");
  });
});
