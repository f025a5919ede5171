import { describe, expect, it, onTestFinished } from "vitest";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { entriesIn, openJournal } from "../journal/test/journals.ts";
import { noUsage } from "../../base/message/token-usage.ts";
import type { MessageContent } from "../../base/message/content.ts";
import type { TokenUsage } from "../../base/message/token-usage.ts";
import { deriveContext } from "../run/derive-context.ts";
import { keepsSteps } from "../run/keeps-steps.ts";
import type { RunOutput } from "../run/run-output.ts";
import type { StreamChunk } from "../run/stream-chunk.ts";
import { testRun } from "../run/test/test-run.ts";
import { UsageMeter } from "../run/usage-meter.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { memberStepOptions, placeOfMember, readMemberAnswer, toMemberOutput } from "./member-step.ts";
import type { MemberOutput, StreamedMemberOutput } from "./member-step.ts";
import type { TeamMember } from "./members.ts";
import { plainMembers } from "./test/plain-members.ts";
import type { PlainMember } from "./test/plain-members.ts";

const settle = () => new Promise((resolve) => setImmediate(resolve));

function memberOf(name: string, member: PlainMember = {}): TeamMember {
  const [made] = plainMembers({ [name]: member });
  if (made === undefined) throw new Error("There is no member.");
  return made;
}

describe("the output of a member that is stored", () => {
  const text: MemberOutput = { text: "a", toolCalls: [] };

  it.each<[field: string, output: Partial<RunOutput>]>([
    ["a text", { text: "Hi" }],
    ["an empty text", { text: "" }],
    ["thinking", { thinking: "Hm" }],
    ["empty thinking", { thinking: "" }],
    ["a response id", { responseId: "r" }],
    ["tool calls", { toolCalls: [{ toolCallId: "1", toolName: "t", args: {}, result: "", durationMs: 1 }] }],
    ["artifacts", { artifacts: [{ type: "x", data: 0, toolCallId: "1", toolName: "t" }] }],
    ["no artifacts", { artifacts: [] }],
    ["sources", { sources: [{ id: "1" }] }],
    ...[false, 0, "", null, [], {}, { a: 0 }].map((structured): [string, Partial<RunOutput>] => [
      `the structured answer ${JSON.stringify(structured)}`,
      { structured },
    ]),
  ])("has %s", (_field, output) => {
    expect(toMemberOutput({ ...text, ...output })).toStrictEqual({ ...text, ...output });
  });

  it("has nothing else, and nothing in place of what is left out", () => {
    const output: RunOutput = { ...text, usage: noUsage, runId: "r", metrics: undefined, structured: undefined };
    expect(toMemberOutput(output)).toStrictEqual(text);
  });

  it.each<[result: unknown, text: string]>([
    ["Done.", "Done."],
    ["", ""],
    [undefined, "null"],
    [null, "null"],
    [false, "false"],
    [0, "0"],
    [{ a: [1] }, '{"a":[1]}'],
  ])("is made of the answer %j to the question of whether it happened", (result, said) => {
    expect(readMemberAnswer(result)).toEqual({ text: said, toolCalls: [] });
  });
});

/** A delegation in an attempt at a durable run, with its step. */
async function delegation(
  storage = new InMemoryStorage(),
  member = memberOf("ann", { effect: "pure" }),
  more: { content?: MessageContent; idempotencyKey?: string } = {},
) {
  const { content = "Look.", ...facts } = more;
  const journal = await openJournal(storage);
  const run = testRun({ steps: journal });
  const context = deriveContext(run.context, facts, { steps: journal.part("t/0/0") });
  const meter = new UsageMeter({ parent: run.meter });
  return {
    storage,
    journal,
    run,
    meter,
    part: journal.part("t/0/0"),
    step: memberStepOptions<StreamedMemberOutput>({ member, content, context }, meter, run),
  };
}

describe("the step of a delegation", () => {
  it.each<[effect: "pure" | "idempotent" | "once" | undefined, logged: string]>([
    ["pure", "pure"],
    ["idempotent", "idempotent"],
    ["once", "once"],
    [undefined, "once"],
  ])("of a member with the effect %s is a call of effect %s", async (effect, logged) => {
    const member = memberOf("ann", effect === undefined ? {} : { effect });
    const { step, journal } = await delegation(undefined, member);
    const key = journal.part("t/0/0").id("run");
    expect(step.call).toEqual({ tool: "ann", args: { input: "Look." }, effect: logged, key });
  });

  it("is no call when the member has steps of its own", async () => {
    const { runnable, ...member } = memberOf("ann");
    const { step } = await delegation(undefined, {
      ...member,
      runnable: Object.assign(runnable, { [keepsSteps]: true }),
    });
    expect(step.call).toBe(undefined);
  });

  it("has the idempotency key of the call that it stands for, the text of its input, and the signal of the run", async () => {
    const content = [
      { type: "text", text: "é" } as const,
      { type: "image", data: "aGk=", mimeType: "image/png" } as const,
    ];
    const { step, run, meter } = await delegation(undefined, memberOf('a"b'), { content, idempotencyKey: "given" });

    expect(step.call).toMatchObject({ tool: 'a"b', args: { input: "é" }, key: "given" });
    expect(step.place).toBe(placeOfMember('a"b'));
    expect(step.place).toBe('The member "a\\"b"');
    expect([step.signal === run.signal, step.meter === meter]).toEqual([true, true]);
  });
});

const word = (text: string): StreamChunk => ({ type: "text", text });
const answer: RunOutput = { text: "a b", toolCalls: [], usage: noUsage, structured: false, runId: "r" };

