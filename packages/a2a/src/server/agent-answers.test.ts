import { Agent, defineTool, InMemoryStorage } from "@troupe/core";
import type { Runnable } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it } from "vitest";
import { messageReply, completedReply, rejectedReply } from "../agent/reply.ts";
import { createArtifact } from "../agent/artifact.ts";
import { questionTool } from "../agent/question.ts";
import { ProgrammaticAgent } from "../agent/programmatic-agent.ts";
import type { A2AReply } from "../agent/reply.ts";
import type { ProgrammaticAgentOptions } from "../agent/programmatic-agent.ts";
import { message0, message1, scriptedAgent, serveA2A, textsOf } from "../../test/serve-a2a.ts";

/** Makes an agent of a program. */
function agentOf(answer: ProgrammaticAgentOptions["answer"]): ProgrammaticAgent {
  return new ProgrammaticAgent({ name: "helper", answer });
}

/** An agent whose tool, which ends the run, returns the reply. */
function toolAgent(reply: () => A2AReply, text = "Let me see. "): Agent {
  const decide = defineTool({
    name: "decide",
    description: "Decides.",
    parameters: { type: "object", properties: {} },
    endsRun: true,
    execute: reply,
  });
  return scriptedAgent([{ text, toolCalls: [{ id: "c1", name: "decide", arguments: {} }] }], {
    tools: [decide],
  });
}

const rejecting: [kind: string, make: () => Runnable][] = [
  ["a tool that ends the run", () => toolAgent(() => rejectedReply("We sell no bread."))],
  [
    "a program",
    () =>
      agentOf(async function* () {
        yield "Let me see. ";
        return rejectedReply("We sell no bread.");
      }),
  ],
];

describe("an agent that rejects a task", () => {
  it.each(rejecting)("has it rejected with its reason by %s [a2a.agent-rejects]", async (_kind, make) => {
    const served = await serveA2A({ agents: { helper: make() } }, "ann");
    const { result } = await served.call("message/send", message0("Bread?"));
    expect(result.status).toMatchObject({
      state: "rejected",
      message: { parts: [{ kind: "text", text: "We sell no bread." }] },
    });
    expect(result.artifacts).toBeUndefined();
    expect((await served.call("tasks/get", { id: result.id })).result).toEqual(result);
    const listed = await served.call("ListTasks", { status: "TASK_STATE_REJECTED" });
    expect(listed.result.tasks.map(({ id }) => id)).toEqual([result.id]);
  });

  it.each(rejecting)("ends its stream with that by %s [a2a.agent-rejects]", async (_kind, make) => {
    const served = await serveA2A({ agents: { helper: make() } });
    const events = await Array.fromAsync(served.stream("SendStreamingMessage", message1("Bread?")));
    expect(events.at(-1)?.statusUpdate.status).toMatchObject({
      state: "TASK_STATE_REJECTED",
      message: { parts: [{ text: "We sell no bread." }] },
    });
    expect(textsOf(events)).toEqual(["Let me see. "]);
  });
});

describe("an agent that answers by a message", () => {
  const greet = () => agentOf(async () => messageReply("Hello!"));

  it("has it in place of the task, in both versions [a2a.agent-messages]", async () => {
    const served = await serveA2A({ agents: { helper: greet() } });
    const old = await served.call("message/send", message0("Hi", { contextId: "c-1" }));
    expect(old.result).toMatchObject({ kind: "message", role: "agent", contextId: "c-1" });
    expect(old.result).not.toHaveProperty("taskId");
    const { result } = await served.call("SendMessage", message1("Hi"));
    expect(result).toEqual({ message: expect.objectContaining({ role: "ROLE_AGENT", parts: [{ text: "Hello!" }] }) });
  });

  it("has it as the only event of a stream, where the server may hold the task back [a2a.agent-messages]", async () => {
    for (const agent of [greet(), toolAgent(() => messageReply("Hello!"), "")]) {
      const served = await serveA2A({ agents: { helper: agent }, mayAnswerByMessage: ["helper"] });
      const events = await Array.fromAsync(served.stream("SendStreamingMessage", message1("Hi")));
      expect(events).toEqual([{ message: expect.objectContaining({ parts: [{ text: "Hello!" }] }) }]);
    }
  });

  it("is a task that the message completes, once the agent has said something else [a2a.agent-messages]", async () => {
    const agent = toolAgent(() => messageReply("Hello!"));
    const served = await serveA2A({ agents: { helper: agent }, mayAnswerByMessage: ["helper"] });
    const events = await Array.fromAsync(served.stream("SendStreamingMessage", message1("Hi")));
    expect(events[0]).toHaveProperty("task");
    expect(events.at(-1)?.statusUpdate.status).toMatchObject({ message: { parts: [{ text: "Hello!" }] } });
  });

  it("completes a task that its client knows already with it [a2a.agent-messages]", async () => {
    const served = await serveA2A({ agents: { helper: greet() } });
    const events = await Array.fromAsync(served.stream("SendStreamingMessage", message1("Hi")));
    expect(events[0]).toHaveProperty("task");
    expect(events.at(-1)?.statusUpdate.status).toMatchObject({
      state: "TASK_STATE_COMPLETED",
      message: { parts: [{ text: "Hello!" }] },
    });
  });

  it("may show a task all the same, which its stream begins with [a2a.agent-messages]", async () => {
    const agent = agentOf(async function* () {
      yield "One.";
    });
    const served = await serveA2A({ agents: { helper: agent }, mayAnswerByMessage: ["helper"] });
    const events = await Array.fromAsync(served.stream("message/stream", message0("Hi")));
    expect(events.map(({ kind }) => kind)).toEqual(["task", "artifact-update", "status-update"]);
    expect(events[0]?.status.state).toBe("working");
    await expect(serveA2A({ agents: { helper: agent }, mayAnswerByMessage: ["other"] })).rejects.toThrow(/other/);
  });
});

