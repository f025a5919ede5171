import { describe, expect, it } from "vitest";
import { parseMarkdown } from "./blocks.ts";

describe("blocks", () => {
  it.each([
    ["marks", "*".repeat(100_000)],
    ["marks that open", "*a ".repeat(40_000)],
    ["marks in turn", "*_".repeat(50_000)],
    ["brackets", "[".repeat(100_000)],
    ["brackets that close", "[a](".repeat(25_000)],
    ["backticks", Array.from({ length: 400 }, (_, index) => "`".repeat(index + 1)).join(" ")],
    ["quotes", "> ".repeat(50_000)],
    ["lists", "- ".repeat(50_000)],
    ["items", "- a\n".repeat(25_000)],
    ["nested items", Array.from({ length: 300 }, (_, index) => `${" ".repeat(index * 2)}- a`).join("\n")],
    ["spaces", `a${" ".repeat(100_000)}b`],
    ["cells", "|".repeat(100_000)],
    ["addresses", "https://".repeat(12_000)],
    ["hashes", "# ".repeat(50_000)],
  ])("are read in a moment from 100,000 characters of %s", (_, text) => {
    // Quadratic work would take minutes: the time of the test is the assertion.
    expect(parseMarkdown(text).length).toBeGreaterThan(0);
  });
});
