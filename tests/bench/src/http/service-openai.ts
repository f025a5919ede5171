import { createServer } from "node:http";
import { Agent } from "@troupe/core";
import { createRouter, createService } from "@troupe/core/service";
import { openaiApi } from "@troupe/openai-api";
import { openai } from "@troupe/providers-openai";
import express from "express";
import { listen, vendorUrl } from "../servers/listen.ts";

/** The agent of `router-openai.ts` for clients of OpenAI's API. */
const model = openai("mock-1", { apiKey: "none", baseURL: `${vendorUrl()}/v1`, api: "chat" });
const service = createService({ agents: { bench: new Agent({ name: "bench", model }) } });
listen(createServer(express().use(createRouter(service, [openaiApi()]))), { backlog: 8192 });
