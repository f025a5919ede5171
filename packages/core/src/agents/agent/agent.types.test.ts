import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { RunError } from "../run/run-output.ts";
import type { CompleteRunOutput, UnstructuredRunOutput } from "../run/run-output.ts";
import type { Runnable } from "../run/runnable.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import type { ObjectSchema } from "../../schema/object-schema.ts";
import { Agent } from "./agent.ts";

const forecast = z.object({ city: z.string(), rain: z.boolean() });
const good = { city: "Oslo", rain: true };

describe("the output of an agent", () => {
  it("has ids, status, usage and time without a check [types.finished-run]", async () => {
    const agent = new Agent({ name: "a", model: new ScriptedModel("Hi.", "Hi.") });
    for (const output of [await agent.run("Hi"), await agent.stream("Hi").output]) {
      expectTypeOf(output.runId).toEqualTypeOf<string>();
      expectTypeOf(output.sessionId).toEqualTypeOf<string>();
      expectTypeOf(output.status).toEqualTypeOf<"completed" | "error">();
      expectTypeOf(output.durationMs).toEqualTypeOf<number>();
      expectTypeOf(output).toEqualTypeOf<UnstructuredRunOutput>();

      expect([output.runId.length, output.sessionId.length, output.status]).toEqual([36, 36, "completed"]);
      expect(output.durationMs.toFixed(0)).toMatch(/^\d+$/);
      expect(output.usage.totalTokens).toBe(15);
      // @ts-expect-error an agent without a schema has no structured answer
      expect(output.structured).toBeNull();
    }
  });

  it("has the type of its schema in structured [types.structured]", async () => {
    const agent = new Agent({ name: "a", model: new ScriptedModel({ structured: good }), structuredOutput: forecast });
    const output = await agent.run("Oslo?");

    expectTypeOf(output.structured).toEqualTypeOf<{ city: string; rain: boolean }>();
    expect(output.structured.city).toBe("Oslo");
  });

  it("has anything in structured for a schema without a type [types.structured]", async () => {
    const structuredOutput: ObjectSchema = { type: "array" };
    const agent = new Agent({ name: "a", model: new ScriptedModel({ structured: { value: [1] } }), structuredOutput });
    const output = await agent.run("Hi");

    expectTypeOf(output.structured).toEqualTypeOf<unknown>();
    expect(output.structured).toEqual([1]);
  });

  it("has what there is when the run failed [types.failed-run]", async () => {
    const agent = new Agent({
      name: "a",
      model: new ScriptedModel({ error: new Error("down") }),
      retry: { maxRetries: 0 },
    });
    const error: unknown = await agent.run("Hi").catch((failure: unknown) => failure);
    if (!(error instanceof RunError)) throw new TypeError("expected a RunError");

    expectTypeOf(error.output).toEqualTypeOf<CompleteRunOutput>();
    expect([error.output.status, error.output.runId.length, error.output.sessionId.length]).toEqual(["error", 36, 36]);
  });

  it("lets an agent with a schema stand for any agent and any runnable", () => {
    const typed = new Agent({ name: "a", model: new ScriptedModel(), structuredOutput: forecast });
    const agents: Record<string, Agent> = { typed, plain: new Agent({ name: "b", model: new ScriptedModel() }) };
    const runnables: Runnable[] = Object.values(agents);

    expectTypeOf(typed).toExtend<Runnable>();
    expect(runnables.map(({ name }) => name)).toEqual(["a", "b"]);
  });
});
