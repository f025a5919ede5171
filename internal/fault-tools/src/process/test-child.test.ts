import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { processState } from "./process-state.ts";
import { seededRandom } from "./seeded-random.ts";
import { TestChild } from "./test-child.ts";

// Processes take their time on a busy machine.
vi.setConfig({ testTimeout: 20_000 });

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

describe("a child", () => {
  it("speaks over IPC, and its output is kept", async () => {
    const { child } = await start();
    const echo = child.next(isEcho);
    child.send({ say: "it" });

    expect(await echo).toEqual({ echo: true });
    expect(child.messages).toHaveLength(2);
    await vi.waitFor(() => expect(child.output.toString()).toBe("hello from the child\n"), patience);
  });

  it("is killed and gone", async () => {
    const { child } = await start();

    expect(await child.kill()).toEqual({ code: null, signal: "SIGKILL" });
    expect(processState(child.pid)).toBeUndefined();
    child.send({ to: "nobody" });
    await expect(child.next(isEcho)).rejects.toThrow("The process ended (SIGKILL)");
  });

  it("is killed at a time", async () => {
    const { child } = await start();

    expect(await child.killAfter(5)).toEqual({ code: null, signal: "SIGKILL" });
  });

  it("does nothing while it is frozen, and goes on when it thaws", async () => {
    const { child } = await start();
    await child.freeze();
    const size = statSync(path).size;
    const echo = child.next(isEcho);
    child.send({ say: "it" });
    // Twenty looks at a process that would write every millisecond.
    for (let look = 0; look < 20; look++) await new Promise((resolve) => setTimeout(resolve, 5));

    expect(processState(child.pid)).toBe("T");
    expect(statSync(path).size).toBe(size);
    expect(child.messages).toHaveLength(1);
    await child.thaw();
    expect(await echo).toEqual({ echo: true });
    await vi.waitFor(() => expect(statSync(path).size).toBeGreaterThan(size), patience);
  });

  it("is killed while it is frozen", async () => {
    const { child } = await start();
    await child.freeze();

    expect(await child.kill()).toEqual({ code: null, signal: "SIGKILL" });
  });

  it("ends on a word", async () => {
    const { child } = await start();

    expect(await child.stop()).toEqual({ code: null, signal: "SIGTERM" });
  });

  it("is ended though it does not listen", async () => {
    const { child } = await start("stubborn");

    expect(await child.stop({ graceMs: 100 })).toEqual({ code: null, signal: "SIGKILL" });
  });

  it("leaves what it started to live on after a kill, and nobody after a close", async () => {
    const { child, ready } = await start("parent");
    const own = ready.own ?? 0;
    await child.kill();

    expect(processState(own)).toMatch(/[RSD]/);
    await child.close();
    await vi.waitFor(() => expect(processState(own)).toBeOneOf([undefined, "Z"]), patience);
    await child.close();
  });

  it("goes when its parent goes", async () => {
    const parent = await TestChild.start(new URL("./test/parent-child.ts", import.meta.url), { args: [path] });
    children.push(parent);
    const { own = 0 } = await parent.next(isReady);
    await parent.kill();

    await vi.waitFor(() => expect(processState(own)).toBeOneOf([undefined, "Z"]), patience);
    expect(readFileSync(path).length).toBeGreaterThan(0);
  });
});

describe("a seeded random", () => {
  it("is the same for the same seed and spread over the whole range", () => {
    const draw = (seed: number) => Array.from({ length: 1000 }, seededRandom(seed));

    expect(draw(7)).toEqual(draw(7));
    expect(draw(7)).not.toEqual(draw(8));
    const tenths = new Set(draw(7).map((value) => Math.floor(value * 10)));
    expect([...tenths].toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });
});
