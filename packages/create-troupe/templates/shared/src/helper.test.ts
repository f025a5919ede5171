import assert from "node:assert/strict";
import { test } from "node:test";
import { ScriptedModel } from "@troupe/core/testing";
import { createHelper } from "./helper.ts";

test("the helper asks the weather tool and answers from its result", async () => {
  const model = new ScriptedModel(
    { toolCalls: [{ name: "weather", arguments: { city: "Oslo" } }] },
    "Take an umbrella.",
  );

  const output = await createHelper(model).run("What should I take along to Oslo?");

  assert.equal(output.text, "Take an umbrella.");
  assert.deepEqual(
    output.toolCalls.map(({ toolName, args }) => [toolName, args]),
    [["weather", { city: "Oslo" }]],
  );
  model.assertDone();
});
