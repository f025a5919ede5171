import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { TroupeError } from "../errors/troupe-error.ts";
import { createLogger } from "../log/logger.ts";
import { getTextContent } from "../message/content.ts";
import type { TokenUsage } from "../message/token-usage.ts";
import { ScriptedModel } from "../testing/scripted-model.ts";
import { scriptedUsage } from "../testing/scripted-answer.ts";
import { digest, summarize } from "./summaries.ts";

const lines = ["user: My cat is called Miso.", "assistant: Noted."];

function listen() {
  const said: string[] = [];
  return { said, logger: createLogger({ level: "warn", color: false, write: (line) => said.push(line) }) };
}

describe("summarize", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("gives the model the lines as data, with the key of its vendor, and reports the usage", async () => {
    const model = new ScriptedModel(" The cat is called Miso. ");
    const billed: TokenUsage[] = [];
    const summary = await summarize(lines, {
      model,
      apiKeyFor: (providerId) => `key of ${providerId}`,
      onUsage: (usage) => billed.push(usage),
    });

    expect(summary).toBe("The cat is called Miso.");
    expect(billed).toEqual([scriptedUsage]);
    expect(model.calls[0]?.options.apiKey).toBe("key of scripted");
    expect(model.calls[0]?.messages.map(({ role }) => role)).toEqual(["system", "user"]);
    expect(model.calls[0]?.messages[1]?.content).toContain("<conversation>\n- user: My cat is called Miso.\n");
    expect(vi.getTimerCount()).toBe(0);
  });

  it("returns a digest without a model", async () => {
    expect(await summarize(lines, {})).toBe("user: My cat is called Miso. / assistant: Noted.");
  });

  it.each([
    ["fails", { error: new TroupeError("model_failed", "no") }],
    ["says nothing", " \n "],
    ["writes a book", { text: ["word ".repeat(2_000_000)] }],
  ])("returns a digest, and logs a warning, when the model %s", async (_, turn) => {
    const { said, logger } = listen();
    const summary = await summarize(lines, { model: new ScriptedModel(turn), logger });

    expect(summary).toBe(digest(lines));
    expect(said).toHaveLength(1);
  });

  it("returns a digest when the model does not answer in time, even one that ignores its signal", async () => {
    const { said, logger } = listen();
    const model = new ScriptedModel();
    model.generate = () => new Promise(() => {});
    const summary = summarize(lines, { model, logger });
    await vi.advanceTimersByTimeAsync(60_000);

    expect(await summary).toBe(digest(lines));
    expect(said).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("rejects when its signal aborts", async () => {
    const { said, logger } = listen();
    const abort = new AbortController();
    const model = new ScriptedModel({ hang: true });
    const summary = summarize(lines, { model, logger, signal: abort.signal });
    await vi.advanceTimersByTimeAsync(1);
    abort.abort();

    await expect(summary).rejects.toMatchObject({ code: "cancelled" });
    expect(model.calls[0]?.end).toBe("cancelled");
    expect(said).toEqual([]);
  });

  it("limits the input and the output of the model", async () => {
    const model = new ScriptedModel("word ".repeat(1000));
    const many = Array.from({ length: 10_000 }, (_, index) => `user: message ${index}`);
    const summary = await summarize(many, { model });

    const read = getTextContent(model.calls[0]?.messages[1]?.content ?? null);
    expect(read.length).toBeLessThan(50_000);
    expect(read).toContain("- user: message 9999\n");
    expect(summary.length).toBeLessThanOrEqual(1200);
  });
});

describe("digest", () => {
  it("has a limited length, keeps the newest lines, and is deterministic", () => {
    const many = Array.from({ length: 100 }, (_, index) => `user: ${"long ".repeat(100)} ${index}`);
    const text = digest([...many, "user: last"]);

    expect(text.length).toBeLessThanOrEqual(1200);
    expect(text.endsWith("user: last")).toBe(true);
    expect(text).toBe(digest([...many, "user: last"]));
  });
});
