import assert from "node:assert/strict";
import { Agent } from "@troupe/core";
import type { Guardrail } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";

const model = new ScriptedModel("Call +47 900 00 000.");

// #region readme
const onTopic: Guardrail = {
  name: "on topic",
  check: (text) => (/weather/i.test(text) ? { pass: true } : { pass: false, reason: "Ask about the weather." }),
};
const noPhoneNumbers: Guardrail = {
  name: "no phone numbers",
  check: (text) => ({ pass: true, replace: text.replace(/\+?\d[\d ]{6,}/g, "[phone number]") }),
};

const agent = new Agent({ name: "weather", model, guardrails: { input: [onTopic], output: [noPhoneNumbers] } });
const { text } = await agent.run("Whom do I call about the weather?");
// #endregion

assert.equal(text, "Call [phone number].");
await assert.rejects(agent.run("Tell me a joke."), { code: "guardrail_blocked" });
