import { describe, expect, it } from "vitest";
import { createLogger, silentLogger } from "../../base/log/logger.ts";
import { Memory } from "../memory/memory.ts";
import { UserMemory } from "../memory/user-memory.ts";
import type { ModelProvider } from "../../model/model-provider.ts";
import { createOmissionReport } from "../../provider/request-context.ts";
import type { RunEvents } from "../run/run-events.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { faultyStorage } from "../../testing/faulty-storage.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { Agent } from "./agent.ts";
import { callOf, look, scripted } from "./test/agents.ts";
import { attemptOpts } from "../run/test/attempt-opts.ts";

function warningsOf({ eventBus }: Agent): RunEvents["run.warning"][] {
  const told: RunEvents["run.warning"][] = [];
  eventBus.on("run.warning", (warning) => told.push(warning));
  return told;
}

describe("a hook of a silent agent that fails", () => {
  it("is told as a warning when the failure does not end the run [run.background-warning]", async () => {
    const fail = () => Promise.reject(new Error("hook"));
    const { agent } = scripted(["One.", { error: new Error("broken") }], {
      hooks: { afterRun: fail, onError: fail },
      retry: { maxRetries: 0 },
    });
    const told = warningsOf(agent);

    await agent.run("Hi");
    await agent.run("Hi").catch(() => undefined);

    expect(told.map(({ code, message }) => [code, message])).toEqual([
      ["hook_failed", "The hook afterRun failed."],
      ["hook_failed", "The hook onError failed."],
    ]);
  });
});

describe("a forgotten userId", () => {
  it("is told by each run of an agent with a user memory, unless a client came without one [run.user-id-missing]", async () => {
    const { agent } = scripted(["One.", "Two.", "Three."], { userMemory: new UserMemory() });
    const told = warningsOf(agent);
    await agent.run("I am Ada.");
    await agent.run("I am Ada.");
    await agent.run("I am Ada.", attemptOpts({ fromOutside: true }));

    expect(told.map(({ code }) => code)).toEqual(["user_id_missing", "user_id_missing"]);
    expect(told[0]?.message).toBe(
      "userMemory has no effect in this run: it has no userId. Pass userId in the options of the run, or set it on the agent.",
    );
  });

  it("is told when a tool is to recall facts [run.user-id-missing]", async () => {
    const call = { toolCalls: [{ id: "1", name: "recall_user_facts", arguments: {} }] };
    const { agent } = scripted([call, "?", call, "?"], { tools: [new UserMemory().asTool()] });
    const told = warningsOf(agent);
    await agent.run("Who am I?");
    await agent.run("Who am I?", attemptOpts({ fromOutside: true }));

    expect(told.map(({ code, message }) => [code, message.includes("userId")])).toEqual([["user_id_missing", true]]);
  });

  it("is an error that names it when sessions are listed, facts are read, or a user is deleted [run.user-id-missing]", async () => {
    const { agent } = scripted([]);
    const calls = [
      agent.sessions.listSessions({}),
      agent.sessions.deleteUser(undefined as never),
      new UserMemory().getFacts(undefined as never),
    ];

    for (const call of calls) {
      await expect(call).rejects.toMatchObject({ code: "invalid_request", message: expect.stringMatching(/^userId /) });
    }
  });
});

describe("what a model does not take", () => {
  /** A model that leaves out an option in each call, and a part of the messages in each call that has one. */
  const omitting = (modelId: string): ModelProvider => {
    const model = new ScriptedModel().respond(({ messages, options }) => {
      const report = createOmissionReport({ providerId: "scripted", modelId }, { logger: silentLogger, ...options });
      report("stop", "the vendor has none");
      if (messages.some(({ content }) => Array.isArray(content)))
        report("a part of type image", "said earlier", "messages");
      return messages.at(-1)?.role === "tool" ? "Done." : { toolCalls: [callOf("1")] };
    });
    return model;
  };

  it("is told once for an agent at level warn, in the log and as an event, and a part once in each run [warnings.omitted-option] [warnings.omitted-part]", async () => {
    const lines: string[] = [];
    const logger = createLogger({ level: "warn", write: (line) => void lines.push(line) });
    const agent = new Agent({ name: "a", model: omitting("one"), tools: [look], logger });
    const told = warningsOf(agent);
    const image = [
      { type: "text", text: "See" },
      { type: "image", data: "aGk=", mimeType: "image/png" },
    ] as const;
    for (const input of ["Hi", [...image], [...image]]) await agent.run(input);
    await agent.run("Hi", { model: omitting("two") });
    await new Agent({ name: "b", model: omitting("one"), tools: [look] }).run("Hi");

    const messages = [
      "stop was left out of a request to scripted/one: the vendor has none.",
      "a part of type image was left out of a request to scripted/one: said earlier.",
      "a part of type image was left out of a request to scripted/one: said earlier.",
      "stop was left out of a request to scripted/two: the vendor has none.",
    ];
    expect(told.map(({ message }) => message)).toEqual(messages);
    expect(lines).toHaveLength(4);
    for (const [index, line] of lines.entries()) expect(line).toContain(messages[index]);
  });
});

