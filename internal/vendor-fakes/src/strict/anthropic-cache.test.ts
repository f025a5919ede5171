import { expect, it } from "vitest";
import { AnthropicCache } from "./anthropic-cache.ts";

const mark = { cache_control: { type: "ephemeral" } };
const long = (word: string) => `${word} `.repeat(1100);
const text = (word: string, more: object = {}) => ({ type: "text", text: word, ...more });
const tool = (name: string, more: object = {}) => ({
  name,
  input_schema: { type: "object", title: long("t") },
  ...more,
});
const said = (...blocks: object[]) => ({ role: "user", content: blocks });
const base = {
  model: "claude-opus-5-5",
  tools: [tool("look", mark)],
  system: [text(long("s"), mark)],
  messages: [said(text(long("m"), mark))],
};

/** Returns which parts a second request reads that the first one wrote: tools (t), system (s) and messages (m). */
function readBySecond(first: object, second: object): string {
  const cache = new AnthropicCache();
  const { write } = cache.count(first);
  expect(write).toBeGreaterThan(0);
  const { read } = cache.count(second);
  const sizes = ["", "t", "ts", "tsm"];
  // Each part is a bit over 550 tokens.
  return sizes[Math.floor(read / 540)] ?? "more";
}

it.each([
  ["the same request", {}, "tsm"],
  ["other marks", { system: [text(long("s"))] }, "tsm"],
  ["a changed message", { messages: [said(text(long("n"), mark))] }, "ts"],
  ["a tool choice", { tool_choice: { type: "none" } }, "ts"],
  ["thinking", { thinking: { type: "adaptive" } }, "ts"],
  ["a changed instruction", { system: [text(long("r"), mark)] }, ""],
  [
    "another order of keys",
    { tools: [{ input_schema: { type: "object", title: long("t") }, name: "look", ...mark }] },
    "",
  ],
  ["another tool", { tools: [tool("gaze", mark)] }, ""],
  ["another model", { model: "claude-fable-6" }, ""],
])("the strict vendor's cache, after %s, serves what comes before the first difference", (_, changes, read) => {
  expect(readBySecond(base, { ...base, ...changes })).toBe(read);
});

it("the strict vendor's cache keeps no prefix below the model's minimum", () => {
  const cache = new AnthropicCache();
  const short = { ...base, tools: [], system: "Be short.", messages: [said(text("Hello", mark))] };
  const between = { ...base, model: "claude-haiku-4-5" };

  for (const body of [short, short, between, between]) expect(cache.count(body)).toMatchObject({ read: 0, write: 0 });
});

it("the strict vendor's cache finds what ends at most 20 blocks before a mark", () => {
  const grown = (blocks: number) => ({
    ...base,
    messages: [
      said(text(long("m"), mark)),
      said(...Array.from({ length: blocks - 1 }, () => text("more")), text("last", mark)),
    ].map((message, index) => (index === 0 ? said(text(long("m"))) : message)),
    tools: [tool("look")],
    system: [text(long("s"))],
  });

  expect(readBySecond(base, grown(19))).toBe("tsm");
  expect(readBySecond(base, grown(20))).toBe("");
});

it("the strict vendor's cache writes only what it did not read", () => {
  const cache = new AnthropicCache();
  const first = cache.count(base);
  const messages = [...base.messages, said(text(long("n"), mark))];
  const second = cache.count({ ...base, messages });

  expect(second.read).toBe(first.write);
  expect(second.write).toBe(second.prompt - second.read);
});
