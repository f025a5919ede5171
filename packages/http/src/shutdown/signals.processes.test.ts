import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { TestChild } from "@troupe-internal/fault-tools";
import { describe, expect, it, onTestFinished } from "vitest";
import { post } from "../../test/clients.ts";

const isReady = (message: unknown): message is { port: number } =>
  typeof message === "object" && message !== null && "port" in message;

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
    const { child, service } = await startService(5000);
    const answer = post(service, "/agents/a/run");
    await sleep(20);

    const exit = child.kill(signal);

    expect([200, undefined]).toContain((await answer.catch(() => undefined))?.status);
    expect(await exit).toEqual({ code: 0, signal: null });
  });

  it("ends runs that take longer than the grace period", async () => {
    const { child, service } = await startService(300, "slow");
    const answer = post(service, "/agents/a/run");
    await sleep(200);

    const exit = child.kill("SIGTERM");

    expect((await answer).status).toBe(503);
    expect(await exit).toEqual({ code: 0, signal: null });
  });

  it("ends at once with exit code 1 on a second signal", async () => {
    const { child, service } = await startService(25_000, "slow");
    const answer = post(service, "/agents/a/run").catch(() => undefined);
    await sleep(200);

    void child.kill("SIGTERM");
    await sleep(100);
    const startedAt = performance.now();
    const exit = await child.kill("SIGTERM");

    expect(exit).toEqual({ code: 1, signal: null });
    expect(performance.now() - startedAt).toBeLessThan(5000);
    await answer;
  });

  it("ends with a warning if the host keeps it alive", async () => {
    const { child } = await startService(5000, "kept alive");

    const exit = await child.kill("SIGTERM");

    expect(exit).toEqual({ code: 0, signal: null });
    expect(child.output.toString()).toContain("something keeps it alive after the shutdown");
  });
});
