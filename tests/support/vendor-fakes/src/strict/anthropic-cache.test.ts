import { expect, it } from "vitest";
import { AnthropicCache } from "./anthropic-cache.ts";

const mark = { cache_control: { type: "ephemeral" } };
const long = (word: string) => `${word} `.repeat(2200);
const text = (word: string, more: object = {}) => ({ type: "text", text: word, ...more });
const tool = (name: string, more: object = {}) => ({
  name,
  input_schema: { type: "object", title: long("t") },
  ...more,
});
const image = { type: "image", source: { type: "url", url: "https://a.example/cat.png" } };
const said = (...blocks: object[]) => ({ role: "user", content: blocks });
const base = {
  model: "claude-opus-5-5",
  tools: [tool("look", mark)],
  system: [text(long("s"), mark)],
  messages: [said(text(long("m"), mark))],
};

/** Counts a request whose answer begins at once. */
function send(cache: AnthropicCache, body: object, key?: string) {
  const { begin, ...counts } = cache.count(body, key);
  begin();
  return counts;
}

/** Returns which parts a second request reads that the first one wrote: tools (t), system (s) and messages (m). */
function readBySecond(first: object, second: object): string {
  const cache = new AnthropicCache();
  const { write } = send(cache, first);
  expect(write).toBeGreaterThan(0);
  const { read } = send(cache, second);
  const sizes = ["", "t", "ts", "tsm"];
  // Each part is a bit over 1100 tokens.
  return sizes[Math.floor(read / 1090)] ?? "more";
}

it.each([
  ["the same request", {}, "tsm"],
  ["other marks", { system: [text(long("s"))] }, "tsm"],
  ["a changed message", { messages: [said(text(long("n"), mark))] }, "ts"],
  ["a tool choice", { tool_choice: { type: "none" } }, "ts"],
  ["thinking", { thinking: { type: "adaptive" } }, "ts"],
  ["an image", { messages: [said(text(long("m"), mark), image)] }, "ts"],
  [
    "an image in a result",
    { messages: [said(text(long("m"), mark), { type: "tool_result", content: [image] })] },
    "ts",
  ],
  ["the word image", { messages: [said(text(long("m")), text("image", mark))] }, "tsm"],
  ["citations", { messages: [said(text(long("m"), mark), { type: "document", citations: { enabled: true } })] }, "t"],
  ["a web search", { tools: [{ type: "web_search_20250305", name: "web_search" }, ...base.tools] }, "t"],
  ["a speed", { speed: "fast" }, "t"],
  ["a changed instruction", { system: [text(long("r"), mark)] }, "t"],
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

  for (const body of [short, short, between, between]) expect(send(cache, body)).toMatchObject({ read: 0, write: 0 });
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
  const first = send(cache, base);
  const messages = [...base.messages, said(text(long("n"), mark))];
  const second = send(cache, { ...base, messages });

  expect(second.read).toBe(first.write);
  expect(second.write).toBe(second.prompt - second.read);
});

it("the strict vendor's cache drops a prefix that was not read for as long as its mark says", () => {
  let now = 0;
  const cache = new AnthropicCache(() => now);
  const hour = { cache_control: { type: "ephemeral", ttl: "1h" } };
  const body = { ...base, tools: [tool("look", hour)] };
  const total = send(cache, body).write;
  const readAt = (minutes: number) => {
    now = minutes * 60_000;
    return send(cache, body).read;
  };

  // Each reading counts the time anew.
  expect([4, 8, 12].map(readAt)).toEqual([total, total, total]);
  const toolsAlone = readAt(17);
  expect(toolsAlone).toBeGreaterThan(0);
  expect(toolsAlone).toBeLessThan(total / 2);
  expect(readAt(76)).toBe(toolsAlone);
  expect(readAt(136)).toBe(0);
});

it("the strict vendor's cache tells tokens that stay for an hour from those that stay for five minutes", () => {
  const cache = new AnthropicCache();
  const hour = { cache_control: { type: "ephemeral", ttl: "1h" } };
  const { prompt, write, hourWrite } = send(cache, { ...base, tools: [tool("look", hour)] });

  expect(write).toBe(prompt);
  expect(hourWrite).toBeGreaterThan(0);
  expect(hourWrite).toBeLessThan(write / 2);
  expect(send(cache, base)).toMatchObject({ write: 0, hourWrite: 0 });
});

it("the strict vendor's cache can be read once the answer that writes it has begun", () => {
  const cache = new AnthropicCache();
  const [first, second] = [cache.count(base), cache.count(base)];
  expect([first.read, second.read]).toEqual([0, 0]);
  expect(second.write).toBe(first.write);

  first.begin();
  expect(cache.count(base).read).toBe(first.write);
});

it("the strict vendor's cache serves the key alone that has filled it", () => {
  const cache = new AnthropicCache();
  send(cache, base, "key-1");

  expect(send(cache, base, "key-2").read).toBe(0);
  expect(send(cache, base, "key-1").read).toBeGreaterThan(0);
});
