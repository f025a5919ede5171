import type { ReadableSpan } from "@opentelemetry/sdk-trace";
import { Agent, InMemoryVectorStore, KnowledgeBase, Memory, Team, UserMemory, Workflow } from "@troupe/core";
import { FakeEmbeddings, ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it } from "vitest";
import { Recorder, tokensIn, tokensOf } from "../test/recorder.ts";

const traceOf = (span: ReadableSpan | undefined) => span?.spanContext().traceId;

describe("a search of a knowledge base", () => {
  it("is a retrieval below the call of its tool, with the embedding of the query below it", async () => {
    const recorder = new Recorder();
    const vectorStore = new InMemoryVectorStore({ embeddings: new FakeEmbeddings() });
    const handbook = new KnowledgeBase({ name: "handbook", vectorStore });
    await handbook.addDocuments([{ id: "vacation", content: "Everyone has 25 days of vacation." }]);
    const call = { name: "search_handbook", arguments: { query: "vacation" } };
    const model = new ScriptedModel({ toolCalls: [call] }, "You have 25 days.");
    await new Agent({ name: "support", model, tools: [handbook.asTool()], telemetry: recorder.telemetry }).run("Days?");

    expect(await recorder.tree()).toBe(
      [
        "invoke_agent support",
        "  chat scripted-1",
        "  execute_tool search_handbook",
        "    retrieval handbook",
        "      embeddings",
        "  chat scripted-1",
      ].join("\n"),
    );
  });

  it("a search of a knowledge base that the program makes itself is recorded with the telemetry of the knowledge base", async () => {
    const recorder = new Recorder();
    const vectorStore = new InMemoryVectorStore({ embeddings: new FakeEmbeddings() });
    const handbook = new KnowledgeBase({ name: "handbook", vectorStore, telemetry: recorder.telemetry });
    await handbook.addDocuments([{ id: "vacation", content: "Everyone has 25 days of vacation." }]);
    await handbook.search("vacation", { topK: 1 });

    expect(await recorder.tree()).toBe(["embeddings", "retrieval handbook", "  embeddings"].join("\n"));
  });
});

describe("the memory of a session", () => {
  it("is read and written within the run, with the model's summary below the write", async () => {
    const recorder = new Recorder();
    const model = new ScriptedModel("One.", "Two.", "A summary.");
    const memory = new Memory({ maxShortTermMessages: 2, enableLongTerm: true });
    const agent = new Agent({ name: "a", model, memory, telemetry: recorder.telemetry });
    await agent.run("First.", { sessionId: "s" });
    await agent.run("Second.", { sessionId: "s" });

    expect(await recorder.tree()).toBe(
      [
        "invoke_agent a",
        "  search_memory",
        "  chat scripted-1",
        "  upsert_memory",
        "invoke_agent a",
        "  search_memory",
        "  chat scripted-1",
        "  upsert_memory",
        "    chat scripted-1",
      ].join("\n"),
    );
  });
});

describe("the title of a session and the facts of a user", () => {
  it("are runs of their own after the answer, each in a trace of its own, linked to the run", async () => {
    const recorder = new Recorder();
    const model = new ScriptedModel().respond(({ messages }) => {
      const asked = JSON.stringify(messages);
      if (asked.includes("facts")) return { structured: { facts: ["Is vegetarian."] } };
      return asked.includes("title") ? "Dinner" : "Then no fish.";
    });
    const userMemory = new UserMemory();
    const agent = new Agent({ name: "cook", model, userMemory, titles: { model }, telemetry: recorder.telemetry });
    const { usage } = await agent.run("I am vegetarian.", { userId: "ada", sessionId: "s" });
    await userMemory.flush();
    await agent.close();

    const spans = await recorder.spans();
    const ofKind = (kind: string) => spans.filter(({ attributes }) => attributes["troupe.run.kind"] === kind);
    const runs = ["agent", "title", "facts"].map(ofKind);
    expect(runs.map(({ length }) => length)).toEqual([1, 1, 1]);
    const [answer, title, facts] = runs.map(([run]) => run);
    expect(new Set([answer, title, facts].map(traceOf)).size).toBe(3);
    for (const after of [title, facts]) {
      expect(after?.parentSpanContext).toBeUndefined();
      expect(after?.links.map(({ context }) => context)).toEqual([answer?.spanContext()]);
      const own = spans.filter((span) => traceOf(span) === traceOf(after));
      expect(tokensOf(own)).toEqual({
        promptTokens: after?.attributes["troupe.run.usage.input_tokens"],
        completionTokens: after?.attributes["troupe.run.usage.output_tokens"],
      });
    }
    // What comes after the answer is no part of its usage, nor of its trace.
    expect(tokensOf(spans.filter((span) => traceOf(span) === traceOf(answer)))).toEqual(tokensIn(usage));
    expect(await recorder.metric("troupe.runs")).toHaveLength(3);
  });
});

describe("a team in the mode", () => {
  it.each(["coordinate", "route", "broadcast", "collaborate"] as const)(
    "%s is a run of the kind team, with its members' runs below it",
    async (mode) => {
      const recorder = new Recorder();
      const member = (name: string) =>
        new Agent({ name, description: `Knows of ${name}.`, model: new ScriptedModel().respond(() => "Done.") });
      const model = new ScriptedModel().respond(({ messages }) => {
        if (mode === "route") return { structured: { member: "one" } };
        const isFirst = mode === "coordinate" && messages.every(({ role }) => role !== "tool");
        return isFirst ? { toolCalls: [{ name: "delegate_to_one", arguments: { task: "Go." } }] } : "All done.";
      });
      const members = [member("one"), member("two")];
      const { telemetry } = recorder;
      const { usage } = await new Team({ name: "pair", mode, model, members, telemetry }).run("Go.");
      const spans = await recorder.spans();
      const team = spans.find(({ name }) => name === "invoke_agent pair");
      const one = spans.find(({ name }) => name === "invoke_agent one");

      expect([team?.attributes["troupe.run.kind"], one?.attributes["troupe.run.kind"]]).toEqual(["team", "agent"]);
      expect(new Set(spans.map(traceOf)).size).toBe(1);
      expect(tokensOf(spans)).toEqual(tokensIn(usage));
      const labels = { "gen_ai.agent.name": "pair", "troupe.run.kind": "team", "troupe.status": "completed" };
      expect(await recorder.metric("troupe.runs")).toContainEqual({ labels, value: 1 });
    },
  );
});

describe("a workflow", () => {
  it("has its steps between its run and those of its agents", async () => {
    const recorder = new Recorder();
    const agent = new Agent({ name: "writer", model: new ScriptedModel("One.", "Two.") });
    const steps = [
      { name: "both", parallel: [{ name: "draft", agent }] },
      { name: "check", run: () => ({ ok: true }) },
    ];
    await new Workflow({ name: "flow", initialState: {}, steps, telemetry: recorder.telemetry }).run();

    expect(await recorder.tree()).toBe(
      [
        "invoke_workflow flow",
        "  step both",
        "    step draft",
        "      invoke_agent writer",
        "        chat scripted-1",
        "  step check",
      ].join("\n"),
    );
  });
});
