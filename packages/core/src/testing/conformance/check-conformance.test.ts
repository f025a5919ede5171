import assert from "node:assert/strict";
import { describe, expect, it } from "vitest";
import { checkConformance } from "./check-conformance.ts";
import type { ConformanceSubject } from "./check-conformance.ts";

const cases = {
  "counts from zero": (list: number[]) => assert.equal(list.length, 0),
  "is never full": (list: number[]) => {
    list.push(1);
    assert.ok(false, "full");
  },
};

/** Runs the declared tests and returns which of them passed. */
async function outcome(subject: ConformanceSubject<number[], keyof typeof cases>) {
  const declared: { title: string; body: () => Promise<void> }[] = [];
  checkConformance((title, body) => declared.push({ title, body }), cases, subject);
  const results: [title: string, passed: boolean][] = [];
  for (const { title, body } of declared) {
    results.push([
      title,
      await body().then(
        () => true,
        () => false,
      ),
    ]);
  }
  return results;
}

describe("checkConformance", () => {
  it("declares one test per case, each with a fresh subject", async () => {
    const created: number[][] = [];
    const create = () => {
      created.push([]);
      return created.at(-1) ?? [];
    };

    expect(await outcome({ create })).toEqual([
      ["counts from zero", true],
      ["is never full", false],
    ]);
    expect(created).toEqual([[], [1]]);
  });

  it("disposes of the subject, also after a failed case", async () => {
    const disposed: number[][] = [];
    await outcome({ create: () => [], dispose: (list) => void disposed.push(list) });

    expect(disposed).toHaveLength(2);
  });

  it("lets a known gap pass while it fails, with its reason in the title", async () => {
    expect(await outcome({ create: () => [], knownGaps: { "is never full": "it is a list" } })).toContainEqual([
      "is never full (known gap: it is a list)",
      true,
    ]);
  });

  it("fails for a known gap that passes", async () => {
    expect(await outcome({ create: () => [], knownGaps: { "counts from zero": "it is said to" } })).toContainEqual([
      "counts from zero (known gap: it is said to)",
      false,
    ]);
  });
});
