import { expect, it } from "vitest";
import { readDocument } from "./read-document.ts";

const read = async (name: string, content: string) => await readDocument(Buffer.from(content), { name });

it.each<[string, string, string]>([
  ["a.csv", "\n".repeat(8_000_000), ""],
  ["a.csv", `é\n${"\n".repeat(4_000_000)}1`, "4000002 é: 1"],
  ["a.jsonl", `${"\n".repeat(8_000_000)}1`, "8000001 1"],
  ["a.csv", `a\n"${"x".repeat(8_000_000)}`, `2 a: ${"x".repeat(8_000_000)}`],
  ["a.csv", `a\n"${'""'.repeat(1_000_000)}`, `2 a: ${'"'.repeat(1_000_000)}`],
])("%s with hostile lines %# is read", async (name, text, line) => {
  const { content, places } = await read(name, text);

  expect(places?.map(({ row }) => `${row} ${content.trimEnd()}`).join("\n")).toBe(line);
});

it.each([
  ["a.csv", "\n1".repeat(1_000_001), "The table has more than 1000000 rows. Split it into several documents."],
  ["a.jsonl", "1\n".repeat(1_000_001), "The table has more than 1000000 rows. Split it into several documents."],
  ["a.csv", ",".repeat(10_001), "The table has more than 10000 columns. Split it into several documents."],
])("%s with too much of something is refused: %#", async (name, text, message) => {
  await expect(read(name, text)).rejects.toMatchObject({ code: "invalid_value", message });
});
