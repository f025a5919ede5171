import { describe, expect, it } from "vitest";
import { applyMutation, isSound, mutationsOf } from "./mutations.ts";

/** Returns what becomes of a source by each mutation of a kind. */
function mutated(source: string, kind: string): string[] {
  const found = mutationsOf("a.tsx", source).filter((mutation) => mutation.kind === kind);
  return found.map((mutation) => applyMutation(source, mutation));
}

const loopWith = (jump: string): string => `for (const a of b) { if (c) ${jump} d(); }`;

describe("mutationsOf", () => {
  it.each<[kind: string, source: string, becomes: readonly string[]]>([
    ["statement", "function f() { a(); return 1; }", ["function f() {  return 1; }"]],
    [
      "statement",
      "switch (a) { case b: c(); break; }",
      ["switch (a) { case b:  break; }", "switch (a) { case b: c();  }"],
    ],
    ["operator", "f(a <= b)", ["f(a < b)"]],
    ["operator", "f(a && b)", ["f(a || b)"]],
    ["operator", "a ??= b", ["a = b"]],
    ["operator", "a++", ["a--"]],
    ["condition", "if (a) b()", ["if (true) b()", "if (false) b()"]],
    ["branch", "f(a ? b : c)", ["f(b)", "f(c)"]],
    ["default", "f(a ?? b)", ["f(a)"]],
    ["not", "f(!a)", ["f(a)"]],
    ["await", "await a()", ["a()"]],
    ["number", "f(9)", ["f(10)"]],
    ["boolean", "f(true)", ["f(false)"]],
    ["string", 'f("a", "words for people")', ['f("-", "words for people")']],
    ["member", "f({ a, ...b })", ["f({  ...b })", "f({ a })"]],
    ["member", "f([a, b])", ["f([ b])", "f([a])"]],
    ["member", "f(a, b)", ["f(a)"]],
    [
      "owner",
      "sessionKey(a, b)",
      ["tenantId", "userId", "verified"].map((part) => `sessionKey({ ...a, ${part}: undefined }, b)`),
    ],
    ["bytes", "Buffer.byteLength(a)", ["a.length"]],
    ["extreme", "Math.min(a, b)", ["Math.max(a, b)"]],
    ["call", "a.filter(b).map(c)", ["a.filter(b)", "a.map(c)"]],
    ["jump", "for (const a of b) { if (c) continue; d(); }", ["break;", "return;"].map(loopWith)],
    ["spread", "f({ a, ...b, ...(c && d) })", ["f({ ...b, a, ...(c && d) })"]],
    ["sequence", "{ a(); await b(); c(); d(); }", ["{ await b(); a(); c(); d(); }", "{ a(); c(); await b(); d(); }"]],
    ["empty", "f(a || b)", ["f(a ?? b)"]],
    ["empty", "if (a || b) f()", []],
    ["pattern", "f(/^[\\w-]+$/)", ["f(/^[\\w]+$/)"]],
    ["pattern", "f(/[a.b]/i)", ["f(/[ab]/i)", "f(/[a.b]/)"]],
    ["attribute", '<p class="a" onClick={b} {...c} />', ['<p class="a"  {...c} />', '<p class="a" onClick={b}  />']],
    ["operator", "<p>{a && <b />}</p>", ["<p>{a || <b />}</p>"]],
    ["string", '<p class="a" dir="ltr" />', ['<p class="a" dir="-" />']],
  ])("makes a mistake of the kind %s in %s", (kind, source, becomes) => {
    expect(mutated(source, kind)).toEqual(becomes);
  });

  it("leaves types, imports and texts for people as they are", () => {
    const source = 'import a from "a"; export * from "b"; type C = 1 | "c"; const d = e as { f: true }; g("h i");';

    expect(mutationsOf("a.ts", source)).toEqual([]);
  });

  it("names the function around a mutation as V8 does", () => {
    const source =
      "class A { #b() { c.map(() => 1); } g = () => 5; } const d = () => 2; function e() { return 3; } f(4);";
    const numbers = mutationsOf("a.ts", source).filter(({ kind }) => kind === "number");

    expect(numbers.map(({ within }) => within)).toEqual(["#b", "g", "d", "e", undefined]);
  });
});

describe("isSound", () => {
  it("refuses a mutation that does not parse", () => {
    const source = "function f() { if (a) return; }";
    const place = { kind: "statement", start: 15, within: "f" };

    expect(isSound("a.ts", source, { ...place, end: 29, text: "" })).toBe(true);
    expect(isSound("a.ts", source, { ...place, end: 20, text: "" })).toBe(false);
  });
});
