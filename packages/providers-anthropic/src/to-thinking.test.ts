import type { MessageParam } from "@anthropic-ai/sdk/resources/messages";
import type { ModelOptions } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { contextOf } from "../test/request-context.ts";
import type { ModelRules } from "./model-rules.ts";
import { alwaysThinks, toThinking } from "./to-thinking.ts";

type Case = { options: ModelOptions; rules?: Partial<ModelRules>; messages?: MessageParam[] };

const question: MessageParam = { role: "user", content: "Umbrella?" };
const call = { type: "tool_use", id: "c1", name: "look", input: {} } as const;
const thought = { type: "thinking", thinking: "Hm.", signature: "s" } as const;
const result: MessageParam = { role: "user", content: [{ type: "tool_result", tool_use_id: "c1", content: "rain" }] };

function convert({ options, rules, messages = [question] }: Case): [object, string[]] {
  const { context, omitted } = contextOf(rules);
  return [toThinking(options, messages, context), omitted];
}

const budgetOf = (reasoning: object, most: object = {}, rules: Partial<ModelRules> = {}): object =>
  convert({ options: { reasoning: { enabled: true, ...reasoning }, ...most }, rules })[0];
const enabled = (tokens: number, maxTokens: number): object => ({
  thinking: { type: "enabled", budget_tokens: tokens },
  maxTokens,
});

describe("toThinking without reasoning", () => {
  it.each<[string, ModelOptions, Partial<ModelRules>, number]>([
    ["16,384 by itself", {}, {}, 16_384],
    ["what is asked for", { maxTokens: 1 }, {}, 1],
    ["what is asked for, also beyond the model's own limit", { maxTokens: 99_999 }, { maxOutputTokens: 4096 }, 99_999],
    ["the model's own limit where that is less", {}, { maxOutputTokens: 4096 }, 4096],
    ["16,384 where reasoning is off", { reasoning: { enabled: false, budgetTokens: 9000 } }, {}, 16_384],
  ])("limits the tokens to %s", (...[, options, rules, maxTokens]) => {
    expect(convert({ options, rules })).toEqual([{ maxTokens }, []]);
  });

  it.each<[ModelOptions["reasoning"], Partial<ModelRules>, string[]]>([
    [undefined, { thinking: "adaptive", forcedTools: false }, []],
    [{ enabled: false }, { thinking: "adaptive", forcedTools: false }, ["reasoning.enabled false"]],
    [{ enabled: false }, { thinking: "adaptive", forcedTools: true }, []],
    [{ enabled: false }, { thinking: "budget", forcedTools: false }, []],
  ])("reports %j to a model that thinks all the same: %j", (reasoning, rules, reported) => {
    expect(convert({ options: { ...(reasoning && { reasoning }) }, rules })[1]).toEqual(reported);
    expect(alwaysThinks(contextOf(rules).context.rules)).toBe(
      rules.thinking === "adaptive" && rules.forcedTools === false,
    );
  });

  it("turns the effort none off, and asks for the least of a model that always thinks", () => {
    const options = { reasoning: { enabled: true, effort: "none" } } as const;

    expect(convert({ options })).toEqual([{ maxTokens: 16_384 }, []]);
    expect(convert({ options, rules: { thinking: "adaptive", forcedTools: true } })).toEqual([
      { maxTokens: 16_384 },
      [],
    ]);
    expect(convert({ options, rules: { thinking: "adaptive", forcedTools: false } })).toEqual([
      { maxTokens: 16_384, effort: "low" },
      ["reasoning.effort none"],
    ]);
  });
});

