import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Agent } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { createAgentRouter } from "@troupe/http";
import express from "express";

// Stands for a vendor's model that can look at pictures, and answers with what it was shown.
const model = new ScriptedModel().respond(({ messages }) => {
  const content = messages.at(-1)?.content ?? "";
  return typeof content === "string" ? content : content.map(({ type }) => type).join(", ");
});
const viewer = new Agent({ name: "viewer", model });

const fileUpload = { maxFileSize: 1_000_000, maxFiles: 2, allowedMimeTypes: ["image/*", "application/pdf"] };
const server = createServer(express().use(createAgentRouter({ agents: { viewer }, fileUpload })));
await once(server.listen(0, "127.0.0.1"), "listening");
const { port } = server.address() as AddressInfo;

async function show(file: File): Promise<void> {
  const body = new FormData();
  body.append("input", "What is this?");
  body.append("files", file);
  const response = await fetch(`http://127.0.0.1:${port}/agents/viewer/run`, { method: "POST", body });
  const { text, error } = (await response.json()) as { text?: string; error?: { message: string } };
  console.log(`${response.status}: ${text ?? error?.message}`);
}

await show(new File([Uint8Array.of(0x89, 0x50, 0x4e, 0x47)], "map.png", { type: "image/png" }));
await show(new File(["#!/bin/sh"], "run.sh", { type: "application/x-sh" }));
await show(new File([new Uint8Array(1_000_001)], "large.pdf", { type: "application/pdf" }));
server.closeAllConnections();
server.close();
