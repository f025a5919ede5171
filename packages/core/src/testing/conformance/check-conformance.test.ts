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

  it("says of a failed case what was expected, what came, and how to declare a gap [testing.undeclared-gap]", async () => {
    const declared: (() => Promise<void>)[] = [];
    checkConformance((_title, body) => declared.push(body), cases, { create: () => [] });

    const error: unknown = await declared[1]?.().catch((thrown: unknown) => thrown);

    expect(error).toMatchObject({
      message:
        'Expected a subject that is never full, but: full. Mend it, or name the case in knownGaps: { "is never full": "a reason" }.',
      cause: { name: "AssertionError" },
    });
  });

  it.each([
    [
      { "is empty": "no such case" },
      'knownGaps names "is empty", which is no case of this suite. Its cases: counts from zero · is never full.',
    ],
    [
      { counts: "a part of a title" },
      'knownGaps names "counts", which is no case of this suite. Its cases: counts from zero · is never full.',
    ],
    [
      { toString: "inherited" },
      'knownGaps names "toString", which is no case of this suite. Its cases: counts from zero · is never full.',
    ],
    [
      { "is never full": " " },
      'The known gap "is never full" has no reason. Expected a sentence that says why the case cannot pass.',
    ],
  ])("refuses the gap %j before any test is declared [testing.unknown-gap]", (gaps, message) => {
    // Misspelt titles do not compile: JavaScript may hold them.
    const knownGaps = gaps as Partial<Record<keyof typeof cases, string>>;
    const declared: string[] = [];
    const check = (): void => checkConformance((title) => declared.push(title), cases, { create: () => [], knownGaps });

    expect(check).toThrowError(message);
    expect(declared).toEqual([]);
  });

  it("names a known gap that passes [testing.closed-gap]", async () => {
    const declared: (() => Promise<void>)[] = [];
    const knownGaps = { "counts from zero": "it is said to" };
    checkConformance((_title, body) => declared.push(body), cases, { create: () => [], knownGaps });

    await expect(declared[0]?.()).rejects.toThrowError(
      'The known gap "counts from zero" passes. Remove it from knownGaps.',
    );
  });

  it("fails for a known gap that passes", async () => {
    expect(await outcome({ create: () => [], knownGaps: { "counts from zero": "it is said to" } })).toContainEqual([
      "counts from zero (known gap: it is said to)",
      false,
    ]);
  });
});
