import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { processState } from "./process-state.ts";
import { TestChild } from "./test-child.ts";

const file = new URL("./test/ticking-child.ts", import.meta.url);
const patience = { timeout: 10_000, interval: 5 };

let folder: string;
let path: string;
const children: TestChild[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "test-child-"));
  path = join(folder, "ticks");
});

afterEach(async () => {
  await Promise.all(children.splice(0).map(async (child) => await child.close()));
  rmSync(folder, { recursive: true });
});

type Ready = { ready: true; own?: number };
const isReady = (message: unknown): message is Ready => typeof message === "object" && "ready" in (message ?? {});
const isEcho = (message: unknown): message is object => typeof message === "object" && "echo" in (message ?? {});

async function start(mode = ""): Promise<{ child: TestChild; ready: Ready }> {
  const child = await TestChild.start(file, { args: [path, mode] });
  children.push(child);
  const ready = await child.next(isReady);
  await vi.waitFor(() => expect(statSync(path).size).toBeGreaterThan(0), patience);
  return { child, ready };
}

describe("TestChild", () => {
  it("exchanges messages over IPC and keeps the output", async () => {
    const { child } = await start();
    const echo = child.next(isEcho);
    child.send({ say: "it" });

    expect(await echo).toEqual({ echo: true });
    expect(child.messages).toHaveLength(2);
    await vi.waitFor(() => expect(child.output.toString()).toBe("hello from the child\n"), patience);
  });

  it("kills the process and reports its signal", async () => {
    const { child } = await start();

    expect(await child.kill()).toEqual({ code: null, signal: "SIGKILL" });
    expect(processState(child.pid)).toBeUndefined();
    child.send({ say: "it" });
    await expect(child.next(isEcho)).rejects.toThrow("The process ended (SIGKILL)");
  });

  it("kills the process after a time", async () => {
    const { child } = await start();

    expect(await child.killAfter(5)).toEqual({ code: null, signal: "SIGKILL" });
  });

  it("stops the process while it is frozen and continues it when it thaws", async () => {
    const { child } = await start();
    await child.freeze();
    const size = statSync(path).size;
    const echo = child.next(isEcho);
    child.send({ say: "it" });
    // Waits 100 ms, in which a running process writes about a hundred times.
    for (let wait = 0; wait < 20; wait++) await new Promise((resolve) => setTimeout(resolve, 5));

    expect(processState(child.pid)).toBe("T");
    expect(statSync(path).size).toBe(size);
    expect(child.messages).toHaveLength(1);
    await child.thaw();
    expect(await echo).toEqual({ echo: true });
    await vi.waitFor(() => expect(statSync(path).size).toBeGreaterThan(size), patience);
  });

  it("kills a frozen process", async () => {
    const { child } = await start();
    await child.freeze();

    expect(await child.kill()).toEqual({ code: null, signal: "SIGKILL" });
  });

  it("stops the process with SIGTERM", async () => {
    const { child } = await start();

    expect(await child.stop()).toEqual({ code: null, signal: "SIGTERM" });
  });

  it("kills a process that ignores SIGTERM after the grace period", async () => {
    const { child } = await start("stubborn");

    expect(await child.stop({ graceMs: 100 })).toEqual({ code: null, signal: "SIGKILL" });
  });

  it("leaves the children of the process running after a kill, and ends them with close", async () => {
    const { child, ready } = await start("parent");
    const own = ready.own ?? 0;
    await child.kill();

    expect(processState(own)).toMatch(/[RSD]/);
    await child.close();
    await vi.waitFor(() => expect(processState(own)).toBeOneOf([undefined, "Z"]), patience);
    await child.close();
  });

  it("ends when its parent is killed", async () => {
    const parent = await TestChild.start(new URL("./test/parent-child.ts", import.meta.url), { args: [path] });
    children.push(parent);
    const { own = 0 } = await parent.next(isReady);
    await parent.kill();

    await vi.waitFor(() => expect(processState(own)).toBeOneOf([undefined, "Z"]), patience);
    expect(readFileSync(path).length).toBeGreaterThan(0);
  });
});
