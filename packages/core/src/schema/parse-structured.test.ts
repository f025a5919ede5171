import { inspect } from "node:util";
import { type } from "arktype";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { compileStructuredSchema } from "./compile-schema.ts";
import type { ObjectSchema } from "./object-schema.ts";
import { checkToolAnswer, parseStructured, parseToolAnswer } from "./parse-structured.ts";
import { SchemaError } from "./schema-error.ts";
import { describeIssues } from "./schema-issue.ts";

const weather = compileStructuredSchema(z.object({ city: z.string(), days: z.int().default(3) }));
const answer = '{"city":"Oslo"}';

async function errorOf(text: string, schema: ObjectSchema): Promise<SchemaError> {
  const error: unknown = await parseStructured(text, compileStructuredSchema(schema)).catch(
    (thrown: unknown) => thrown,
  );
  if (error instanceof SchemaError) return error;
  throw new Error("There was no SchemaError.");
}

describe("parseStructured", () => {
  it.each([
    answer,
    ` \n${answer}\n`,
    `\uFEFF${answer}`,
    `\`\`\`json\n${answer}\n\`\`\``,
    `\n\`\`\`\n${answer}\n\`\`\`\n`,
    `\`\`\`JSON \r\n${answer}\r\n\`\`\``,
    `\uFEFF\`\`\`json\n${answer}\`\`\``,
  ])("parses an answer with a fence or white space around it: %j", async (text) => {
    expect(await parseStructured(text, weather)).toEqual({ city: "Oslo", days: 3 });
  });

  it.each([
    `Here you are: ${answer}`,
    `${answer} Anything else?`,
    `\`\`\`json\n${answer}`,
    `\`\`\`json\n${answer}abc`,
    `\`\`\`ts\n${answer}\n\`\`\``,
    "{city: 'Oslo'}",
    `${answer.slice(0, -1)},}`,
    `${answer}${answer}`,
    "",
    "```json\n```",
  ])("repairs nothing else: %j", async (text) => {
    await expect(parseStructured(text, weather)).rejects.toMatchObject({ code: "structured_output_invalid", text });
  });

  it("unwraps a value that was asked for as a property", async () => {
    expect(await parseStructured('{"value":["a"]}', compileStructuredSchema(z.array(z.string())))).toEqual(["a"]);
  });

  it("waits for an asynchronous schema", async () => {
    const schema = compileStructuredSchema(z.object({ city: z.string().refine(async (city) => city === "Oslo") }));

    expect(await parseStructured(answer, schema)).toEqual({ city: "Oslo" });
    await expect(parseStructured('{"city":"Rome"}', schema)).rejects.toBeInstanceOf(SchemaError);
  });

  it.each([
    [`{"city":${"[".repeat(10_000)}${"]".repeat(10_000)}}`, "nests deeper than 64 levels"],
    [`{"city":"${"x".repeat(5_000_000)}"}`, "is longer than 1048576 characters"],
    [`[${"1,".repeat(500_000)}1]`, ""],
  ])("enforces the limits: %#", async (text, problem) => {
    expect((await errorOf(text, z.object({ city: z.string() }))).issues[0]?.message).toContain(problem);
  });
});

describe("SchemaError", () => {
  it("tells the model what to correct", async () => {
    const { issues } = await errorOf('{"city":5,"days":"x"}', z.object({ city: z.string(), days: z.int() }));

    expect(describeIssues(issues)).toBe(
      "city: Invalid input: expected string, received number\ndays: Invalid input: expected number, received string",
    );
  });

  it("tells a client the paths and what was expected", async () => {
    const plain = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };

    expect((await errorOf('{"city":5}', plain)).message).toBe(
      "The model's answer does not fit its schema: city: expected string.",
    );
    expect((await errorOf("no", plain)).message).toBe(
      "The model's answer does not fit its schema: the answer: expected valid JSON.",
    );
  });

  it.each<[string, ObjectSchema]>([
    ["zod", z.strictObject({ city: z.enum(["Oslo"]), list: z.record(z.string(), z.int()) })],
    ["ArkType", type({ "+": "reject", city: "'Oslo'", list: "Record<string, number>" })],
    [
      "plain",
      {
        type: "object",
        properties: { city: { const: "Oslo" }, list: { additionalProperties: { type: "integer" } } },
        additionalProperties: false,
      },
    ],
  ])("shows a client nothing of the model's answer: %s", async (_, schema) => {
    const error = await errorOf('{"city":"canary","list":{"canary":"canary"},"canary":1}', schema);

    expect(error.issues.length).toBeGreaterThan(1);
    expect(error.text).toContain("canary");
    expect(error.message).not.toContain("canary");
    expect(
      JSON.stringify(error) + inspect(error, { showHidden: true, depth: 9 }) + JSON.stringify(error.fields),
    ).not.toContain("canary");
  });
});

describe("a tool's result that is the answer", () => {
  const [numbers, words, mixed] = [
    compileStructuredSchema(z.array(z.int())),
    compileStructuredSchema(z.string().min(2)),
    compileStructuredSchema(z.union([z.int(), z.string().min(2)])),
  ];

  it("is checked as a model's answer where the schema is an object", async () => {
    expect(await checkToolAnswer(`\`\`\`\n${answer}\n\`\`\``, weather)).toEqual({
      ok: true,
      value: { city: "Oslo", days: 3 },
    });
    expect(await parseToolAnswer(answer, weather)).toEqual({ city: "Oslo", days: 3 });
  });

  it("is the value itself, or a string without quotes, where it is another", async () => {
    expect(await parseToolAnswer("[1,2]", numbers)).toEqual([1, 2]);
    expect(await parseToolAnswer('"Oslo"', words)).toBe("Oslo");
    expect(await parseToolAnswer("Oslo, 7", words)).toBe("Oslo, 7");
    expect(await parseToolAnswer("17", words)).toBe("17");
    expect(await parseToolAnswer("17", mixed)).toBe(17);
  });

  it.each([
    ["[1,true]", numbers, { path: [1] }],
    ["x", numbers, { path: [] }],
    ['{"value":[1]}', numbers, { path: [] }],
    ["x", words, { path: [] }],
  ])("%s is refused with its text and what is wrong", async (text, schema, issue) => {
    const verdict = await checkToolAnswer<unknown>(text, schema);

    expect(verdict).toMatchObject({ ok: false, issues: [issue] });
    const error: unknown = await parseToolAnswer<unknown>(text, schema).catch((thrown: unknown) => thrown);
    if (!(error instanceof SchemaError) || verdict.ok) throw new Error("It was not refused.", { cause: error });
    expect([error.code, error.issues, error.text]).toEqual(["structured_output_invalid", verdict.issues, text]);
  });
});