describe("a hook of a silent agent that fails at a tool call", () => {
  it("is told as a warning for each call, without the arguments [run.background-warning]", async () => {
    const toolCalls = [callOf("1"), callOf("2", "Rome")];
    const { agent } = scripted([{ toolCalls }, "Done."], {
      tools: [look],
      hooks: { onToolCall: () => Promise.reject(new Error("hook")) },
    });
    const told = warningsOf(agent);
    await agent.run("Hi");

    const fields = { toolName: "look", errorCode: "internal", error: "Something went wrong in this service." };
    expect(told.map(({ code, fields: facts }) => [code, facts])).toEqual([
      ["hook_failed", fields],
      ["hook_failed", fields],
    ]);
  });
});

describe("background work of a silent agent that fails", () => {
  it("is told as a warning when no facts could be extracted, for each run [run.background-warning]", async () => {
    const userMemory = new UserMemory({
      model: new ScriptedModel({ error: new Error("a") }, { error: new Error("b") }),
    });
    const { agent } = scripted(["One.", "Two."], { userMemory, retry: { maxRetries: 0 } });
    const told = warningsOf(agent);

    const runIds: unknown[] = [];
    for (const input of ["I am Ada.", "I live in Oslo."]) {
      runIds.push((await agent.run(input, { userId: "ada" })).runId);
      await userMemory.flush();
    }

    expect(told.map(({ runId, code }) => [runId, code])).toEqual(runIds.map((runId) => [runId, "facts_not_extracted"]));
  });

  it("is told as a warning when the model's facts cannot be used [run.background-warning]", async () => {
    const model = new ScriptedModel("not JSON", {
      text: JSON.stringify({ facts: ["x".repeat(5000), "Lives in Oslo."] }),
    });
    const userMemory = new UserMemory({ model });
    const { agent } = scripted(["One.", "Two."], { userMemory });
    const told = warningsOf(agent);

    for (const input of ["I am Ada.", "I live in Oslo."]) {
      await agent.run(input, { userId: "ada" });
      await userMemory.flush();
    }

    expect(told.map(({ code, fields }) => [code, fields])).toEqual([
      ["facts_unreadable", expect.objectContaining({ errorCode: "structured_output_invalid" })],
      ["facts_left_out", { found: 2, kept: 1 }],
    ]);
  });

  it("is told as a warning when the memory takes in no turn, and when it has to do without a summary [run.background-warning]", async () => {
    let isDown = false;
    const storage = faultyStorage(new InMemoryStorage(), ({ method, args }) =>
      isDown && method !== "get" && args[0] === "memory" ? "fail-before" : undefined,
    );
    const model = new ScriptedModel().respond(() => ({ error: new Error("no summary") }));
    const memory = new Memory({ storage, model, maxShortTermMessages: 2, enableLongTerm: true });
    const { agent } = scripted(["One.", "Two.", "Three."], { memory, sessionId: "s", retry: { maxRetries: 0 } });
    const told = warningsOf(agent);

    await agent.run("First.");
    await agent.run("Second.");
    isDown = true;
    await agent.run("Third.");

    expect(told.map(({ code }) => code)).toEqual(["summary_failed", "summary_failed", "memory_not_updated"]);
    expect(told.at(-1)?.fields).toMatchObject({ errorCode: "storage_unavailable" });
  });
});
