import { describe, expect, expectTypeOf, it } from "vitest";
import * as z from "zod";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { defineTool, isDefinedTool, argumentSchemaOf } from "./define-tool.ts";
import type { ObjectSchema } from "../../schema/object-schema.ts";
import type { RunContext } from "../run/run-context.ts";
import type { ExecutableTool, ToolContext, ToolDef } from "../run/tool.ts";

const city = z.object({ city: z.string(), days: z.number().default(3) });
const weather = { name: "weather", description: "Tells the weather.", parameters: city, execute: () => "rain" };

const runContext = { runId: "run-1" } as RunContext;

describe("defineTool", () => {
  it("makes a tool of name, description, parameters and execute [tool.definition]", () => {
    const tool = defineTool({ ...weather, cache: { ttl: 1000 }, timeoutMs: 5, maxOutputBytes: 10, effect: "pure" });

    expectTypeOf(tool).toEqualTypeOf<ExecutableTool>();
    expect(tool).toMatchObject({ ...weather, cache: { ttl: 1000 }, timeoutMs: 5, maxOutputBytes: 10, effect: "pure" });
    expect(isDefinedTool(tool)).toBe(true);
    expect(isDefinedTool({ ...tool })).toBe(false);
  });

  it("makes a tool for the client to execute of a definition without execute [tool.definition]", () => {
    const { execute: _, ...client } = weather;
    const tool = defineTool({ ...client, needsApproval: true, maxOutputBytes: 10, waitMs: 1000 });

    expectTypeOf(tool).toEqualTypeOf<ToolDef>();
    expect(tool).toMatchObject({ ...client, needsApproval: true, maxOutputBytes: 10, waitMs: 1000 });
    expect(Object.keys(tool)).not.toContain("execute");
  });

  it("keeps needsApproval, verify and onDoubt, and infers their arguments", async () => {
    const tool = defineTool({
      ...weather,
      effect: "once",
      needsApproval: (args, { runId }) => {
        expectTypeOf(args).toEqualTypeOf<{ city: string; days: number }>();
        return args.days > 3 && runId !== "";
      },
      verify: async (key, args) => {
        expectTypeOf(args).toEqualTypeOf<{ city: string; days: number }>();
        return await Promise.resolve({ result: `${key} ${args.city}` });
      },
      onDoubt: "tell",
    });

    expect(tool.onDoubt).toBe("tell");
    expect(await tool.verify?.("key", { city: "Oslo" })).toEqual({ result: "key Oslo" });
    expect(typeof tool.needsApproval === "function" && tool.needsApproval({ days: 4 }, runContext)).toBe(true);
  });

  it("cannot be changed afterwards", () => {
    const tool = defineTool(weather);

    expect(() => Object.assign(tool, { name: "no name" })).toThrow(TypeError);
  });

  it("compiles a library's schema when the tool is defined, and once", () => {
    let asked = 0;
    const counting = z.object({ city: z.string() });
    const standard = { ...counting["~standard"], jsonSchema: { input: () => ((asked += 1), { type: "object" }) } };

    const tool = defineTool({ ...weather, parameters: { "~standard": standard } });
    expect(asked).toBe(1);
    const [one, other] = [argumentSchemaOf(tool).jsonSchema, argumentSchemaOf(tool).jsonSchema];

    expect(asked).toBe(1);
    expect(one).toBe(other);
  });

  it("gives execute the arguments that the schema makes, and the run context", () => {
    defineTool({
      ...weather,
      execute: (args, context) => {
        expectTypeOf(args).toEqualTypeOf<{ city: string; days: number }>();
        expectTypeOf(context).toEqualTypeOf<ToolContext>();
        return args.city;
      },
    });
    defineTool({
      name: "plain",
      description: "Takes a plain JSON Schema.",
      parameters: { type: "object", properties: { city: { type: "string" } } },
      execute: (args) => {
        expectTypeOf(args).toEqualTypeOf<Record<string, unknown>>();
        return "";
      },
    });
  });

  it("does not compile with a wrong argument name, result, option or schema", () => {
    // @ts-expect-error -- the schema has no `town`
    defineTool({ name: "a", description: "a", parameters: city, execute: ({ town }) => String(town) });
    // @ts-expect-error -- a bigint is no result
    defineTool({ name: "a", description: "a", parameters: city, execute: () => 1n });
    // @ts-expect-error -- neither is a Date
    defineTool({ name: "a", description: "a", parameters: city, execute: async () => ({ at: new Date() }) });
    // @ts-expect-error -- there is no such option
    expect(() => defineTool({ ...weather, timeout: 5 })).toThrow(TroupeError);
    // @ts-expect-error -- there is no such effect
    expect(() => defineTool({ ...weather, effect: "none" })).toThrow(TroupeError);
    // @ts-expect-error -- a text is no schema
    expect(() => defineTool({ ...weather, parameters: "object" })).toThrow(TroupeError);
  });
});

