import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { Agent } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { createAgentRouter } from "@troupe/http";
import express from "express";

/** Answers with the types of the parts that it was given. */
const model = new ScriptedModel().respond(({ messages }) => {
  const content = messages.at(-1)?.content ?? "";
  return typeof content === "string" ? content : content.map(({ type }) => type).join(", ");
});
const viewer = new Agent({ name: "viewer", model });

// #region readme
const fileUpload = { maxFileSize: 1_000_000, maxFiles: 2, allowedMimeTypes: ["image/*", "application/pdf"] };
const app = express().use(createAgentRouter({ agents: { viewer }, fileUpload }));
// #endregion

const server = app.listen(0, "127.0.0.1");
await once(server, "listening");
const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

// #region readme
async function show(file: File): Promise<Response> {
  const body = new FormData();
  body.append("input", "What is this?");
  body.append("files", file);
  return await fetch(`${base}/agents/viewer/run`, { method: "POST", body });
}
// #endregion

const told = async (file: File): Promise<unknown[]> => {
  const response = await show(file);
  const { text, error } = (await response.json()) as { text?: string; error?: { message: string } };
  return [response.status, text ?? error?.message];
};
const image = new File([Uint8Array.of(0x89, 0x50, 0x4e, 0x47)], "map.png", { type: "image/png" });
const script = new File(["#!/bin/sh"], "run.sh", { type: "application/x-sh" });
const large = new File([new Uint8Array(1_000_001)], "large.pdf", { type: "application/pdf" });

assert.deepEqual(await told(image), [200, "text, image"]);
assert.deepEqual(await told(script), [
  415,
  'The file "run.sh" in files has type "application/x-sh". Expected image/*, application/pdf.',
]);
assert.deepEqual(await told(large), [413, 'The file "large.pdf" in files must have at most 1000000 bytes.']);
server.closeAllConnections();
server.close();
