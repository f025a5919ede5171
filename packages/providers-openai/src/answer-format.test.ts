import type { ResponseFormat } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { looseParameters, strictParameters } from "../test/request-body.ts";
import { toAnswerFormat, wantsJson } from "./answer-format.ts";
import { rulesOf } from "./model-rules.ts";
import type { ModelRules } from "./model-rules.ts";

const format = (asked: ResponseFormat | undefined, rules: Partial<ModelRules> = {}) =>
  toAnswerFormat(asked, rulesOf({ id: "gpt-4.1", host: "api.openai.com" }, rules));
const schemaOf = (name?: string, schema: Record<string, unknown> = strictParameters): ResponseFormat => ({
  type: "json_schema",
  schema,
  ...(name !== undefined && { name }),
});

describe("toAnswerFormat", () => {
  it.each([undefined, "text"] as const)("asks for a text by %s", (asked) => {
    expect(format(asked)).toEqual({ type: "text" });
    expect(format(asked, { jsonObject: false, jsonSchema: false })).toEqual({ type: "text" });
    expect(wantsJson(asked)).toBe(false);
  });

  it("asks for JSON by the format and in words, and in words alone where the server has no such format", () => {
    const instruction = expect.stringContaining("JSON");

    expect(format("json")).toEqual({ type: "json_object", instruction });
    expect(format("json", { jsonSchema: false })).toEqual({ type: "json_object", instruction });
    expect(format("json", { jsonObject: false })).toEqual({ type: "text", instruction });
    expect(wantsJson("json")).toBe(true);
  });

  it("asks for a schema without words", () => {
    expect(format(schemaOf("a"))).toEqual({
      type: "json_schema",
      schema: { name: "a", schema: strictParameters, strict: true },
    });
    expect(format(schemaOf("a"), { jsonObject: false }).type).toBe("json_schema");
    expect(wantsJson(schemaOf())).toBe(true);
  });

  it("asks for a strict schema only where schema and server allow it", () => {
    expect(format(schemaOf("a", looseParameters)).schema?.strict).toBe(false);
    expect(format(schemaOf("a"), { strict: false }).schema?.strict).toBe(false);
  });

  it("tells the whole schema in words where the server takes none", () => {
    const instruction = expect.stringContaining(JSON.stringify(strictParameters));

    expect(format(schemaOf(), { jsonSchema: false })).toEqual({ type: "json_object", instruction });
    expect(format(schemaOf(), { jsonSchema: false, jsonObject: false })).toEqual({ type: "text", instruction });
  });

  it.each([
    [undefined, "answer"],
    ["", "answer"],
    ["Weather-2_b", "Weather-2_b"],
    ["the weather", "the_weather"],
    ["a.b/c", "a_b_c"],
    ["größe", "gr__e"],
    ["n".repeat(64), "n".repeat(64)],
    ["n".repeat(65), "n".repeat(64)],
  ])("names the schema %j as %j", (name, sent) => {
    expect(format(schemaOf(name)).schema?.name).toBe(sent);
  });
});