describe("defineTool rejects as invalid_config", () => {
  it.each<[title: string, parameters: ObjectSchema, sentence: RegExp]>([
    [
      "a Date of zod",
      z.object({ at: z.date() }),
      /^tool "weather"\.parameters has no JSON Schema: at "at", the type date/,
    ],
    ["a string at its root", z.string(), /^tool "weather"\.parameters must have an object at its root\. Wrap/],
    ["an array at its root", { type: "array" }, /^tool "weather"\.parameters must have an object at its root\. Wrap/],
    [
      "a class within",
      { type: "object", default: new Date(0) },
      /^tool "weather"\.parameters is not a JSON Schema: at #\/def/,
    ],
    [
      "a wrong type",
      { type: "object", properties: { a: { type: "text" } } },
      /at #\/properties\/a, "type" must be one of/,
    ],
    [
      "a wrong pattern",
      { type: "object", properties: { a: { pattern: "(" } } },
      /at #\/properties\/a, the pattern "\("/,
    ],
    [
      "a lost reference",
      { type: "object", properties: { a: { $ref: "#/$defs/b" } } },
      /"\$ref" must point into this schema/,
    ],
  ])("a schema with %s, when the tool is defined [schema.checked-early]", (_, parameters, sentence) => {
    expect(() => defineTool({ ...weather, parameters, execute: () => "" })).toThrow(
      expect.objectContaining({ code: "invalid_config", message: expect.stringMatching(sentence) }),
    );
  });

  it.each<[title: string, wrong: Record<string, unknown>, sentence: RegExp]>([
    ["a tool without a name", { name: undefined }, /^name of a tool must be a string of 1 to 64 letters.*undefined/],
    ["a tool with an empty name", { name: "" }, /^name of a tool must be .* begins with a letter or _, got ""\.$/],
    ["a name that begins with a digit", { name: "1st" }, /begins with a letter or _, got "1st"/],
    ["a name with a space", { name: "get weather" }, /got "get weather"/],
    ["a name with a line break at its end", { name: "weather\n" }, /got "weather\\n"/],
    ["a name that is too long", { name: "a".repeat(65) }, /1 to 64/],
    ["a blank description", { description: " \n" }, /^tool "weather"\.description must be a string that is not blank/],
    ["a tool without a description", { description: undefined }, /^tool "weather"\.description must be a string/],
    ["a tool without parameters", { parameters: undefined }, /^tool "weather"\.parameters must be a schema of zod 4/],
    ["an object of schemas", { parameters: { city: z.string() } }, /wrap it, as z\.object/i],
    ["an execute that is no function", { execute: "rain" }, /^tool "weather"\.execute must be a function/],
    ["a time to live of 0", { cache: { ttl: 0 } }, /^tool "weather"\.cache\.ttl must be a positive number/],
    ["a cache that is no object", { cache: 1000 }, /^tool "weather"\.cache must be an object, got 1000/],
    ["a cache without ttl", { cache: {} }, /^tool "weather"\.cache\.ttl must be a positive number/],
    [
      "an unknown cache option",
      { cache: { ttl: 1, max: 2 } },
      /^Unknown option "max" of tool "weather"\.cache. Expected ttl/,
    ],
    ["a timeout of 0", { timeoutMs: 0 }, /^tool "weather"\.timeoutMs must be a positive number/],
    ["a timeout that is NaN", { timeoutMs: NaN }, /^tool "weather"\.timeoutMs must be a positive number/],
    ["half a byte of output", { maxOutputBytes: 0.5 }, /^tool "weather"\.maxOutputBytes must be a positive integer/],
    ["a wrong endsRun", { endsRun: "yes" }, /^tool "weather"\.endsRun must be true or false/],
    ["an unknown effect", { effect: "never" }, /^tool "weather"\.effect must be "pure", "idempotent" or "once"/],
    [
      "a wrong needsApproval",
      { needsApproval: "yes" },
      /^tool "weather"\.needsApproval must be true, false, or a function/,
    ],
    ["a wrong verify", { verify: {} }, /^tool "weather"\.verify must be a function/],
    ["a wait of 0", { waitMs: 0 }, /^tool "weather"\.waitMs must be a positive number/],
    ["an unknown onDoubt", { onDoubt: "retry" }, /^tool "weather"\.onDoubt must be "ask" or "tell"/],
    ["an unknown option", { timeout: 1 }, /^Unknown option "timeout" of tool "weather". Expected name,/],
  ])("%s", (_, wrong, sentence) => {
    const refused = () => defineTool({ ...weather, ...wrong });

    expect(refused).toThrow(
      expect.objectContaining({ code: "invalid_config", message: expect.stringMatching(sentence) }),
    );
  });

  it.each<[option: string, value: unknown]>([
    ["cache", { ttl: 1000 }],
    ["timeoutMs", 1000],
    ["effect", "once"],
    ["verify", async () => await Promise.resolve(null)],
    ["onDoubt", "tell"],
    ["publicErrors", false],
  ])("the option %s without execute, which it is about [tool.no-effect]", (option, value) => {
    const { execute: _, ...client } = weather;
    const message = `tool "weather".${option} has no effect without execute: the client executes the calls. Leave it out, or add execute.`;

    expect(() => defineTool({ ...client, [option]: value })).toThrow(
      expect.objectContaining({ code: "invalid_config", message }),
    );
  });

  it.each([
    ["verify", "pure"],
    ["verify", "idempotent"],
    ["onDoubt", "pure"],
    ["onDoubt", "idempotent"],
  ] as const)("the option %s with the effect %s, which is not asked about [tool.no-effect]", (option, effect) => {
    const value =
      option === "verify" ? { verify: async () => await Promise.resolve(null) } : { onDoubt: "ask" as const };
    const message = `tool "weather".${option} has no effect with effect "${effect}": such a call is made again. Leave it out, or use effect "once".`;

    expect(() => defineTool({ ...weather, effect, ...value })).toThrow(
      expect.objectContaining({ code: "invalid_config", message }),
    );
  });

  it.each([{ effect: "pure" }, { effect: "idempotent", needsApproval: false }, { onDoubt: "tell" }] as const)(
    "the option waitMs of a tool that waits for no answer: %j [tool.no-effect]",
    (more) => {
      const message =
        'tool "weather".waitMs has no effect on a tool that waits for no answer. Leave it out, or set needsApproval.';

      expect(() => defineTool({ ...weather, ...more, waitMs: 1000 })).toThrow(
        expect.objectContaining({ code: "invalid_config", message }),
      );
      expect(() => defineTool({ ...weather, ...more, waitMs: 1000, needsApproval: true })).not.toThrow();
    },
  );

  it("a value that is no object", () => {
    expect(() => defineTool(null as never)).toThrow(/^A tool must be an object, got null\.$/);
  });
});

it("defineTool accepts options that are undefined", () => {
  expect(() => defineTool({ ...weather, cache: undefined, timeoutMs: undefined })).not.toThrow();
});
