import { describe, expect, it } from "vitest";
import type { LogEntry } from "./log-entry.ts";
import { LoggedPast } from "./logged-past.ts";

class Past extends LoggedPast {
  constructor(log: readonly LogEntry[]) {
    super();
    for (const entry of log) this.read(entry);
  }
}

let number = 0;
const attempt = (isShared?: true): LogEntry => {
  number += 1;
  return { t: "attempt", n: number, id: `${number}`, node: "n", print: "", ...(isShared && { isShared }) };
};
const done: LogEntry = { t: "done", step: "m/0", value: null, ms: 1 };
const left: LogEntry = { t: "left", why: "released" };

/** The verdict on a run after its attempts: plain, suspect, suspect that must be alone, or given up. */
function verdictOf(...log: LogEntry[]): string {
  const { isSuspect, mustBeAlone, isGivenUp } = new Past(log);
  if (isGivenUp) return "given up";
  return mustBeAlone ? "alone" : isSuspect ? "suspect" : "plain";
}

describe("the verdict on a run whose attempts died without progress", () => {
  it.each<[what: string, verdict: string, log: LogEntry[]]>([
    ["no attempt", "plain", []],
    ["one", "plain", [attempt()]],
    ["two", "suspect", [attempt(), attempt()]],
    ["two and then one as the only suspect", "given up", [attempt(), attempt(), attempt()]],
    ["two and then one beside a suspect", "alone", [attempt(), attempt(), attempt(true)]],
    ["two and then two beside a suspect", "given up", [attempt(), attempt(), attempt(true), attempt(true)]],
    ["one beside a suspect and then one alone", "given up", [attempt(), attempt(), attempt(true), attempt()]],
    ["two before a finished step, and one after it", "plain", [attempt(), attempt(), attempt(), done, attempt()]],
    ["two and then one that left", "suspect", [attempt(), attempt(), attempt(), left]],
    ["two, one beside a suspect and one that left", "alone", [attempt(), attempt(), attempt(true), attempt(), left]],
  ])("after %s is: %s", (_what, verdict, log) => {
    expect(verdictOf(...log)).toBe(verdict);
  });

  it("counts the attempts that only ended a run that was given up", () => {
    const log = [attempt(), attempt(), attempt()];
    expect(
      [0, 1, 2].map((more) => new Past([...log, ...Array.from({ length: more }, () => attempt())]).endings),
    ).toEqual([0, 1, 2]);
  });
});
