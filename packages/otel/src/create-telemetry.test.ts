import { Agent, defineTool } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it } from "vitest";
import { Recorder, tokensIn, tokensOf } from "../test/recorder.ts";

const weather = defineTool({
  name: "weather",
  description: "Tells the weather.",
  parameters: { type: "object", properties: { city: { type: "string" } } },
  execute: () => "rain",
});

const callWeather = { toolCalls: [{ name: "weather", arguments: { city: "Oslo" } }] };

describe("a run of an agent", () => {
  it("is a tree of its model calls and tool calls, whose tokens are those of the run", async () => {
    const recorder = new Recorder();
    const model = new ScriptedModel(callWeather, { text: "Take an umbrella." });
    const agent = new Agent({ name: "helper", telemetry: recorder.telemetry, tools: [weather], model });
    const { usage } = await agent.run("Oslo?");

    expect(await recorder.tree()).toBe(
      ["invoke_agent helper", "  chat scripted-1", "  execute_tool weather", "  chat scripted-1"].join("\n"),
    );
    expect(tokensOf(await recorder.spans())).toEqual(tokensIn(usage));
  });

  it("records neither what was said nor what tools were given, unless the host asks for it", async () => {
    const recorder = new Recorder();
    const model = new ScriptedModel(callWeather, { text: "Take an umbrella." });
    await new Agent({ name: "helper", telemetry: recorder.telemetry, tools: [weather], model }).run("In Oslo?");

    expect(JSON.stringify((await recorder.spans()).map(({ attributes, events }) => [attributes, events]))).not.toMatch(
      /Oslo|umbrella|rain/,
    );
  });
});
