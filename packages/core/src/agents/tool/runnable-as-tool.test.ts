import { describe, expect, it } from "vitest";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { ErrorCode } from "../../base/errors/troupe-error.ts";
import { EventBus } from "../../base/events/event-bus.ts";
import type { MessageContent } from "../../base/message/content.ts";
import { noUsage } from "../../base/message/token-usage.ts";
import { RunError } from "../run/run-output.ts";
import type { RunEvents } from "../run/run-events.ts";
import type { RunOpts } from "../run/run-options.ts";
import type { CompleteRunOutput, RunOutput } from "../run/run-output.ts";
import { runOfContext } from "../run/derive-context.ts";
import type { Runnable } from "../run/runnable.ts";
import { runnableAsTool } from "./runnable-as-tool.ts";
import { batchOf, callOf, contextOf, resultOf } from "./test/batch.ts";
import { ToolSet } from "./tool-set.ts";

type RunIt = (input: MessageContent, opts: RunOpts) => Promise<RunOutput>;

function runnableOf(name: string, run: RunIt = async () => outputOf("done"), description?: string): Runnable {
  return {
    name,
    ...(description !== undefined && { description }),
    kind: "agent",
    eventBus: new EventBus<RunEvents>(),
    run: async (input, opts = {}) => await run(input, opts),
    stream: () => {
      throw new Error("A tool has no use for a stream.");
    },
  };
}

function outputOf(text: string): CompleteRunOutput {
  return {
    text,
    toolCalls: [],
    usage: noUsage,
    runId: "r",
    sessionId: "s",
    status: "completed" as const,
    durationMs: 0,
  };
}

describe("runnableAsTool", () => {
  it("is named and described for the runnable", () => {
    const { specs } = new ToolSet([runnableAsTool(runnableOf("critic", undefined, "Finds faults."))]);

    expect(specs).toEqual([
      {
        name: "ask_critic",
        description: "Finds faults.",
        parameters: {
          type: "object",
          properties: { input: { type: "string", description: expect.any(String) } },
          required: ["input"],
          additionalProperties: false,
        },
      },
    ]);
  });

  it("has a description where the runnable has none", () => {
    expect(runnableAsTool(runnableOf("critic")).description).toBe("Asks critic and gives back its answer.");
    expect(runnableAsTool(runnableOf("critic", undefined, " ")).description).toMatch(/^Asks critic/);
  });

  it("takes another name, description and time limit", () => {
    const tool = runnableAsTool(runnableOf("critic"), { name: "review", description: "Reviews.", timeoutMs: 5 });

    expect(tool).toMatchObject({ name: "review", description: "Reviews.", timeoutMs: 5 });
    expect(runnableAsTool(runnableOf("critic")).timeoutMs).toBe(600_000);
  });

  it.each([
    ["art critic", "ask_art_critic"],
    ["Kritiker für Öl", "ask_Kritiker_f_r__l"],
    ["a".repeat(100), `ask_${"a".repeat(60)}`],
    ["", "ask_"],
  ])("makes a legal name of %j", (name, legal) => {
    expect(runnableAsTool(runnableOf(name)).name).toBe(legal);
  });

  it("runs within the caller's run and gives back the text", async () => {
    const seen: { input: MessageContent; opts: RunOpts }[] = [];
    const runnable = runnableOf("critic", async (input, opts) => {
      seen.push({ input, opts });
      if (opts.parent !== undefined) runOfContext(opts.parent)?.meter.add({ ...noUsage, totalTokens: 7 });
      return outputOf("too long");
    });
    const context = contextOf();
    const call = callOf("ask_critic", { input: "my novel" });
    const result = await resultOf(batchOf([runnableAsTool(runnable)], [call], { context }));

    expect(result.result).toBe("too long");
    expect(seen[0]?.input).toBe("my novel");
    expect(seen[0]?.opts.parent).toMatchObject({ runId: "run-1", toolCallId: "id-ask_critic" });
    expect(seen[0]?.opts.signal).toBe(seen[0]?.opts.parent?.signal);
    expect(runOfContext(context)?.meter.total.totalTokens).toBe(7);
  });

  it.each<[code: ErrorCode, message: string]>([
    ["guardrail_blocked", "The input was refused."],
    ["internal", "Something went wrong in this service."],
    ["invalid_config", "Something went wrong in this service."],
  ])("reports a run that failed as %s as a client may see it", async (code, message) => {
    const run: RunIt = async () =>
      await Promise.reject(new RunError(code, "The input was refused.", { output: outputOf("") }));
    const call = callOf("ask_critic", { input: "my novel" });
    const result = await resultOf(batchOf([runnableAsTool(runnableOf("critic", run))], [call]));

    expect(result.error).toBe(`The tool ask_critic failed: ${message}`);
  });

  it("hides an error that is not a TroupeError", async () => {
    const run: RunIt = async () => await Promise.reject(new Error("postgres://user:password@host"));
    const call = callOf("ask_critic", { input: "my novel" });
    const result = await resultOf(batchOf([runnableAsTool(runnableOf("critic", run))], [call]));

    expect(result.error).toBe("The tool ask_critic failed: Something went wrong in this service.");
  });

  it("rejects a value that is no runnable, and unknown options", () => {
    expect(() => runnableAsTool({ name: "critic" } as never)).toThrow(/^The runnable of a tool must be an agent/);
    expect(() => runnableAsTool(undefined as never)).toThrow(TroupeError);
    expect(() => runnableAsTool(runnableOf("critic"), { effect: "pure" } as never)).toThrow(
      /Unknown option "effect" of asTool. Expected name,/,
    );
    expect(() => runnableAsTool(runnableOf("critic"), { name: "two words" })).toThrow(/^name of a tool must be/);
    expect(() => runnableAsTool(runnableOf("critic"), { description: "" })).toThrow(
      /^tool "ask_critic"\.description must be/,
    );
  });
});
