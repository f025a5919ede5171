import assert from "node:assert/strict";
import { Agent, InMemoryStorage } from "@troupe/core";
import { createService, serve } from "@troupe/core/service";
import { ScriptedModel } from "@troupe/core/testing";
import { openaiApi } from "@troupe/openai-api";

const model = new ScriptedModel("Oslo is rainy.", "Then Bergen.", "Then Rome.");
const guide = new Agent({ name: "guide", model, storage: new InMemoryStorage() });
const service = createService({ agents: { guide } });
const { url } = await serve(service, [openaiApi()], { port: 0 });

type Response = { id: string; output: { content: { text: string }[] }[] };

/** Asks the agent, behind an earlier response if one is named. */
async function ask(input: string, previous?: Response): Promise<Response> {
  const response = await fetch(`${url}/v1/responses`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "guide", input, previous_response_id: previous?.id }),
  });
  assert.equal(response.status, 200);
  return (await response.json()) as Response;
}

// #region readme
const first = await ask("How is Oslo?");
const north = await ask("Where else in the north?", first);
const south = await ask("And in the south?", first);
// #endregion

assert.equal(north.output[0]?.content[0]?.text, "Then Bergen.");
assert.equal(south.output[0]?.content[0]?.text, "Then Rome.");
// The branch to the south knows nothing of the one to the north.
const said = model.calls[2]?.messages.map(({ content }) => content);
assert.deepEqual(said, ["How is Oslo?", "Oslo is rainy.", "And in the south?"]);
await service.close();
