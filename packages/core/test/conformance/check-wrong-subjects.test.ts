import { strict as assert } from "node:assert";
import { describe, expect, it } from "vitest";
import { checkWrongSubjects } from "./check-wrong-subjects.ts";

const cases = { "is empty": (list: number[]) => assert.equal(list.length, 0) };

/** Returns the error of the declared test, if it fails. */
async function outcome(create: () => number[]): Promise<unknown> {
  const bodies: (() => Promise<void>)[] = [];
  checkWrongSubjects((_title, body) => bodies.push(body), cases, { "is empty": create });
  return await bodies[0]?.().catch((error: unknown) => error);
}

describe("checkWrongSubjects", () => {
  it("passes when the case fails on its wrong subject", async () => {
    expect(await outcome(() => [1])).toBeUndefined();
  });

  it("fails when the case passes on its wrong subject", async () => {
    expect(await outcome(() => [])).toMatchObject({ message: expect.stringContaining("Missing expected rejection") });
  });

  it("fails when the case fails by accident", async () => {
    const accident = { message: expect.stringContaining("Cannot read properties of undefined") };

    expect(await outcome(() => undefined as unknown as number[])).toMatchObject(accident);
  });
});
