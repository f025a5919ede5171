import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { FakeVendor, loadSdkClient, transcriptNames } from "@troupe-internal/vendor-fakes";
import type { DialectName, SdkAnswer } from "@troupe-internal/vendor-fakes";
import { Agent, TroupeError } from "@troupe/core";
import type { ModelProvider } from "@troupe/core";
import { collectResponse } from "@troupe/core/provider";
import type { ModelChunk } from "@troupe/core/provider";
import { openai } from "@troupe/providers-openai";
import fc from "fast-check";
import { afterAll, beforeAll, expect, inject, it, vi } from "vitest";
import { eventsOf, mutate, mutationKinds } from "./mutate-transcript.ts";
import { connect } from "./vendors.ts";

/** Always the same, so that they fail for a change alone. Other ones: `TROUPE_SEED=7 pnpm test:all mutated-answers`. */
const seed = Number(process.env["TROUPE_SEED"] ?? 19);
const trials = { few: { numRuns: 40, seed }, many: { numRuns: 6000, seed } }[inject("trials")];

/** A dialect: our model, the vendor's own library, and its mark of a complete answer within an event. */
type Reader = { model: (url: string) => ModelProvider; sdk: DialectName; end: RegExp[] };

const keyed = (name: keyof typeof connect) => (url: string) => connect[name](url, { apiKey: "sk-1" });
const chat = (url: string): ModelProvider => openai("or-model", { baseURL: `${url}/v1`, api: "chat", apiKey: "sk-1" });
const readers: Readonly<Record<string, Reader>> = {
  "openai-responses": {
    model: keyed("openai"),
    sdk: "openai-responses",
    end: [/"type":"response\.(completed|incomplete)"/, /"status":"/],
  },
  "openai-chat": { model: chat, sdk: "openai-chat", end: [/"finish_reason":"/] },
  compat: { model: chat, sdk: "openai-chat", end: [/"finish_reason":"/] },
  anthropic: {
    model: keyed("anthropic"),
    sdk: "anthropic",
    end: [/"type":"message_delta"/, /"stop_reason":"/],
  },
  google: { model: keyed("google"), sdk: "google", end: [/"finishReason":"|"blockReason":"/] },
  vertex: { model: keyed("google"), sdk: "google", end: [/"finishReason":"/] },
  ollama: { model: keyed("ollama"), sdk: "ollama", end: [/"done":true/] },
};

function readerOf(transcript: string): [name: string, reader: Reader] {
  const found = Object.entries(readers).find(([name]) => transcript.startsWith(`${name}-`));
  if (found === undefined) throw new Error(`No reader for ${transcript}.`);
  return found;
}

type Outcome = {
  text: string;
  calls: unknown[];
  malformed: boolean;
  error?: TroupeError & { networkCode?: string };
};
const noAnswer: Outcome = { text: "", calls: [], malformed: false };
type Raw = { status: number; headers: Record<string, string>; frames: string[] };
type Trial = { dialect: string; answer: string; end: RegExp[]; sdk: SdkAnswer; ours: Outcome };

/** The cases in which we read an answer in another way than the vendor's library, each with its reason. */
const exceptions: Readonly<Record<string, (trial: Trial) => boolean>> = {
  "An answer without its end is a lost connection and tried again; the library takes it as whole.": ({
    answer,
    end,
    ours,
  }) =>
    ours.error?.networkCode === "ECONNRESET" &&
    !eventsOf(answer).some((event) => end.every((mark) => mark.test(JSON.stringify(event)))),
  "An event that is no JSON is a damaged answer and tried again; the library leaves it out.": ({ answer, ours }) =>
    ours.error !== undefined && eventsOf(answer).includes(undefined),
  "An error within the answer is an error; the library may overlook it.": ({ answer, ours }) =>
    ours.error !== undefined && /"error"/.test(answer),
  "Words and calls that only a later event has are read from there; the library gives the events alone.": ({
    sdk,
    ours,
  }) =>
    ours.error === undefined &&
    ours.text.startsWith(sdk.text) &&
    ours.calls.length >= sdk.calls.length &&
    (ours.text !== sdk.text || ours.calls.length > sdk.calls.length),
  "Arguments of which a piece was lost or doubled must not be executed; the library repeats those of the last event.":
    ({ ours }) => ours.malformed,
  "Blocks of Anthropic are told apart by their index; the library counts them.": ({ dialect, answer }) =>
    dialect === "anthropic" && hasOddBlocks(answer),
  "A text that is null is empty; the library makes the word null of it.": ({ sdk }) => /null|undefined/.test(sdk.text),
  "Of two choices with the same index the first counts; the library joins them.": ({ answer }) => hasTwins(answer),
  "Arguments that came in pieces stand although a later event has null for them; the library repeats the null.": ({
    sdk,
    ours,
  }) =>
    sdk.calls.some(({ arguments: args }) => (args ?? null) === null) &&
    sdk.calls.map(({ name }) => name).join() === ours.calls.map((call) => (call as { name: string }).name).join(),
  "A call without a name can neither be executed nor sent back.": ({ sdk }) =>
    soundCalls(sdk).length < sdk.calls.length,
};

/** Returns true if an event has two choices. */
function hasTwins(answer: string): boolean {
  const events = eventsOf(answer) as ({ choices?: unknown } | null | undefined)[];
  return events.some((event) => Array.isArray(event?.choices) && event.choices.length > 1);
}

/** Returns true if the starts of an answer's blocks are not those of the blocks 0, 1, 2. */
function hasOddBlocks(answer: string): boolean {
  const events = eventsOf(answer) as ({ type?: unknown; index?: unknown } | null)[];
  const starts = events.filter((event) => event?.type === "content_block_start").map((event) => event?.index);
  const deltas = events.filter((event) => event?.type === "content_block_delta").map((event) => event?.index);
  return starts.some((start, index) => start !== index) || deltas.some((index) => !starts.includes(index));
}

const wire = new URL("../support/vendor-fakes/wire/", import.meta.url);
const nothing: SdkAnswer = { text: "", thinking: "", calls: [], usage: { promptTokens: 0, completionTokens: 0 } };
const mutations = fc.record({
  transcript: fc.constantFrom(...transcriptNames()),
  change: fc.record({ kind: fc.constantFrom(...mutationKinds), event: fc.nat(400), field: fc.nat(400) }),
});

let vendor: FakeVendor;
beforeAll(async () => {
  // The libraries write there what they cannot read.
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  vendor = await FakeVendor.start();
});
afterAll(async () => {
  vi.restoreAllMocks();
  await vendor.close();
});

/** Runs an agent on an answer, and returns what its first model call read. Checks that the run ends once, in time. */
async function readByAgent(model: ModelProvider): Promise<Outcome> {
  const seen: ModelChunk[] = [];
  let calls = 0;
  let failure: unknown;
  const recording: ModelProvider = {
    providerId: model.providerId,
    modelId: model.modelId,
    generate: model.generate.bind(model),
    async *stream(messages, options) {
      const isFirst = ++calls === 1;
      try {
        for await (const chunk of model.stream(messages, options)) {
          if (isFirst) seen.push(chunk);
          yield chunk;
        }
      } catch (error) {
        failure = error;
        throw error;
      }
    },
  };
  const agent = new Agent({
    name: "a",
    model: recording,
    retry: { maxRetries: 0 },
    maxToolRoundtrips: 1,
    logger: undefined,
  });
  let ends = 0;
  agent.eventBus.on("run.complete", () => void (ends += 1));
  agent.eventBus.on("run.error", () => void (ends += 1));
  const run = agent.stream("Go.").output.catch((error: unknown) => error);
  const end: unknown = await Promise.race([run, sleep(30_000, "hangs", { ref: false })]);
  expect(end).not.toBe("hangs");
  expect(ends).toBe(1);
  const words = seen.map((chunk) => ("text" in chunk ? chunk.text : "toolCall" in chunk ? chunk.toolCall.name : ""));
  expect(words.join(" ")).not.toMatch(/null|undefined/);
  expect(TroupeError.is(end) ? end.code : "").not.toBe("internal");
  if (!seen.some(({ type }) => type === "finish")) return { ...noAnswer, error: failure as TroupeError };
  const { text, toolCalls, malformedArguments = [] } = await collectResponse(toStream(seen));
  return {
    text,
    calls: toolCalls.map(({ name, arguments: args }) => ({ name, arguments: args })),
    malformed: malformedArguments.length > 0,
  };
}

async function* toStream(chunks: readonly ModelChunk[]): AsyncGenerator<ModelChunk> {
  yield* chunks;
}

it("an altered answer never breaks a run, and is read as the vendor's library reads it, where that reads it at all [model-calls.altered-answers]", async () => {
  const counts = { trials: 0, errors: 0, excepted: 0 };
  const unexplained: string[] = [];
  for (const { transcript, change } of fc.sample(mutations, trials)) {
    const [dialect, { model, sdk, end }] = readerOf(transcript);
    const answer = mutate(readFileSync(new URL(transcript, wire), "utf8"), change);
    const headers = { "content-type": dialect === "ollama" ? "application/x-ndjson" : "text/event-stream" };
    const raw = { status: 200, headers, frames: [answer] };
    answerOnce(raw);
    const ours = await readByAgent(model(vendor.url));
    answerOnce(raw);
    const client = await loadSdkClient(sdk, { url: vendor.url, key: "sk-1" });
    const library = await client.streamed().catch(() => nothing);
    counts.trials += 1;
    if (ours.error !== undefined) counts.errors += 1;
    if (isSame(ours, library)) continue;
    const trial = { dialect, answer, end, sdk: library, ours };
    const reason = Object.keys(exceptions).find((each) => exceptions[each]?.(trial) === true);
    if (reason !== undefined) counts.excepted += 1;
    else unexplained.push(JSON.stringify({ transcript, change, ours, library }));
  }
  const share = (count: number): string => `${Math.round((100 * count) / counts.trials)} %`;
  process.stdout.write(
    `Of ${counts.trials} altered answers ${share(counts.errors)} end in an error, ${share(counts.excepted)} are exceptions.\n`,
  );
  expect(unexplained).toEqual([]);
}, 600_000);

/** Gives the next request this answer, and those after it another: nothing is left over for a later trial. */
function answerOnce(raw: Raw): void {
  let isFirst = true;
  vendor.respond(() => {
    const reply = isFirst ? { raw } : { answer: "Done." };
    isFirst = false;
    return reply;
  });
}

/** Returns true if we read an answer as the library does, or if that reads nothing of it. */
function isSame({ error, text, calls }: Outcome, library: SdkAnswer): boolean {
  if (library.text === "" && library.calls.length === 0) return true;
  const theirs = soundCalls(library).map(({ name, arguments: args }) => ({ name, arguments: args ?? {} }));
  return error === undefined && text === library.text && JSON.stringify(calls) === JSON.stringify(theirs);
}

/** The calls with a name. Of some altered answers the library makes arrays with holes. */
function soundCalls({ calls }: SdkAnswer): SdkAnswer["calls"] {
  return calls.filter((call) => Boolean((call as SdkAnswer["calls"][number] | undefined)?.name));
}
