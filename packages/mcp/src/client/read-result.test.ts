import { describe, expect, it } from "vitest";
import { readResult } from "./read-result.ts";

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
