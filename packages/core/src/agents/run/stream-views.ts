import { AsyncQueue } from "../../base/async/async-queue.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { PartialJson } from "../../schema/partial-json.ts";
import type { StreamChunk } from "./stream-chunk.ts";

/**
 * The way in which a run is read: by its chunks, by its texts, by partial values of its structured answer, or by
 * awaiting its `output` alone. `none` is a run without a stream.
 */
export type Reader = "chunks" | "text" | "objects" | "output" | "none";

/**
 * A value of a structured answer before it is complete: every property may be missing, and strings and arrays may be
 * cut off.
 */
export type PartialValue<Value> = Value extends readonly (infer Item)[]
  ? PartialValue<Item>[]
  : Value extends object
    ? { [Key in keyof Value]?: PartialValue<Value[Key]> }
    : Value;

/** The result of one read of a run's chunks. */
export type ReadChunk = IteratorResult<StreamChunk, undefined>;

/** The result of a read after the last chunk. */
export const over: ReadChunk = { done: true, value: undefined };

/** Makes the iterable of a stream's texts from its chunks. `leave` ends the run if the reader leaves early. */
export function textView(next: () => Promise<ReadChunk>, leave: () => Promise<unknown>): AsyncIterable<string> {
  return singlePass(readTexts(next), leave);
}

/** Makes the iterable of a structured answer's values. `open` begins the run when the first value is read. */
export function objectView<Value>(
  open: () => PartialAnswers | undefined,
  leave: () => Promise<unknown>,
): AsyncIterable<Value> {
  return singlePass(readValues(open) as AsyncGenerator<Value, void>, leave);
}

async function* readTexts(next: () => Promise<ReadChunk>): AsyncGenerator<string, void> {
  for (let step = await next(); step.done !== true; step = await next()) {
    const { value: chunk } = step;
    // Text of a team's members is not part of the answer.
    if (chunk.type === "text" && chunk.member === undefined && chunk.text !== "") yield chunk.text;
  }
}

async function* readValues(open: () => PartialAnswers | undefined): AsyncGenerator<unknown, void> {
  const answers = open();
  for (let item = await answers?.next(); item !== undefined; item = await answers?.next()) yield item.value;
}

function singlePass<Value>(
  values: AsyncGenerator<Value, void>,
  leave: () => Promise<unknown>,
): AsyncIterable<Value, void> {
  const iterator: AsyncIterator<Value, void> = {
    next: () => values.next(),
    return: async () => {
      // The run is ended first, because the generator may still be waiting for the next value and would return only
      // then.
      await leave();
      return await values.return();
    },
  };
  return { [Symbol.asyncIterator]: () => iterator };
}

/**
 * The values of a run's structured answer for the reader of its `objectStream`: partial values while the model writes,
 * then the checked value. The model's stream waits until each value has been read.
 */
export class PartialAnswers {
  readonly #values = new AsyncQueue<{ value: unknown }>();
  #text = new PartialJson();

  /** Begins another structured answer, whose values replace the values of the previous answer. */
  startAnswer(): void {
    this.#text = new PartialJson();
  }

  /**
   * Adds the next piece of the answer's text. Resolves when the reader has received the value so far; returns undefined
   * if the piece gives no new value.
   */
  push(piece: string): Promise<void> | undefined {
    this.#text.push(piece);
    const value = this.#text.take();
    return value === undefined ? undefined : this.#values.push({ value });
  }

  /** Ends the partial values with the checked value of the answer. */
  finish(value: unknown): void {
    void this.#values.push({ value });
    this.#values.close();
  }

  /** Ends the partial values with the structured answer of the run, or with an error if it has none. */
  end(structured: unknown): void {
    if (structured === null || structured === undefined) this.fail(notStructured());
    else this.finish(structured);
  }

  /** Ends the partial values of the answer with an error for their reader. */
  fail(error: Error): void {
    this.#values.close(error);
  }

  /**
   * Returns the next value of the answer as soon as it is available; undefined after the last. Rejects after `fail`.
   */
  next(): Promise<{ value: unknown } | undefined> {
    return this.#values.next();
  }
}

/** Makes the error for a second reader of a stream. The message names the first reader. */
export function alreadyRead(reader: Reader): TroupeError {
  const isDriven = reader === "output" || reader === "none";
  return new TroupeError(
    "conflict",
    isDriven
      ? "This stream cannot be read: its output was awaited first, which drops the chunks. Read the stream first, or await its output alone."
      : `This stream has another reader, of its ${reader}. Read either its chunks, its textStream or its objectStream.`,
  );
}

/** Makes the error for a reader of `objectStream` if the run has no structured answer. */
export function notStructured(): TroupeError {
  return new TroupeError(
    "invalid_config",
    "objectStream has no values, because the answer of this run is not structured. Give the agent structuredOutput, or read textStream.",
  );
}
