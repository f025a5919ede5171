import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { SuspectRuns } from "./service-parts.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

describe("SuspectRuns", () => {
  it("lets the first suspect run alone, and refuses others beside it", () => {
    const suspects = new SuspectRuns();
    expect(suspects.enter("a", false)).toMatchObject({ isShared: false });
    expect(suspects.enter("b", false)).toBeUndefined();
  });

  it("lets two suspects run together once several want to, and no third", () => {
    const suspects = new SuspectRuns();
    const first = suspects.enter("a", false);
    for (const other of ["b", "c", "d"]) expect(suspects.enter(other, false)).toBeUndefined();
    first?.leave();

    expect(suspects.enter("b", false)).toMatchObject({ isShared: true });
    expect(suspects.enter("c", false)).toMatchObject({ isShared: true });
    expect(suspects.enter("d", false)).toBeUndefined();
  });

  it("lets a run that must be alone in before others, and nothing beside it", () => {
    const suspects = new SuspectRuns();
    const first = suspects.enter("a", false);
    expect(suspects.enter("p", true)).toBeUndefined();
    first?.leave();

    expect(suspects.enter("b", false)).toBeUndefined();
    const alone = suspects.enter("p", true);
    expect(alone).toMatchObject({ isShared: false });
    expect(suspects.enter("b", false)).toBeUndefined();
    alone?.leave();
    expect(suspects.enter("b", false)).toBeDefined();
  });

  it("waits for a run that must be alone only as long as it may come again", () => {
    const suspects = new SuspectRuns();
    const first = suspects.enter("a", false);
    suspects.enter("p", true);
    first?.leave();
    expect(suspects.enter("b", false)).toBeUndefined();
    vi.advanceTimersByTime(5001);

    expect(suspects.enter("b", false)).toBeDefined();
  });
});
