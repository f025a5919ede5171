import { setImmediate } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { StreamChunk } from "./stream-chunk.ts";
import { alreadyRead, notStructured, objectView, PartialAnswers, textView } from "./stream-views.ts";
import type { Reader } from "./stream-views.ts";

/** Gives chunks one by one, and counts how often it was asked. */
function giving(chunks: readonly StreamChunk[]) {
  const left = [...chunks];
  return vi.fn<() => Promise<IteratorResult<StreamChunk, undefined>>>(async () => {
    const value = left.shift();
    return value === undefined ? { done: true, value } : { done: false, value };
  });
}

const text = (value: string): StreamChunk => ({ type: "text", text: value });
const leave = () => vi.fn<() => Promise<void>>(async () => undefined);

describe("textView", () => {
  it("has the texts of a stream, without empty ones and other chunks, and is read once", async () => {
    const [next, left] = [
      giving([text("a"), { type: "thinking", text: "hm" }, text(""), text(" "), text("b")]),
      leave(),
    ];
    const view = textView(next, left);
    expect(next).not.toHaveBeenCalled();
    expect(await Array.fromAsync(view)).toEqual(["a", " ", "b"]);
    expect(await Array.fromAsync(view)).toEqual([]);
    expect(next).toHaveBeenCalledTimes(6);
    expect(left).not.toHaveBeenCalled();
  });

  it("ends the run for a reader that leaves in the middle, and goes on with the same reader", async () => {
    const [next, left] = [giving([text("a"), text("b"), text("c")]), leave()];
    const view = textView(next, left);
    for await (const first of view) {
      expect(first).toBe("a");
      break;
    }
    expect(left).toHaveBeenCalledTimes(1);
    expect(await Array.fromAsync(view)).toEqual([]);
    expect(next).toHaveBeenCalledTimes(1);
  });

  it("throws what the stream throws", async () => {
    const failure = new Error("boom");
    await expect(Array.fromAsync(textView(() => Promise.reject(failure), leave()))).rejects.toBe(failure);
  });
});

/** A view whose source gives some values at once, and the next value only once the run has ended. */
type HeldView = (given: number, hasEnded: Promise<void>, leave: () => Promise<void>) => AsyncIterable<unknown>;

const heldViews: [name: string, makeView: HeldView][] = [
  [
    "textView",
    (given, hasEnded, end) => {
      const next = giving(Array.from({ length: given }, (_, index) => text(`${index}`)));
      return textView(async () => {
        const step = await next();
        if (step.done === true) await hasEnded;
        return step;
      }, end);
    },
  ],
  [
    "objectView",
    (given, hasEnded, end) => {
      const answers = new PartialAnswers();
      for (let index = 0; index < given; index++) {
        void answers.push("[1,");
        answers.startAnswer();
      }
      void hasEnded.then(() => answers.fail(new Error("The run was ended.")));
      return objectView(() => answers, end);
    },
  ],
];

describe.each(heldViews)("a reader of %s that leaves while it waits", (_name, makeView) => {
  it.each([0, 1, 2])("ends the run before the view waits for its source, after %d values", async (given) => {
    const [ended, isLeft] = [Promise.withResolvers<void>(), vi.fn<() => void>()];
    const end = vi.fn<() => Promise<void>>(async () => {
      await setImmediate();
      ended.resolve();
    });
    const reader = makeView(given, ended.promise, end)[Symbol.asyncIterator]();
    for (let index = 0; index < given; index++) expect(await reader.next()).toMatchObject({ done: false });
    const reading = reader.next().catch(() => ({ done: true }));
    await setImmediate();
    const leaving = reader.return?.().then(isLeft);
    // Nothing but the end of the run ends the wait, so the run must be ended by now.
    expect(end).toHaveBeenCalledTimes(1);
    expect(isLeft).not.toHaveBeenCalled();

    await leaving;
    expect(isLeft).toHaveBeenCalledExactlyOnceWith({ done: true, value: undefined });
    expect(await reading).toMatchObject({ done: true });
    expect(await reader.next()).toEqual({ done: true, value: undefined });
    expect(end).toHaveBeenCalledTimes(1);
  });
});

