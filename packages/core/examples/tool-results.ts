import assert from "node:assert/strict";
import { Agent, defineTool } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { z } from "zod";

const model = new ScriptedModel(
  { toolCalls: [{ name: "find_tables" }, { name: "show_plan" }] },
  { toolCalls: [{ name: "confirm", arguments: { table: 4 } }] },
);
const planPng = "iVBORw0KGgo=";

// #region readme
const findTables = defineTool({
  name: "find_tables",
  description: "Finds free tables.",
  parameters: z.object({}),
  // The model gets JSON text.
  execute: () => [{ table: 4, seats: 6 }],
});
const showPlan = defineTool({
  name: "show_plan",
  description: "Shows the plan of the room.",
  parameters: z.object({}),
  // The model gets the image, if it takes images.
  execute: () => [
    { type: "text", text: "The plan:" },
    { type: "image", data: planPng, mimeType: "image/png" },
  ],
});
const confirm = defineTool({
  name: "confirm",
  description: "Confirms the booking, and ends the conversation.",
  parameters: z.object({ table: z.int() }),
  // The result is the answer of the run: the model is not called again.
  endsRun: true,
  execute: ({ table }) => `Table ${table} is booked.`,
});

const agent = new Agent({ name: "concierge", model, tools: [findTables, showPlan, confirm] });
const { text, toolCalls } = await agent.run("A table for six, please.");
// #endregion

assert.equal(text, "Table 4 is booked.");
assert.equal(toolCalls[0]?.result, '[{"table":4,"seats":6}]');
assert.deepEqual(toolCalls[1]?.result[1], { type: "image", data: planPng, mimeType: "image/png" });
assert.equal(model.calls.length, 2);
