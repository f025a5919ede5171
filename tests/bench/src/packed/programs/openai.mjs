import { Agent } from "@troupe/core";
import { createAgentRouter } from "@troupe/http";
import { openai } from "@troupe/providers-openai";
import express from "express";
import { askTwice } from "./ask-twice.mjs";

const model = openai("mock-1", { apiKey: "none", baseURL: `${process.env.BENCH_VENDOR_URL}/v1`, api: "chat" });
askTwice(express().use(createAgentRouter({ agents: { a: new Agent({ name: "a", model }) } })));
