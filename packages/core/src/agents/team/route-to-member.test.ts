import { describe, expect, it } from "vitest";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { RunEvents } from "../run/run-events.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import type { ScriptedAnswer } from "../../testing/scripted-answer.ts";
import { Team } from "./team.ts";
import { pick, readAll, sayer } from "./test/teams.ts";

const choice = (body: unknown): ScriptedAnswer => ({ text: JSON.stringify(body) });

/** A team that routes to `ann`, unless the model is given, with the events of its own run. */
function teamOf(answer: ScriptedAnswer, model = new ScriptedModel(pick("ann"))) {
  const members = [sayer("bob", "no").agent, sayer("ann", answer, { retry: { maxRetries: 0 } }).agent];
  const team = new Team({ name: "team", mode: "route", model, members });
  const seen: unknown[] = [];
  const ofTeam = (event: RunEvents["tool.call"] | RunEvents["tool.result"]) => {
    const { sessionId: _, ...shown } = event;
    if (event.parentRunId === undefined) seen.push({ ...shown, runId: "of the team" });
  };
  team.eventBus.on("tool.call", ofTeam);
  team.eventBus.on("tool.result", ofTeam);
  return { team, model, seen };
}

describe("a routed member", () => {
  it.each(["run", "stream"] as const)("is a tool call in the messages and events of the team's %s", async (way) => {
    const { team, seen } = teamOf({ text: ["Ra", "in."], thinking: "Hm.", responseId: "r" });
    const output = way === "run" ? await team.run("Weather?") : await team.stream("Weather?").output;

    const id = output.toolCalls[0]?.toolCallId ?? "";
    const call = { toolCallId: id, toolName: "delegate_to_ann" };
    const event = { ...call, runId: "of the team" };
    expect(output).toMatchObject({ text: "Rain.", thinking: "Hm.", responseId: "r" });
    expect(output.toolCalls).toEqual([{ ...call, args: {}, result: "Rain.", durationMs: expect.any(Number) }]);
    expect(output.messages?.slice(-3)).toEqual([
      { role: "assistant", content: null, toolCalls: [{ id, name: "delegate_to_ann", arguments: {} }] },
      { role: "tool", toolCallId: id, content: "Rain." },
      { role: "assistant", content: "Rain." },
    ]);
    expect(seen).toEqual([
      { ...event, args: {} },
      { ...event, result: "Rain." },
    ]);
  });

  it("a routed member that says nothing adds no answer to the messages", async () => {
    const output = await teamOf({ text: "" }).team.run("Weather?");

    expect(output.text).toBe("");
    expect(output.messages?.map(({ role }) => role).slice(-2)).toEqual(["assistant", "tool"]);
  });

  it.each([
    ["run", ""],
    ["stream", "Rain"],
  ])("a routed member that fails leaves its text until then in the failed %s", async (way, text) => {
    const error = new TroupeError("rate_limited", "Too fast.");
    const { team, seen } = teamOf({ text: ["Ra", "in"], error });
    const started = way === "run" ? team.run("Weather?") : team.stream("Weather?").output;
    const failure: unknown = await started.catch((thrown: unknown) => thrown);

    expect(failure).toMatchObject({
      code: "rate_limited",
      output: { text, toolCalls: [{ toolName: "delegate_to_ann" }] },
    });
    expect(seen).toMatchObject([
      { toolName: "delegate_to_ann", args: {} },
      { toolName: "delegate_to_ann", error: expect.stringContaining("ann failed") },
    ]);
    const { toolCalls } = (failure as { output: { toolCalls: { result: unknown; error?: string }[] } }).output;
    expect(toolCalls).toMatchObject([{ result: toolCalls[0]?.error }]);
  });

  it("is chosen by a schema that demands a member and nothing else", async () => {
    const wrong = [{}, { member: "Ann" }, { member: "ann", why: "x" }].map(choice);
    const { team, model } = teamOf("Rain.", new ScriptedModel(...wrong));
    await expect(team.run("Weather?")).rejects.toMatchObject({ code: "structured_output_invalid" });

    expect(model.calls).toHaveLength(3);
    expect(model.calls[0]?.options.responseFormat).toEqual({
      type: "json_schema",
      schema: {
        type: "object",
        properties: { member: { type: "string", enum: ["bob", "ann"] } },
        required: ["member"],
        additionalProperties: false,
      },
    });
  });

  it("is streamed without the orchestrator's choice, and with one end", async () => {
    const { team } = teamOf({ text: ["Ra", "in."] });
    const chunks = await readAll(team.stream("Weather?"));

    expect(chunks).toMatchObject([
      { type: "tool_call_start", toolCall: { name: "delegate_to_ann" } },
      { type: "tool_call_delta", argumentsDelta: "{}" },
      { type: "text", text: "Ra", speaker: "ann" },
      { type: "text", text: "in.", speaker: "ann" },
      { type: "tool_result", toolName: "delegate_to_ann", result: "Rain." },
      { type: "tool_call_end" },
      { type: "finish", finishReason: "stop" },
    ]);
  });

  it("is streamed with the id of the call that handed the question over [team.hand-over]", async () => {
    const { team } = teamOf({ text: "Rain.", thinking: "Hm." });
    const stream = team.stream("Weather?");
    const chunks = await readAll(stream);
    const [handOver] = (await stream.output).toolCalls;

    const ids = chunks.flatMap((chunk) => {
      if (chunk.type === "tool_call_start") return [chunk.toolCall.id];
      if (chunk.type === "text" || chunk.type === "thinking") return [chunk.delegationId];
      return "toolCallId" in chunk ? [chunk.toolCallId] : [];
    });
    expect(new Set(ids)).toEqual(new Set([handOver?.toolCallId]));
  });

  it("a routed member that fails is streamed with the error as the result of its call", async () => {
    const { team } = teamOf({ text: "Ra", error: new TroupeError("rate_limited", "Too fast.") });
    const chunks: unknown[] = [];
    const read = async () => {
      for await (const chunk of team.stream("Weather?")) chunks.push(chunk);
    };

    await expect(read()).rejects.toMatchObject({ code: "rate_limited" });
    expect(chunks.slice(-2)).toMatchObject([
      { type: "tool_result", error: expect.stringContaining("ann failed") },
      { type: "tool_call_end" },
    ]);
  });

  it("a routed member that fails before its first chunk fails the team's stream before any chunk", async () => {
    const { team } = teamOf({ error: new TroupeError("rate_limited", "Too fast.") });
    const stream = team.stream("Weather?");

    await expect(stream[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: "rate_limited" });
  });
});
