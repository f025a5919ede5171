import { describe, expect, it, vi } from "vitest";
import { CallIds } from "../../sessions/history/call-ids.ts";
import { getTextContent } from "../../base/message/content.ts";
import type { ToolChoice } from "../../model/model-config.ts";
import type { ModelMessage } from "../../model/vendor-state.ts";
import type { RunOpts } from "../run/run-options.ts";
import { testRun } from "../run/test/test-run.ts";
import { ToolSet } from "../tool/tool-set.ts";
import type { FillMessages } from "./fill-history.ts";
import type { LoopPlan } from "./loop-plan.ts";
import { prepareCall } from "./prepare-call.ts";
import { systemMessages } from "./system-prompt.ts";
import { answering, look, toolNamed } from "./test/agents.ts";

const dig = toolNamed("dig", () => "dug");
const user = (content: string): ModelMessage => ({ role: "user", content });
const prompt = { instructions: "Be short.", additions: "Facts." };
const messages = [...systemMessages(prompt), user("Before?"), user("Hi")];

/** A loop with this plan, and a function that prepares its next call. */
function loopOf(more: Partial<LoopPlan> = {}, opts: RunOpts = {}) {
  const run = testRun(opts);
  const warn = vi.spyOn(run, "warn");
  const tools = new ToolSet([look, dig]);
  const plan = {
    run,
    model: answering(),
    messages,
    prompt,
    options: { seed: 1 },
    tools,
    ...more,
  } as unknown as LoopPlan;
  const state = { callIds: new CallIds(), modelCalls: 0, hasWarned: false };
  const prepare = async (given: readonly ModelMessage[] = messages, mayCallTools = true) =>
    await prepareCall(plan, { messages: given, state, mayCallTools });
  return { run, warn, plan, state, prepare };
}

