import { isDeepStrictEqual } from "node:util";
import { context, metrics, propagation, trace } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { NodeSDK } from "@opentelemetry/sdk-node";
import { BatchSpanProcessor } from "@opentelemetry/sdk-trace";
import fc from "fast-check";
import { Agent, fallbackModel, Memory, Team, Workflow, defineTool } from "@troupe/core";
import type { ModelProvider, Runnable, Telemetry, TokenUsage } from "@troupe/core";
import { describe, expect, it, onTestFinished } from "vitest";
import { BilledModel } from "../test/billed-model.ts";
import { OtlpReceiver } from "../test/otlp-receiver.ts";
import { tokensIn, tokensOf } from "../test/recorder.ts";
import { endOf, turns } from "../test/run-ends.ts";
import { createTelemetry } from "./create-telemetry.ts";

const numRuns = 200;

/** A plan of one random run: what runs, how the vendor behaves, and whether the run is cancelled. */
type Plan = {
  readonly kind: "agent" | "coordinate" | "route" | "broadcast" | "collaborate" | "workflow";
  readonly seed: number;
  readonly streams: boolean;
  readonly fallback: boolean;
  readonly structured: boolean;
  readonly remembers: boolean;
  /** Microtask turns after which the run is cancelled. */
  readonly cancelAfter: number | undefined;
};

const plans: fc.Arbitrary<Plan> = fc.record({
  kind: fc.constantFrom("agent", "coordinate", "route", "broadcast", "collaborate", "workflow"),
  seed: fc.nat(),
  streams: fc.boolean(),
  fallback: fc.boolean(),
  structured: fc.boolean(),
  remembers: fc.boolean(),
  cancelAfter: fc.option(fc.nat(60), { nil: undefined, freq: 3 }),
});

const lookUp = defineTool({
  name: "look_up",
  description: "Looks something up.",
  parameters: { type: "object", properties: {} },
  execute: () => "found",
});

const answer = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false,
} as const;

/** Builds what a plan runs. All of its models bill to one account. */
function build(
  plan: Plan,
  telemetry: Telemetry,
): { runnable: Runnable; models: BilledModel[]; flush(): Promise<void> } {
  const models: BilledModel[] = [];
  let count = 0;
  const newModel = (): BilledModel => {
    const model = new BilledModel(plan.seed + 7919 * count++, plan.structured);
    models.push(model);
    return model;
  };
  const model = (): ModelProvider => (plan.fallback ? fallbackModel(newModel(), newModel()) : newModel());
  const retry = { maxRetries: 2, initialDelayMs: 1, maxDelayMs: 1 };
  const agent = (name: string) =>
    new Agent({
      name,
      description: `Knows of ${name}.`,
      model: model(),
      tools: [lookUp],
      retry,
      telemetry,
      ...(plan.structured && { structuredOutput: answer }),
      ...(plan.remembers && {
        memory: new Memory({ maxShortTermMessages: 2, enableLongTerm: true, model: newModel() }),
      }),
    });
  const flush = async () => undefined;
  if (plan.kind === "agent") return { runnable: agent("one"), models, flush };
  const members = [agent("one"), agent("two")];
  if (plan.kind === "workflow") {
    const steps = members.map((member) => ({ name: member.name, agent: member }));
    const both = [
      { name: "both", parallel: steps },
      { name: "last", agent: agent("three") },
    ];
    const workflow = new Workflow({
      name: "flow",
      initialState: {},
      steps: both,
      telemetry,
      retryPolicy: { maxRetries: 1, backoffMs: 1 },
    });
    return { runnable: workflow.asRunnable(), models, flush };
  }
  const team = new Team({ name: "team", mode: plan.kind, model: model(), members, retry, telemetry });
  return { runnable: team, models, flush };
}

const nothing: TokenUsage = { promptTokens: 0, completionTokens: 0, totalTokens: 0 };

function isAttempt({ name }: { readonly name: string }): boolean {
  return name === "troupe.model.attempt";
}

describe("200 generated runs of agents, teams in all modes and workflows", () => {
  it("have spans whose tokens add up to the usage of the run and to the bill of the vendor, to the token", async () => {
    const seen = { cancelled: 0, failed: 0, retried: 0, fellBack: 0, summarized: 0, tokens: 0 };
    const receiver = await OtlpReceiver.start();
    onTestFinished(() => receiver.close());
    const processor = new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url: receiver.url }) });
    const quiet = { autoDetectResources: false, metricReaders: [], logRecordProcessors: [] };
    const sdk = new NodeSDK({ ...quiet, serviceName: "test", spanProcessors: [processor] });
    sdk.start();
    onTestFinished(async () => {
      await sdk.shutdown();
      for (const api of [trace, metrics, context, propagation]) api.disable();
    });
    const telemetry = createTelemetry();
    await fc.assert(
      fc.asyncProperty(plans, async (plan) => {
        const { runnable, models } = build(plan, telemetry);
        const abort = new AbortController();
        const session = { sessionId: "s1", signal: abort.signal };
        const run = async () =>
          await endOf(plan.streams ? runnable.stream("Go.", session).output : runnable.run("Go.", session));
        // The first run fills the memory, so that the second one must summarize.
        const first = plan.remembers && plan.kind !== "workflow" ? await run() : undefined;
        const running = run();
        if (plan.cancelAfter !== undefined) {
          await turns(plan.cancelAfter);
          abort.abort();
        }
        const last = await running;
        await turns(3);

        await processor.forceFlush();
        const spans = receiver.spans.splice(0);
        const billed = models.reduce((sum, model) => model.addBill(sum), nothing);
        const used = [first, last].map((output) => output?.usage ?? nothing);
        const total = { promptTokens: 0, completionTokens: 0 };
        for (const { promptTokens, completionTokens } of used) {
          total.promptTokens += promptTokens;
          total.completionTokens += completionTokens;
        }
        const recorded = tokensOf(spans);
        expect(recorded).toEqual(tokensIn(billed));
        // The output of a cancelled run is made at once: it lacks what the vendor bills afterwards. No other run does.
        const isCancelled = plan.cancelAfter !== undefined && last.status === "error";
        expect(isCancelled || isDeepStrictEqual(recorded, total)).toBe(true);
        expect(total.promptTokens).toBeLessThanOrEqual(recorded.promptTokens);
        expect(total.completionTokens).toBeLessThanOrEqual(recorded.completionTokens);
        // Every span has ended, and every one but the runs has its parent among them.
        const ids = new Set(["", ...spans.map(({ spanId }) => spanId)]);
        for (const { parentSpanId = "" } of spans) expect(ids).toContain(parentSpanId);
        expect(spans.length).toBeGreaterThan(0);
        seen.tokens += total.promptTokens;
        seen.cancelled += Number(isCancelled);
        seen.failed += Number(plan.cancelAfter === undefined && last.status === "error");
        seen.retried += spans.filter(({ events }) => events.filter(isAttempt).length > 1).length;
        seen.fellBack += Number(plan.fallback);
        const writes = new Set(spans.filter(({ name }) => name === "upsert_memory").map(({ spanId }) => spanId));
        seen.summarized += spans.filter(({ parentSpanId = "" }) => writes.has(parentSpanId)).length;
      }),
      { numRuns },
    );

    // The property would say nothing of what never happened.
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(5);
  });
});
