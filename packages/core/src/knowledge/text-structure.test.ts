import { describe, expect, it } from "vitest";
import { createSplitter } from "./chunking.ts";
import { TextStructure } from "./text-structure.ts";

const split = (text: string, size: number): string[] =>
  (createSplitter({ size, overlap: 0 })?.(text) ?? []).map(({ start, end }) => text.slice(start, end));

const words = (count: number) => Array.from({ length: count }, (_, index) => `word${index}`).join(" ");

describe("TextStructure", () => {
  const text = "intro\n# A\n\nx\n## B ##\ny\n```\n# not C\n```\n### C\nz\n# D\nend";
  const structure = new TextStructure(text);

  it.each([
    ["intro", ""],
    ["x", "A"],
    ["y", "A › B"],
    ["# not C", "A › B"],
    ["z", "A › B › C"],
    ["end", "D"],
  ])("gives the headings above %j", (part, headings) => {
    expect(structure.headingsAt(text.indexOf(part))).toBe(headings);
  });

  it.each([
    ["# C#", "C#"],
    ["# C# #", "C#"],
    ["# a\t##", "a"],
    ["# ##", ""],
    ["### é ### ", "é"],
  ])("the title of the heading %j is %j", (line, title) => {
    expect(new TextStructure(line).headingsAt(line.length)).toBe(title);
  });

  it("knows where sections begin, and what is better not cut", () => {
    expect(["# A", "## B", "# not C", "# D"].map((part) => structure.isSection(text.indexOf(part)))).toEqual([
      true,
      true,
      false,
      true,
    ]);
    expect(["# not C", "x", "z", "intro"].map((part) => structure.isWithinBlock(text.indexOf(part)))).toEqual([
      true,
      true,
      true,
      false,
    ]);
  });

  it.each([
    "#".repeat(100_000),
    `# ${"# ".repeat(50_000)}x`,
    "|".repeat(100_000),
    "```\n".repeat(50_000),
    "# a\n".repeat(50_000),
    `# a${" ".repeat(1990)}x\n`.repeat(20),
    `# a${" #".repeat(990)} x\n`.repeat(20),
  ])("reads hostile text %# in a moment", (hostile) => {
    const began = performance.now();
    new TextStructure(hostile).isWithinBlock(hostile.length);

    expect(performance.now() - began).toBeLessThan(1000);
  });
});

describe("Pieces of a long text", () => {
  it("begin with a heading if possible", () => {
    const text = `# One\n\n${words(30)}\n\n# Two\n\n${words(30)}\n\n# Three\n\n${words(30)}`;

    expect(split(text, 100).map((piece) => piece.slice(0, 7))).toEqual(["# One\n\n", "# Two\n\n", "# Three"]);
  });

  it.each([
    ["code", "```js\nconst a = 1;\n\nconst b = 2;\n\nconst c = 3;\n```"],
    ["a table", "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n| 5 | 6 |"],
  ])("do not cut %s that fits", (_kind, block) => {
    const text = `${words(18)}.\n\n${block}\n\n${words(30)}.`;
    const pieces = split(text, 90);

    expect(pieces.length).toBeGreaterThan(1);
    expect(pieces.some((piece) => piece.includes(block))).toBe(true);
  });

  it("keep a heading with its first line", () => {
    const text = `${words(20)}.\n\n## Heading\n\n${words(60)}`;

    for (const piece of split(text, 60)) expect(piece.trimEnd()).not.toMatch(/## Heading$/);
  });
});