describe("prepareCall", () => {
  it("has the plan's model, messages, tools and options, and the signal of the run", async () => {
    const { run, plan, prepare } = loopOf();
    const call = await prepare();
    const { specs } = plan.tools;

    expect(call).toStrictEqual({
      model: plan.model,
      tools: plan.tools,
      mayCallTools: true,
      index: 0,
      messages,
      options: { seed: 1, tools: specs, signal: run.signal },
    });
    expect(call?.messages).toBe(messages);
    expect(call?.options.signal).toBe(run.signal);
    expect((await prepare())?.index).toBe(1);
  });

  it("answers at once where nothing has to be waited for", () => {
    const { plan, state } = loopOf();

    expect(prepareCall(plan, { messages, state, mayCallTools: true })).not.toBeInstanceOf(Promise);
  });

  it("has the run's key of the vendor that it calls", async () => {
    const keys = { apiKeys: { odd: "k-odd", other: "k-other" } };
    const other = { ...answering(), providerId: "other" };

    expect((await loopOf({}, keys).prepare())?.options).toMatchObject({ apiKey: "k-odd" });
    expect((await loopOf({ prepareStep: () => ({ model: other }) }, keys).prepare())?.options).toMatchObject({
      apiKey: "k-other",
    });
    expect((await loopOf().prepare())?.options).not.toHaveProperty("apiKey");
  });

  it.each<[choice: ToolChoice | undefined, sent: [first: unknown, later: unknown], mayCall: boolean]>([
    [undefined, [undefined, undefined], true],
    ["auto", ["auto", "auto"], true],
    ["none", ["none", "none"], false],
    ["required", ["required", undefined], true],
    [{ tool: "dig" }, [{ tool: "dig" }, undefined], true],
  ])("forces a call of a tool in the first call alone: %j", async (toolChoice, sent, mayCall) => {
    const { prepare } = loopOf({ toolChoice });
    const [one, two, last] = [await prepare(), await prepare(), await prepare(messages, false)];

    expect([one?.options.toolChoice, two?.options.toolChoice, last?.options.toolChoice]).toEqual([...sent, "none"]);
    expect([one?.mayCallTools, two?.mayCallTools, last?.mayCallTools]).toEqual([mayCall, mayCall, false]);
    expect(last?.options.tools).toHaveLength(2);
  });

  it("has neither tools nor a choice where there are no tools", async () => {
    const { run, prepare } = loopOf({ tools: new ToolSet([]), toolChoice: "none" });

    expect((await prepare())?.options).toStrictEqual({ seed: 1, signal: run.signal });
  });

  it("takes the choice of prepareStep in any call, of the tools that it leaves", async () => {
    const { prepare } = loopOf({ toolChoice: "none", prepareStep: () => ({ tools: ["dig"], toolChoice: "required" }) });
    await prepare();
    const call = await prepare();

    expect(call).toMatchObject({ index: 1, mayCallTools: true, options: { toolChoice: "required" } });
    expect(call?.tools.names).toEqual(["dig"]);
    expect(call?.options.tools?.map(({ name }) => name)).toEqual(["dig"]);
  });

  it.each<[more: Partial<LoopPlan>, message: string]>([
    [
      { prepareStep: ({ index }) => (index === 1 ? { tools: ["look"], toolChoice: { tool: "dig" } } : undefined) },
      'The toolChoice of model call 1 names "dig", which is not a tool here. Expected one of look.',
    ],
    [
      { prepareStep: ({ index }) => (index === 1 ? { tools: [], toolChoice: "required" } : {}) },
      "The toolChoice of model call 1 needs a tool. There are no tools.",
    ],
  ])("refuses a choice that is not among them", async (more, message) => {
    const { prepare } = loopOf(more);
    await prepare();

    await expect(prepare()).rejects.toMatchObject({ code: "invalid_config", message });
  });

  it("is none where prepareStep stops the run, and counts all the same", async () => {
    const { prepare, state } = loopOf({ prepareStep: () => ({ stop: true }) });

    expect(await prepare()).toBeUndefined();
    expect(state.modelCalls).toBe(1);
    expect(await loopOf({ prepareStep: () => ({ stop: false }) }).prepare()).toBeDefined();
  });

  it.each<[instructions: string, system: { instructions: string; additions: string }]>([
    ["Be long.", { instructions: "Be long.", additions: "Facts." }],
    ["", { instructions: "", additions: "Facts." }],
  ])("puts instructions of prepareStep in the place of the plan's: %j", async (instructions, system) => {
    const { prepare } = loopOf({ prepareStep: () => ({ instructions }) });

    expect((await prepare())?.messages).toEqual([...systemMessages(system), user("Before?"), user("Hi")]);
  });

  it("leaves out what exceeds maxContextTokens, warns once of what cannot be, and keeps prompt and input", async () => {
    const { prepare, warn } = loopOf({ maxContextTokens: 1 });
    const kept = [...systemMessages(prompt), user("Hi")];

    expect((await prepare())?.messages).toEqual(kept);
    expect((await prepare())?.messages).toEqual(kept);
    expect(warn.mock.calls).toEqual([
      [
        "context_exceeded",
        "The system prompt, the tools, the input and the newest step of the run exceed maxContextTokens by estimate. They are sent all the same.",
        { maxContextTokens: 1 },
      ],
    ]);
    const roomy = loopOf({ maxContextTokens: 10_000 });
    expect((await roomy.prepare())?.messages).toEqual(messages);
    expect(roomy.warn).not.toHaveBeenCalled();
  });

  it.each<[what: string, before: string, now: string]>([
    ["made", "", "New."],
    ["taken away", "Old.", ""],
    ["kept", "Old.", "New."],
  ])("finds the input behind a system prompt that prepareStep has %s", async (_, before, now) => {
    const system = (instructions: string) => systemMessages({ instructions, additions: "" });
    const step: ModelMessage[] = ["a", "b"].map((content) => ({ role: "assistant", content }));
    const { prepare } = loopOf({
      maxContextTokens: 1,
      prompt: { instructions: before, additions: "" },
      messages: [...system(before), user("Before?"), user("Hi")],
      prepareStep: () => ({ instructions: now }),
    });

    expect((await prepare([...system(before), user("Before?"), user("Hi"), ...step]))?.messages).toEqual([
      ...system(now),
      user("Hi"),
      ...step.slice(-1),
    ]);
  });
});

describe("prepareCall with data of the history that is stored apart", () => {
  const filled = (given: readonly ModelMessage[]) =>
    given.map((message) => ({ ...message, content: `${getTextContent(message.content ?? "")}!` }));

  it("fills the messages that are sent, and of none that is left out", async () => {
    const fill = vi.fn<FillMessages>(async (given) => await Promise.resolve(filled(given)));
    const call = await loopOf({ fillMessages: fill, maxContextTokens: 1 }).prepare();

    const sent = [...systemMessages(prompt), user("Hi")];
    expect(call?.messages).toEqual(filled(sent));
    expect(fill.mock.calls).toEqual([[sent]]);
  });

  it("shows prepareStep the filled messages, and sends these", async () => {
    const seen: unknown[] = [];
    const fill = vi.fn<FillMessages>(
      async (given) => await Promise.resolve(given.map((each) => ({ ...each, content: "x" }))),
    );
    const call = await loopOf({ fillMessages: fill, prepareStep: (step) => void seen.push(step.messages) }).prepare();

    expect(seen).toEqual([call?.messages]);
    expect(call?.messages.every(({ content }) => content === "x")).toBe(true);
  });

  it("reads nothing more where prepareStep stops the run", async () => {
    const fill = vi.fn<FillMessages>(async (given) => await Promise.resolve(given));

    expect(await loopOf({ fillMessages: fill, prepareStep: () => ({ stop: true }) }).prepare()).toBeUndefined();
    expect(fill).toHaveBeenCalledOnce();
  });
});
