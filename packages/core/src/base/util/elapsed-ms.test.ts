import { expect, it, vi } from "vitest";
import { elapsedMs } from "./elapsed-ms.ts";

it.each([
  [10, 0],
  [9.5, 0.5],
  [9.9994, 0.001],
  [9.9996, 0],
  [-1234.5678, 1244.568],
])("elapsedMs returns the milliseconds from %d to 10 as %d", (startedAt, expected) => {
  vi.spyOn(performance, "now").mockReturnValue(10);

  expect(elapsedMs(startedAt)).toBe(expected);
  vi.restoreAllMocks();
});
