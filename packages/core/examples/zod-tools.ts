import assert from "node:assert/strict";
import { Agent, defineTool } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { z } from "zod";

const model = new ScriptedModel(
  { toolCalls: [{ name: "book_table", arguments: { restaurant: "Lofoten", guests: 4 } }] },
  "Your table for four is booked.",
);
const booked: string[] = [];

// #region readme
const bookTable = defineTool({
  name: "book_table",
  description: "Books a table in a restaurant.",
  parameters: z.object({ restaurant: z.string(), guests: z.int().min(1).max(12) }),
  timeoutMs: 10_000,
  // The arguments are typed by the schema, and checked before this is called.
  async execute({ restaurant, guests }, context) {
    context.signal.throwIfAborted();
    booked.push(`${restaurant}: ${guests}`);
    return { content: "Booked.", artifacts: [{ type: "booking", data: { restaurant, guests } }] };
  },
});

const agent = new Agent({ name: "concierge", model, tools: [bookTable] });
const { text, toolCalls } = await agent.run("A table for four at Lofoten, please.");
// #endregion

assert.deepEqual(booked, ["Lofoten: 4"]);
assert.equal(text, "Your table for four is booked.");
assert.equal(toolCalls[0]?.artifacts?.[0]?.type, "booking");
