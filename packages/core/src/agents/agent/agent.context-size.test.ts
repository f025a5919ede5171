import { describe, expect, it } from "vitest";
import { assertVendorWouldAccept } from "../../sessions/history/test/assert-vendor-would-accept.ts";
import { estimateTokens } from "../../sessions/history/estimate-tokens.ts";
import { getTextContent } from "../../base/message/content.ts";
import type { ModelMessage } from "../../model/vendor-state.ts";
import type { ScriptedModel } from "../../testing/scripted-model.ts";
import { callOf, scripted, toolNamed } from "./test/agents.ts";

const words = (count: number) => "word ".repeat(count);
const texts = (messages: readonly ModelMessage[] = []) =>
  messages.map(({ content }) => getTextContent(content).slice(0, 6));
const sizes = (model: ScriptedModel) => model.calls.map(({ messages }) => estimateTokens(messages));
const read = toolNamed("look", (at) => `${at} ${words(100)}`);
const asks = (id: string) => ({ toolCalls: [callOf(id, `page${id}`)] });

/** An agent after these runs in its session. */
async function withPast(
  inputs: string[],
  turns: Parameters<typeof scripted>[0],
  config: Parameters<typeof scripted>[1],
) {
  const past = inputs.map((input) => `Re: ${input}`);
  const setUp = scripted([...past, ...turns], { sessionId: "s", instructions: "Be short.", ...config });
  for (const input of inputs) await setUp.agent.run(input);
  setUp.model.calls.length = 0;
  return setUp;
}

describe("maxContextTokens", () => {
  it("holds for every model call: older turns go first, then older steps of the run [context.every-call] [context.stays]", async () => {
    const { agent, model } = await withPast(
      [`A ${words(60)}`, `B ${words(60)}`],
      [asks("1"), asks("2"), asks("3"), "Done."],
      { tools: [read], maxContextTokens: 400, maxToolRoundtrips: 3 },
    );
    const output = await agent.run("C now");

    expect(model.calls.map(({ messages }) => texts(messages))).toEqual([
      ["Be sho", "A word", "Re: A ", "B word", "Re: B ", "C now"],
      ["Be sho", "B word", "Re: B ", "C now", "", "page1 "],
      ["Be sho", "C now", "", "page1 ", "", "page2 "],
      ["Be sho", "C now", "", "page2 ", "", "page3 "],
    ]);
    for (const { messages } of model.calls) assertVendorWouldAccept(messages.slice(1));
    for (const size of sizes(model)) expect(size).toBeLessThanOrEqual(400);
    expect(output.messages).toHaveLength(8);
  });

  it("leaves out a long run's steps in blocks, so that its vendor finds most of them in its cache [cache.long-sessions]", async () => {
    const ids = Array.from({ length: 30 }, (_, index) => `${index + 10}`);
    const setUp = scripted([...ids.map(asks), "Done."], {
      tools: [toolNamed("look", (at) => `${at} ${words(20)}`)],
      maxContextTokens: 1000,
      maxToolRoundtrips: 30,
    });
    await setUp.agent.run("All pages");

    const counts = setUp.model.calls.map(({ messages }) => messages.length);
    const most = Math.max(...counts);
    const kept = setUp.model.calls.slice(counts.indexOf(most));
    expect(Math.min(...kept.map(({ messages }) => messages.length))).toBeGreaterThanOrEqual(most * 0.7);
    const firsts = new Set(kept.map(({ messages }) => getTextContent(messages[2]?.content ?? "")));
    expect(firsts.size).toBeLessThan(kept.length / 1.5);
    for (const size of sizes(setUp.model)) expect(size).toBeLessThanOrEqual(1000);
  });

  it("holds for the repairs of a structured answer [context.every-call]", async () => {
    const structuredOutput = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
    const setUp = scripted(['{"n":1}', `no ${words(120)}`, '{"n":2}'], {
      sessionId: "s",
      structuredOutput,
      maxContextTokens: 260,
    });
    await setUp.agent.run(`A ${words(60)}`);
    await setUp.agent.run("B now");

    expect(setUp.model.calls.slice(1).map(({ messages }) => texts(messages))).toEqual([
      ["A word", '{"n":1', "B now"],
      ["B now", "no wor", "Your a"],
    ]);
    for (const size of sizes(setUp.model)) expect(size).toBeLessThanOrEqual(260);
  });

  it("counts the parameters of the tools, also of those that prepareStep chose [context.tools-count]", async () => {
    const properties = Object.fromEntries(
      Array.from({ length: 20 }, (_, index) => [`parameter_${index}`, { type: "string", description: words(5) }]),
    );
    const big = { ...toolNamed("big", () => "seen"), parameters: { type: "object", properties } };
    const inputs = [`A ${words(60)}`, `B ${words(60)}`];
    const config = { tools: [big, read], maxContextTokens: 520 };
    const all = await withPast(inputs, ["Done."], config);
    const few = await withPast(inputs, ["Done."], { ...config, prepareStep: () => ({ tools: ["look"] }) });
    await all.agent.run("C now");
    await few.agent.run("C now");

    expect(texts(all.model.calls[0]?.messages)).toEqual(["Be sho", "C now"]);
    expect(texts(few.model.calls[0]?.messages)).toContain("B word");
  });

  it("counts instructions of prepareStep [context.every-call]", async () => {
    const config = { maxContextTokens: 300, prepareStep: () => ({ instructions: `New ${words(200)}` }) };
    const { agent, model } = await withPast([`A ${words(60)}`], ["Done."], config);
    await agent.run("C now");

    expect(texts(model.calls[0]?.messages)).toEqual(["New wo", "C now"]);
  });

  it("keeps prompt, input and newest step when they alone are too large, and warns once [context.stays] [context.warning]", async () => {
    const { agent, model } = await withPast(["A"], [asks("1"), asks("2"), "Done."], {
      tools: [read],
      maxContextTokens: 60,
    });
    const warnings: unknown[] = [];
    agent.eventBus.on("run.warning", ({ code, fields }) => warnings.push({ code, fields }));
    await agent.run("C now");

    expect(model.calls.map(({ messages }) => texts(messages)).slice(1)).toEqual([
      ["Be sho", "C now", "", "page1 "],
      ["Be sho", "C now", "", "page2 "],
    ]);
    expect(warnings).toEqual([{ code: "context_exceeded", fields: { maxContextTokens: 60 } }]);
  });
});
