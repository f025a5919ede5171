import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { getTextContent } from "../../base/message/content.ts";
import type { ToolCallResult } from "../../base/message/tool-call.ts";
import { defineTool } from "./define-tool.ts";
import { batchOf, callOf, contextOf, resultOf, resultsOf } from "./test/batch.ts";
import { smallTool } from "./test/small-tool.ts";
import type { ExecutableTool } from "../run/tool.ts";

let executions = 0;
const weather = defineTool({
  name: "weather",
  description: "Tells the weather.",
  parameters: z.object({ city: z.string(), days: z.number().max(7).optional() }),
  execute: () => `execution ${++executions}`,
});

const sizeOf = ({ result }: ToolCallResult) => Buffer.byteLength(getTextContent(result));

describe("executeToolCalls gives an error result and executes nothing for", () => {
  it.each(["snow", "constructor", "__proto__", "", "Weather"])("an unknown tool %j", async (name) => {
    executions = 0;
    const result = await resultOf(batchOf([weather, smallTool("other")], [callOf(name, {}, "1")]));

    expect(result.error).toBe(`Tool ${JSON.stringify(name)} not found. Expected one of weather, other.`);
    expect(result).toMatchObject({ toolCallId: "1", toolName: name, result: result.error });
    expect(executions).toBe(0);
  });

  it("any tool where there are none, or very many", async () => {
    const many = Array.from({ length: 200 }, (_, index) => smallTool(`tool_with_a_long_name_${index}`));

    expect((await resultOf(batchOf([], [callOf("a")]))).error).toBe('Tool "a" not found. There are no tools.');
    expect(sizeOf(await resultOf(batchOf(many, [callOf("a".repeat(9000))])))).toBeLessThanOrEqual(2048);
  });

  it("arguments that do not fit", async () => {
    executions = 0;
    const result = await resultOf(batchOf([weather], [callOf("weather", { city: 5, days: 9 })]));

    expect(result.error).toMatch(/^The arguments of weather do not fit its parameters:\ncity: .*string.*\ndays: /);
    expect(result.args).toEqual({ city: 5, days: 9 });
    expect(executions).toBe(0);
  });

  it("missing arguments", async () => {
    expect((await resultOf(batchOf([weather], [callOf("weather")]))).error).toMatch(/\ncity: /);
  });

  it.each([
    ['{"city": "Os', "are not valid JSON: it ends too early"],
    ["[1]", "are not an object"],
    ["<city>Oslo</city>", "are not valid JSON"],
    ['{"a":'.repeat(5000), "are not valid JSON: it ends too early"],
    ['{"city":"Oslo"}', "are not a JSON object"],
  ])("arguments written as %.20s", async (text, problem) => {
    executions = 0;
    const malformedArguments = [{ toolCallId: "id-weather", text }];
    const { error, args } = await resultOf(batchOf([weather], [callOf("weather")], { malformedArguments }));

    expect(error).toContain(`The arguments of weather ${problem}`);
    expect(error).toMatch(/call it again with one JSON object as arguments\.$/);
    expect(args).toEqual({});
    expect(executions).toBe(0);
  });

  it.each([[null], [[1]], ["city"]])("arguments that are %j", async (args) => {
    const result = await resultOf(batchOf([weather], [callOf("weather", args as never)]));

    expect(result).toMatchObject({
      error: "The arguments of weather are not an object: call it again with one JSON object as arguments.",
      args: {},
    });
  });

  it("arguments nested deeper than any storage takes, and they are not repeated", async () => {
    const nest = (levels: number): Record<string, unknown> => (levels === 1 ? {} : { a: nest(levels - 1) });
    const any = smallTool("any");

    expect((await resultOf(batchOf([any], [callOf("any", nest(64))]))).result).toBe("done");
    expect(await resultOf(batchOf([any], [callOf("any", nest(65))]))).toMatchObject({
      error: "The arguments of any nest deeper than 64 levels: call it again with one JSON object as arguments.",
      args: {},
    });
    expect((await resultOf(batchOf([any], [callOf("any", nest(5000))]))).error).toContain("64 levels");
  });

  it("a tool whose own check throws, which is logged", async () => {
    const lines: string[] = [];
    const parameters = z.object({}).refine(() => {
      throw new Error("checked too hard");
    });
    const tool = defineTool({ ...weather, parameters, execute: () => "done" });

    const told = await resultOf(batchOf([tool], [callOf("weather")], { context: contextOf({ lines }) }));

    expect(told.result).toBe("The tool weather could not be called: checked too hard");
    expect(told.error).toBe("The tool weather could not be called.");
    expect(lines[0]).toContain('"level":"warn"');
  });
});

