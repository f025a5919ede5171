import { describe, expect, it, vi } from "vitest";
import type { Json } from "../../sessions/storage/json.ts";
import { SmallRecords } from "../../sessions/storage/test/small-records.ts";
import { defineTool } from "../../agents/tool/define-tool.ts";
import { readEvents, request, scriptedAgent, serveRuns, untilStatus } from "./test/services.ts";

/** The most characters of a record of these storages. */
const mostChars = 10_000;

function nested(levels: number): Json {
  return levels === 0 ? "deep" : { in: nested(levels - 1) };
}

/** Serves an agent that calls `work` so many times at once, and answers then. */
async function serveCalls({ calls, result, text = "Done." }: { calls: number; result?: unknown; text?: string }) {
  const execute = vi.fn<() => string>(() => result as string);
  const work = defineTool({ name: "work", description: "Works.", parameters: { type: "object" }, execute });
  const toolCalls = Array.from({ length: calls }, () => ({ name: "work" }));
  const answers = calls === 0 ? [{ text }] : [{ toolCalls }, { text }];
  const storage = new SmallRecords(mostChars);
  const service = await serveRuns({ agents: { a: scriptedAgent(answers, { tools: [work] }) }, storage });
  return { service, storage, execute };
}

describe("a durable run whose results its storage does not take", () => {
  it("ends as an error where a result alone is too large, and calls neither tool nor model again", async () => {
    const { service, execute } = await serveCalls({ calls: 1, result: "x".repeat(mostChars) });
    const { runId } = await service.accept(request);
    const { error, attempts } = await untilStatus(service, runId, "error");

    expect([error?.code, attempts]).toEqual(["invalid_value", 2]);
    expect(execute).toHaveBeenCalledTimes(1);
    expect((await readEvents(service, runId)).at(-1)).toMatchObject({ type: "end", error: { code: "invalid_value" } });
  });

  it("ends as an error where its output is too large, though each result is stored", async () => {
    const { service, storage, execute } = await serveCalls({ calls: 3, result: "x".repeat(0.4 * mostChars) });
    const { runId } = await service.accept(request);
    const { error, output = null } = await untilStatus(service, runId, "error");

    expect([error?.code, output]).toEqual(["invalid_value", null]);
    expect(execute).toHaveBeenCalledTimes(3);
    await vi.waitFor(async () => expect(await storage.list("run-open")).toEqual([]));
  });

  it("has its output in its events where that is too large for its record alone", async () => {
    const text = "x".repeat(0.3 * mostChars);
    const { service } = await serveCalls({ calls: 0, text });
    const { runId } = await service.accept({ ...request, input: "x".repeat(0.8 * mostChars) });
    const { output } = await untilStatus(service, runId, "completed");

    expect(output).toBeNull();
    expect((await readEvents(service, runId)).at(-1)).toMatchObject({ type: "end", output: { text } });
  });

  it("is stored without the levels of a value that are too many for a record of the log", async () => {
    const result = { content: "ok", artifacts: [{ type: "tree", data: nested(62) }] };
    const { service } = await serveCalls({ calls: 1, result });
    const { runId } = await service.accept(request);
    const { output, attempts } = await untilStatus(service, runId, "completed");

    expect(attempts).toBe(1);
    expect(output).toMatchObject({ text: "Done.", artifacts: [{ type: "tree" }] });
  });
});
