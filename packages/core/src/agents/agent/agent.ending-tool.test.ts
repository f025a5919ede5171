import { letRun } from "@troupe-internal/interleavings";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { runErrorOf } from "../../testing/conformance/runnable-subject.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { repairHistory } from "../../sessions/history/repair-history.ts";
import type { ToolDef } from "../run/tool.ts";
import { Agent } from "./agent.ts";
import type { AgentConfig } from "./agent-config.ts";
import { callOf, look, scripted, toolNamed } from "./test/agents.ts";

const submit = toolNamed("submit", (at) => `Sent to ${at}.`, { endsRun: true });
const submitCall = { toolCalls: [callOf("1", "Oslo", "submit")] };

describe.each(["run", "stream"] as const)("a tool that ends the run (%s)", (way) => {
  const start = async (agent: Agent, input = "Send it.", sessionId = "s") =>
    way === "run" ? await agent.run(input, { sessionId }) : await agent.stream(input, { sessionId }).output;

  it("gives its result as the answer, and the model is not called again [tool.ends-run]", async () => {
    const { agent, model } = scripted([submitCall], { tools: [submit] });
    const output = await start(agent);

    expect(output).toMatchObject({ text: "Sent to Oslo.", status: "completed", structured: null });
    expect(output.toolCalls).toMatchObject([{ toolName: "submit", result: "Sent to Oslo." }]);
    expect(model.calls).toHaveLength(1);
  });

  it("gives JSON as JSON text, and parts by their text", async () => {
    const json = toolNamed("submit", () => ({ sent: true }), { endsRun: true });
    const parts = toolNamed(
      "submit",
      () => [
        { type: "text", text: "See this." },
        { type: "image", data: "aGk=" },
      ],
      {
        endsRun: true,
      },
    );

    expect((await start(scripted([submitCall], { tools: [json] }).agent)).text).toBe('{"sent":true}');
    expect((await start(scripted([submitCall], { tools: [parts] }).agent)).text).toBe("See this.");
  });

  it("finishes and records the other calls of its batch [tool.ends-run-batch]", async () => {
    const slow = toolNamed("slow", async (at) => {
      await letRun();
      return `${at} at last`;
    });
    const calls = [callOf("1", "Oslo", "submit"), callOf("2", "Rome", "slow")];
    const { agent } = scripted([{ toolCalls: calls }], { tools: [submit, slow] });
    const output = await start(agent);

    expect(output.text).toBe("Sent to Oslo.");
    expect(output.toolCalls.map(({ result }) => result)).toEqual(["Sent to Oslo.", "Rome at last"]);
  });

  it("stores a turn that ends with the answer, for the next run of the session [tool.ends-run-stored]", async () => {
    const storage = new InMemoryStorage();
    const { agent, model } = scripted([submitCall, "Yes."], { tools: [submit], storage });
    await start(agent);
    await start(agent, "Did it work?");
    const sent = model.calls[1]?.messages ?? [];

    expect(sent.slice(0, -1)).toEqual([
      { role: "user", content: "Send it." },
      { role: "assistant", content: null, toolCalls: [callOf("1", "Oslo", "submit")] },
      { role: "tool", toolCallId: "1", content: "Sent to Oslo." },
      { role: "assistant", content: "Sent to Oslo." },
    ]);
    expect(repairHistory(sent)).toBe(sent);
  });

  it("wins as the first in the order of the calls when two of them end the run [tool.ends-run-first]", async () => {
    const slow = toolNamed(
      "slow",
      async () => {
        await letRun();
        return "slow";
      },
      { endsRun: true },
    );
    const calls = [callOf("1", "Oslo", "slow"), callOf("2", "Oslo", "submit")];
    const { agent } = scripted([{ toolCalls: calls }], { tools: [submit, slow] });

    expect((await start(agent)).text).toBe("slow");
  });

  it("does not end the run when it fails, also not beside another call [tool.ends-run-failed]", async () => {
    let attempts = 0;
    const tool = toolNamed(
      "submit",
      (at) => {
        attempts++;
        if (attempts === 1) throw new Error("not yet");
        return `Sent to ${at}.`;
      },
      { endsRun: true },
    );
    const again = { toolCalls: [callOf("2", "Rome", "submit")] };
    const { agent, model } = scripted([{ toolCalls: [callOf("1", "Oslo", "submit"), callOf("9")] }, again], {
      tools: [tool, look],
    });

    expect((await start(agent)).text).toBe("Sent to Rome.");
    expect(model.calls).toHaveLength(2);
  });

  it("does not end the run when its call is denied or its arguments are wrong", async () => {
    let asked = 0;
    const hooks = { onToolCall: () => (++asked === 1 ? { deny: "not now" } : undefined) };
    const wrong = { toolCalls: [{ id: "2", name: "submit", arguments: {} }] };
    const { agent } = scripted([submitCall, wrong, "I could not."], { tools: [submit], hooks });

    expect((await start(agent)).text).toBe("I could not.");
  });

  it("passes the output guardrails, which may replace or refuse its result [tool.ends-run-guardrails]", async () => {
    const replace: AgentConfig["guardrails"] = {
      output: [{ name: "mask", check: (text) => ({ pass: true, replace: text.replace("Oslo", "…") }) }],
    };
    const refuse: AgentConfig["guardrails"] = {
      output: [{ name: "no", check: () => ({ pass: false, reason: "no" }) }],
    };
    const replaced = await start(scripted([submitCall], { tools: [submit], guardrails: replace }).agent);
    const error = await runErrorOf(start(scripted([submitCall], { tools: [submit], guardrails: refuse }).agent));

    expect(replaced.text).toBe("Sent to ….");
    expect(replaced.messages?.at(-1)).toEqual({ role: "assistant", content: "Sent to …." });
    expect(error).toMatchObject({ code: "guardrail_blocked" });
    expect(error.output.text).not.toContain("Sent");
  });

  it("must have text", async () => {
    const image = toolNamed("submit", () => [{ type: "image", data: "aGk=" }], { endsRun: true });
    const { agent } = scripted([submitCall, "There."], { tools: [image] });
    const output = await start(agent);

    expect(output.text).toBe("There.");
    expect(output.toolCalls[0]?.error).toContain("no text");
  });
});

