import { describe, expect, it } from "vitest";
import type { ObjectSchema } from "../../schema/object-schema.ts";
import { Workflow } from "./workflow.ts";

const city = { type: "string", minLength: 1, title: "Ville é" };
const trip = {
  type: "object",
  properties: { city, days: { type: "integer", minimum: 1, default: 2 } },
  required: ["city"],
  additionalProperties: false,
} as const;

/** A Standard Schema that describes itself as `trip`, with a check of its own. */
const selfChecked = (validate: (value: unknown) => unknown): ObjectSchema => ({
  "~standard": { version: 1, validate, jsonSchema: { input: () => trip } },
});

const flowOf = (inputSchema: ObjectSchema | undefined) =>
  new Workflow({
    name: "flow",
    initialState: { city: "Oslo", days: 1, text: "" },
    inputSchema,
    steps: [{ name: "write", run: ({ city: where, days }) => ({ text: `${where} ${days}` }) }],
  });

describe("the input schema of a workflow", () => {
  it("accepts an input that fits, which is merged over the initial state", async () => {
    expect((await flowOf(trip).run({ input: { city: "Ålesund" } })).state).toEqual({
      city: "Ålesund",
      days: 1,
      text: "Ålesund 1",
    });
  });

  it.each([
    [{ days: 3 }, "input.city: is missing"],
    [{ city: "" }, "city"],
    [{ city: "Oslo", days: 0 }, "days"],
    [{ city: "Oslo", text: "a key of the state that is no input" }, "text"],
    [undefined, "city"],
  ])("refuses %j before the run begins", (input, named) => {
    const flow = flowOf(trip);
    const refusal = expect.objectContaining({
      code: "invalid_request",
      message: expect.stringContaining(named.split(".").at(-1)?.split(":")[0] ?? ""),
    });

    expect(() => flow.stream(input === undefined ? {} : { input })).toThrow(refusal);
    expect(() => flow.asRunnable().stream(input ?? {})).toThrow(refusal);
  });

  it("does not concern a text, which is for the first agent", async () => {
    expect((await flowOf(trip).asRunnable().run("Hello.")).structured).toMatchObject({ city: "Oslo" });
  });

  it("may change the input, whose result must fit the initial state", async () => {
    const upper = selfChecked((value) => ({ value: { city: (value as { city: string }).city.toUpperCase() } }));
    const other = selfChecked(() => ({ value: { city: 1 } }));

    expect((await flowOf(upper).run({ input: { city: "Oslo" } })).state.city).toBe("OSLO");
    await expect(flowOf(other).run({ input: { city: "Oslo" } })).rejects.toMatchObject({
      code: "invalid_request",
      message: "input.city must be a string.",
    });
  });

  it("must check without waiting, because wrong input is refused before a run begins", async () => {
    const late = flowOf(selfChecked(async () => await Promise.reject(new Error("late"))));

    await expect(late.run({ input: { city: "Oslo" } })).rejects.toMatchObject({
      code: "invalid_config",
      message: "inputSchema must check an input synchronously, and returned a promise.",
    });
  });

  it("is shown to clients as JSON Schema, and is absent unless it is declared", () => {
    expect(flowOf(trip).inputSchema).toEqual(trip);
    expect(flowOf(selfChecked((value) => ({ value }))).inputSchema).toEqual(trip);
    expect(flowOf(undefined).inputSchema).toBeUndefined();
  });

  it.each([
    [{ type: "array" }, "inputSchema must have an object at its root"],
    ["city", "inputSchema"],
    [{ parse: () => ({}) }, "inputSchema"],
  ])("refuses %j, which is no schema of an object", (wrong, sentence) => {
    expect(() => flowOf(wrong as ObjectSchema)).toThrow(
      expect.objectContaining({ code: "invalid_config", message: expect.stringContaining(sentence) }),
    );
  });
});
