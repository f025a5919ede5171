import { expect, it, vi } from "vitest";
import { restoreGlobals } from "./globals.ts";

it("globals that a test leaves changed are named, and are again as they were", () => {
  const { setTimeout: before } = globalThis;
  expect(restoreGlobals()).toEqual([]);
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  const { setTimeout: fake } = globalThis;
  vi.useRealTimers();
  Object.assign(globalThis, { setTimeout: fake });

  expect(restoreGlobals()).toEqual(["setTimeout"]);
  expect(globalThis.setTimeout).toBe(before);
  expect(restoreGlobals()).toEqual([]);
});
