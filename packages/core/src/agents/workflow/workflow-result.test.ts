import { format, inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { failureOf } from "./test/failures.ts";
import { Workflow } from "./workflow.ts";

/** Returns the error of a workflow whose state has a secret. */
async function fail() {
  const steps = [
    {
      name: "break",
      run: () => {
        throw new TypeError("no");
      },
    },
  ];
  return await failureOf(new Workflow({ name: "flow", initialState: { card: "s3cret" }, steps }).run());
}

describe("the error of a workflow", () => {
  it.each<[way: string, show: (error: Error) => string]>([
    ["inspect", (error) => inspect(error, { depth: 10 })],
    ["console.log", (error) => format(error)],
    ["JSON.stringify", (error) => JSON.stringify(error)],
    ["a copy of its fields", (error) => JSON.stringify(Object.assign({}, error))],
    ["Object.entries", (error) => JSON.stringify(Object.entries(error))],
  ])("has the state of its run, and does not show it: %s", async (_, show) => {
    const error = await fail();

    expect([error.result.state, error.output.structured]).toEqual([{ card: "s3cret" }, { card: "s3cret" }]);
    expect(show(error)).not.toContain("s3cret");
  });
});
