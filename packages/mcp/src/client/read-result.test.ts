import { TroupeError } from "@troupe/core";
import { createMasker } from "@troupe/core/kit";
import { describe, expect, it } from "vitest";
import { readResult } from "./read-result.ts";
import type { RawResult } from "./slim-message.ts";

const mask = (text: string) => text;

/** A link as a block of a result, and the artifact that becomes of it. */
const link = (name: string) => ({ type: "resource_link", uri: `note://${name}`, name });

const sizeOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

/** Reads a result with these links and structured content, and returns its artifacts. */
async function artifactsOf(
  result: { names?: readonly string[]; structuredContent?: Record<string, unknown> },
  maxArtifactBytes: number,
) {
  const { names = [], structuredContent } = result;
  const content = [{ type: "text", text: "Here." }, ...names.map(link)];
  const read = await readResult({ content, structuredContent }, "t", { mask, maxArtifactBytes });
  return (read as { artifacts?: readonly { type: string; data: unknown }[] }).artifacts ?? [];
}

const typesOf = async (...given: Parameters<typeof artifactsOf>) =>
  (await artifactsOf(...given)).map(({ type }) => type);

describe("the artifacts of a result [mcp.bounded]", () => {
  it("may have exactly maxArtifactBytes together, each counted once, in bytes", async () => {
    const given = { names: ["tea", "Grüße 😀", "mate"], structuredContent: { text: "aé€😀" } };
    const all = await artifactsOf(given, 1_000_000);
    const bytes = all.reduce((sum, artifact) => sum + sizeOf(artifact), 0);
    const types = ["resource_link", "resource_link", "resource_link", "structured_content"];
    expect(all.map(({ type }) => type)).toEqual(types);

    expect(await typesOf(given, bytes + 1)).toEqual(types);
    expect(await typesOf(given, bytes)).toEqual(types);
    expect(await typesOf(given, bytes - 1)).toEqual([...types.slice(0, 3), "left_out"]);
  });

  it("take nothing of the bytes where they are left out", async () => {
    const [tea] = await artifactsOf({ names: ["tea"] }, 1_000_000);
    const large = { names: ["x".repeat(1000), "tea", "y".repeat(1000), "tea"] };

    expect(await typesOf(large, 2 * sizeOf(tea))).toEqual(["left_out", "resource_link", "left_out", "resource_link"]);
    expect(await typesOf(large, 2 * sizeOf(tea) - 1)).toEqual(["left_out", "resource_link", "left_out", "left_out"]);
  });

  it("say how large those were that are left out", async () => {
    const [whole] = await artifactsOf({ names: ["é".repeat(100)] }, 1_000_000);

    expect(await artifactsOf({ names: ["é".repeat(100)] }, 10)).toEqual([
      { type: "left_out", data: { type: "resource_link", bytes: sizeOf(whole) } },
    ]);
  });
});

const options = { mask: createMasker(["secret"]), maxArtifactBytes: 1000 };
const text = (value: string) => ({ type: "text", text: value });
const image = { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" };
const structured = (data: unknown) => ({ type: "structured_content", data });

describe("the result of a tool", () => {
  it.each<[string, RawResult, unknown]>([
    ["nothing", {}, ""],
    ["content that is no list", { content: "Hi." }, ""],
    ["one text, without secrets", { content: [text("A secret.")] }, "A [redacted]."],
    ["texts, one a line, also empty ones", { content: [text("one"), text(""), text("two")] }, "one\n\ntwo"],
    ["a text as it is, with its white space", { content: [text(" one\n")] }, " one\n"],
    ["an image", { content: [image] }, [image]],
    ["an image among texts", { content: [text("one"), image, text("two")] }, [text("one"), image, text("two")]],
    [
      "structured content by itself",
      { structuredContent: { a: "secret", é: [1, null] } },
      { content: '{"a":"[redacted]","é":[1,null]}', artifacts: [structured({ a: "[redacted]", é: [1, null] })] },
    ],
    [
      "structured content beside a text",
      { content: [text("One.")], structuredContent: { a: 1 } },
      { content: "One.", artifacts: [structured({ a: 1 })] },
    ],
    [
      "structured content beside an empty text",
      { content: [text("")], structuredContent: {} },
      { content: "", artifacts: [structured({})] },
    ],
    [
      "structured content that is null",
      { structuredContent: null },
      { content: "null", artifacts: [structured(null)] },
    ],
    [
      "a link before structured content",
      { content: [link("tea")], structuredContent: 7 },
      {
        content: "tea (note://tea)",
        artifacts: [{ type: "resource_link", data: { uri: "note://tea", name: "tea" } }, structured(7)],
      },
    ],
    ["an error that is no true", { content: [text("One.")], isError: "true" }, "One."],
    ["no error", { content: [text("One.")], isError: false }, "One."],
  ])("is made of %s", async (_, raw, result) => {
    expect(await readResult(raw, "t", options)).toStrictEqual(result);
  });

  it("leaves out structured content that is too large by itself, and shows the model all of it", async () => {
    const json = JSON.stringify({ text: "é".repeat(600) });
    const bytes = Buffer.byteLength(json);
    expect(await readResult({ structuredContent: JSON.parse(json) as unknown }, "t", options)).toStrictEqual({
      content: json,
      artifacts: [{ type: "left_out", data: { type: "structured_content", bytes } }],
    });
  });
});

describe("a tool that failed", () => {
  const noReason = "The tool t failed and gave no reason.";

  it.each<[string, RawResult, string]>([
    ["nothing", {}, noReason],
    ["white space", { content: [text(" \n"), text("")] }, noReason],
    ["an image alone", { content: [image] }, noReason],
    ["a text, without secrets and white space around it", { content: [text("\n No secret. ")] }, "No [redacted]."],
    ["texts, one a line", { content: [text("one"), image, text("two")] }, "one\ntwo"],
    ["structured content, without secrets", { structuredContent: { why: "secret" } }, '{"why":"[redacted]"}'],
    ["a text and structured content", { content: [text("No.")], structuredContent: { why: "x" } }, "No."],
    ["2,000 characters", { content: [text("x".repeat(2000))] }, "x".repeat(2000)],
    ["2,001 characters", { content: [text("x".repeat(2001))] }, `${"x".repeat(2000)}…`],
  ])("is an error that tells of %s", async (_, raw, message) => {
    const failure = await readResult({ ...raw, isError: true }, "t", options).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(TroupeError);
    expect(failure).toMatchObject({ code: "unavailable", message });
  });
});
