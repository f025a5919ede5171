import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { compileSchema } from "./compile-schema.ts";
import { LinearMatcher } from "./pattern/linear-matcher.ts";
import { parsePattern } from "./pattern/parse-pattern.ts";

const length = 10_000;
const texts = ["a".repeat(length), `${"a".repeat(length)}!`, "b".repeat(length), `${"ba".repeat(length / 2)}!`];

it.each(["^(a+)+$", "(a|a)*$", "(.*a){12}"])(
  "a pattern matches %s against 10,000 characters in less than 50 ms",
  (pattern) => {
    const schema = compileSchema({ type: "object", properties: { text: { type: "string", pattern } } });
    for (const text of texts) {
      const timesMs = Array.from({ length: 5 }, () => {
        const start = performance.now();
        void schema.validate({ text });
        return performance.now() - start;
      });

      expect(Math.min(...timesMs)).toBeLessThan(50);
    }
  },
);

it("a pattern remembers less than 16 MB of a text whose every place is new to it", () => {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  const node = parsePattern("a[ab]{60}c");
  const matcher = node && new LinearMatcher(node);
  // Which of the last sixty letters are an a is not the same twice.
  let bits = 1;
  const text = Array.from({ length: 100_000 }, () => {
    bits = (bits >>> 1) ^ (bits & 1 ? 0xa3000000 : 0);
    return bits & 1 ? "a" : "b";
  }).join("");
  collectGarbage();
  const before = process.memoryUsage().heapUsed;

  expect(matcher?.test(text, { spend: () => {} })).toBe(false);
  collectGarbage();
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(16 * 1024 * 1024);
  // It is in use until here.
  expect(matcher?.test("", { spend: () => {} })).toBe(false);
});
