import { describe, expect, it } from "vitest";
import { gapsOf, judgeUses, uses } from "./openapi-generator-gaps.ts";
import type { Faults } from "./openapi-generator-gaps.ts";

/** The report of a program that can do everything but its declared gaps. */
const asDeclared: Faults = {
  ...Object.fromEntries(Object.keys(uses).map((use) => [use, null] as const)),
  live: "the first event came with the last one",
  formBesideJson: "the request has no method Files",
};

describe("the declared gaps of generated clients", () => {
  it("have no fault while they are all that does not work", () => {
    expect(judgeUses("go", asDeclared)).toEqual([]);
    expect(gapsOf("go")).toHaveLength(2);
  });

  it("are a fault once they work", () => {
    expect(judgeUses("go", { ...asDeclared, live: null })).toEqual([
      "go: the client can read the events of a stream as they come now. Remove its declared gap.",
    ]);
  });

  it("do not excuse another use, another language or a program that left one out", () => {
    const { run: _, ...withoutRun } = asDeclared;

    expect(judgeUses("go", { ...asDeclared, error: "no error" })).toEqual([
      "go: the client could not read the code of an error: no error",
    ]);
    expect(judgeUses("java", asDeclared)).toEqual([
      "java: the client could not read the events of a stream as they come: the first event came with the last one",
    ]);
    expect(judgeUses("go", withoutRun)).toEqual(["go: the program did not run an agent"]);
  });
});
