import { describe, expect, it } from "vitest";
import * as z from "zod";
import { defineTool } from "./define-tool.ts";
import { smallTool } from "./test/small-tool.ts";
import { ToolSet } from "./tool-set.ts";
import type { ToolDef } from "../run/tool.ts";

const weather = defineTool({
  name: "weather",
  description: "Tells the weather.",
  parameters: z.object({ city: z.string(), days: z.number().default(3) }),
  execute: () => "rain",
});

describe("ToolSet", () => {
  it("gives a model names, descriptions and JSON Schemas, made once and frozen", () => {
    const tools = new ToolSet([weather]);

    expect(tools.specs).toEqual([
      {
        name: "weather",
        description: "Tells the weather.",
        parameters: expect.objectContaining({ type: "object", required: ["city"] }),
      },
    ]);
    expect(tools.specs).toBe(tools.specs);
    expect(() => Object.assign(tools.specs[0] ?? {}, { name: "other" })).toThrow(TypeError);
    expect(() => Object.assign(tools.specs[0]?.parameters ?? {}, { type: "string" })).toThrow(TypeError);
  });

  it("names its tools in their order", () => {
    expect(new ToolSet([smallTool("b"), weather, smallTool("a")]).names).toEqual(["b", "weather", "a"]);
    expect(new ToolSet([]).names).toEqual([]);
  });

  it("finds tools by their own names only", () => {
    const tools = new ToolSet([weather, smallTool("constructor")]);

    expect(tools.find("weather")).toBe(weather);
    expect(tools.find("constructor")?.name).toBe("constructor");
    for (const name of ["__proto__", "toString", "hasOwnProperty", ""]) expect(tools.find(name)).toBeUndefined();
  });

  it("copies the array that it is given", () => {
    const list: ToolDef[] = [weather];
    const tools = new ToolSet(list);
    list.push(smallTool("later"));

    expect(tools.names).toEqual(["weather"]);
  });

  it("takes plain objects and instances of classes", () => {
    class Clock implements ToolDef {
      readonly name = "clock";
      readonly description = "Tells the time.";
      readonly parameters = { type: "object" };
      readonly zone = "UTC";
      readonly timeoutMs = 10;
      execute() {
        return this.zone;
      }
    }

    expect(new ToolSet([new Clock(), smallTool("plain")]).names).toEqual(["clock", "plain"]);
  });

  it("rejects two tools with one name", () => {
    expect(() => new ToolSet([weather, smallTool("a"), weather])).toThrow(
      expect.objectContaining({
        code: "invalid_config",
        message: 'Two tools are named "weather". Rename one of them.',
      }),
    );
  });

  it("checks plain objects as defineTool does", () => {
    expect(() => new ToolSet([smallTool("a b")])).toThrow(/^name of a tool must be/);
    expect(() => new ToolSet([smallTool("a", { timeoutMs: -1 })])).toThrow(/^tool "a"\.timeoutMs must be/);
    expect(() => new ToolSet([{ ...smallTool("a"), retries: 1 } as ToolDef])).toThrow(/Unknown option "retries"/);
    expect(() => new ToolSet([undefined] as never)).toThrow(/^A tool must be an object/);
    // oxlint-disable-next-line no-sparse-arrays -- the hole is what is refused
    expect(() => new ToolSet([, weather] as never)).toThrow(/^A tool must be an object/);
    expect(() => new ToolSet(weather as never)).toThrow(/^tools must be an array of tools/);
  });

  it("keeps a cache for each tool that may have one", () => {
    const kept = smallTool("kept", { cache: { ttl: 1000 } });
    const tools = new ToolSet([kept, weather]);

    expect(tools.cacheOf(kept)).toBe(tools.cacheOf(kept));
    expect(tools.cacheOf(weather)).toBeUndefined();
    expect(new ToolSet([kept]).cacheOf(kept)).not.toBe(tools.cacheOf(kept));
  });

  it("names the tool when its schema is wrong [schema.checked-early]", () => {
    expect(() => new ToolSet([smallTool("list", { parameters: { type: "array" } })])).toThrow(
      /^tool "list"\.parameters must have an object at its root/,
    );
  });
});
