import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { ToolDef } from "../run/tool.ts";
import { defineTool } from "./define-tool.ts";

const city = z.object({ city: z.string() });
const base = { name: "a", description: "a", parameters: city };

interface Weather {
  city: string;
  wind?: number;
  days: readonly { rain: boolean | null }[];
}
const weather: Weather = { city: "Oslo", days: [] };

describe("the result type of execute", () => {
  it("may be a string, any JSON value, content parts, or a ToolResult of these", () => {
    const tools: ToolDef[] = [
      defineTool({ ...base, execute: ({ city: name }) => `${name}: rain` }),
      defineTool({ ...base, execute: async () => 42 }),
      defineTool({ ...base, execute: async () => null }),
      defineTool({ ...base, execute: () => weather }),
      defineTool({ ...base, execute: async () => [weather] }),
      defineTool({ ...base, execute: async (): Promise<unknown> => weather }),
      defineTool({ ...base, execute: () => JSON.parse("{}") }),
      defineTool({ ...base, execute: () => [{ type: "image", data: "aGk=" }] }),
      defineTool({ ...base, execute: () => ({ content: [{ type: "text", text: "a" }], artifacts: [] }) }),
      defineTool({ ...base, execute: async () => ({ content: weather, artifacts: [{ type: "t", data: new Map() }] }) }),
      defineTool({ ...base, execute: (args) => (args.city === "" ? "none" : { found: args.city }) }),
      defineTool({
        ...base,
        execute: () => {
          throw new Error("no");
        },
      }),
    ];

    expect(tools).toHaveLength(12);
  });

  it("does not compile for values that are no JSON", () => {
    const tools: ToolDef[] = [
      // @ts-expect-error -- a tool returns something
      defineTool({ ...base, execute: () => {} }),
      // @ts-expect-error -- JSON has no Date
      defineTool({ ...base, execute: async () => new Date() }),
      // @ts-expect-error -- nor anywhere within
      defineTool({ ...base, execute: () => ({ rows: [{ at: new Date() }] }) }),
      // @ts-expect-error -- JSON has no bigint
      defineTool({ ...base, execute: () => ({ size: 1n }) }),
      // @ts-expect-error -- JSON has no functions
      defineTool({ ...base, execute: () => () => "a" }),
      // @ts-expect-error -- JSON has no maps
      defineTool({ ...base, execute: () => new Map([["a", 1]]) }),
      // @ts-expect-error -- JSON has no bytes
      defineTool({ ...base, execute: () => Buffer.from("a") }),
      // @ts-expect-error -- an artifact has a type
      defineTool({ ...base, execute: () => ({ content: "a", artifacts: [{ data: 1 }] }) }),
    ];

    expect(tools).toHaveLength(8);
  });
});