describe("toThinking with a budget", () => {
  it.each([
    ["minimal", 1024],
    ["low", 2048],
    ["medium", 8192],
    ["high", 24_576],
    ["xhigh", 32_768],
    [undefined, 4096],
  ])("gives the effort %s its tokens", (effort, tokens) => {
    expect(budgetOf({ effort })).toEqual(enabled(tokens, Math.max(32_000, tokens + 1024)));
  });

  it("takes a budget over an effort, within its bounds", () => {
    expect(budgetOf({ effort: "high", budgetTokens: 5000 })).toEqual(enabled(5000, 32_000));
    expect(budgetOf({ budgetTokens: 1 })).toEqual(enabled(1024, 32_000));
    expect(budgetOf({ budgetTokens: 1_000_000 })).toEqual(enabled(62_976, 64_000));
    expect(budgetOf({ budgetTokens: 9000 }, {}, { maxOutputTokens: 8192 })).toEqual(enabled(7168, 8192));
  });

  it("leaves room for the answer beside the budget", () => {
    expect(budgetOf({ budgetTokens: 2000 }, { maxTokens: 100 })).toEqual(enabled(2000, 3024));
    expect(budgetOf({ budgetTokens: 2000 }, { maxTokens: 3024 })).toEqual(enabled(2000, 3024));
    expect(budgetOf({ budgetTokens: 2000 }, { maxTokens: 3025 })).toEqual(enabled(2000, 3025));
  });

  it.each<[string, MessageParam[], boolean]>([
    ["a question", [question], true],
    ["a call with its thinking", [question, { role: "assistant", content: [thought, call] }, result], true],
    [
      "a call with thinking that is hidden",
      [question, { role: "assistant", content: [{ type: "redacted_thinking", data: "x" }, call] }, result],
      true,
    ],
    ["a call without its thinking", [question, { role: "assistant", content: [call] }, result], false],
    [
      "a call whose thinking does not come first",
      [question, { role: "assistant", content: [call, thought] }, result],
      false,
    ],
    [
      "the second of two calls without its thinking",
      [
        question,
        { role: "assistant", content: [thought, call] },
        result,
        { role: "assistant", content: [call] },
        result,
      ],
      false,
    ],
    [
      "a call of an earlier question",
      [question, { role: "assistant", content: [call] }, result, { role: "assistant", content: "Yes." }, question],
      true,
    ],
    ["an answer in words", [question, { role: "assistant", content: "Yes." }], true],
  ])("thinks behind %s only with all that led there", (_, messages, thinks) => {
    const [sent, omitted] = convert({ options: { reasoning: { enabled: true } }, messages });

    expect(["thinking" in sent, omitted]).toEqual([thinks, thinks ? [] : ["reasoning"]]);
    // Thinking of another form needs none of it.
    const rules = { thinking: "adaptive" } as const;
    expect(convert({ options: { reasoning: { enabled: true } }, messages, rules })[0]).toHaveProperty("thinking");
  });

  it("leaves thinking out for a model that does not take it", () => {
    expect(convert({ options: { reasoning: { enabled: true } }, rules: { thinking: "none" } })).toEqual([
      { maxTokens: 16_384 },
      ["reasoning"],
    ]);
  });
});

describe("toThinking of its own measure", () => {
  const rules = { thinking: "adaptive", maxOutputTokens: 128_000 } as const;
  const thinking = { type: "adaptive", display: "summarized" };

  it.each<[object, string | undefined]>([
    [{}, undefined],
    [{ effort: "minimal" }, "low"],
    [{ effort: "low" }, "low"],
    [{ effort: "xhigh" }, "xhigh"],
    [{ effort: "low", budgetTokens: 30_000 }, "xhigh"],
    [{ budgetTokens: 0 }, "low"],
    [{ budgetTokens: 2048 }, "low"],
    [{ budgetTokens: 2049 }, "medium"],
    [{ budgetTokens: 8192 }, "medium"],
    [{ budgetTokens: 8193 }, "high"],
    [{ budgetTokens: 24_576 }, "high"],
    [{ budgetTokens: 24_577 }, "xhigh"],
  ])("reads %j as the effort %s", (reasoning, effort) => {
    expect(budgetOf(reasoning, {}, rules)).toEqual({ thinking, maxTokens: 32_000, ...(effort && { effort }) });
  });

  it("keeps to the limit that is asked for", () => {
    expect(budgetOf({ budgetTokens: 30_000 }, { maxTokens: 10 }, rules)).toMatchObject({ maxTokens: 10 });
    expect(budgetOf({}, {}, { ...rules, maxOutputTokens: 20_000 })).toMatchObject({ maxTokens: 20_000 });
  });
});
