// StreamChunk: all six types, told apart by `type`.
import assert from "node:assert/strict";
import { Agent, defineTool } from "@troupe/core";
import type { StreamChunk } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { z } from "zod";

const model = new ScriptedModel(
  { thinking: "Look it up.", toolCalls: [{ id: "call-1", name: "weather", arguments: { city: "Oslo" } }] },
  "Take an umbrella.",
);
const weather = defineTool({
  name: "weather",
  description: "Tells the weather in a city.",
  parameters: z.object({ city: z.string() }),
  execute: () => "Rain.",
});
const agent = new Agent({ name: "helper", model, tools: [weather] });

let [text, thinking, args] = ["", "", ""];
const seen: string[] = [];
for await (const chunk of agent.stream("Oslo?") as AsyncIterable<StreamChunk>) {
  seen.push(chunk.type);
  switch (chunk.type) {
    case "text":
      text += chunk.text;
      break;
    case "thinking":
      thinking += chunk.text;
      break;
    case "tool_call_start":
      assert.deepEqual(chunk.toolCall, { id: "call-1", name: "weather" });
      break;
    case "tool_call_delta":
      assert.equal(chunk.toolCallId, "call-1");
      args += chunk.argumentsDelta;
      break;
    case "tool_call_end":
      assert.equal(chunk.toolCallId, "call-1");
      break;
    case "finish":
      assert.equal(chunk.finishReason, "stop");
      assert.equal(chunk.usage?.totalTokens, 30);
      break;
    default:
      break;
  }
}
assert.equal(text, "Take an umbrella.");
assert.equal(thinking, "Look it up.");
assert.deepEqual(JSON.parse(args), { city: "Oslo" });
assert.equal(seen.at(-1), "finish");
assert.ok(seen.indexOf("tool_call_start") < seen.indexOf("tool_call_delta"));
assert.ok(seen.indexOf("tool_call_delta") < seen.indexOf("tool_call_end"));
