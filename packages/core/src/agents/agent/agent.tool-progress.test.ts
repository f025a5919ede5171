import { letRun } from "@troupe-internal/interleavings";
import { describe, expect, it } from "vitest";
import type { RunContext } from "../run/run-context.ts";
import { eventsOnBus, readAll } from "../../testing/conformance/runnable-subject.ts";
import { assertCallGrammar, assertPlainChunks } from "../../testing/conformance/model-subject.ts";
import { until } from "../../testing/conformance/assert.ts";
import type { ToolContext, ToolReturn } from "../run/tool.ts";
import { callOf, look, scripted, toolNamed } from "./test/agents.ts";

type Report = (progress: unknown) => void;

/** A tool that works with the function by which it reports. */
function reporting(
  work: (report: Report) => ToolReturn | Promise<ToolReturn>,
  more: Parameters<typeof toolNamed>[2] = {},
) {
  return toolNamed("work", (_at, context: RunContext) => work((context as ToolContext).report), more);
}

const asks = { toolCalls: [callOf("1", "Oslo", "work"), callOf("2")] };

describe("the progress of a tool", () => {
  it("is an event and a chunk, in order, before the result of its call [tool.progress]", async () => {
    const work = reporting(async (report) => {
      report({ percent: 0 });
      await letRun();
      report({ percent: 50 });
      await letRun();
      return "done";
    });
    const { agent } = scripted([asks, "Done."], { tools: [work, look] });
    const heard = eventsOnBus(agent);
    const stream = agent.stream("Work.");
    const chunks = await readAll(stream);

    const of = { toolCallId: "1", toolName: "work" };
    const own = chunks.filter((chunk) => "toolName" in chunk && chunk.toolName === "work");
    expect(own).toEqual([
      { type: "tool_progress", ...of, progress: { percent: 0 } },
      { type: "tool_progress", ...of, progress: { percent: 50 } },
      expect.objectContaining({ type: "tool_result", ...of, result: "done" }),
    ]);
    assertCallGrammar(chunks);
    assertPlainChunks(chunks);
    const told = heard.flatMap(({ name, data }) => (name === "tool.progress" ? [data] : []));
    const { runId, sessionId } = await stream.output;
    expect(told).toEqual([
      { runId, sessionId, ...of, progress: { percent: 0 } },
      { runId, sessionId, ...of, progress: { percent: 50 } },
    ]);
  });

  it("is the newest alone for a slow reader, and comes before the result [tool.progress-bounded]", async () => {
    let reported = 0;
    const work = reporting(async (report) => {
      // After the call has joined: before that, only the newest report is kept anyway.
      await letRun();
      for (let count = 1; count <= 10_000; count++) report(count);
      reported += 10_000;
      await letRun();
      report("almost");
      return "done";
    });
    const toolCalls = [callOf("1", "Oslo", "work"), callOf("2"), callOf("3", "Rome", "work")];
    const { agent } = scripted([{ toolCalls }, "Done."], { tools: [work, look] });
    const progress: Record<string, unknown[]> = { 1: [], 3: [] };
    for await (const chunk of agent.stream("Work.")) {
      if (chunk.type === "tool_progress") progress[chunk.toolCallId]?.push(chunk.progress);
      await letRun();
    }

    expect(reported).toBe(20_000);
    // The newest of the first reports, unless the reader was so slow that a newer one took its place.
    for (const ofCall of Object.values(progress)) {
      expect(ofCall).toEqual(ofCall.length === 1 ? ["almost"] : [10_000, "almost"]);
    }
  });

  it("is dropped once the tool has ended, or its time is over [tool.progress-late]", async () => {
    const reports: Report[] = [];
    const late = reporting((report) => {
      reports.push(report);
      return "done";
    });
    const hanging = reporting(
      (report) => {
        reports.push(report);
        return new Promise<string>(() => undefined);
      },
      { timeoutMs: 5 },
    );
    for (const tool of [late, hanging]) {
      const { agent } = scripted([{ toolCalls: [callOf("1", "Oslo", "work")] }, "Done."], { tools: [tool] });
      const told: unknown[] = [];
      agent.eventBus.on("tool.progress", (data) => void told.push(data));
      const chunks = await readAll(agent.stream("Work."));
      for (const report of reports) report("late");

      expect(told).toEqual([]);
      expect(chunks.filter(({ type }) => type === "tool_progress")).toEqual([]);
    }
  });

  it.each([
    ["has ended", () => "done"],
    ["has taken too long", () => new Promise<string>(() => undefined)],
  ])("is dropped once its tool %s, while other calls go on [tool.progress-late]", async (_what, answer) => {
    const isTold = Promise.withResolvers<string>();
    const slow = toolNamed("slow", async () => await isTold.promise);
    let reportLate: Report = () => undefined;
    const work = reporting(
      (report) => {
        reportLate = report;
        return answer();
      },
      { timeoutMs: 5 },
    );
    const toolCalls = [callOf("1", "Oslo", "work"), callOf("2", "Oslo", "slow")];
    const { agent } = scripted([{ toolCalls }, "Done."], { tools: [work, slow] });
    const told: unknown[] = [];
    agent.eventBus.on("tool.progress", (data) => void told.push(data));
    agent.eventBus.on("tool.result", ({ toolName }) => {
      if (toolName !== "work") return;
      reportLate("late");
      isTold.resolve("seen");
    });
    const chunks = await readAll(agent.stream("Work."));

    expect(told).toEqual([]);
    expect(chunks.filter(({ type }) => type === "tool_progress")).toEqual([]);
  });

  it("is dropped for a run that has left its call, while another run waits for the same execution [tool.progress-late]", async () => {
    const isLeft = Promise.withResolvers<void>();
    const work = reporting(
      async (report) => {
        await isLeft.promise;
        report("late");
        return "done";
      },
      { effect: "pure", cache: { ttl: 1000 } },
    );
    const ask = { toolCalls: [callOf("1", "Oslo", "work")] };
    const { agent } = scripted([ask, ask, "Done."], { tools: [work] });
    const heard = eventsOnBus(agent);
    const calls = () => heard.filter(({ name }) => name === "tool.call").length;
    const leaving = agent.stream("Work.");
    const left = leaving.output.catch(() => undefined);
    await until(() => calls() === 1);
    const staying = agent.run("Work.");
    await until(() => calls() === 2);
    leaving.cancel();
    await left;
    isLeft.resolve();
    const { runId, sessionId } = await staying;

    const told = heard.flatMap(({ name, data }) => (name === "tool.progress" ? [data] : []));
    expect(told).toEqual([{ runId, sessionId, toolCallId: "1", toolName: "work", progress: "late" }]);
  });

  it("is copied: what the tool or a handler changes afterwards changes no chunk", async () => {
    const work = reporting(async (report) => {
      const state = { files: ["a"] };
      report(state);
      state.files.push("b");
      return "done";
    });
    const { agent } = scripted([asks, "Done."], { tools: [work, look] });
    agent.eventBus.on("tool.progress", ({ progress }) => void Object.assign(progress as object, { files: [] }));

    const chunks = await readAll(agent.stream("Work."));
    expect(chunks.flatMap((chunk) => (chunk.type === "tool_progress" ? [chunk.progress] : []))).toEqual([
      { files: ["a"] },
    ]);
  });

  it("must be JSON: else the tool is told, and its call fails unless it handles that [tool.progress-json]", async () => {
    for (const wrong of [1n, undefined, () => 1, new Date(), Number.NaN]) {
      const work = reporting((report) => {
        report(wrong);
        return "done";
      });
      const { agent } = scripted([asks, "Done."], { tools: [work, look] });
      const { toolCalls } = await agent.run("Work.");

      expect(toolCalls[0]?.result).toMatch(/progress/i);
    }
    const handling = reporting((report) => {
      try {
        report(1n);
        return "not told";
      } catch {
        return "done";
      }
    });
    const { agent } = scripted([asks, "Done."], { tools: [handling, look] });
    const chunks = await readAll(agent.stream("Work."));
    expect(chunks).toContainEqual(expect.objectContaining({ type: "tool_result", toolName: "work", result: "done" }));
    expect(chunks.filter(({ type }) => type === "tool_progress")).toEqual([]);
  });

  it("reaches each of the equal calls that share an execution, also one that joins later [tool.progress]", async () => {
    const work = reporting(
      async (report) => {
        report("begun");
        await letRun();
        return "done";
      },
      { effect: "pure", cache: { ttl: 1000 } },
    );
    const { agent } = scripted([{ toolCalls: [callOf("1", "Oslo", "work"), callOf("2", "Oslo", "work")] }, "Done."], {
      tools: [work],
    });

    const chunks = await readAll(agent.stream("Work."));
    const ids = chunks.flatMap((chunk) => (chunk.type === "tool_progress" ? [chunk.toolCallId] : []));
    expect(ids.toSorted()).toEqual(["1", "2"]);
  });
});
