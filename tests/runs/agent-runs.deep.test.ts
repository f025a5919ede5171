import { anthropic } from "@troupe/providers-anthropic";
import { google } from "@troupe/providers-google";
import { ollama } from "@troupe/providers-ollama";
import { openai } from "@troupe/providers-openai";
import { vertex } from "@troupe/providers-vertex";
import type { ModelProvider } from "@troupe/core";
import { check } from "@troupe-internal/run-checker";
import { describe, expect, inject, it } from "vitest";
import { runAgents } from "./run-agents.ts";
import type { ExecutedRun } from "./run-agents.ts";

const models: Record<string, (vendorUrl: string) => ModelProvider> = {
  "OpenAI's Responses": (url) => openai("gpt-5.1", { baseURL: `${url}/v1`, api: "responses" }),
  "Chat Completions": (url) => openai("gpt-4.1", { baseURL: `${url}/v1`, api: "chat" }),
  "Anthropic's Messages": (url) => anthropic("claude-sonnet-4-5", { baseURL: url }),
  "the Gemini API": (url) => google("gemini-3.8-flash", { baseURL: url }),
  "Google Cloud": (url) => vertex("gemini-3.8-flash", { baseURL: url }),
  "Ollama's chat": (url) => ollama("qwen3:8b", { baseURL: url }),
};

const runs = { few: 8, many: 300 }[inject("trials")];

describe.each(Object.entries(models))("random runs of an agent over %s, a third of them cancelled", (_name, model) => {
  it("violate no invariant, report the billed usage, and never send a history that the vendor refuses", async () => {
    let cancelled = 0;
    // A run may end before its cancel comes: trials in which too few were cancelled are repeated.
    for (let trial = 0; cancelled <= runs / 10; trial++) {
      expect(trial, "trials with too few cancelled runs").toBeLessThan(5);
      const executed = await runAgents({ model, runs, sessions: 20, atOnce: 12, seed: 11 + trial });

      expect(executed.refusals).toEqual([]);
      expect(check(executed.evidence)).toEqual([]);
      expect(executed.runs.filter((run) => !isHonest(run))).toEqual([]);
      expect(executed.ends["completed"]).toBeGreaterThan(runs / 3);
      cancelled = executed.ends["cancelled"] ?? 0;
    }
  });
});

/** Returns true when the reported usage is right. The usage of a truncated answer is unknown, so it may be missing. */
function isHonest({ end, reported, billed }: ExecutedRun): boolean {
  const counters = ["promptTokens", "completionTokens", "totalTokens"] as const;
  return counters.every((counter) =>
    end === "completed" ? reported[counter] === billed[counter] : reported[counter] <= billed[counter],
  );
}
