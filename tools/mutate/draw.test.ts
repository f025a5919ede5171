import { describe, expect, it } from "vitest";
import { draw } from "./draw.ts";

const text = "function f(a) {\n  g(a < 1);\n  h(a > 2);\n  return a === 3;\n}\n";
const sources = [
  { file: "a.ts", text },
  { file: "b.ts", text },
];

describe("draw", () => {
  it("draws the same mutants for the same seed, and others for another one", () => {
    const { drawn } = draw(sources, 6, { seed: "one" });

    expect(draw(sources, 6, { seed: "one" }).drawn).toEqual(drawn);
    expect(draw(sources, 6, { seed: "two" }).drawn).not.toEqual(drawn);
  });

  it("draws a smaller number from a larger one", () => {
    expect(draw(sources, 6, { seed: "one" }).drawn.slice(0, 3)).toEqual(draw(sources, 3, { seed: "one" }).drawn);
  });

  it("draws each mutant once, and only those that parse", () => {
    const { drawn, total } = draw(sources, 100, { seed: "one" });

    expect(drawn).toHaveLength(total);
    expect(new Set(drawn.map(({ file, text: changed }) => `${file} ${changed}`)).size).toBe(total);
  });

  it("draws from the kinds that are given", () => {
    const { drawn } = draw(sources, 100, { seed: "one", kinds: "number|jump" });

    expect(new Set(drawn.map(({ description }) => description.split(":", 1)[0]))).toEqual(new Set(["number"]));
    expect(draw(sources, 100, { seed: "one", kinds: "umber" }).total).toBe(0);
  });

  it("draws from the lines that are given, and describes what becomes what", () => {
    const { drawn } = draw([{ file: "a.ts", text, lines: new Set([4]) }], 100, { seed: "one" });

    expect(drawn.map(({ line, description }) => `${line} ${description}`).toSorted()).toEqual([
      "4 number: 3 → 4",
      "4 operator: === → !==",
    ]);
    expect(drawn[0]?.text.split("\n")).toHaveLength(6);
  });
});
