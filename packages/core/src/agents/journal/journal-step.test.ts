import { describe, expect, it, vi } from "vitest";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { Journal } from "./journal.ts";
import { RunPaused } from "../run/run-paused.ts";
import { entriesIn, openJournal } from "./test/journals.ts";
import { settle } from "./test/attempts.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import type { Json } from "../../sessions/storage/json.ts";
import { effectOfRunnable, keepsSteps } from "../run/keeps-steps.ts";
import type { StepOptions } from "../run/run-steps.ts";
import type { Runnable } from "../run/runnable.ts";
import { StoredFailure } from "../run/stored-failure.ts";
import { UsageMeter } from "../run/usage-meter.ts";

const usage = { promptTokens: 1, completionTokens: 2, totalTokens: 3 };
const call = { tool: "charge", args: { n: 1 }, effect: "once", key: "k" } as const;

/** Does a step of a run, and returns its value or the error that it threw. */
async function perform(journal: Journal, step: TestStep = {}): Promise<unknown> {
  const { signal } = new AbortController();
  const { key = "t/0", work = async () => await Promise.resolve("done"), ...options } = step;
  try {
    return await journal.step(key, "function", work, { place: 'The tool "charge"', signal, ...options });
  } catch (error) {
    return error;
  }
}

type TestStep = StepOptions<unknown> & { readonly key?: string; readonly work?: () => Promise<unknown> };

async function logged(journal: Journal, storage: InMemoryStorage): Promise<object[]> {
  await journal.flush().catch(() => undefined);
  return (await entriesIn(storage)).filter(({ t }) => t !== "attempt");
}

/** Storage with an attempt that has begun a call and ended with its process. */
async function interrupted(effect: "once" | "idempotent" = "once"): Promise<InMemoryStorage> {
  const storage = new InMemoryStorage();
  await (await openJournal(storage)).call("t/0", { ...call, effect });
  return storage;
}

const answered = (answer: Json) => new Map([["t.0.doubt", answer]]);

describe("a step whose failure is stored as well", () => {
  it("stores the value with what it used, and gives it to a later attempt without the work", async () => {
    const storage = new InMemoryStorage();
    const journal = await openJournal(storage);
    const meter = new UsageMeter();
    const work = async () => (meter.add(usage), { n: 1 });
    expect(await perform(journal, { meter, work, call })).toEqual({ n: 1 });
    expect(await logged(journal, storage)).toMatchObject([
      { t: "call", step: "t/0", ...call },
      { t: "done", step: "t/0", value: { value: { n: 1 } }, usage },
    ]);

    const later = await openJournal(storage);
    const never = vi.fn<() => Promise<unknown>>();
    const anew = new UsageMeter();
    expect(await perform(later, { meter: anew, work: never, call })).toEqual({ n: 1 });
    expect(never).not.toHaveBeenCalled();
    expect(anew.total).toEqual(usage);
    expect(await logged(later, storage)).toHaveLength(2);
  });

  it("stores no usage of none, and null for no value", async () => {
    const storage = new InMemoryStorage();
    const journal = await openJournal(storage);
    await perform(journal, { meter: new UsageMeter(), work: async () => undefined });
    const [done] = await logged(journal, storage);
    expect(done).toStrictEqual({ t: "done", step: "t/0", at: expect.anything(), value: {}, ms: expect.anything() });
    expect(await perform(await openJournal(storage))).toBeNull();
  });

  it("stores a failure with the text until then, and throws it anew in a later attempt", async () => {
    const storage = new InMemoryStorage();
    const journal = await openJournal(storage);
    const failure = Object.assign(new TroupeError("timeout", "Too slow.", { fields: { ms: 5 } }), {
      output: { text: "half" },
    });
    const meter = new UsageMeter();
    const work = async () => {
      meter.add(usage);
      throw failure;
    };
    expect(await perform(journal, { work, meter })).toBe(failure);
    const error = { code: "timeout", message: "Too slow.", fields: { ms: 5 }, text: "half" };
    expect(await logged(journal, storage)).toMatchObject([{ value: { error }, usage }]);
    expect(journal.stored("t/0")?.value).toStrictEqual({ error });

    const { text, ...told } = error;
    const thrown = await perform(await openJournal(storage));
    expect(thrown).toMatchObject({ ...told, output: { text } });
    expect([thrown, failure].map((each) => each instanceof StoredFailure)).toEqual([true, false]);
  });

  it("names the step in the message of an exception, and notes if it is repeated", async () => {
    const storage = new InMemoryStorage();
    const journal = await openJournal(storage);
    const thrown = new Error("boom");
    const work = () => Promise.reject(thrown);
    const repeats = vi.fn<(error: unknown) => boolean>(() => true);
    expect(await perform(journal, { work, repeats })).toBe(thrown);
    expect(repeats).toHaveBeenCalledWith(thrown);
    await perform(journal, { work, repeats: () => false, key: "t/1" });
    const error = { code: "internal", message: 'The tool "charge" failed: boom', fields: {}, text: "" };
    expect([journal.stored("t/0")?.value, journal.stored("t/1")?.value]).toStrictEqual([
      { error, repeats: true },
      { error },
    ]);
    expect(["t/0", "t/1"].map((key) => journal.endOf(key))).toMatchObject([
      { isRepeated: true, error: { code: "internal" } },
      { isRepeated: false, error: { code: "internal" } },
    ]);
  });

  it("stores no end of a step that was cut off", async () => {
    const storage = new InMemoryStorage();
    const [journal, controller] = [await openJournal(storage), new AbortController()];
    const cut = async () => {
      controller.abort(new Error("cut"));
      throw new Error("late");
    };
    expect(await perform(journal, { signal: controller.signal, work: cut })).toMatchObject({ message: "late" });
    const work = vi.fn<() => Promise<unknown>>();
    expect(await perform(journal, { signal: controller.signal, work, call })).toMatchObject({ message: "cut" });
    expect(work).not.toHaveBeenCalled();
    const released = async () => {
      journal.durable.stop("released");
      throw new Error("later");
    };
    await perform(journal, { work: released });
    expect(await logged(journal, storage)).toEqual([{ t: "left", why: "released" }]);
  });

  it("leaves a step that was cut off, so that the run can wait for others", async () => {
    const [journal, controller] = [await openJournal(), new AbortController()];
    controller.abort();
    await perform(journal, { signal: controller.signal });
    journal.wait("t/1", { kind: "approval", about: null }).catch(() => undefined);
    await settle();
    expect(journal.durable.stopped).toBe("suspended");
  });

  it("calls nothing after an abort that came while its call was stored", async () => {
    const storage = new InMemoryStorage();
    const [journal, controller] = [await openJournal(storage), new AbortController()];
    const work = vi.fn<() => Promise<unknown>>();
    const made = perform(journal, { signal: controller.signal, work, call });
    await Promise.resolve();
    controller.abort(new Error("cut"));
    expect(await made).toMatchObject({ message: "cut" });
    expect(work).not.toHaveBeenCalled();
  });

  it("begins no work of a later attempt before what is stored has taken effect", async () => {
    const storage = new InMemoryStorage();
    await openJournal(storage);
    const controller = new AbortController();
    const work = vi.fn<() => Promise<unknown>>();
    const made = perform(await openJournal(storage), { signal: controller.signal, work });
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    controller.abort(new Error("failed beside it"));
    expect(await made).toMatchObject({ message: "failed beside it" });
    expect(work).not.toHaveBeenCalled();
  });
});

