// Uses the client that orval generates: `node orval.ts URL`. Its addresses are those of the service that it was generated for.
import { deepEqual, equal, ok } from "node:assert/strict";
import { readSession, runAgentAssistant, streamAgentAssistant } from "./orval/client.ts";

// The generator sends bodies without their type where an operation takes two.
const headers = { "content-type": "application/json" };

const run = await runAgentAssistant({ input: "Hello?" }, undefined, { headers });
ok(run.status === 200);
equal(run.data.text, "Hello.");

const stream = await streamAgentAssistant({ input: "Hello?" }, undefined, { headers });
ok(stream.status === 200);
const events = stream.data.split("\n").filter((line) => line.startsWith("data: "));
deepEqual(
  events.map((line) => (JSON.parse(line.slice("data: ".length)) as { type: string }).type),
  ["text", "finish"],
);

const plan = { type: "file", data: btoa("a plan"), mimeType: "text/plain", filename: "plan.txt" } as const;
const upload = await runAgentAssistant({ input: [{ type: "text", text: "What?" }, plan] }, undefined, { headers });
equal(upload.status, 200);

const missing = await readSession("nowhere");
ok(missing.status === 404);
equal(missing.data.error.code, "not_found");
