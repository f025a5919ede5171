import { anthropic } from "@troupe/providers-anthropic";
import { google } from "@troupe/providers-google";
import { ollama } from "@troupe/providers-ollama";
import { openai } from "@troupe/providers-openai";
import { vertex } from "@troupe/providers-vertex";
import type { ModelProvider } from "@troupe/core";
import { check } from "@troupe-internal/run-checker";
import { describe, expect, inject, it } from "vitest";
import { playAgentRuns } from "./play-agent-runs.ts";
import type { PlayedRun } from "./play-agent-runs.ts";

const models: Record<string, (vendorUrl: string) => ModelProvider> = {
  "OpenAI's Responses": (url) => openai("gpt-5.1", { baseURL: `${url}/v1`, api: "responses" }),
  "Chat Completions": (url) => openai("gpt-4.1", { baseURL: `${url}/v1`, api: "chat" }),
  "Anthropic's Messages": (url) => anthropic("claude-sonnet-4-5", { baseURL: url }),
  "the Gemini API": (url) => google("gemini-3.8-flash", { baseURL: url }),
  "Google Cloud": (url) => vertex("gemini-3.8-flash", { baseURL: url }),
  "Ollama's chat": (url) => ollama("qwen3:8b", { baseURL: url }),
};

const runs = { few: 60, many: 300 }[inject("trials")];

describe.each(Object.entries(models))("random runs of an agent over %s, a third of them cut short", (_name, model) => {
  it("keep every promise, are billed as they report, and never send a history that the vendor refuses", async () => {
    const played = await playAgentRuns({ model, runs, sessions: 20, atOnce: 12, seed: 11 });

    expect(played.refusals).toEqual([]);
    expect(check(played.evidence)).toEqual([]);
    expect(played.runs.filter((run) => !isHonest(run))).toEqual([]);
    expect(played.ends["completed"]).toBeGreaterThan(runs / 3);
    expect(played.ends["cancelled"]).toBeGreaterThan(runs / 10);
  });
});

/** What an answer cost that was cut, the vendor has told nobody: of such a run no more is known. */
function isHonest({ end, reported, billed }: PlayedRun): boolean {
  const counters = ["promptTokens", "completionTokens", "totalTokens"] as const;
  return counters.every((counter) =>
    end === "completed" ? reported[counter] === billed[counter] : reported[counter] <= billed[counter],
  );
}