describe("a call that an earlier attempt has begun", () => {
  it("is made again when it may be", async () => {
    const storage = await interrupted("idempotent");
    const journal = await openJournal(storage);
    expect(await perform(journal, { call: { ...call, effect: "idempotent" } })).toBe("done");
    expect((await logged(journal, storage)).filter((entry) => "tool" in entry)).toHaveLength(2);
  });

  it("waits for word on what became of it", async () => {
    const journal = await openJournal(await interrupted());
    const work = vi.fn<() => Promise<unknown>>();
    expect(await perform(journal, { call, work })).toBeInstanceOf(RunPaused);
    expect(work).not.toHaveBeenCalled();
    expect(journal.durable.steps.waits).toMatchObject([
      { id: "t.0.doubt", kind: "doubt", about: { toolName: "charge", args: { n: 1 }, idempotencyKey: "k" } },
    ]);
  });

  it("has the result that the answer says", async () => {
    const storage = await interrupted();
    const journal = await openJournal(storage, answered({ choice: "happened", result: { id: 7 } }));
    const work = vi.fn<() => Promise<unknown>>();
    expect(await perform(journal, { call, work, readAnswer: (result) => [result] })).toEqual([{ id: 7 }]);
    expect(work).not.toHaveBeenCalled();
    await journal.flush();
    expect(await perform(await openJournal(storage), { call, work })).toEqual([{ id: 7 }]);

    const plain = await openJournal(await interrupted(), answered({ choice: "happened", result: { id: 7 } }));
    expect(await perform(plain, { call, work })).toEqual({ id: 7 });
  });

  it("is made again when the answer says so, and its end is that of the step", async () => {
    const storage = await interrupted();
    const journal = await openJournal(storage, answered({ choice: "again" }));
    expect(await perform(journal, { call })).toBe("done");
    expect(journal.endOf("t/0")).toStrictEqual({ ms: expect.any(Number), isRepeated: false });
    expect(journal.stored("t/0/again")?.value).toEqual({ value: "done" });
    expect(journal.endOf("t/1")).toBeUndefined();
    await journal.flush();
    const work = vi.fn<() => Promise<unknown>>();
    expect(await perform(await openJournal(storage), { call, work })).toBe("done");
    expect(work).not.toHaveBeenCalled();
  });

  it.each([{ choice: "giveUp" }, null])("fails when it is given up: %j", async (answer) => {
    const storage = await interrupted();
    const journal = await openJournal(storage, answered(answer));
    const message =
      'The tool "charge" was under way when its process ended. It may have had its effect, and was given up.';
    expect(await perform(journal, { call })).toMatchObject({ code: "cancelled", message });
    await journal.flush();
    expect(await perform(await openJournal(storage), { call })).toMatchObject({ code: "cancelled", message });
  });
});

it.each([
  [[1], [1]],
  [null, null],
  [undefined, null],
])("a stored step of the value %j has the value %j", async (made, value) => {
  const storage = new InMemoryStorage();
  const journal = await openJournal(storage);
  await perform(journal, { work: async () => await Promise.resolve(made) });
  await journal.flush();
  expect(await perform(await openJournal(storage))).toEqual(value);
});

it.each([
  [{}, "once"],
  [{ effect: "pure" }, "pure"],
  [{ effect: "idempotent" }, "idempotent"],
  [{ effect: "other" }, "once"],
  [{ effect: "pure", [keepsSteps]: true }, undefined],
  [{ [keepsSteps]: 1 }, "once"],
])("a runnable with %j has the effect %s", (given, effect) => {
  expect(effectOfRunnable(given as unknown as Runnable)).toBe(effect);
});
