// Uses the types that openapi-typescript generates: `node openapi-typescript.ts URL`.
import { deepEqual, equal, ok } from "node:assert/strict";
import createClient from "openapi-fetch";
import type { components, paths } from "./openapi-typescript/api.d.ts";

const [, , baseUrl = ""] = process.argv;
const client = createClient<paths>({ baseUrl });
type StreamEvent = components["schemas"]["StreamEvent"];

const agents = await client.GET("/agents");
ok(agents.data?.agents.some(({ name }) => name === "assistant"));

const run = await client.POST("/agents/assistant/run", { body: { input: "Hello?", sessionId: "typescript" } });
// A run that waits, or whose client prefers to come back for it, is answered with its ids and status in place of its output.
ok(run.data !== undefined && "text" in run.data);
equal(run.data.text, "Hello.");
const report = await client.POST("/agents/weather-report/run", { body: { input: [{ type: "text", text: "Oslo?" }] } });
ok(report.data !== undefined && "structured" in report.data);
equal(typeof report.data.structured.city, "string");

const file = new File(["a plan"], "plan.txt", { type: "text/plain" });
const form = await client.POST("/agents/assistant/run", {
  body: { input: "What is in it?", sessionId: "typescript" },
  bodySerializer: (fields) => {
    const made = new FormData();
    for (const [name, value] of Object.entries(fields)) made.append(name, String(value));
    made.append("files", file);
    return made;
  },
});
ok(form.data !== undefined && "text" in form.data);
equal(form.data.text, "Hello.");

const stream = await client.POST("/agents/assistant/stream", { body: { input: "Hello?" }, parseAs: "text" });
const events = (stream.data ?? "").split("\n").filter((line) => line.startsWith("data: "));
const types = events.map((line) => (JSON.parse(line.slice("data: ".length)) as StreamEvent).type);
deepEqual(types, ["text", "finish"]);

const briefing = await client.POST("/workflows/morning-briefing/run", { body: {} });
equal(briefing.data?.status, "completed");
const path = { path: { id: "typescript" } };
equal((await client.GET("/sessions/{id}/turns", { params: path })).data?.turns.length, 2);
equal((await client.DELETE("/sessions/{id}", { params: path })).response.status, 204);
equal((await client.GET("/sessions/{id}", { params: path })).error?.error.code, "not_found");
