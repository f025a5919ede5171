import assert from "node:assert/strict";
import { Agent, defineTool } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { createTelemetry } from "@troupe/otel";

const weather = defineTool({
  name: "weather",
  description: "Tells the weather in a city.",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  execute: () => "rain",
});
const model = new ScriptedModel({ toolCalls: [{ name: "weather", arguments: { city: "Oslo" } }] }, "Take an umbrella.");

// #region readme
// Records nothing until the host has started an SDK of OpenTelemetry.
const telemetry = createTelemetry({ captureContent: false });
const helper = new Agent({ name: "helper", model, tools: [weather], telemetry });
const { text } = await helper.run("Do I need an umbrella in Oslo?");
// #endregion

assert.equal(text, "Take an umbrella.");
