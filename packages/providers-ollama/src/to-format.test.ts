import { describe, expect, it, vi } from "vitest";
import { contextOf } from "../test/request-context.ts";
import { toFormat } from "./to-format.ts";

const alone = "Answer with JSON alone: one value, with no words and no code fence around it.";
const schema = { type: "object", properties: { a: { type: "number" } } };
const fitting = `${alone} It must fit this JSON Schema:\n${JSON.stringify(schema)}`;

describe("toFormat", () => {
  it.each([
    [undefined, {}],
    ["text" as const, {}],
    ["json" as const, { format: "json", instruction: alone }],
    [
      { type: "json_schema" as const, schema },
      { format: schema, instruction: fitting },
    ],
  ])("asks for %j without tools by %j, and reports nothing", (wanted, format) => {
    const { context, omitted } = contextOf();

    expect(toFormat(wanted, false, context)).toStrictEqual(format);
    expect(omitted).toEqual([]);
  });

  it.each([
    ["json" as const, alone],
    [{ type: "json_schema" as const, schema }, fitting],
  ])("asks for %j beside tools in words alone, and reports it", (wanted, instruction) => {
    const reportReplaced = vi.fn<(what: string, why: string) => void>();

    expect(toFormat(wanted, true, { ...contextOf().context, reportReplaced })).toStrictEqual({ instruction });
    expect(reportReplaced.mock.calls).toEqual([
      ["the form of the answer", "held to it, the model could not call its tools; it is told of it in words"],
    ]);
  });

  it.each([undefined, "text" as const])("asks for %j beside tools by nothing, and reports nothing", (wanted) => {
    const { context, omitted } = contextOf();

    expect(toFormat(wanted, true, context)).toStrictEqual({});
    expect(omitted).toEqual([]);
  });
});
