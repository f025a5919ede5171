// This program starts a service with a scripted model, and calls it. Run it with Node; it needs no key.
import assert from "node:assert/strict";
import { Agent } from "@troupe/core";
import { createService, serve } from "@troupe/core/service";
import { ScriptedModel } from "@troupe/core/testing";
import { createClient } from "@troupe/client";
import { http } from "@troupe/http";
import * as z from "zod";

const schema = z.object({ celsius: z.number() });
const weather = new Agent({
  name: "weather",
  model: new ScriptedModel({ structured: { celsius: 4 } }),
  structuredOutput: schema,
});
const helper = new Agent({ name: "helper", model: new ScriptedModel("Take an umbrella.") });
const service = createService({ agents: { weather, helper } });
const { url } = await serve(service, [http()], { port: 0 });

// #region readme
const client = createClient<typeof service>({ baseUrl: url });
const forecast = await client.agent("weather").run("How warm is it in Oslo?");
if (forecast.status === "completed") assert.equal(forecast.structured.celsius, 4);

let answer = "";
for await (const event of client.agent("helper").stream("What should I take along?")) {
  if (event.type === "text") answer += event.text;
}
// #endregion
assert.equal(answer, "Take an umbrella.");

await service.close();
