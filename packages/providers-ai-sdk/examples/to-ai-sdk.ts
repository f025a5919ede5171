import assert from "node:assert/strict";
import { ScriptedModel } from "@troupe/core/testing";
// #region readme
import { Agent } from "@troupe/core";
import { toAiSdk } from "@troupe/providers-ai-sdk";
import { streamText } from "ai";
// #endregion

const model = new ScriptedModel("Take an umbrella.");

// #region readme
const agent = new Agent({ name: "helper", model });
const { textStream } = streamText({ model: toAiSdk(agent), prompt: "What should I take along to Oslo?" });
// #endregion

let text = "";
for await (const piece of textStream) text += piece;
assert.equal(text, "Take an umbrella.");
