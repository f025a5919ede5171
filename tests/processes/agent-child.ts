// One process of a service: takes `{ ask, sessionId }`, and sends `{ answered, text }` or `{ failed, code }`. Its model answers
// with the number of user messages. Asked to wait, it calls a tool first, which sends `{ waits }` and waits for `{ goOn }`.
// `{ serve }` lets it perform durable runs, and with `{ accept, sessionId }` it accepts one, whose end it sends too.
import { Agent, defineTool, getTextContent, Memory } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import { ScriptedModel } from "@troupe/core/testing";
import { openStorage } from "./open-storage.ts";
import type { StorageAddress } from "./open-storage.ts";

type Message = { ask?: string; accept?: string; sessionId?: string; serve?: true; goOn?: true; close?: true };

const [kind, address] = process.argv.slice(2) as [StorageAddress["kind"], string];
const storage = await openStorage({ kind, address });
const { promise: mayGoOn, resolve: goOn } = Promise.withResolvers<void>();

const wait = defineTool({
  name: "wait",
  description: "Waits.",
  effect: "pure",
  parameters: { type: "object", properties: {} },
  execute: async () => {
    process.send?.({ waits: true });
    await mayGoOn;
    return "waited";
  },
});

const model = new ScriptedModel().respond(({ messages }) => {
  const last = messages.at(-1);
  const mustWait = last?.role === "user" && getTextContent(last.content).startsWith("wait");
  if (mustWait) return { toolCalls: [{ id: "wait-1", name: "wait", arguments: {} }] };
  return `shown ${messages.filter(({ role }) => role === "user").length}`;
});

const agent = new Agent({
  name: "agent",
  model,
  storage,
  tools: [wait],
  memory: new Memory({ maxShortTermMessages: 500 }),
  onBusy: { maxWaiting: 100 },
});

async function answer(question: string, sessionId: string): Promise<void> {
  try {
    const { text } = await agent.run(question, { sessionId });
    process.send?.({ answered: question, text });
  } catch (error) {
    process.send?.({ failed: question, code: (error as { code?: string }).code, message: String(error) });
  }
}

const runs = new RunService({ storage, agents: { agent } });
agent.eventBus.on("run.complete", ({ output: { text } }) => void process.send?.({ ended: text, text }));

async function accept(input: string, sessionId: string): Promise<void> {
  await runs.serve();
  await runs.accept({ kind: "agent", name: "agent", input, options: { sessionId }, owner: {} });
}

process.on("message", ({ ask, accept: input, sessionId = "", serve, close, goOn: isFree }: Message) => {
  if (isFree === true) goOn();
  if (serve === true) void runs.serve();
  if (input !== undefined) void accept(input, sessionId);
  if (ask !== undefined) void answer(ask, sessionId);
  if (close === true) void storage.close().then(() => process.exit());
});
process.send?.({ ready: true });
