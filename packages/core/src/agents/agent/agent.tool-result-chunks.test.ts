import { describe, expect, it } from "vitest";
import type { Artifact } from "../../base/message/tool-call.ts";
import { toPublicOutput } from "../run/run-output.ts";
import type { TurnRecord } from "../../sessions/session/turn-record.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { eventsOnBus, readAll, runErrorOf } from "../../testing/conformance/runnable-subject.ts";
import { until } from "../../testing/conformance/assert.ts";
import { callOf, look, scripted, toolNamed } from "./test/agents.ts";

const chart = (): Artifact => ({ type: "chart", data: { points: [1, 2] }, mimeType: "application/json" });
const draw = toolNamed("draw", (at) => ({ content: `${at} drawn`, artifacts: [chart()] }));
const fails = toolNamed("fails", () => {
  throw new Error("no rain");
});
const asks = { toolCalls: [callOf("1", "Oslo", "draw"), callOf("2"), callOf("3", "Rome", "fails")] };
/** The texts that the model and that clients get. */
const problem = "The tool fails failed: no rain";
const told = "The tool fails failed.";

async function turnsIn(storage: InMemoryStorage): Promise<TurnRecord[]> {
  return (await storage.list("turns")).map(({ value }) => value as unknown as TurnRecord);
}

