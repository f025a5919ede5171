import { describe, expect, it } from "vitest";
import { estimateTextTokens, estimateTokens } from "../../sessions/history/estimate-tokens.ts";
import type { ToolSpec } from "../../model/model-config.ts";
import type { ModelMessage } from "../../model/vendor-state.ts";
import { fitContext } from "./fit-context.ts";

// Each message of 100 small letters is 28 tokens: 24 of its text, and 4 around it.
const text = (letter: string) => letter.repeat(100);
const system: ModelMessage = { role: "system", content: text("s") };
const input: ModelMessage = { role: "user", content: text("i") };
/** A turn of the history: 56 tokens. */
const turn = (letter: string): ModelMessage[] => [
  { role: "user", content: text(letter) },
  { role: "assistant", content: text(letter) },
];
/** A step of the run, with the result of a call: 56 tokens. */
const step = (letter: string): ModelMessage[] => [
  { role: "assistant", content: text(letter) },
  { role: "tool", content: text(letter), toolCallId: letter },
];
const history = [...turn("a"), ...turn("b")];
const own = [...step("x"), ...step("y")];
const all = [system, ...history, input, ...own];

const shownOf = (messages: readonly ModelMessage[]) =>
  messages.map(({ content }) => (content as string).slice(0, 1)).join("");
const fit = (maxContextTokens: number, tools: readonly ToolSpec[] = []) => {
  const { messages, isOver } = fitContext(all, { systemCount: 1, inputIndex: 5, maxContextTokens, tools });
  return [shownOf(messages), isOver];
};

describe("fitContext", () => {
  it("has messages of 28 tokens each", () => {
    expect(all.map((message) => estimateTokens([message]))).toEqual(all.map(() => 28));
  });

  it.each([
    [Infinity, "saabbixxyy", false],
    [280, "saabbixxyy", false],
    [279, "sbbixxyy", false],
    [224, "sbbixxyy", false],
    [223, "sixxyy", false],
    [168, "sixxyy", false],
    [167, "siyy", false],
    [112, "siyy", false],
    [111, "siyy", true],
    [1, "siyy", true],
  ])("leaves within %d tokens the messages %s, over them: %s", (maxContextTokens, shown, isOver) => {
    expect(fit(maxContextTokens)).toEqual([shown, isOver]);
  });

  it("counts the tools as JSON, and none where there are none", () => {
    const tools: ToolSpec[] = [{ name: "send", description: "Sends.", parameters: { type: "object" } }];
    const tokens = estimateTextTokens(JSON.stringify(tools));
    expect(tokens).toBeGreaterThan(10);
    expect(fit(280 + tokens, tools)).toEqual(["saabbixxyy", false]);
    expect(fit(279 + tokens, tools)).toEqual(["sbbixxyy", false]);
    expect(fit(111 + tokens, tools)).toEqual(["siyy", true]);
  });

  it("leaves steps out in blocks of up to a quarter, and no turn between them", () => {
    const steps = "abcdefghijklmnop".split("");
    const messages = [system, ...history, input, ...steps.flatMap(step)];
    const within = (maxContextTokens: number) =>
      shownOf(fitContext(messages, { systemCount: 1, inputIndex: 5, maxContextTokens, tools: [] }).messages);
    const after = (letter: string) =>
      steps
        .slice(steps.indexOf(letter))
        .map((each) => each + each)
        .join("");
    expect(within(56 + 16 * 56)).toBe(`si${after("a")}`);
    expect(within(56 + 15 * 56)).toBe(`si${after("c")}`);
    expect(within(56 + 14 * 56)).toBe(`si${after("c")}`);
    expect(within(56 + 13 * 56)).toBe(`si${after("e")}`);
    expect(within(56 + 7 * 56 + 55)).toBe(`si${after("j")}`);
  });

  it("keeps several system messages, the input alone, and the messages themselves", () => {
    const two = [system, { ...system, content: text("t") }, ...history, input];
    const limits = { systemCount: 2, inputIndex: 6, tools: [] };
    const { messages, isOver } = fitContext(two, { ...limits, maxContextTokens: 84 });
    expect([shownOf(messages), isOver]).toEqual(["sti", false]);
    expect(messages[2]).toBe(input);
    expect(fitContext(two, { ...limits, maxContextTokens: 83 }).isOver).toBe(true);
    expect(fitContext(two, { ...limits, maxContextTokens: 84 + 112 }).messages).toEqual(two);
    expect(fitContext([input], { systemCount: 0, inputIndex: 0, maxContextTokens: 28, tools: [] })).toEqual({
      messages: [input],
      isOver: false,
    });
  });
});
