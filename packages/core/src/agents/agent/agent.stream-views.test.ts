import { letRun } from "@troupe-internal/interleavings";
import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import type { StreamChunk } from "../run/stream-chunk.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { Agent } from "./agent.ts";
import { callOf, look, scripted, StreamingModel } from "./test/agents.ts";

const asks = { thinking: "hm", text: ["I ", "look. "], toolCalls: [callOf("1")] };
/** Reads a stream or a view of one to its end. */
async function readAll(values: AsyncIterable<unknown>): Promise<unknown[]> {
  return await Array.fromAsync(values);
}

const views = ["textStream", "objectStream"] as const;

describe("textStream", () => {
  it("has the texts of the answer, drives the run, and leaves the output to be awaited [stream.text]", async () => {
    const { agent } = scripted([asks, { text: ["It ", "rains."] }], { tools: [look] });
    const stream = agent.stream("Weather?");

    expect(await Array.fromAsync(stream.textStream)).toEqual(["I ", "look. ", "It ", "rains."]);
    expect(await stream.output).toMatchObject({ text: "It rains.", status: "completed" });
    expect(await Array.fromAsync(stream.textStream)).toEqual([]);
    expect(stream.textStream).toBe(stream.textStream);
  });

  it("holds the model back as the chunks do: nothing is pulled before it is read", async () => {
    let made = 0;
    async function* streamAnswer(): AsyncGenerator<StreamChunk> {
      for (;;) yield { type: "text", text: `${++made} ` };
    }
    const texts = new Agent({ name: "a", model: new StreamingModel(streamAnswer) })
      .stream("Count.")
      .textStream[Symbol.asyncIterator]();
    for (const expected of [1, 2, 3]) {
      expect((await texts.next()).value).toBe(`${expected} `);
      await letRun();
      expect(made).toBe(expected);
    }
    await texts.return?.();
  });

  it("gives several reads at once their texts in order", async () => {
    const { agent } = scripted([asks, { text: ["It ", "rains."] }], { tools: [look] });
    const texts = agent.stream("Weather?").textStream[Symbol.asyncIterator]();

    const steps = await Promise.all(Array.from({ length: 6 }, async () => await texts.next()));

    expect(steps.map(({ value }) => value)).toEqual(["I ", "look. ", "It ", "rains.", undefined, undefined]);
  });
});

const forecast = z.object({ city: z.string(), days: z.array(z.object({ rain: z.boolean(), note: z.string() })) });
const good = { city: "Oslo", days: [{ rain: true, note: "wet" }] };

function forecasting(turns: ConstructorParameters<typeof ScriptedModel>, config = {}) {
  return new Agent({ name: "a", model: new ScriptedModel(...turns), structuredOutput: forecast, ...config });
}

const pieces = ['{"city":"Os', 'lo","days":[{"rain":tr', 'ue,"note":"we', 't"}]}'];

