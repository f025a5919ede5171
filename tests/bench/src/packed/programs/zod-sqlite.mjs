import { Agent, defineTool } from "@troupe/core";
import { createAgentRouter } from "@troupe/http";
import { openai } from "@troupe/providers-openai";
import { SqliteStorage } from "@troupe/storage-sqlite";
import express from "express";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { askTwice } from "./ask-twice.mjs";

const weather = defineTool({
  name: "weather",
  description: "The weather of a city.",
  parameters: z.object({ city: z.string() }),
  execute: ({ city }) => `Rain in ${city}.`,
});
const model = openai("mock-1", { apiKey: "none", baseURL: `${process.env.BENCH_VENDOR_URL}/v1`, api: "chat" });
const storage = new SqliteStorage(join(mkdtempSync(join(tmpdir(), "troupe-cold-")), "sessions.db"));
const agents = { a: new Agent({ name: "a", model, tools: [weather], storage }) };
askTwice(express().use(createAgentRouter({ agents })), { sessionId: "s" });
