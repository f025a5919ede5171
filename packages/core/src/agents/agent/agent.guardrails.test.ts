import { describe, expect, it } from "vitest";
import { toPublicError } from "../../base/errors/public-error.ts";
import type { Guardrail } from "../guardrail/guardrail.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { readAll, runErrorOf } from "../../testing/conformance/runnable-subject.ts";
import { readUntilEnd } from "../run/test/small-run.ts";
import type { Agent } from "./agent.ts";
import { callOf, look, scripted } from "./test/agents.ts";

const calm: Guardrail = { name: "calm", check: (text) => ({ pass: true, replace: text.replaceAll("!", ".") }) };
const noRain: Guardrail = {
  name: "no-rain",
  check: (text) => (text.includes("rain") ? { pass: false, reason: "speaks of rain" } : { pass: true }),
};
const blocked = { code: "guardrail_blocked", message: expect.stringContaining("speaks of rain") };

describe.each(["run", "stream"] as const)("the guardrails of an agent (%s)", (way) => {
  const start = async (agent: Agent, input = "Hi!") =>
    way === "run" ? await agent.run(input) : await agent.stream(input).output;

  it("may replace the input, before the hook sees it [agent.guardrails-input]", async () => {
    const seen: unknown[] = [];
    const hooks = { beforeRun: (_context: unknown, input: unknown) => void seen.push(input) };
    const { agent, model } = scripted(["Hello."], { guardrails: { input: [calm] }, hooks });
    await start(agent);

    expect(seen).toEqual(["Hi."]);
    expect(model.calls[0]?.messages).toEqual([{ role: "user", content: "Hi." }]);
  });

  it("may refuse the input: no model is called, and nothing is stored [agent.guardrails-input]", async () => {
    const storage = new InMemoryStorage();
    const { agent, model } = scripted(["Hello."], { guardrails: { input: [calm, noRain] }, storage });
    const error = await runErrorOf(start(agent, "Will it rain?"));

    expect(error).toMatchObject(blocked);
    expect(model.calls).toEqual([]);
    expect(await storage.list("turns")).toEqual([]);
  });

  it("may not replace the input with nothing", async () => {
    const nothing: Guardrail = { name: "nothing", check: () => ({ pass: true, replace: " " }) };
    const { agent, model } = scripted(["Hello."], { guardrails: { input: [nothing] } });

    expect(await runErrorOf(start(agent))).toMatchObject({ code: "invalid_request" });
    expect(model.calls).toEqual([]);
  });

  it("may replace the answer: in the output, the messages and the session [agent.guardrails-output]", async () => {
    const storage = new InMemoryStorage();
    const { agent } = scripted(["Sun! Sun!"], { guardrails: { output: [noRain, calm] }, storage });
    const output = await start(agent);

    expect(output.text).toBe("Sun. Sun.");
    expect(output.messages?.at(-1)).toEqual({ role: "assistant", content: "Sun. Sun." });
    expect(JSON.stringify(await storage.list("turns"))).not.toContain("Sun!");
  });

  it("may refuse the answer: it is not shown, and its usage is reported [agent.guardrails-output]", async () => {
    const storage = new InMemoryStorage();
    const { agent } = scripted(["It will rain."], { guardrails: { output: [noRain] }, storage });
    const error = await runErrorOf(start(agent));

    expect(error).toMatchObject(blocked);
    expect(error.output).toMatchObject({ text: "", usage: { totalTokens: 15 } });
    expect(JSON.stringify(error.output)).not.toContain("will rain");
    expect(await storage.list("turns")).toEqual([]);
  });

  it("check the text beside a tool call as well, before the tool is called", async () => {
    const turns = [{ text: "It will rain.", toolCalls: [callOf("1")] }, "Sun."];
    const { agent } = scripted(turns, { guardrails: { output: [noRain] }, tools: [look] });
    const error = await runErrorOf(start(agent));

    expect(error).toMatchObject(blocked);
    expect(error.output.toolCalls).toEqual([]);
  });

  it("let nothing pass when they throw or return no verdict", async () => {
    for (const check of [() => Promise.reject(new Error("sk-12345678")), () => undefined, () => ({ pass: "yes" })]) {
      const guardrails = { output: [{ name: "g", check: check as unknown as Guardrail["check"] }] };
      const error = await runErrorOf(start(scripted(["Sun."], { guardrails }).agent));

      expect(error).toMatchObject({ code: "internal", output: { text: "" } });
      expect(toPublicError(error).message).not.toContain("sk-");
    }
  });
});

describe("the guardrails of a stream", () => {
  const words = { text: ["Sun", "! ", "Sun", "!"] };
  const textsOf = async (agent: Agent) =>
    (await readAll(agent.stream("Hi"))).flatMap((chunk) => (chunk.type === "text" ? [chunk.text] : []));

  it("hold the text back until it is complete", async () => {
    expect(await textsOf(scripted([words], { guardrails: { output: [calm] } }).agent)).toEqual(["Sun. Sun."]);
  });

  it("let text out as it comes when all of them are incremental", async () => {
    const output = [{ ...calm, incremental: true }];

    expect(await textsOf(scripted([words], { guardrails: { output } }).agent)).toEqual(["Sun", ". ", "Sun", "."]);
  });

  it("hold text back when one of them is not incremental", async () => {
    const output = [{ ...calm, incremental: true }, noRain];

    expect(await textsOf(scripted([words], { guardrails: { output } }).agent)).toEqual(["Sun. Sun."]);
  });

  it("show nothing of a refused answer but what was let out before", async () => {
    const rain = { text: ["Sun, ", "then rain", " and rain."] };
    const held = await readUntilEnd(scripted([rain], { guardrails: { output: [noRain] } }).agent.stream("Hi"));
    const output = [{ ...noRain, incremental: true }];
    const stream = scripted([rain], { guardrails: { output } }).agent.stream("Hi");
    const shown = await readUntilEnd(stream);

    expect(held.chunks).toEqual([]);
    expect(shown.chunks).toEqual([{ type: "text", text: "Sun, " }]);
    for (const { error } of [held, shown]) expect(error).toMatchObject(blocked);
    expect(shown.error).toMatchObject({ output: { text: "Sun, " } });
  });

  it("show thinking and calls at once", async () => {
    const turns = [{ thinking: "hm", text: "I look.", toolCalls: [callOf("1")] }, "Sun!"];
    const { agent } = scripted(turns, { guardrails: { output: [calm] }, tools: [look] });
    const chunks = await readAll(agent.stream("Hi"));

    const shown = chunks.map((chunk) => (chunk.type === "text" ? chunk.text : chunk.type));
    expect(shown.filter((one) => one !== "tool_call_delta")).toEqual([
      "thinking",
      "tool_call_start",
      "I look.",
      "tool_result",
      "tool_call_end",
      "Sun.",
      "finish",
    ]);
  });
});