describe("objectStream", () => {
  it("grows as the model writes, and ends with the checked value [stream.object]", async () => {
    const stream = forecasting([{ text: pieces }]).stream("Oslo?");
    const values = await Array.fromAsync(stream.objectStream);

    expect(values).toEqual([
      { city: "Os" },
      { city: "Oslo", days: [{}] },
      { city: "Oslo", days: [{ rain: true, note: "we" }] },
      good,
      good,
    ]);
    expect(values.at(-1)).toBe((await stream.output).structured);
    expectTypeOf(values[0]?.days?.[0]?.note).toEqualTypeOf<string | undefined>();
  });

  it("begins anew when an answer is repaired: the values of the rejected one are superseded [stream.object-repair]", async () => {
    const stream = forecasting([{ text: ['{"city":"Rome",', '"days":7}'] }, { text: pieces }]).stream("Oslo?");
    const values = await Array.fromAsync(stream.objectStream);

    expect(values.slice(0, 3)).toEqual([{ city: "Rome" }, { city: "Rome", days: 7 }, { city: "Os" }]);
    expect(values.at(-1)).toEqual(good);
  });

  it("has the checked value alone when there are output guardrails [stream.object-guardrails]", async () => {
    const replace = JSON.stringify({ city: "***", days: [] });
    for (const incremental of [true, false]) {
      const output = [{ name: "g", incremental, check: () => ({ pass: true as const, replace }) }];
      const stream = forecasting([{ text: pieces }], { guardrails: { output } }).stream("Oslo?");

      expect(await Array.fromAsync(stream.objectStream)).toEqual([{ city: "***", days: [] }]);
    }
    const refuse = [{ name: "g", check: () => ({ pass: false as const, reason: "wet" }) }];
    const refused = forecasting([{ text: pieces }], { guardrails: { output: refuse } }).stream("Oslo?");
    const seen: unknown[] = [];
    const read = async () => {
      for await (const value of refused.objectStream) seen.push(value);
    };
    await expect(read()).rejects.toMatchObject({ code: "guardrail_blocked" });
    expect(seen).toEqual([]);
  });

  it("holds the model back until a value has been read", async () => {
    let made = 0;
    async function* streamAnswer(): AsyncGenerator<StreamChunk> {
      yield { type: "text", text: '{"city":"' };
      for (;;) yield { type: "text", text: `${++made} ` };
    }
    const model = new StreamingModel(streamAnswer);
    const stream = new Agent({ name: "a", model, structuredOutput: forecast }).stream("Count.");
    const values = stream.objectStream[Symbol.asyncIterator]();
    for (let read = 0; read < 3; read++) await values.next();
    await letRun();

    expect(made).toBeLessThanOrEqual(4);
    await values.return?.();
    await expect(stream.output).rejects.toMatchObject({ code: "cancelled" });
  });

  it("is refused when the answer is not structured, without a model call [stream.object-needs-schema]", async () => {
    const { agent, model } = scripted(["Hi."]);
    const { objectStream } = agent.stream("Hi");

    await expect(Array.fromAsync(objectStream)).rejects.toMatchObject({ code: "invalid_config" });
    expect(model.calls).toEqual([]);
  });

  it("fails with the error of the run", async () => {
    const stream = forecasting(["no", "no", "no"]).stream("Oslo?");

    await expect(Array.fromAsync(stream.objectStream)).rejects.toMatchObject({ code: "structured_output_invalid" });
    await expect(stream.output).rejects.toMatchObject({ code: "structured_output_invalid" });
  });
});

describe.each(views)("a reader of %s", (view) => {
  it("cancels the run by leaving early, also while it waits [stream.view-leaving]", async () => {
    const left = forecasting(
      [{ text: pieces, chunkDelayMs: 1 }],
      view === "textStream" && { structuredOutput: undefined },
    );
    const stream = left.stream("Oslo?");
    for await (const _ of stream[view]) break;
    await expect(stream.output).rejects.toMatchObject({ code: "cancelled", output: { status: "error" } });

    const hanging = forecasting([{ hang: true }]).stream("Oslo?");
    const iterator = hanging[view][Symbol.asyncIterator]();
    const pending = iterator.next();
    await letRun();
    await iterator.return?.();
    await expect(hanging.output).rejects.toMatchObject({ code: "cancelled" });
    await pending.catch(() => undefined);
  });

  it("never starts the run when it leaves before its first read", async () => {
    const model = new ScriptedModel("Hi.");
    const stream = new Agent({ name: "a", model, structuredOutput: forecast }).stream("Hi");
    await stream[view][Symbol.asyncIterator]().return?.();

    await expect(stream.output).rejects.toMatchObject({ code: "cancelled" });
    expect(model.calls).toEqual([]);
  });

  it("is the only one of its stream: another is refused, and does not harm it [stream.one-reader]", async () => {
    const stream = forecasting([{ text: pieces }]).stream("Oslo?");
    const reader = stream[view][Symbol.asyncIterator]();
    await reader.next();
    const others = [stream, ...views.filter((other) => other !== view).map((other) => stream[other])];

    for (const other of others) {
      await expect(other[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: "conflict" });
    }
    while ((await reader.next()).done !== true);
    expect(await stream.output).toMatchObject({ structured: good });
  });

  it("is refused once the chunks are read, or the output was awaited [stream.one-reader]", async () => {
    const chunked = forecasting([{ text: pieces }]).stream("Oslo?");
    await chunked[Symbol.asyncIterator]().next();
    await expect(readAll(chunked[view])).rejects.toThrow("another reader");

    const awaited = forecasting([{ text: pieces }]).stream("Oslo?");
    await awaited.output;
    await expect(readAll(awaited[view])).rejects.toMatchObject({ code: "conflict" });
  });

  it("is told of a run that was cancelled before it began", async () => {
    const stream = forecasting([{ text: pieces }]).stream("Oslo?");
    stream.cancel();

    await expect(readAll(stream[view])).rejects.toMatchObject({ code: "cancelled" });
  });
});