describe("the results of tool calls", () => {
  it("come in the stream, with error and artifacts, each before the end of its call [chunk.tool-result]", async () => {
    const { agent } = scripted([asks, "Done."], { tools: [draw, look, fails] });

    const chunks = await readAll(agent.stream("Weather?"));

    const durationMs = expect.any(Number);
    const results = chunks.filter((chunk) => chunk.type === "tool_result");
    expect(new Map(results.map((chunk) => [chunk.toolCallId, chunk]))).toEqual(
      new Map<string, unknown>([
        [
          "1",
          {
            type: "tool_result",
            toolCallId: "1",
            toolName: "draw",
            result: "Oslo drawn",
            artifacts: [chart()],
            durationMs,
          },
        ],
        ["2", { type: "tool_result", toolCallId: "2", toolName: "look", result: "Oslo seen", durationMs }],
        ["3", { type: "tool_result", toolCallId: "3", toolName: "fails", result: told, error: told, durationMs }],
      ]),
    );
    const order = chunks.flatMap((chunk) =>
      chunk.type === "tool_result" || chunk.type === "tool_call_end" ? [`${chunk.type} ${chunk.toolCallId}`] : [],
    );
    expect(order).toEqual(
      results.flatMap(({ toolCallId }) => [`tool_result ${toolCallId}`, `tool_call_end ${toolCallId}`]),
    );
  });

  it("come in the events, with error and artifacts [events.tool-result-details]", async () => {
    const { agent } = scripted([asks, "Done."], { tools: [draw, look, fails] });
    const heard = eventsOnBus(agent);
    const { runId, sessionId } = await agent.run("Weather?");

    const results = heard.flatMap(({ name, data }) => (name === "tool.result" ? [data] : []));
    expect(results).toHaveLength(3);
    expect(results).toContainEqual({
      runId,
      sessionId,
      toolCallId: "1",
      toolName: "draw",
      result: "Oslo drawn",
      artifacts: [chart()],
    });
    expect(results).toContainEqual({ runId, sessionId, toolCallId: "2", toolName: "look", result: "Oslo seen" });
    expect(results).toContainEqual({
      runId,
      sessionId,
      toolCallId: "3",
      toolName: "fails",
      result: problem,
      error: told,
    });
  });

  it("give the output all artifacts, each with its call, in public too [output.artifacts]", async () => {
    const twice = { toolCalls: [callOf("1", "Oslo", "draw"), callOf("2", "Rome", "draw")] };
    const { agent } = scripted([twice, { toolCalls: [callOf("3", "Bern", "draw")] }, "Done.", "Hi."], {
      tools: [draw],
    });

    const output = await agent.run("Weather?");

    const artifacts = ["1", "2", "3"].map((toolCallId) => ({ ...chart(), toolCallId, toolName: "draw" }));
    expect(output.artifacts).toEqual(artifacts);
    expect(toPublicOutput(output).artifacts).toEqual(artifacts);
    expect(await agent.run("Hi")).not.toHaveProperty("artifacts");
  });

  it("keep their artifacts when a reader or a handler changes what it was given", async () => {
    const { agent } = scripted([{ toolCalls: [callOf("1", "Oslo", "draw")] }, "Done."], { tools: [draw] });
    agent.eventBus.on("tool.result", ({ artifacts = [] }) => void artifacts.splice(0));
    const stream = agent.stream("Weather?");
    for await (const chunk of stream) if (chunk.type === "tool_result") chunk.artifacts?.splice(0);

    const { artifacts } = await stream.output;
    expect(artifacts).toEqual([{ ...chart(), toolCallId: "1", toolName: "draw" }]);
  });

  it("are stored with the turn where the messages do not say them [turn.tool-results]", async () => {
    const storage = new InMemoryStorage();
    const { agent, model } = scripted([asks, "Done.", "Again."], { storage, tools: [draw, look, fails] });
    await agent.run("Weather?", { sessionId: "s" });
    await agent.run("Again?", { sessionId: "s" });

    const [turn, plain] = await turnsIn(storage);
    expect(turn?.toolResults).toEqual([
      { toolCallId: "1", toolName: "draw", artifacts: [chart()] },
      { toolCallId: "3", toolName: "fails", error: told },
    ]);
    expect(plain).not.toHaveProperty("toolResults");
    expect(JSON.stringify(model.calls)).not.toContain("points");
    const [read] = (await agent.sessions.readTurns("s")).turns;
    expect(read?.toolResults).toEqual(turn?.toolResults);
  });

  it("are stored when the run is interrupted, with an error for each unfinished call [turn.tool-results]", async () => {
    const storage = new InMemoryStorage();
    const hang = toolNamed("hang", () => new Promise<string>(() => {}));
    const toolCalls = [callOf("1", "Oslo", "draw"), callOf("2", "Rome", "hang"), callOf("3")];
    const { agent } = scripted([{ toolCalls }], { storage, tools: [draw, hang, look] });
    const ended: string[] = [];
    agent.eventBus.on("tool.result", ({ toolCallId }) => void ended.push(toolCallId));
    const stream = agent.stream("Weather?", { sessionId: "s" });
    const failed = runErrorOf(stream.output);
    await until(() => ended.length === 2);
    stream.cancel();
    const { output } = await failed;

    const [turn] = await turnsIn(storage);
    expect(turn).toMatchObject({ status: "interrupted" });
    expect(turn?.toolResults).toEqual([
      { toolCallId: "1", toolName: "draw", artifacts: [chart()] },
      { toolCallId: "2", toolName: "hang", error: "interrupted" },
    ]);
    expect(output.artifacts).toEqual([{ ...chart(), toolCallId: "1", toolName: "draw" }]);
  });

  it("are stored without artifacts beyond a million characters, which are counted and logged [turn.artifact-limit]", async () => {
    const storage = new InMemoryStorage();
    const large = (size: number): Artifact => ({ type: "file", data: "x".repeat(size) });
    const make = toolNamed("make", () => ({ content: "made", artifacts: [large(600_000), large(600_000), chart()] }));
    const toolCalls = [callOf("1", "Oslo", "make"), callOf("2", "Rome", "make")];
    const { agent } = scripted([{ toolCalls }, "Done."], { storage, tools: [make] });
    const warnings: unknown[] = [];
    agent.eventBus.on("run.warning", ({ code, fields }) => void warnings.push([code, fields]));
    const { artifacts } = await agent.run("Make.", { sessionId: "s" });

    expect(artifacts).toHaveLength(6);
    expect(warnings).toEqual([["artifacts_not_stored", { leftOut: 3 }]]);
    const [turn] = await turnsIn(storage);
    const stored = turn?.toolResults?.map((each) => [each.artifacts?.map(({ type }) => type), each.leftOut]);
    expect(stored).toEqual([
      [["file", "chart"], 1],
      [["chart"], 2],
    ]);
  });

  it.each([
    ["stored up to 1,048,576 characters of JSON in all calls of a turn", 0, { artifacts: 1 }],
    ["left out by the first character beyond that", 1, { leftOut: 1 }],
  ])("have artifacts that are %s [turn.artifact-limit]", async (_what, beyond, second) => {
    const storage = new InMemoryStorage();
    const fileOf = (size: number): Artifact => ({
      type: "file",
      data: "x".repeat(size - '{"type":"file","data":""}'.length),
    });
    const make = toolNamed("make", (size) => ({ content: "made", artifacts: [fileOf(Number(size))] }));
    const toolCalls = [callOf("1", "1000000", "make"), callOf("2", String(48_576 + beyond), "make")];
    const { agent } = scripted([{ toolCalls }, "Done."], { storage, tools: [make] });
    await agent.run("Make.", { sessionId: "s" });

    const [turn] = await turnsIn(storage);
    const stored = turn?.toolResults?.map(({ artifacts, leftOut }) => ({ artifacts: artifacts?.length, leftOut }));
    expect(stored).toEqual([{ artifacts: 1 }, second]);
  });
});
