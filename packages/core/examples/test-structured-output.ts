import assert from "node:assert/strict";
import { Agent, getTextContent } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { z } from "zod";

// #region readme
const model = new ScriptedModel({ structured: { title: "Soup" } }, { structured: { title: "Soup", minutes: 25 } });
const structuredOutput = z.object({ title: z.string(), minutes: z.int() });

const { structured } = await new Agent({ name: "recipes", model, structuredOutput }).run("A quick soup?");

assert.deepEqual(structured, { title: "Soup", minutes: 25 });
const repair = getTextContent(model.calls[1]?.messages.at(-1)?.content ?? null);
assert.match(repair, /minutes/); // names what is missing
model.assertDone();
// #endregion
