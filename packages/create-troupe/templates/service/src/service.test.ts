import assert from "node:assert/strict";
import { test } from "node:test";
import { createHandler } from "@troupe/core/service";
import { ScriptedModel } from "@troupe/core/testing";
import { createAgents } from "./service.ts";

test("the service answers over HTTP", async () => {
  const { service, protocols } = createAgents(new ScriptedModel("Good morning."));
  const handler = createHandler(service, protocols);

  const answer = await handler(
    new Request("http://localhost/agents/helper/run", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ input: "Hello" }),
    }),
  );

  assert.equal(answer.status, 200);
  assert.match(await answer.text(), /Good morning\./);
  await service.close();
});
