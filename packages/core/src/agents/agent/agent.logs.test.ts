import { watchErrorStream } from "@troupe-internal/interleavings";
import { describe, expect, it, onTestFinished } from "vitest";
import { createLogger } from "../../base/log/logger.ts";
import type { LogLevel } from "../../base/log/log-level.ts";
import type { Logger } from "../../base/log/logger.ts";
import { UserMemory } from "../memory/user-memory.ts";
import { runErrorOf } from "../../testing/conformance/runnable-subject.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { runnableAsTool } from "../tool/runnable-as-tool.ts";
import { Agent } from "./agent.ts";
import { callOf, scripted, toolNamed } from "./test/agents.ts";

type Line = Record<string, unknown>;

function logTo(level: LogLevel): { logger: Logger; lines: Line[] } {
  const lines: Line[] = [];
  return { logger: createLogger({ level, write: (line) => lines.push(JSON.parse(line) as Line) }), lines };
}

const speaking = toolNamed("look", (at, { logger }) => {
  logger.info("Looked.", { at });
  return "sun";
});
const asks = { toolCalls: [callOf("1"), callOf("2", "Rome")] };

describe("the logger of an agent", () => {
  it("gets one line at info for each run: name, run id, status, duration and tokens [log.run-line]", async () => {
    const { logger, lines } = logTo("info");
    const { agent } = scripted(["Rain.", "Sun."], { logger });
    const outputs = [await agent.run("Oslo?"), await agent.run("Rome?")];

    expect(lines).toEqual(
      outputs.map(({ runId, durationMs, usage }) => ({
        time: expect.any(String),
        level: "info",
        prefix: "helper",
        message: "The run completed.",
        runId,
        name: "helper",
        status: "completed",
        durationMs,
        tokens: usage.totalTokens,
      })),
    );
  });

  it("gets the code of a run that failed or was cancelled [log.run-line]", async () => {
    const { logger, lines } = logTo("info");
    const { agent } = scripted([{ error: new Error("broken") }, { hang: true }], { logger, retry: { maxRetries: 0 } });
    const failed = await runErrorOf(agent.run("Oslo?"));
    await runErrorOf(agent.run("Oslo?", { signal: AbortSignal.abort() }));

    expect(lines).toMatchObject([
      { message: "The run failed.", runId: failed.output.runId, status: "error", code: "internal" },
      { message: "The run was cancelled.", status: "error", code: "cancelled" },
    ]);
  });

  it("gets a line at debug for each model call and tool call, the second too, and none of them holds content [log.call-lines]", async () => {
    const { logger, lines } = logTo("debug");
    const { agent } = scripted([asks, "It is sunny."], { logger, tools: [speaking] });
    const { runId } = await agent.run("Weather?", { apiKeys: { scripted: "sk-canary" } });

    const debug = lines.filter(({ level }) => level === "debug");
    expect(debug.map(({ message, toolCallId, finishReason }) => [message, toolCallId ?? finishReason])).toEqual([
      ["The model call ended.", "tool_calls"],
      ["The tool call ended.", "1"],
      ["The tool call ended.", "2"],
      ["The model call ended.", "stop"],
    ]);
    for (const line of lines) expect(line["runId"]).toBe(runId);
    for (const line of debug) expect(line["durationMs"]).toEqual(expect.any(Number));
    expect(JSON.stringify(debug)).not.toMatch(/Weather|sunny|Oslo|Rome|canary/);
  });

  it("gets no argument, prompt or answer at info [log.run-line]", async () => {
    const { logger, lines } = logTo("info");
    const quiet = toolNamed("look", () => "sun");
    const { agent } = scripted([asks, "It is sunny."], { logger, tools: [quiet] });
    await agent.run("Weather?");

    expect(JSON.stringify(lines)).not.toMatch(/Weather|sunny|Oslo|Rome/);
  });

  it("gets the lines of its tools, with the ids of run and call [log.tool-logger]", async () => {
    const { logger, lines } = logTo("info");
    const { agent } = scripted([asks, "Sun."], { logger, tools: [speaking] });
    const { runId } = await agent.run("Weather?");

    expect(lines.slice(0, 2)).toMatchObject([
      { message: "Looked.", at: "Oslo", prefix: "helper", runId, toolName: "look", toolCallId: "1" },
      { message: "Looked.", at: "Rome", prefix: "helper", runId, toolName: "look", toolCallId: "2" },
    ]);
  });

  it("may be any object with its methods", async () => {
    const seen: string[] = [];
    const own: Logger = {
      debug: (message) => void seen.push(message),
      info: (message) => void seen.push(message),
      warn: (message) => void seen.push(message),
      error: (message) => void seen.push(message),
      child: () => own,
      withSecrets: () => own,
    };
    await scripted(["Rain."], { logger: own }).agent.run("Oslo?");

    expect(seen).toEqual(["The model call ended.", "The run completed."]);
  });

  it("is none by default: nothing is written [agent.log-level] [log.silent]", async () => {
    const { lines, restore } = watchErrorStream();
    onTestFinished(restore);
    const fail = () => Promise.reject(new Error("broken"));
    const guardrails = { output: [{ name: "strict", check: fail }] };
    const { agent } = scripted([asks, "Sun."], { tools: [speaking], guardrails, hooks: { onError: fail } });
    await runErrorOf(agent.run("Weather?"));

    expect(lines).toEqual([]);
  });

  it.each([
    [{ logger: console }, "logger must be a logger such as createLogger({ level })"],
    [{ logger: createLogger(), logLevel: "debug" }, "logLevel must be left out beside logger."],
    [{ logger: createLogger(), logLevel: "silent" }, "logLevel must be left out beside logger."],
  ])("is refused at construction when it has no effect or is none: %o [log.option-checks]", (config, sentence) => {
    expect(() => scripted(["Rain."], config as never)).toThrow(sentence);
  });
});

