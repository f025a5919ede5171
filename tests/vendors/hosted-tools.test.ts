import { FakeVendor } from "@troupe-internal/vendor-fakes";
import { Agent } from "@troupe/core";
import type { ModelProvider, RunOutput, StreamChunk } from "@troupe/core";
import { SqliteStorage } from "@troupe/storage-sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import { hostedAnswers, sse } from "./hosted-answers.ts";
import { connect } from "./vendors.ts";

/** Runs two turns of one session on a model whose first answers are these, the second from storage alone. */
async function twoTurns(model: (url: string) => ModelProvider, answers: string[][], way: "run" | "stream") {
  const vendor = await FakeVendor.start({ strict: false });
  const storage = new SqliteStorage(":memory:");
  onTestFinished(async () => {
    await vendor.close();
    await storage.close();
  });
  const headers = { "content-type": "text/event-stream" };
  for (const frames of answers) vendor.plan({ raw: { status: 200, headers, frames } });
  vendor.plan({ answer: "Sure." });
  const ask = async (input: string): Promise<[RunOutput, StreamChunk[]]> => {
    const agent = new Agent({ name: "a", model: model(vendor.url), storage });
    if (way === "run") return [await agent.run(input, { sessionId: "s" }), []];
    const stream = agent.stream(input, { sessionId: "s" });
    const chunks = await Array.fromAsync(stream);
    return [await stream.output, chunks];
  };
  const [first, chunks] = await ask("Weather in Oslo?");
  const [second] = await ask("Sure?");
  return { vendor, first, chunks, second, bodies: vendor.exchanges.map(({ request }) => JSON.stringify(request.body)) };
}

describe.each(Object.entries(hostedAnswers))(
  "an answer of %s with calls of the vendor's own tools",
  (_name, hosted) => {
    it.each(["run", "stream"] as const)(
      "has its sources in the output, and goes back as it was with the next turn, in a %s [model-calls.sources] [model-calls.stored-vendor-state]",
      async (way) => {
        const frames =
          way === "run" && hosted.whole !== undefined ? [JSON.stringify(hosted.whole)] : sse(hosted.events);
        const { first, chunks, second, bodies } = await twoTurns(hosted.model, [frames], way);

        expect(first.text).toBe(hosted.text);
        expect(first.toolCalls).toEqual([]);
        expect(first.sources).toMatchObject(hosted.sources);
        expect(first.sources).toHaveLength(hosted.sources.length);
        const shown = chunks.filter(({ type }) => type === "source");
        expect(shown).toHaveLength(way === "stream" ? hosted.sources.length : 0);
        expect(second.text).toBe("Sure.");
        let from = 0;
        for (const part of hosted.sentBack) {
          from = bodies[1]?.indexOf(part, from) ?? -1;
          expect(from, part).toBeGreaterThan(-1);
        }
        expect(JSON.stringify([first, chunks, second])).not.toMatch(/sealed|vendorState/);
      },
    );

    it("is told from the text alone when the vendor refuses it later [model-calls.refused-vendor-state]", async () => {
      const vendor = await FakeVendor.start({ strict: false });
      onTestFinished(() => vendor.close());
      const headers = { "content-type": "text/event-stream" };
      vendor.plan({ raw: { status: 200, headers, frames: sse(hosted.events) } });
      vendor.plan({ failure: { status: 400 } });
      vendor.plan({ answer: "Sure." });
      const agent = new Agent({ name: "a", model: hosted.model(vendor.url), sessionId: "s", retry: { maxRetries: 0 } });
      await agent.stream("Weather in Oslo?").output;

      expect((await agent.stream("Sure?").output).text).toBe("Sure.");
      const last = JSON.stringify(vendor.exchanges.at(-1)?.request.body);
      expect(last).toContain(hosted.text);
      expect(last).not.toContain("sealed");
    });
  },
);

describe("an answer that Anthropic paused", () => {
  const paused = (url: string): ModelProvider => connect.anthropic(url, { apiKey: "sk-1" });
  const text = (said: string): object[] => [
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: said } },
    { type: "content_block_stop", index: 0 },
  ];
  const part = (said: string, reason: string): string[] =>
    sse([
      { type: "message_start", message: { id: "m", model: "c", usage: { input_tokens: 10, output_tokens: 1 } } },
      ...text(said),
      { type: "message_delta", delta: { stop_reason: reason, container: { id: "box" } }, usage: { output_tokens: 5 } },
      { type: "message_stop" },
    ]);

  it("is continued with what it said, and counts as one answer with all its tokens [model-calls.paused]", async () => {
    const parts = [part("It ", "pause_turn"), part("rains ", "pause_turn"), part("now.", "end_turn")];
    const { vendor, first } = await twoTurns(paused, parts, "stream");

    expect(first.text).toBe("It rains now.");
    expect(first.usage).toMatchObject({ promptTokens: 30, completionTokens: 15, totalTokens: 45 });
    const body = vendor.exchanges[2]?.request.body as { messages: object[]; container?: string };
    expect(body.container).toBe("box");
    expect(body.messages.slice(1)).toEqual([
      {
        role: "assistant",
        content: [
          { type: "text", text: "It " },
          { type: "text", text: "rains " },
        ],
      },
    ]);
    expect(vendor.exchanges).toHaveLength(4);
  });

  it("is continued ten times at most [model-calls.paused]", async () => {
    const vendor = await FakeVendor.start({ strict: false });
    onTestFinished(() => vendor.close());
    const headers = { "content-type": "text/event-stream" };
    vendor.respond(() => ({ raw: { status: 200, headers, frames: part("on ", "pause_turn") } }));
    const agent = new Agent({ name: "a", model: paused(vendor.url) });

    const { text: said, usage } = await agent.stream("Go.").output;
    expect(said).toBe("on ".repeat(11));
    expect(usage.completionTokens).toBe(55);
    expect(vendor.exchanges).toHaveLength(11);
  });

  it("ends with its run, also while it is continued [model-calls.paused]", async () => {
    const vendor = await FakeVendor.start({ strict: false });
    onTestFinished(() => vendor.close());
    const headers = { "content-type": "text/event-stream" };
    vendor.plan({ raw: { status: 200, headers, frames: part("It ", "pause_turn") } });
    vendor.plan({ answer: "rains.", delivery: { fault: { kind: "hang", at: "before-headers" } } });
    const stream = new Agent({ name: "a", model: paused(vendor.url) }).stream("Go.");
    const outcome = Array.fromAsync(stream).catch((error: unknown) => error);
    await expect.poll(() => vendor.exchanges.length).toBe(2);
    stream.cancel();

    expect(await outcome).toMatchObject({ code: "cancelled" });
    await expect.poll(() => vendor.exchanges[1]?.end).toBe("abandoned");
  });
});
