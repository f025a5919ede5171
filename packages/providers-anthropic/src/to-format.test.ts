import { describe, expect, it } from "vitest";
import { contextOf } from "../test/request-context.ts";
import { toFormat } from "./to-format.ts";

const alone = "Answer with one JSON value and nothing else: no words around it, no code fence.";
const schema = { type: "object", properties: {}, minProperties: 1 };
const inWords = `${alone} It must fit this JSON schema:\n${JSON.stringify(schema)}`;
const enforced = { type: "object", properties: {}, additionalProperties: false, description: "{minProperties: 1}" };

describe("toFormat", () => {
  it.each([undefined, "text"] as const)("asks for nothing with %j", (wanted) => {
    const { context, omitted } = contextOf({ structuredOutput: true });

    expect(toFormat(wanted, context)).toEqual({});
    expect(omitted).toEqual([]);
  });

  it.each([true, false])("asks for JSON in words, if schemas are taken or not: %j", (structuredOutput) => {
    const { context, omitted } = contextOf({ structuredOutput });

    expect(toFormat("json", context)).toEqual({ instruction: alone });
    expect(omitted).toEqual([]);
  });

  it("has a schema enforced", () => {
    const { context, omitted } = contextOf({ structuredOutput: true });

    expect(toFormat({ type: "json_schema", schema, name: "answer" }, context)).toEqual({
      format: { type: "json_schema", schema: enforced },
    });
    expect(omitted).toEqual([]);
  });

  it("puts a schema into words for a model that is not held to one", () => {
    const { context, omitted } = contextOf({ structuredOutput: false });

    expect(toFormat({ type: "json_schema", schema }, context)).toEqual({ instruction: inWords });
    expect(omitted).toEqual(["the schema of responseFormat"]);
  });

  it("puts a schema into words that the vendor cannot express", () => {
    const { context, omitted } = contextOf({ structuredOutput: true });
    const open = { type: "object", additionalProperties: { type: "string" } };

    expect(toFormat({ type: "json_schema", schema: open }, context)).toEqual({
      instruction: `${alone} It must fit this JSON schema:\n${JSON.stringify(open)}`,
    });
    expect(omitted).toEqual(["the schema of responseFormat"]);
  });
});