/** Reads the stream of a member to its end; a stream that hangs has the error `hangs`. */
async function read(stream: AsyncGenerator<StreamChunk, StreamedMemberOutput>) {
  const chunks: StreamChunk[] = [];
  const reading = (async () => {
    let next = await stream.next();
    for (; next.done !== true; next = await stream.next()) chunks.push(next.value);
    return { output: next.value, error: undefined };
  })().catch((error: unknown) => ({ output: undefined, error }));
  const hanging = (async () => {
    for (let turn = 0; turn < 20; turn++) await settle();
    return { output: undefined, error: "hangs" };
  })();
  return { chunks, ...(await Promise.race([reading, hanging])) };
}

/** A member that streams some words, and then answers or fails. */
async function* speak(words: readonly string[], error?: Error): AsyncGenerator<StreamChunk, StreamedMemberOutput> {
  for (const each of words) yield word(each);
  if (error !== undefined) throw error;
  return { output: answer, finishReason: "length" };
}

function streamed({ part, step }: Awaited<ReturnType<typeof delegation>>, start: () => ReturnType<typeof speak>) {
  return part.stream<StreamChunk, StreamedMemberOutput>("run", "member", start, {
    ...step,
    toStored: (made) => ({ ...made, output: toMemberOutput(made.output) }),
  });
}

describe("a member that is streamed in a durable run", () => {
  const stored = { output: toMemberOutput(answer), finishReason: "length" };

  it.each([[[]], [["a"]], [["a", "b"]]])(
    "yields its chunks %j, and then its output and finish reason",
    async (words) => {
      const made = await read(streamed(await delegation(), () => speak(words)));
      expect(made).toEqual({ chunks: words.map(word), output: stored, error: undefined });
    },
  );

  it("is not asked again in a later attempt, which has its output and usage without its chunks", async () => {
    const usage: TokenUsage = { promptTokens: 3, completionTokens: 4, totalTokens: 7 };
    const first = await delegation();
    await read(
      streamed(first, () => {
        first.meter.add(usage);
        return speak(["a"]);
      }),
    );
    await first.journal.flush();
    const second = await delegation(first.storage);
    const made = await read(streamed(second, () => expect.unreachable("It was asked already.")));

    expect(made).toEqual({ chunks: [], output: stored, error: undefined });
    expect(second.run.meter.total.totalTokens).toBe(7);
  });

  it.each([[[]], [["a"]], [["a", "b"]]])(
    "ends with its failure after the chunks %j, in each attempt",
    async (words) => {
      const failure = new TroupeError("rate_limited", "Too many requests.");
      const first = await delegation();
      const made = await read(streamed(first, () => speak(words, failure)));
      expect(made).toEqual({ chunks: words.map(word), output: undefined, error: failure });

      await first.journal.flush();
      const again = await read(
        streamed(await delegation(first.storage), () => expect.unreachable("It has failed already.")),
      );
      expect(again.chunks).toEqual([]);
      expect(again.error).toMatchObject({ code: "rate_limited", message: "Too many requests." });
    },
  );

  it("ends with the failure to begin", async () => {
    const failure = new Error("It cannot be streamed.");
    const fail = () => {
      throw failure;
    };
    expect(await read(streamed(await delegation(), fail))).toEqual({ chunks: [], output: undefined, error: failure });
  });

  it("fails for nobody when its reader has left before", async () => {
    const mayFail = Promise.withResolvers<void>();
    const hasFailed = Promise.withResolvers<void>();
    const rejections: unknown[] = [];
    const note = (reason: unknown) => void rejections.push(reason);
    process.on("unhandledRejection", note);
    onTestFinished(() => void process.off("unhandledRejection", note));
    const stream = streamed(await delegation(), async function* fail() {
      yield word("a");
      await mayFail.promise;
      hasFailed.resolve();
      throw new Error("Too late.");
    });
    await stream.next();
    await stream.return({ output: answer, finishReason: "stop" });
    mayFail.resolve();
    await hasFailed.promise;
    for (let turn = 0; turn < 3; turn++) await settle();

    expect(rejections).toEqual([]);
  });

  it("ends with the run, and is asked again in the next attempt", async () => {
    const first = await delegation();
    const stop = new TroupeError("cancelled", "Enough.");
    first.run.abort(stop);
    const made = await read(streamed(first, () => speak(["a"])));
    expect(made).toEqual({ chunks: [], output: undefined, error: stop });

    const second = await read(streamed(await delegation(first.storage), () => speak(["a"])));
    expect(second).toEqual({ chunks: [word("a")], output: stored, error: undefined });
  });

  it("is read no faster than its reader reads", async () => {
    let made = 0;
    const words = async function* (): ReturnType<typeof speak> {
      for (; made < 5; made++) yield word(String(made));
      return { output: answer, finishReason: "stop" };
    };
    const chunks = streamed(await delegation(), words);
    for (const taken of [1, 2, 3]) {
      await chunks.next();
      for (let turn = 0; turn < 5; turn++) await settle();
      // The next one is made, and waits.
      expect(made).toBe(taken);
    }
  });

  it("has its chunks logged as those of its step, so that an attempt that makes it anew voids them", async () => {
    const first = await delegation();
    const chunks = streamed(first, () => speak(["a", "b"]));
    const { value } = await chunks.next();
    await first.journal.durable.writeChunk(value as StreamChunk);
    await first.journal.flush();
    const logged = async () => (await entriesIn(first.storage)).filter(({ t }) => t === "chunks");
    expect(await logged()).toEqual([{ t: "chunks", step: "t/0/0/run", chunks: [word("a")] }]);

    await delegation(first.storage);
    const attempts = (await entriesIn(first.storage)).filter(({ t }) => t === "attempt");
    expect(attempts.at(-1)).toMatchObject({ n: 2, void: ["t/0/0/run"] });
  });
});