describe("objectView", () => {
  it("opens the run with the first value, and has all values, those that are undefined too", async () => {
    const answers = new PartialAnswers();
    const open = vi.fn<() => PartialAnswers>(() => answers);
    const view = objectView<unknown>(open, leave());
    expect(open).not.toHaveBeenCalled();
    void answers.push('{"a":1,');
    answers.finish(undefined);
    expect(await Array.fromAsync(view)).toEqual([{ a: 1 }, undefined]);
    expect(open).toHaveBeenCalledTimes(1);
  });

  it("is empty for a run without values", async () => {
    expect(await Array.fromAsync(objectView(() => undefined, leave()))).toEqual([]);
  });

  it("ends with the error of the run, behind the values before it", async () => {
    const [answers, failure] = [new PartialAnswers(), new Error("boom")];
    void answers.push('"a');
    answers.fail(failure);
    const reader = objectView(() => answers, leave())[Symbol.asyncIterator]();
    expect(await reader.next()).toEqual({ done: false, value: "a" });
    await expect(reader.next()).rejects.toBe(failure);
    expect(await reader.next()).toEqual({ done: true, value: undefined });
  });
});

describe("PartialAnswers", () => {
  it("has the value so far after each piece that changes it, and at last the checked one", async () => {
    const answers = new PartialAnswers();
    const pushed = ['{"a"', ':"x', 'y"', "", ',"b":[1', "]}"].map((piece) => answers.push(piece));
    answers.finish({ a: "xy", b: [1], checked: true });
    const values: unknown[] = [];
    for (let item = await answers.next(); item !== undefined; item = await answers.next()) values.push(item.value);
    expect(values[0]).toEqual({});
    expect(values).toContainEqual({ a: "x" });
    expect(values.at(-1)).toEqual({ a: "xy", b: [1], checked: true });
    expect(values).toHaveLength(pushed.filter((each) => each !== undefined).length + 1);
    expect(pushed[3]).toBeUndefined();
  });

  it("begins another answer anew", async () => {
    const answers = new PartialAnswers();
    void answers.push('{"old":1,');
    answers.startAnswer();
    void answers.push('{"new":2,');
    expect([await answers.next(), await answers.next()]).toEqual([{ value: { old: 1 } }, { value: { new: 2 } }]);
  });

  it("lets the model wait until the value was read", async () => {
    const answers = new PartialAnswers();
    let isRead = false;
    const pushed = answers.push("[1,")?.then(() => (isRead = true));
    await Promise.resolve();
    expect(isRead).toBe(false);
    expect(await answers.next()).toEqual({ value: [1] });
    await pushed;
    expect(isRead).toBe(true);
  });

  it("takes nothing after its end", async () => {
    const answers = new PartialAnswers();
    answers.finish(1);
    answers.fail(new Error("late"));
    await answers.push("[2");
    expect([await answers.next(), await answers.next()]).toEqual([{ value: 1 }, undefined]);
  });
});

it.each<[reader: Reader, message: RegExp]>([
  ["output", /^This stream cannot be read: its output was awaited first/],
  ["none", /^This stream cannot be read: its output was awaited first/],
  ["chunks", /^This stream has another reader, of its chunks\./],
  ["text", /^This stream has another reader, of its text\./],
  ["objects", /^This stream has another reader, of its objects\./],
])("a second reader of a stream is told of the first, of its %s", (reader, message) => {
  const error = alreadyRead(reader);
  expect(error).toBeInstanceOf(TroupeError);
  expect([error.code, error.message]).toEqual(["conflict", expect.stringMatching(message)]);
});

it("a reader of values is told that the answer is not structured", () => {
  const { code, message } = notStructured();
  expect([code, message]).toEqual([
    "invalid_config",
    expect.stringContaining("the answer of this run is not structured"),
  ]);
});
