import assert from "node:assert/strict";
import { Agent, fallbackModel, ModelError } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";

const first = new ScriptedModel({ error: new ModelError({ providerId: "scripted", status: 503 }) });
const second = new ScriptedModel("Take an umbrella.");

// #region readme
const agent = new Agent({ name: "helper", model: fallbackModel(first, second) });
const { text, model } = await agent.run("What should I take along to Oslo?");
// #endregion

assert.equal(text, "Take an umbrella.");
assert.equal(model, "scripted-1");
