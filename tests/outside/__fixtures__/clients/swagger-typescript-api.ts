// Uses the client that swagger-typescript-api generates: `node swagger-typescript-api.ts URL`.
import { deepEqual, equal } from "node:assert/strict";
import { Api } from "./swagger-typescript-api/api.ts";

const { agents, sessions } = new Api({ baseUrl: process.argv[2] ?? "" });

const run = await agents.runAgentAssistant({ input: "Hello?" });
equal(run.data.text, "Hello.");

const stream = await agents.streamAgentAssistant({ input: "Hello?" });
const events = (await stream.text()).split("\n").filter((line) => line.startsWith("data: "));
deepEqual(
  events.map((line) => (JSON.parse(line.slice("data: ".length)) as { type: string }).type),
  ["text", "finish"],
);

const plan = { type: "file", data: btoa("a plan"), mimeType: "text/plain", filename: "plan.txt" } as const;
// @ts-expect-error Declared gap: the generator makes a string of the union of a string and an array.
const upload = await agents.runAgentAssistant({ input: [{ type: "text", text: "What is in it?" }, plan] });
equal(upload.status, 200);

const missing = await sessions.readSession("nowhere").catch((error: unknown) => error);
equal((missing as { error: { error: { code: string } } }).error.error.code, "not_found");
