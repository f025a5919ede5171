import { describe, expect, it, vi } from "vitest";
import { OutputGate } from "../guardrail/output-gate.ts";
import type { Guardrail } from "../guardrail/guardrail.ts";
import type { ModelChunk } from "../../model/model-chunk.ts";
import type { StreamChunk } from "../run/stream-chunk.ts";
import { PartialAnswers } from "../run/stream-views.ts";
import { testRun } from "../run/test/test-run.ts";
import { ChunkFilter } from "./chunk-filter.ts";
import type { ChunkFilterOptions } from "./chunk-filter.ts";

const text = (of: string): ModelChunk & StreamChunk => ({ type: "text", text: of });
const thinking = (of: string): ModelChunk & StreamChunk => ({ type: "thinking", text: of });
const start = (id: string): ModelChunk & StreamChunk => ({ type: "tool_call_start", toolCall: { id, name: "look" } });
const delta = (toolCallId: string, argumentsDelta: string): ModelChunk & StreamChunk => {
  return { type: "tool_call_delta", toolCallId, argumentsDelta };
};
const endOf = (toolCallId: string): ModelChunk => ({ type: "tool_call_end", toolCallId });
const source = (id: string, url: string): ModelChunk & StreamChunk => ({ type: "source", id, url });

const plain = { marks: undefined, partial: undefined, showsTools: true, onShown: undefined };

/** A filter of a run, with guardrails if there are any, and what it shows of chunks. */
function filterOf(more: Partial<ChunkFilterOptions> = {}, guardrails: readonly Guardrail[] = []) {
  const run = testRun();
  const gate = new OutputGate({ guardrails, context: run.context });
  const chunks = new ChunkFilter({ run, gate, ...plain, ...more });
  const show = async (given: readonly ModelChunk[]) => {
    const shown: (StreamChunk | undefined)[] = [];
    for (const chunk of given) shown.push(await chunks.filter(chunk));
    return shown;
  };
  return { run, chunks, show };
}

describe("the chunks that a reader is shown", () => {
  it("are text, thinking and sources, which the run keeps", async () => {
    const { run, chunks, show } = filterOf();
    run.thinking = "Before. ";
    const given = [thinking("Hm"), text("It "), thinking("!"), text("rains."), source("1", "https://a.test/")];

    expect(await show(given)).toEqual(given);
    expect(run.text).toBe("It rains.");
    expect(run.thinking).toBe("Before. Hm!");
    expect(run.sources).toEqual([{ id: "1", url: "https://a.test/" }]);
    expect(chunks.hadText).toBe(true);
  });

  it("are the objects of the model, but for empty text", async () => {
    const { chunks } = filterOf();
    const [word, thought, call] = [text("a"), thinking("b"), start("1")];

    expect(chunks.filter(word)).toBe(word);
    expect(chunks.filter(thought)).toBe(thought);
    expect(chunks.filter(call)).toBe(call);
    expect(chunks.filter(text(""))).toBeUndefined();
  });

  it("have each source once, with its declared fields and a scheme that is no program", async () => {
    const { run, show } = filterOf();
    const given = [source("1", "https://a.test/"), source("2", "https://a.test/"), source("3", "javascript:alert(1)")];
    const odd = { ...source("4", "https://b.test/"), apiKey: "k" } as unknown as ModelChunk;

    expect(await show([...given, odd])).toEqual([
      given[0],
      undefined,
      { type: "source", id: "3" },
      source("4", "https://b.test/"),
    ]);
    expect(run.sources.map(({ id }) => id)).toEqual(["1", "3", "4"]);
  });

  it.each<[chunk: ModelChunk]>([
    [{ type: "finish", finishReason: "stop" }],
    [{ type: "usage" } as unknown as ModelChunk],
  ])("are not those without content: %j", (chunk) => {
    const { run, chunks } = filterOf();

    expect(chunks.filter(chunk)).toBeUndefined();
    expect(chunks.hadText).toBe(false);
    expect(run.toOutput("completed").timeToFirstTokenMs).toBeUndefined();
  });

  it.each<[chunk: ModelChunk, isToken: boolean]>([
    [text("a"), true],
    [text(""), true],
    [thinking("a"), true],
    [start("1"), true],
    [delta("1", "{"), true],
    [endOf("1"), true],
    [source("1", "https://a.test/"), false],
  ])("tell when the first token came: %j", (chunk, isToken) => {
    const { run, chunks } = filterOf({ showsTools: false });
    void chunks.filter(chunk);

    expect(run.toOutput("completed").timeToFirstTokenMs !== undefined).toBe(isToken);
  });
});

