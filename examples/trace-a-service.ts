import assert from "node:assert/strict";
// #region readme
import { Agent } from "@troupe/core";
import { createService, serve } from "@troupe/core/service";
import { http } from "@troupe/http";
import { createTelemetry } from "@troupe/otel";
import { openai } from "@troupe/providers-openai";

const helper = new Agent({ name: "helper", model: openai("gpt-6.1-sol") });
const service = createService({ agents: { helper }, telemetry: createTelemetry() });
const { url } = await serve(service, [http()], { port: Number(process.env["PORT"] ?? 3000) });
// #endregion

const response = await fetch(`${url}/agents/helper/run`, {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ input: "What should I take along to Oslo?" }),
});
const answer = await response.text();
await service.close();

// Without a key the run goes as far as the vendor, and the answer says which key is missing.
if (process.env["OPENAI_API_KEY"] === undefined) assert.match(answer, /"code":"unauthorized"/);
else assert.match(answer, /"text"/);
