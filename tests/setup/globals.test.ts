import { expect, it, vi } from "vitest";
import { restoreGlobals } from "./globals.ts";

it("globals that a test leaves changed are named, and are again as they were", () => {
  const { setTimeout: before } = globalThis;
  const random = Math.random;
  expect(restoreGlobals()).toEqual([]);
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  const { setTimeout: fake } = globalThis;
  vi.useRealTimers();
  Object.assign(globalThis, { setTimeout: fake });
  Object.assign(Math, { random: () => 0 });

  expect(restoreGlobals()).toEqual(["setTimeout", "Math.random"]);
  expect(globalThis.setTimeout).toBe(before);
  expect(Math.random).toBe(random);
  expect(restoreGlobals()).toEqual([]);
});