describe("a tool that ends the run of an agent with structured output", () => {
  const answering = (results: readonly unknown[], structuredOutput: AgentConfig["structuredOutput"]) => {
    const left = [...results];
    const tool: ToolDef = toolNamed("submit", () => left.shift() as string, { endsRun: true });
    const model = new ScriptedModel(submitCall, { toolCalls: [callOf("2", "Rome", "submit")] });
    return { agent: new Agent({ name: "a", model, tools: [tool], structuredOutput: structuredOutput ?? {} }), model };
  };
  const forecast = z.object({ city: z.string(), days: z.number().default(3) });

  it("gives the checked value [tool.ends-run-structured]", async () => {
    const { agent } = answering([{ city: "Oslo" }], forecast);
    const output = await agent.run("Go.");

    expect(output.structured).toEqual({ city: "Oslo", days: 3 });
    expect(output.text).toBe('{"city":"Oslo"}');
  });

  it("is an error for the model when it does not fit, and the run goes on [tool.ends-run-structured]", async () => {
    const { agent, model } = answering([{ town: "Oslo" }, { city: "Rome" }], forecast);
    const output = await agent.run("Go.");

    expect(output.structured).toEqual({ city: "Rome", days: 3 });
    expect(output.toolCalls[0]?.error).toMatch(/^The result of submit does not fit the schema of the answer:\ncity/);
    expect(model.calls[1]?.messages.at(-1)).toMatchObject({ role: "tool", content: output.toolCalls[0]?.error });
  });

  it.each([
    [z.number(), 42, [42, "42"]],
    [z.string(), "42", ["42", "42"]],
    [z.string(), "Oslo", ["Oslo", "Oslo"]],
    [z.array(z.number()), [1, 2], [[1, 2], "[1,2]"]],
  ])("takes a value for a schema whose root is no object: %#", async (schema, result, answer) => {
    const output = await answering([result], schema).agent.run("Go.");

    expect([output.structured, output.text]).toEqual(answer);
  });
});

describe("the stream of a run that a tool ends", () => {
  it("carries the text after the end of the call, and then finishes with stop [tool.ends-run-stream]", async () => {
    const { agent } = scripted([submitCall], { tools: [submit] });
    const chunks = [];
    for await (const chunk of agent.stream("Send it.")) chunks.push(chunk);

    expect(chunks.slice(-3)).toMatchObject([
      { type: "tool_call_end", toolCallId: "1" },
      { type: "text", text: "Sent to Oslo." },
      { type: "finish", finishReason: "stop" },
    ]);
  });
});