describe("the log of a child run", () => {
  it("is the parent's when the child has none, with both names, its own run id and the tool call [log.child-runs]", async () => {
    const { logger, lines } = logTo("info");
    const child = new Agent({ name: "expert", model: new ScriptedModel(asks, "Sun."), tools: [speaking] });
    const ask = { id: "c", name: "ask_expert", arguments: { input: "Weather?" } };
    const { agent } = scripted([{ toolCalls: [ask] }, "Sun."], { logger, tools: [runnableAsTool(child)] });
    const { runId } = await agent.run("Weather?");

    const [first, second, ended, last] = lines;
    expect(lines).toHaveLength(4);
    for (const line of [first, second, ended]) {
      expect(line).toMatchObject({ prefix: "helper:expert" });
      expect(line?.["runId"]).not.toBe(runId);
    }
    expect(ended).toMatchObject({ message: "The run completed.", name: "expert", parentRunId: runId });
    expect(last).toMatchObject({ message: "The run completed.", prefix: "helper", name: "helper", runId });
  });

  it("is its own when it has one, also a silent one [log.child-runs]", async () => {
    const [parent, own] = [logTo("info"), logTo("info")];
    const tools = [
      runnableAsTool(new Agent({ name: "own", model: new ScriptedModel("Sun."), logger: own.logger })),
      runnableAsTool(new Agent({ name: "quiet", model: new ScriptedModel("Sun."), logLevel: "silent" })),
    ];
    const toolCalls = ["own", "quiet"].map((name) => ({ id: name, name: `ask_${name}`, arguments: { input: "Hi" } }));
    await scripted([{ toolCalls }, "Sun."], { logger: parent.logger, tools }).agent.run("Weather?");

    expect(own.lines.map(({ prefix }) => prefix)).toEqual(["own"]);
    expect(parent.lines.map(({ prefix }) => prefix)).toEqual(["helper"]);
  });

  it("hides the keys of its parent run and its own, also in a grandchild [log.child-runs]", async () => {
    const { logger, lines } = logTo("info");
    const leaking = toolNamed("look", (_at, context) => {
      context.logger.info("sk-canary-parent and sk-canary-child");
      return "sun";
    });
    const grandchild = new Agent({
      name: "c",
      model: new ScriptedModel({ toolCalls: [callOf("1")] }, "."),
      tools: [leaking],
    });
    const child = new Agent({
      name: "b",
      model: new ScriptedModel({ toolCalls: [callOf("1")] }, "."),
      tools: [toolNamed("look", async (_at, parent) => (await grandchild.run("Hi", { parent })).text)],
    });
    const start = toolNamed("look", async (_at, parent) => {
      return (await child.run("Hi", { parent, apiKeys: { other: "sk-canary-child" } })).text;
    });
    const { agent } = scripted([{ toolCalls: [callOf("1")] }, "."], { logger, tools: [start] });
    await agent.run("Hi", { apiKeys: { scripted: "sk-canary-parent" } });

    expect(lines[0]).toMatchObject({ message: "[redacted] and [redacted]", prefix: "helper:b:c" });
    expect(lines).toHaveLength(4);
  });
});

describe("a handler of an agent's events that fails", () => {
  it("is told as a warning for each failure, and a failing handler of warnings is not called in a circle [run.background-warning]", async () => {
    const { agent } = scripted(["One.", "Two."]);
    const told: unknown[] = [];
    const fail = (): never => {
      throw new Error("handler");
    };
    agent.eventBus.on("run.start", fail);
    agent.eventBus.on("run.warning", fail);
    agent.eventBus.on("run.warning", ({ code, fields }) => told.push([code, fields?.["event"]]));
    await agent.run("Hi");
    await agent.run("Hi");

    expect(told).toEqual([
      ["handler_failed", "run.start"],
      ["handler_failed", "run.start"],
    ]);
  });
});

describe("the extraction of facts", () => {
  it("logs its own run, told apart by the run that it follows", async () => {
    const { logger, lines } = logTo("info");
    const userMemory = new UserMemory({ model: new ScriptedModel('{"facts":[]}') });
    const { agent } = scripted(["One."], { logger, userMemory });
    const { runId } = await agent.run("I am Ada.", { userId: "ada" });
    await userMemory.flush();

    expect(lines.map(({ parentRunId }) => parentRunId)).toEqual([undefined, runId]);
  });
});