describe("an agent that asks its client", () => {
  it("has the task wait, and goes on with the next message, which it sees whole [a2a.agent-asks]", async () => {
    const seen: unknown[] = [];
    const agent = agentOf(async function* ({ message, ask }) {
      yield "Let me see. ";
      const city = await ask("Which city?");
      seen.push(message.messageId, city.messageId, city.metadata, city.parts);
      const { parts } = await ask([
        { kind: "text", text: "When?" },
        { kind: "data", data: { days: [1, 2] } },
      ]);
      return completedReply(`Booked: ${JSON.stringify(parts)}`);
    });
    const served = await serveA2A({ agents: { helper: agent } });
    const { result } = await served.call("message/send", message0("Book", { messageId: "m-first" }));
    expect(result.status).toMatchObject({
      state: "input-required",
      message: {
        parts: [
          { kind: "text", text: "Which city?" },
          { kind: "data", data: { waitId: "ask.0.input" } },
        ],
      },
    });
    const more = { taskId: result.id, messageId: "m-city", metadata: { by: "map" } };
    const second = await served.call("message/send", message0("Rome", more));
    expect(second.result).toMatchObject({
      id: result.id,
      status: {
        state: "input-required",
        message: { parts: [{ text: "When?" }, { kind: "data", data: { days: [1, 2] } }, { kind: "data" }] },
      },
    });
    expect(seen).toEqual(["m-first", "m-city", { by: "map" }, [{ kind: "text", text: "Rome" }]]);
    const stream = served.stream("message/stream", message0("Monday", { taskId: result.id }));
    const events = await Array.fromAsync(stream);
    expect(events.at(-1)).toMatchObject({ final: true, status: { state: "completed" } });
    const { result: done } = await served.call("tasks/get", { id: result.id });
    expect(done.status.message.parts).toEqual([{ kind: "text", text: expect.stringContaining("Monday") }]);
    expect(done.history).toHaveLength(5);
  });

  it("asks by a tool of its model, too [a2a.agent-asks]", async () => {
    const model = new ScriptedModel(
      { text: "", toolCalls: [{ id: "c1", name: "ask_user", arguments: { question: "Which city?" } }] },
      { text: "Booked." },
    );
    const storage = new InMemoryStorage();
    const agent = new Agent({ name: "helper", model, storage, tools: [questionTool()] });
    const served = await serveA2A({ agents: { helper: agent } });
    const { result } = await served.call("message/send", message0("Book"));
    expect(result.status.state).toBe("input-required");
    expect(result.status.message.parts[0]).toEqual({ kind: "text", text: "Which city?" });
    const { result: done } = await served.call("message/send", message0("Rome", { taskId: result.id }));
    expect(done).toMatchObject({ id: result.id, status: { state: "completed" } });
    expect(JSON.stringify(model.calls.at(-1)?.messages)).toContain("Rome");
  });
});

