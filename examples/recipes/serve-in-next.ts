import assert from "node:assert/strict";
import { ScriptedModel } from "@troupe/core/testing";
// #region readme
// app/api/[...path]/route.ts
import { Agent } from "@troupe/core";
import { createHandler, createService } from "@troupe/core/service";
import { http } from "@troupe/http";
import { chatStream } from "@troupe/use-chat";
// #endregion

const model = new ScriptedModel().respond(() => "Take an umbrella.");

// #region readme
const helper = new Agent({ name: "helper", model });
const service = createService({ agents: { helper } });

export const dynamic = "force-dynamic"; // answers are never cached
export const { GET, POST, PATCH, DELETE } = createHandler(service, [http(), chatStream()], { basePath: "/api" });
// #endregion

/** Calls the route as Next.js does: by the exported function of the request's method. */
async function post(path: string, body: object): Promise<string> {
  const headers = { "content-type": "application/json" };
  const request = new Request(`http://localhost:3000/api${path}`, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
  });
  const response = await POST(request);
  assert.equal(response.status, 200);
  return await response.text();
}

assert.match(await post("/agents/helper/run", { input: "Oslo?" }), /"text":"Take an umbrella\."/);
// What `useChat` sends, and the stream that it reads.
const message = { id: "u1", role: "user", parts: [{ type: "text", text: "Oslo?" }] };
const stream = await post("/agents/helper/ui", { id: "chat-1", messages: [message] });
assert.match(stream, /"type":"text-delta"/);
assert.equal((await GET(new Request("http://localhost:3000/api/agents"))).status, 200);
console.log("POST /api/agents/helper/run and /api/agents/helper/ui answer.");
