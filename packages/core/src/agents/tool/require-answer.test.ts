import { describe, expect, it } from "vitest";
import * as z from "zod";
import { compileStructuredSchema } from "../../schema/compile-schema.ts";
import { requireAnswer } from "./require-answer.ts";
import type { ToolOutcome } from "./tool-outcome.ts";

const image = { type: "image", data: "aGk=" } as const;
const text = (of: string) => ({ type: "text", text: of }) as const;
const failed = (problem: string) => ({ result: problem, error: problem });

describe("requireAnswer without a schema", () => {
  it.each<[outcome: ToolOutcome]>([
    [{ result: "rain" }],
    [{ result: "" }],
    [{ result: [image, text("rain")] }],
    [{ result: [text("")], artifacts: [{ type: "chart", data: 1 }] }],
    [{ result: [image], error: "It failed." }],
  ])("returns the outcome as it is: %j", async (outcome) => {
    expect(await requireAnswer(outcome, "look", undefined)).toBe(outcome);
  });

  it.each<[result: ToolOutcome["result"]]>([[[image]], [[image, image]], [[]]])(
    "fails without a part of text: %j",
    async (result) => {
      const outcome = await requireAnswer({ result, artifacts: [{ type: "a", data: 1 }] }, "look", undefined);

      expect(outcome).toStrictEqual(failed("The result of look has no text, which the answer of the run must have."));
    },
  );
});

describe("requireAnswer with a schema", () => {
  const schema = compileStructuredSchema(z.object({ sum: z.number() }));

  it.each<[outcome: ToolOutcome]>([
    [{ result: '{"sum":3}' }],
    [{ result: [text('{"sum":'), image, text("3}")] }],
    [{ result: "{}", error: "It failed." }],
  ])("returns an outcome that fits as it is, and a failure: %j", async (outcome) => {
    expect(await requireAnswer(outcome, "look", schema)).toBe(outcome);
  });

  it.each([
    ['{"sum":"3"}', "sum: Invalid input: expected number, received string"],
    ["[]", "result: Invalid input: expected object, received array"],
  ])("names the issues of one that does not fit: %s", async (result, issue) => {
    const artifacts = [{ type: "a", data: 1 }];

    expect(await requireAnswer({ result, artifacts }, "look", schema)).toStrictEqual(
      failed(`The result of look does not fit the schema of the answer:\n${issue}`),
    );
  });

  it("cuts what it says to 2,048 bytes", async () => {
    const names = Array.from({ length: 20 }, (_, index) => `${"é".repeat(90)}${index}`);
    const many = compileStructuredSchema(z.object(Object.fromEntries(names.map((name) => [name, z.number()]))));
    const { error = "" } = await requireAnswer({ result: "{}" }, "look", many);

    expect(Buffer.byteLength(error)).toBeLessThanOrEqual(2048);
    expect(Buffer.byteLength(error)).toBeGreaterThan(2000);
    expect(error).toMatch(/…$/);
  });
});