describe("an agent that makes artifacts", () => {
  const file = { kind: "bytes", base64: "SGk=", filename: "output.txt", mediaType: "text/plain" } as const;
  const made = () =>
    agentOf(async function* () {
      yield createArtifact({ artifactId: "report", name: "Report", parts: [file], append: false });
      yield createArtifact({ artifactId: "report", parts: "more", append: true, isLast: true });
      yield createArtifact({
        parts: [{ kind: "url", url: "https://example.org/output.txt", mediaType: "text/plain" }],
      });
      yield createArtifact({ parts: [{ kind: "data", data: { key: "value", count: 42 } }] });
      yield "Done.";
    });

  it("shows files, addresses, data and pieces as they are, and the task has them whole [a2a.agent-artifacts]", async () => {
    const served = await serveA2A({ agents: { helper: made() } });
    const events = await Array.fromAsync(served.stream("SendStreamingMessage", message1("Make")));
    const updates = events.flatMap(({ artifactUpdate }) => artifactUpdate ?? []);
    expect(
      updates.slice(0, 4).map(({ artifact, append, lastChunk }) => [artifact.name, artifact.parts, append, lastChunk]),
    ).toEqual([
      ["Report", [{ raw: "SGk=", filename: "output.txt", mediaType: "text/plain" }], undefined, undefined],
      [undefined, [{ text: "more" }], true, true],
      [undefined, [{ url: "https://example.org/output.txt", mediaType: "text/plain" }], undefined, true],
      [undefined, [{ data: { key: "value", count: 42 } }], undefined, true],
    ]);
    expect(textsOf(events).join("|")).toMatch(/^more\|Done\.\|?$/);
    const id = events[0]?.task.id ?? "";
    const { result } = await served.call("GetTask", { id });
    expect(result.artifacts.map(({ parts }) => parts.length)).toEqual([1, 2, 1, 1]);
    expect(result.artifacts[1]?.artifactId).toBe("report");
  });

  it("shows those of a tool before the model goes on [a2a.agent-artifacts]", async () => {
    const draw = defineTool({
      name: "draw",
      description: "Draws.",
      parameters: { type: "object", properties: {} },
      execute: () => ({ content: "drawn", artifacts: [createArtifact({ name: "Drawing", parts: [file] })] }),
    });
    const agent = scriptedAgent(
      [{ text: "", toolCalls: [{ id: "c1", name: "draw", arguments: {} }] }, { text: "There." }],
      {
        tools: [draw],
      },
    );
    const served = await serveA2A({ agents: { helper: agent } });
    const events = await Array.fromAsync(served.stream("SendStreamingMessage", message1("Draw")));
    const names = events.flatMap(({ artifactUpdate }) => artifactUpdate?.artifact.name ?? []);
    expect(names.slice(0, 2)).toEqual(["Drawing", "response"]);
    expect(names.filter((name) => name === "Drawing")).toHaveLength(1);
  });

  it("is refused parts that no client could read [a2a.agent-artifacts]", () => {
    expect(() => createArtifact({ parts: [] })).toThrow(/at least one part/);
    expect(() => createArtifact({ parts: [{ kind: "bytes", base64: "%%" }] })).toThrow(/base64/);
    expect(() => createArtifact({ parts: [{ kind: "url", url: "file:///etc/passwd" }] })).toThrow(/http/);
    expect(() => createArtifact({ artifactId: "response", parts: "x" })).toThrow(/response/);
    expect(() => createArtifact({ append: true, parts: "x" })).toThrow(/artifactId/);
    expect(() => rejectedReply([] as never)).toThrow(/reason/);
  });
});

describe("the message of a task", () => {
  it("is at metadata.a2a of the run, with what the host adds [a2a.agent-sees-message]", async () => {
    const seen: unknown[] = [];
    const look = defineTool({
      name: "look",
      description: "Looks.",
      parameters: { type: "object", properties: {} },
      execute: (_args, { metadata }) => {
        seen.push(metadata);
        return "seen";
      },
    });
    const calls = [{ id: "c1", name: "look", arguments: {} }];
    const agent = scriptedAgent([{ text: "", toolCalls: calls }, { text: "Done." }], { tools: [look] });
    const served = await serveA2A({
      agents: { helper: agent },
      runOptions: () => ({ metadata: { host: 1, a2a: "x" } }),
    });
    const message = message1("Hi", { messageId: "m-7", metadata: { color: "red" }, extensions: ["e"] });
    await served.call("SendMessage", { ...message, configuration: { acceptedOutputModes: ["text/plain"] } });
    const a2a = {
      messageId: "m-7",
      metadata: { color: "red" },
      extensions: ["e"],
      acceptedOutputModes: ["text/plain"],
    };
    expect(seen).toEqual([{ host: 1, a2a }]);
  });
});
