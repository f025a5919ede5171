import type { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { TroupeError } from "@troupe/core";
import type { Busboy, FieldInfo, FileInfo } from "busboy";
import type { Request } from "express";
import { Form } from "./form.ts";
import { longestForm, openParser } from "./open-parser.ts";
import { refuse, refuseSize } from "./refusals.ts";
import type { UploadRules } from "./upload-options.ts";

/** Says of a field that is not a file whether its name is taken. */
export type CheckField = (name: string) => void;

/**
 * Reads the form that a request carries. What it rejects with is for the client, and then nothing of the form is left: what
 * still comes in of it is thrown away.
 */
export async function readForm(request: Request, rules: UploadRules, checkField: CheckField = () => {}): Promise<Form> {
  checkHeaders(request, rules);
  const parser = await openParser(request, rules);
  // Nothing would ever be heard of it again.
  if (request.readableEnded)
    throw new TroupeError("internal", "Something before the router has read the form already.");
  if (request.destroyed) throw brokenOff();
  return await new FormReading({ request, parser, rules, checkField }).read();
}

type Reading = { request: Request; parser: Busboy; rules: UploadRules; checkField: CheckField };

/** One form on its way in. The first thing that goes wrong ends it. */
class FormReading {
  readonly #reading: Reading;
  readonly #form: Form;
  readonly #over = Promise.withResolvers<void>();
  readonly #keeping: Promise<void>[] = [];
  #hasFailed = false;
  #received = 0;

  constructor(reading: Reading) {
    this.#reading = reading;
    this.#form = new Form(reading.rules);
  }

  async read(): Promise<Form> {
    this.#begin();
    try {
      await this.#over.promise;
      await Promise.all(this.#keeping);
      return this.#form;
    } catch (error) {
      this.#breakOff();
      await Promise.allSettled(this.#keeping);
      await this.#form.discard();
      // A small form is here as a whole by now, and its connection can be kept: only then is it answered.
      await setImmediate();
      throw error;
    } finally {
      this.#reading.request.off("data", this.#count).off("close", this.#onClose).off("error", this.#onClose);
    }
  }

  #begin(): void {
    const { request, parser } = this.#reading;
    parser
      .on("file", this.#onFile)
      .on("field", this.#onField)
      .on("partsLimit", () => this.#fail(refuse("The form has too many parts.")))
      .on("error", (error) => this.#fail(refuse(`The form cannot be read: ${problemOf(error)}.`)))
      .on("close", () => this.#over.resolve());
    request.on("data", this.#count).on("close", this.#onClose).on("error", this.#onClose).pipe(parser);
  }

  #breakOff(): void {
    const { request, parser } = this.#reading;
    request.unpipe(parser);
    parser.destroy();
    request.resume();
  }

  #fail(error: unknown): void {
    this.#hasFailed = true;
    this.#over.reject(error);
  }

  readonly #onFile = (name: string | undefined, stream: Readable, info: FileInfo): void => {
    // Each one breaks with its form, and an error that nobody hears would end the process.
    stream.on("error", () => {});
    // The parser may be amid a piece that holds more.
    if (this.#hasFailed) return;
    const keeping = this.#form.addFile(name, stream, info);
    keeping.catch((error: unknown) => this.#fail(error));
    this.#keeping.push(keeping);
  };

  readonly #onField = (name: string | undefined, value: string | undefined, info: FieldInfo): void => {
    if (this.#hasFailed) return;
    try {
      if (name !== undefined) this.#reading.checkField(name);
      this.#form.addField(name, value, info);
    } catch (error) {
      this.#fail(error);
    }
  };

  readonly #onClose = (): void => {
    if (!this.#reading.request.readableEnded) this.#fail(brokenOff());
  };

  readonly #count = (piece: Buffer | string): void => {
    this.#received += piece.length;
    const most = longestForm(this.#reading.rules);
    if (this.#received > most) this.#fail(tooLong(most));
  };
}

function checkHeaders({ headers }: Request, rules: UploadRules): void {
  if ((headers["content-encoding"] ?? "identity").toLowerCase() !== "identity") {
    throw new TroupeError("unsupported_media_type", "The body must be sent uncompressed, without a Content-Encoding.");
  }
  const most = longestForm(rules);
  if (Number(headers["content-length"] ?? 0) > most) throw tooLong(most);
}

/** busboy's words for it say little to those who do not know busboy. */
function problemOf(error: unknown): string {
  const { message } = error as Error;
  if (message === "Malformed part header") return "the headers of a part are malformed";
  return "it ends before its closing boundary";
}

function tooLong(most: number): TroupeError {
  return refuseSize(`The form must have at most ${most} bytes.`);
}

function brokenOff(): TroupeError {
  return new TroupeError("cancelled", "The form broke off: the client left before its end.");
}
