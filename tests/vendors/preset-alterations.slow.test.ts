import { readTranscript } from "@troupe-internal/vendor-fakes";
import { TroupeError } from "@troupe/core";
import type { ModelProvider } from "@troupe/core";
import type { ModelChunk } from "@troupe/core/provider";
import { fromAiSdk } from "@troupe/providers-ai-sdk";
import * as presets from "@troupe/providers-openai/presets";
import { expect, it } from "vitest";
import { eventsOf, mutate, mutationKinds } from "./mutate-transcript.ts";

type MakePreset = (modelId: string, options: object) => ModelProvider;

/** Returns every alteration of an answer: of each event, and of its first fields. */
function* alterations(recorded: string): Generator<string> {
  const count = eventsOf(recorded).length;
  for (const kind of mutationKinds)
    for (let event = 0; event < count; event += 1)
      for (let field = 0; field < (kind.endsWith("field") || kind === "reverse fields" ? 6 : 1); field += 1)
        yield mutate(recorded, { kind, event, field });
}

/** Reads an answer to its end or its error. */
async function read(model: ModelProvider): Promise<{ chunks: ModelChunk[]; error?: unknown }> {
  const chunks: ModelChunk[] = [];
  try {
    for await (const chunk of model.stream([{ role: "user", content: "Go." }])) chunks.push(chunk);
    return { chunks };
  } catch (error) {
    return { chunks, error };
  }
}

/** The words of an answer, and those that an alteration may double. No other text may be read. */
function isMadeOf(text: string, words: readonly string[]): boolean {
  let rest = text;
  while (rest !== "") {
    const word = words.find((each) => rest.startsWith(each));
    if (word === undefined) return false;
    rest = rest.slice(word.length);
  }
  return true;
}

function textOf(chunks: readonly ModelChunk[], type: "text" | "thinking"): string {
  return chunks.map((chunk) => (chunk.type === type ? chunk.text : "")).join("");
}

/** Checks what is read of an altered answer: the words that were sent, one end, and no fault of our own. */
async function check(model: ModelProvider, answer: string, words: readonly string[]): Promise<void> {
  const { chunks, error } = await read(model);
  const ends = chunks.filter(({ type }) => type === "finish").length;

  expect(ends, answer).toBe(error === undefined ? 1 : 0);
  expect(
    error === undefined || (TroupeError.is(error) && error.code === "model_failed"),
    `${String(error)} ${answer}`,
  ).toBe(true);
  for (const type of ["text", "thinking"] as const)
    expect(isMadeOf(textOf(chunks, type), words), `${textOf(chunks, type)} in ${answer}`).toBe(true);
}

const names = Object.keys(presets).filter((name) => name !== "azure");

it.each([...names, "azure"])(
  "every altered answer is read by the preset %s as far as it is sound [model-calls.altered-answers]",
  async (name) => {
    let count = 0;
    for (const transcript of ["compat-quirks.sse", "openai-chat-text.sse", "openai-chat-tool.sse"]) {
      const whole = readTranscript(transcript).frames.map(String).join("");
      // Alterations are those of events, so a comment at the beginning is left out.
      const recorded = whole.slice(whole.indexOf("data:"));
      const words = JSON.stringify(eventsOf(recorded)).match(
        /"(?:content|reasoning|reasoning_content|text)":"((?:[^"\\]|\\.)*)"/g,
      );
      const texts = (words ?? []).map((found) => JSON.parse(found.slice(found.indexOf(":") + 1)) as string);
      const own = texts.filter((text) => text !== "").toSorted((one, other) => other.length - one.length);
      for (const answer of alterations(recorded)) {
        const fetch = async () => new Response(answer, { headers: { "content-type": "text/event-stream" } });
        const make = (presets as unknown as Readonly<Record<string, MakePreset>>)[name];
        if (make === undefined) throw new Error(`No preset is called ${name}.`);
        const baseURL = "http://127.0.0.1:9/v1";
        await check(make("m", { apiKey: "k", fetch, baseURL }), answer, own);
        count += 1;
      }
    }

    expect(count).toBeGreaterThan(57);
  },
);

const usage = { inputTokens: { total: 10, cacheRead: 2, cacheWrite: 3 }, outputTokens: { total: 5, reasoning: 1 } };
/** The parts of an answer of the AI SDK: thinking, text, a call, and the end. */
const parts: readonly object[] = [
  { type: "stream-start", warnings: [] },
  { type: "response-metadata", id: "r1", modelId: "m-1" },
  { type: "reasoning-start", id: "1" },
  { type: "reasoning-delta", id: "1", delta: "Hm." },
  { type: "reasoning-end", id: "1", providerMetadata: { acme: { signature: "s" } } },
  { type: "text-start", id: "2" },
  { type: "text-delta", id: "2", delta: "Größe" },
  { type: "text-end", id: "2" },
  { type: "tool-input-start", id: "c1", toolName: "look" },
  { type: "tool-input-delta", id: "c1", delta: '{"at":' },
  { type: "tool-input-delta", id: "c1", delta: '"Oslo"}' },
  { type: "tool-input-end", id: "c1" },
  { type: "tool-call", toolCallId: "c1", toolName: "look", input: '{"at":"Oslo"}' },
  { type: "finish", finishReason: { unified: "tool-calls", raw: "tool_use" }, usage },
];

it("every altered answer is read by the adapter of the AI SDK as far as it is sound [model-calls.altered-answers]", async () => {
  const recorded = parts.map((part) => `${JSON.stringify(part)}\n`).join("");
  let count = 0;
  for (const answer of alterations(recorded)) {
    const altered = eventsOf(answer).filter((part) => part !== undefined);
    const sdk = {
      specificationVersion: "v3",
      provider: "acme",
      modelId: "m",
      supportedUrls: {},
      doGenerate: async () => await Promise.reject(new Error("Not asked.")),
      doStream: async () => await Promise.resolve({ stream: ReadableStream.from(altered) }),
    };
    await check(fromAiSdk(sdk as never), answer, ["Größe", "Hm."]);
    count += 1;
  }

  expect(count).toBeGreaterThan(57);
});
