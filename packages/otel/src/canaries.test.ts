import { A2ARemoteAgent } from "@troupe/a2a";
import {
  Agent,
  InMemoryVectorStore,
  KnowledgeBase,
  Memory,
  Team,
  UserMemory,
  Workflow,
  defineTool,
} from "@troupe/core";
import type { MessageContent, Runnable } from "@troupe/core";
import { FakeEmbeddings, ScriptedModel } from "@troupe/core/testing";
import { McpToolServer } from "@troupe/mcp";
import { describe, expect, it, onTestFinished } from "vitest";
import { Recorder } from "../test/recorder.ts";

/** A key of the caller. The same text stands in every input, argument, result and error. */
const canary = "sk-canary-of-all-that-is-exported";
const opts = { apiKeys: { scripted: canary }, sessionId: "s", userId: "ada" };

const leak = defineTool({
  name: "leak",
  description: "Returns what it was given.",
  parameters: { type: "object", properties: { text: { type: "string" } } },
  execute: ({ text }) => `It is ${String(text)}.`,
});

/** Makes a model that calls a tool with the canary, and then answers with it, or fails with it. */
function newModel(tool: string | undefined, end: "answers" | "fails"): ScriptedModel {
  return new ScriptedModel().respond(({ messages }) => {
    const asked = JSON.stringify(messages);
    if (asked.includes("facts")) return { structured: { facts: [`Has the key ${canary}.`] } };
    if (tool !== undefined && messages.every(({ role }) => role !== "tool")) {
      const texts = { text: canary, query: canary, input: canary, message: canary, task: canary };
      return { toolCalls: [{ name: tool, arguments: texts }] };
    }
    return end === "fails" ? { error: new Error(`401: wrong key ${canary}`) } : { text: `The key is ${canary}.` };
  });
}

/** Each kind of work that telemetry records. Servers that cannot be reached fail with the canary in their URL. */
const scenes: Readonly<Record<string, (recorder: Recorder, end: "answers" | "fails") => Promise<Runnable>>> = {
  async "an agent with memory"({ telemetry }, end) {
    const memory = new Memory({ maxShortTermMessages: 2, enableLongTerm: true });
    const model = newModel("leak", end);
    return new Agent({
      name: "a",
      model,
      memory,
      tools: [leak],
      telemetry,
      userMemory: new UserMemory(),
      titles: { model },
    });
  },
  async "a team"({ telemetry }, end) {
    const member = new Agent({ name: "one", description: "Knows.", model: newModel("leak", end), tools: [leak] });
    const model = newModel("delegate_to_one", end);
    return new Team({ name: "t", mode: "coordinate", model, members: [member], telemetry });
  },
  async "a workflow"({ telemetry }, end) {
    const agent = new Agent({ name: "w", model: newModel(undefined, end) });
    const fails = (): never => {
      throw new Error(`Refused ${canary}.`);
    };
    const last = { name: "last", run: end === "fails" ? fails : () => ({ text: canary }) };
    const steps = [{ name: "first", agent }, last];
    return new Workflow({ name: "flow", initialState: { text: canary }, steps, telemetry }).asRunnable();
  },
  async "a knowledge base"({ telemetry }, end) {
    const vectorStore = new InMemoryVectorStore({ embeddings: new FakeEmbeddings() });
    const handbook = new KnowledgeBase({ name: "handbook", vectorStore, telemetry });
    await handbook.addDocuments([{ id: "a", content: `The key is ${canary}.` }]);
    if (end === "fails") vectorStore.search = () => Promise.reject(new Error(`No index for ${canary}.`));
    return new Agent({ name: "a", model: newModel("search_handbook", end), tools: [handbook.asTool()], telemetry });
  },
  async "servers of others"({ telemetry }, end) {
    const url = `http://127.0.0.1:9/${canary}`;
    const far = new McpToolServer({ name: "far", transport: "http", url });
    onTestFinished(() => far.close());
    const remote = new A2ARemoteAgent({ url, name: "guide" });
    const tools = [far, remote.asTool()];
    return new Agent({ name: "a", model: newModel("ask_guide", end), tools, telemetry });
  },
};

describe.each(Object.keys(scenes))("%s", (name) => {
  it.each([
    ["answers", true],
    ["answers", false],
    ["fails", true],
    ["fails", false],
  ] as const)("a run that %s leaves no key in spans or metrics, with content: %s", async (end, captureContent) => {
    const recorder = new Recorder({ captureContent });
    const runnable = await scenes[name]?.(recorder, end);
    if (runnable === undefined) throw new Error("No such scene.");
    const input: MessageContent = `My key is ${canary}.`;
    for (const run of [() => runnable.run(input, opts), () => runnable.stream(input, opts).output])
      await run().catch(() => undefined);
    if (runnable instanceof Agent) await runnable.close();
    const spans = (await recorder.spans()).map(({ name: title, attributes, events, status, links, resource }) => {
      return { title, attributes, events, status, links, resource: resource.attributes };
    });
    const exported = JSON.stringify([spans, await recorder.collect()]);

    expect(spans.length).toBeGreaterThan(3);
    expect(exported).not.toContain(canary);
    // Content that is recorded shows where the key was.
    expect(exported.includes("[redacted]")).toBe(captureContent);
  });
});