describe("a tool that fails", () => {
  it.each<[what: string, execute: ExecutableTool["execute"], sentence: string]>([
    ["rejects", async () => await Promise.reject(new Error("no such city")), "no such city"],
    [
      "throws at once",
      () => {
        throw new Error("no such city");
      },
      "no such city",
    ],
    [
      "throws undefined",
      () => {
        throw undefined;
      },
      "it threw undefined without a message",
    ],
    [
      "throws null",
      () => {
        throw null;
      },
      "it threw null without a message",
    ],
    [
      "throws a text",
      () => {
        throw "no such city";
      },
      "no such city",
    ],
    ["rejects with a TroupeError", async () => await Promise.reject(new TroupeError("conflict", "Busy.")), "Busy."],
    [
      "throws a revoked proxy",
      () => {
        throw revoked();
      },
      "it threw an object without a message",
    ],
  ])("because it %s is reported to the model, and logged as a warning", async (_, execute, sentence) => {
    const lines: string[] = [];
    const tool = smallTool("tool", { execute });
    const result = await resultOf(batchOf([tool], [callOf("tool")], { context: contextOf({ lines }) }));

    expect(result.result).toBe(`The tool tool failed: ${sentence}`);
    expect(result.error).toBe("The tool tool failed.");
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/"level":"warn".*The tool tool failed\..*id-tool/);
  });

  it.each<[what: string, value: unknown]>([
    ["nothing", undefined],
    ["NaN", Number.NaN],
    ["a BigInt", 1n],
    ["a Buffer", Buffer.from("rain")],
    ["a stream", Readable.from(["rain"])],
    ["a promise of nothing", Promise.resolve(undefined)],
    ["an artifact that is no JSON", { content: "rain", artifacts: [{ type: "a", data: 1n }] }],
    [
      "something whose then throws",
      {
        // oxlint-disable-next-line unicorn/no-thenable -- a tool may return anything
        get then() {
          throw new Error("no");
        },
      },
    ],
  ])("by returning %s gets an error that says what to return", async (_, value) => {
    const lines: string[] = [];
    const tool = smallTool("tool", { execute: () => value as string });
    const result = await resultOf(batchOf([tool], [callOf("tool")], { context: contextOf({ lines }) }));

    expect(result.result).toMatch(/^The tool tool failed: (?:a tool must return a string, a JSON value,|no$)/);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('"level":"warn"');
  });

  it("tells clients the message of what it throws when it has publicErrors [tool.public-errors]", async () => {
    const execute = async () => await Promise.reject(new Error("No such city."));
    const tools = [
      smallTool("open", { execute, publicErrors: true }),
      smallTool("closed", { execute, publicErrors: false }),
    ];
    const results = await resultsOf(batchOf(tools, [callOf("open"), callOf("closed")]));

    expect(results.map(({ result, error }) => [result, error])).toEqual([
      ["The tool open failed: No such city.", "The tool open failed: No such city."],
      ["The tool closed failed: No such city.", "The tool closed failed."],
    ]);
    expect(() => defineTool({ ...smallTool("odd"), publicErrors: "yes" as unknown as boolean })).toThrow(
      expect.objectContaining({ code: "invalid_config" }),
    );
  });

  it("does no harm to the others", async () => {
    const tools = [
      smallTool("fails", { execute: async () => await Promise.reject(new Error("broken")) }),
      smallTool("throws", {
        execute: () => {
          throw new Error("broken");
        },
      }),
      smallTool("works"),
    ];
    const calls = [callOf("fails"), callOf("works"), callOf("throws"), callOf("unknown")];
    const results = await resultsOf(batchOf(tools, calls));

    expect(results.map(({ toolName, error }) => [toolName, error !== undefined])).toEqual([
      ["fails", true],
      ["works", false],
      ["throws", true],
      ["unknown", true],
    ]);
  });

  it("shows no key of the run, neither to the model nor in the log", async () => {
    const lines: string[] = [];
    const apiKeys = { openai: "sk-first-secret", google: "g-second-secret" };
    const thrown = new Error("401: sk-first-secret", { cause: new Error("g-second-secret") });
    const tool = smallTool("tool", { execute: async () => await Promise.reject(thrown) });
    const result = await resultOf(batchOf([tool], [callOf("tool")], { context: contextOf({ lines, apiKeys }) }));

    expect(result.result).toBe("The tool tool failed: 401: [redacted]");
    expect(lines.join()).not.toMatch(/sk-first-secret|g-second-secret/);
    expect(lines.join()).toContain("401: [redacted]");
  });

  it("a tool that fails with an endless message gets a short error quickly", async () => {
    const tool = smallTool("tool", { execute: () => "a".repeat(100_000_000) });
    const result = await resultOf(batchOf([tool], [callOf("tool")]));

    expect(sizeOf(result)).toBeLessThan(262_144 + 100);
    expect(result.result).toMatch(/\n\[cut here: 99737856 of 100000000 characters were left out\]$/);
    expect(result.error).toBeUndefined();
  });

  it("keeps to its own limit of output", async () => {
    const tool = smallTool("tool", { execute: () => "abcdef", maxOutputBytes: 3 });

    expect((await resultOf(batchOf([tool], [callOf("tool")]))).result).toMatch(/^abc\n\[cut here: 3 of 6/);
  });
});

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}
