// FileUploadOptions: multipart forms with `input` and `files`.
import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { Agent } from "@troupe/core";
import type { ContentPart } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { buildMultiModalInput, createAgentRouter, createFileUploadMiddleware } from "@troupe/http";
import type { UploadedFile } from "@troupe/http";
import express from "express";

const model = new ScriptedModel().respond(() => "I see.");
const agents = { helper: new Agent({ name: "helper", model }) };
const app = express();
app.use("/api", createAgentRouter({ agents, fileUpload: true }));
app.use(
  "/small",
  createAgentRouter({ agents, fileUpload: { maxFileSize: 8, maxFiles: 1, allowedMimeTypes: ["text/plain"] } }),
);
app.use("/closed", createAgentRouter({ agents }));
// The upload handler on its own, with the input built by hand.
app.post("/own", createFileUploadMiddleware({ maxFiles: 2 }), async (request, response) => {
  const { files = [] } = request as { files?: UploadedFile[] };
  response.json(await buildMultiModalInput(request.body as { input: string }, files));
});
const server = app.listen(0);
await once(server, "listening");
const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

function form(input: string, ...files: [content: string, type: string, name: string][]): FormData {
  const data = new FormData();
  data.set("input", input);
  for (const [content, type, name] of files) data.append("files", new Blob([content], { type }), name);
  return data;
}
const post = async (path: string, body: FormData): Promise<Response> =>
  await fetch(base + path, { method: "POST", body });

const whole = await post("/api/agents/helper/run", form("What is this?", ["\x89PNG", "image/png", "dot.png"]));
assert.equal(whole.status, 200);
const sent = model.calls.at(-1)?.messages.at(-1)?.content as ContentPart[];
assert.deepEqual(
  sent.map(({ type }) => type),
  ["text", "image"],
);

const textOnly = await post("/api/agents/helper/run", form("Just text"));
assert.equal(textOnly.status, 200);
assert.equal(model.calls.at(-1)?.messages.at(-1)?.content, "Just text");

const streamed = await post("/api/agents/helper/stream", form("And this?", ["a,b", "text/csv", "table.csv"]));
assert.match(await streamed.text(), /"type":"finish"/);

assert.equal((await post("/small/agents/helper/run", form("x", ["123456789", "text/plain", "a.txt"]))).status, 413);
assert.equal((await post("/small/agents/helper/run", form("x", ["{}", "application/json", "a.json"]))).status, 415);
const two = form("x", ["1", "text/plain", "a.txt"], ["2", "text/plain", "b.txt"]);
assert.equal((await post("/small/agents/helper/run", two)).status, 413);
assert.equal((await post("/closed/agents/helper/run", form("x"))).status, 415);

const own = (await (await post("/own", form("See", ["hello", "text/plain", "a.txt"]))).json()) as ContentPart[];
assert.deepEqual(own[0], { type: "text", text: "See" });
assert.equal(own[1]?.type, "file");
assert.equal(await buildMultiModalInput({ input: "Only words" }, []), "Only words");

server.closeAllConnections();
server.close();
