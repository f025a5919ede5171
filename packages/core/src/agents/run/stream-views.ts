import { AsyncQueue } from "../../base/async/async-queue.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { PartialJson } from "../../schema/partial-json.ts";
import type { StreamChunk } from "./stream-chunk.ts";

/** The one that drives a run: a reader of its chunks, texts or values, its output, which skips them, or a whole run. */
export type Reader = "chunks" | "text" | "objects" | "output" | "none";

/** A value of a structured answer before it is whole: every property may be missing, strings and arrays may be cut. */
export type PartialValue<Value> = Value extends readonly (infer Item)[]
  ? PartialValue<Item>[]
  : Value extends object
    ? { [Key in keyof Value]?: PartialValue<Value[Key]> }
    : Value;

/** Makes the iterable of a stream's texts from its chunks. `leave` ends the run for a reader that leaves early. */
export function textView(
  next: () => Promise<IteratorResult<StreamChunk, undefined>>,
  leave: () => Promise<unknown>,
): AsyncIterable<string> {
  return singlePass(readTexts(next), leave);
}

/** Makes the iterable of a structured answer's values. `open` begins the run when the first value is read. */
export function objectView<Value>(
  open: () => PartialAnswers | undefined,
  leave: () => Promise<unknown>,
): AsyncIterable<Value> {
  return singlePass(readValues(open) as AsyncGenerator<Value, void>, leave);
}

async function* readTexts(next: () => Promise<IteratorResult<StreamChunk, undefined>>): AsyncGenerator<string, void> {
  for (let step = await next(); step.done !== true; step = await next()) {
    if (step.value.type === "text" && step.value.text !== "") yield step.value.text;
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
      // Before the generator returns: it may be waiting for the next value.
      await leave();
      return await values.return();
    },
  };
  return { [Symbol.asyncIterator]: () => iterator };
}

/**
 * The values of a run's structured answer for the reader of its `objectStream`: those of the text so far, as the model
 * writes it, and at last the checked one. The model's stream waits until a value has been read.
 */
export class PartialAnswers {
  readonly #values = new AsyncQueue<{ value: unknown }>();
  #text = new PartialJson();

  /** Begins another answer, which supersedes the values of the one before. */
  startAnswer(): void {
    this.#text = new PartialJson();
  }

  /** Takes the next piece of the answer's text. A promise resolves when the value so far has been read. */
  push(piece: string): Promise<void> | undefined {
    this.#text.push(piece);
    const value = this.#text.take();
    return value === undefined ? undefined : this.#values.push({ value });
  }

  /** Ends the values with the checked one. */
  finish(value: unknown): void {
    void this.#values.push({ value });
    this.#values.close();
  }

  /** Ends the values with an error, for the reader. */
  fail(error: Error): void {
    this.#values.close(error);
  }

  /** Returns the next value, as soon as there is one; undefined after the last. */
  next(): Promise<{ value: unknown } | undefined> {
    return this.#values.next();
  }
}

/** Makes the error for a second reader of a stream, from the first one. */
export function alreadyRead(reader: Reader): TroupeError {
  const isDriven = reader === "output" || reader === "none";
  return new TroupeError(
    "conflict",
    isDriven
      ? "This stream cannot be read: its output was awaited first, which drops the chunks. Read the stream first, or await its output alone."
      : `This stream has another reader, of its ${reader}. Read either its chunks, its textStream or its objectStream.`,
  );
}

/** Makes the error for a reader of `objectStream` when the answer of the run is not structured. */
export function notStructured(): TroupeError {
  return new TroupeError(
    "invalid_config",
    "objectStream has no values, because the answer of this run is not structured. Give the agent structuredOutput, or read textStream.",
  );
}
