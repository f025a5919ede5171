// A service over HTTP whose runs are durable, for trials that kill it again and again: agents that stream numbered words, one
// of them with two tools of effect `once`, whose effect is a line in a file outside of the process, and a team whose member is
// an agent of another service. It opens its storage when it is told to serve.
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { A2ARemoteAgent } from "@troupe/a2a";
import { Agent, defineTool, getTextContent, Team } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import type { ChatMessage, ModelOptions, ModelProvider } from "@troupe/core";
import type { ModelResponse } from "@troupe/core";
import type { ModelChunk } from "@troupe/core/provider";
import { createAgentRouter } from "@troupe/http";
import { SqliteStorage } from "@troupe/storage-sqlite";
import express from "express";
import { resultOf, wordsOf } from "./durable-setup.ts";
import type { DurableSetup } from "./durable-setup.ts";

const { database, effects, port, clerkUrl } = JSON.parse(process.argv[2] ?? "{}") as DurableSetup;
const usage = { promptTokens: 1, completionTokens: 1, totalTokens: 2 };

/** Calls both tools once where there are some, and streams the words of the question. */
class CountingModel implements ModelProvider {
  readonly providerId = "counting";
  readonly modelId = "counting-1";

  async generate(): Promise<ModelResponse> {
    throw new Error("Only streams are asked for.");
  }

  async *stream(messages: ChatMessage[], { tools = [] }: ModelOptions = {}): AsyncGenerator<ModelChunk> {
    const asked = messages.findLast(({ role }) => role === "user");
    const question = getTextContent(asked?.content ?? "");
    if (tools.length > 0 && messages.at(-1)?.role !== "tool") {
      for (const { name } of tools) {
        yield { type: "tool_call_start", toolCall: { id: `call-${name}`, name } };
        yield {
          type: "tool_call_delta",
          toolCallId: `call-${name}`,
          argumentsDelta: JSON.stringify({ task: question }),
        };
        yield { type: "tool_call_end", toolCallId: `call-${name}` };
      }
      yield { type: "finish", finishReason: "tool_calls", usage };
      return;
    }
    for (const text of wordsOf(question)) {
      await sleep(4);
      yield { type: "text", text };
    }
    yield { type: "finish", finishReason: "stop", usage };
  }
}

function isThere(key: string): boolean {
  return existsSync(effects) && readFileSync(effects, "utf8").split("\n").includes(key);
}

async function take(key: string): Promise<string> {
  await sleep(10);
  appendFileSync(effects, `${key}\n`);
  await sleep(10);
  return resultOf(key);
}

const parameters = { type: "object" } as const;
const tools = [
  defineTool({
    name: "checked",
    description: "Writes a line, and can tell if it has.",
    parameters,
    execute: async (_args, { idempotencyKey }) => await take(idempotencyKey),
    verify: async (key) => (isThere(key) ? { result: resultOf(key) } : null),
  }),
  defineTool({
    name: "asked",
    description: "Writes a line. Whether it has is asked.",
    parameters,
    execute: async (_args, { idempotencyKey }) => await take(idempotencyKey),
  }),
];

async function serve(): Promise<void> {
  const storage = new SqliteStorage(database);
  const agents = {
    talk: new Agent({ name: "talk", model: new CountingModel(), storage }),
    act: new Agent({ name: "act", model: new CountingModel(), storage, tools }),
  };
  const clerk = new A2ARemoteAgent({ url: clerkUrl, name: "clerk" });
  const lead = new Team({ name: "lead", mode: "coordinate", model: new CountingModel(), members: [clerk], storage });
  const teams = { lead };
  const runs = new RunService({ storage, agents, teams, sealKeys: false });
  const server = createServer(express().use(createAgentRouter({ agents, teams, runs })));
  server.listen(port, "127.0.0.1", () => process.send?.({ serving: true }));
  await runs.serve();
}

process.on("message", () => void serve());
process.send?.({ ready: true });