describe("the chunks of tool calls", () => {
  it("are shown from the start to the last arguments, each call once", async () => {
    const { show } = filterOf();
    const given = [start("1"), start("2"), delta("2", "{}"), delta("1", "{"), start("1"), delta("1", "}"), endOf("1")];
    const late = [
      delta("1", "x"),
      start("1"),
      delta("1", "y"),
      endOf("2"),
      delta("2", "z"),
      delta("3", "{"),
      endOf("3"),
    ];

    expect(await show(given)).toEqual([...given.slice(0, 4), undefined, given[5], undefined]);
    expect(await show(late)).toEqual(late.map(() => undefined));
  });

  it("are not shown where the calls are not executed", async () => {
    const { show } = filterOf({ showsTools: false });

    expect(await show([start("1"), delta("1", "{}"), endOf("1")])).toEqual([undefined, undefined, undefined]);
  });

  it("have whole characters alone", async () => {
    const { show } = filterOf();
    const half = delta("1", "a\ud83d");

    expect(await show([start("1"), half, delta("1", "😀")])).toEqual([
      start("1"),
      delta("1", "a\ufffd"),
      delta("1", "😀"),
    ]);
    expect(half).toEqual(delta("1", "a\ud83d"));
  });
});

describe("text that guardrails check", () => {
  const check: Guardrail["check"] = (content) => ({ pass: true, replace: content.toUpperCase() });
  const upper: Guardrail = { name: "upper", incremental: true, check };
  const whole: Guardrail = { name: "whole", check };

  it("is shown as they let it pass, and nothing while they hold it back", async () => {
    const incremental = filterOf({}, [upper]);
    const atEnd = filterOf({}, [whole]);

    expect(await incremental.show([text("a"), text(""), text("B")])).toEqual([text("A"), undefined, text("B")]);
    expect(incremental.run.text).toBe("AB");
    expect(await atEnd.show([text("a"), text("b")])).toEqual([undefined, undefined]);
    expect(atEnd.run.text).toBe("");
    expect(atEnd.chunks.hadText).toBe(true);
  });
});

describe("text of a structured answer", () => {
  it("is not shown, and goes to the reader of its values, for whom the stream waits", async () => {
    const partial = new PartialAnswers();
    const { run, chunks } = filterOf({ gate: undefined, partial });
    const shown = chunks.filter(text('{"a":1,'));
    const isDone = vi.fn<(chunk: unknown) => void>();
    void Promise.resolve(shown).then(isDone);
    await new Promise(setImmediate);

    expect(shown).toBeInstanceOf(Promise);
    expect(isDone).not.toHaveBeenCalled();
    expect(await partial.next()).toEqual({ value: { a: 1 } });
    void partial.next();
    expect(await shown).toBeUndefined();
    expect(run.text).toBe("");
    expect(chunks.hadText).toBe(true);
  });

  it("is dropped where nobody reads its values", () => {
    expect(filterOf({ gate: undefined }).chunks.filter(text("{"))).toBeUndefined();
  });
});

describe("the receiver of the chunks that are shown", () => {
  it.each<[guardrails: Guardrail[]]>([[[]], [[{ name: "g", incremental: true, check: () => ({ pass: true }) }]]])(
    "gets those alone that are shown",
    async (guardrails) => {
      const onShown = vi.fn<(chunk: StreamChunk) => void>();
      const { chunks, show } = filterOf({ onShown }, guardrails);
      await show([text("a"), text(""), thinking("b"), start("1"), start("1"), endOf("1")]);
      const rest = chunks.text("rest");

      expect(rest).toEqual(text("rest"));
      expect(onShown.mock.calls).toEqual([[text("a")], [thinking("b")], [start("1")], [text("rest")]]);
      expect(onShown.mock.calls.at(-1)?.[0]).toBe(rest);
    },
  );

  it("is left out in a run that needs none", () => {
    expect(filterOf().chunks.text("rest")).toEqual(text("rest"));
  });
});
