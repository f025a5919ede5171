import type { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { TroupeError } from "@troupe/core";
import type { Busboy, FieldInfo, FileInfo } from "busboy";
import type { IncomingHttpHeaders } from "node:http";
import { Form, formTooLargeError, invalidFormError, maxFields } from "./form.ts";
import { boundaryOf, PartScanner } from "./part-scanner.ts";
import type { PartFacts } from "./part-scanner.ts";
import type { UploadRules } from "./upload-options.ts";

/**
 * A check of each text field's name in an uploaded form. Throws for a field that is not accepted, which stops the
 * reading.
 */
export type CheckFieldName = (name: string) => void;

/** A request with a form: its headers, and the bytes of its body. */
export type FormRequest = { readonly headers: IncomingHttpHeaders; readonly body: Readable };

/** Returns true if the content type of a request is `multipart/form-data`: a form, which may have files. */
export function isFormRequest({ headers }: Pick<FormRequest, "headers">): boolean {
  return /^multipart\/form-data\s*(?:;|$)/i.test(headers["content-type"] ?? "");
}

/**
 * Reads the form (`multipart/form-data`) of a request within the limits of `rules`. Rejects with an error for the
 * client, or with `invalid_config` if a middleware has already read the form. After an error, no temporary file is
 * left. The rest of a form with an error is discarded as it arrives.
 */
export async function readForm(
  request: FormRequest,
  rules: UploadRules,
  checkField: CheckFieldName = () => {},
): Promise<Form> {
  checkHeaders(request, rules);
  const parser = await openParser(request, rules);
  // The body emits no further event if it was already read or destroyed.
  if (request.body.readableEnded) throw alreadyRead();
  if (request.body.destroyed) throw disconnected();
  return await new FormReading({ request, parser, rules, checkField }).read();
}

type Reading = { request: FormRequest; parser: Busboy; rules: UploadRules; checkField: CheckFieldName };

/** Reads one form. The first error stops it. */
class FormReading {
  readonly #reading: Reading;
  readonly #form: Form;
  readonly #parsed = Promise.withResolvers<void>();
  readonly #files: Promise<void>[] = [];
  readonly #scanner: PartScanner;
  /** The number of parts that the parser has found. */
  #parts = 0;
  #hasFailed = false;
  #received = 0;

  constructor(reading: Reading) {
    this.#reading = reading;
    this.#form = new Form(reading.rules);
    const { request, rules } = reading;
    this.#scanner = new PartScanner(boundaryOf(request.headers["content-type"]), maxParts(rules.maxFiles));
  }

  async read(): Promise<Form> {
    this.#begin();
    try {
      await this.#parsed.promise;
      if (this.#parts !== this.#scanner.parts.length) throw leftOutPart();
      await Promise.all(this.#files);
      return this.#form;
    } catch (error) {
      this.#stop();
      await Promise.allSettled(this.#files);
      await this.#form.discard();
      // The rest of a small form arrives in this turn of the event loop. If it is read before the answer is sent, the
      // connection can stay open.
      await setImmediate();
      throw error;
    } finally {
      this.#reading.request.body.off("data", this.#check).off("close", this.#onClose).off("error", this.#onClose);
    }
  }

  #begin(): void {
    const { request, parser, rules } = this.#reading;
    parser
      .on("file", this.#onFile)
      .on("field", this.#onField)
      .on("partsLimit", () => this.#fail(tooManyParts(rules)))
      .on("error", (error) => this.#fail(invalidFormError(`The form cannot be read: ${problemOf(error)}.`)))
      .on("close", () => this.#parsed.resolve());
    request.body.on("data", this.#check).on("close", this.#onClose).on("error", this.#onClose).pipe(parser);
  }

  #stop(): void {
    const { request, parser } = this.#reading;
    request.body.unpipe(parser);
    parser.destroy();
    request.body.resume();
  }

  #fail(error: unknown): void {
    this.#hasFailed = true;
    this.#parsed.reject(error);
  }

  readonly #onFile = (name: string | undefined, stream: Readable, info: FileInfo): void => {
    // Each file stream fails together with its form, and an error without a listener would crash the process.
    stream.on("error", () => {});
    // After a failure, the parser may still emit the remaining parts of the current piece.
    if (this.#hasFailed) return;
    const adding = this.#form.addFile(name, stream, { ...info, mimeType: this.#nextPart()?.mimeType });
    adding.catch((error: unknown) => this.#fail(error));
    this.#files.push(adding);
  };

  readonly #onField = (name: string | undefined, value: string | undefined, info: FieldInfo): void => {
    if (this.#hasFailed) return;
    const isUtf8 = this.#nextPart()?.isUtf8 === true;
    try {
      if (name !== undefined) this.#reading.checkField(name);
      this.#form.addField(name, isUtf8 ? value : undefined, info);
    } catch (error) {
      this.#fail(error);
    }
  };

  readonly #onClose = (): void => {
    if (!this.#reading.request.body.readableEnded) this.#fail(disconnected());
  };

  /** Returns the facts of the next part: the parser emits one event per part, in their order. */
  #nextPart(): PartFacts | undefined {
    this.#parts += 1;
    return this.#scanner.parts[this.#parts - 1];
  }

  /** Checks each piece of the form before the parser gets it. */
  readonly #check = (piece: Buffer | string): void => {
    if (this.#hasFailed) return;
    // The piece is a string if the host has called `setEncoding`.
    const bytes = typeof piece === "string" ? Buffer.from(piece) : piece;
    this.#received += bytes.length;
    const maxBytes = maxFormBytes(this.#reading.rules);
    if (this.#received > maxBytes) return this.#fail(tooLong(maxBytes));
    try {
      this.#scanner.add(bytes);
    } catch (error) {
      this.#fail(error);
    }
  };
}

function checkHeaders({ headers }: FormRequest, rules: UploadRules): void {
  if ((headers["content-encoding"] ?? "identity").toLowerCase() !== "identity") {
    throw new TroupeError("unsupported_media_type", "The body must be sent uncompressed, without a Content-Encoding.");
  }
  const maxBytes = maxFormBytes(rules);
  if (Number(headers["content-length"] ?? 0) > maxBytes) throw tooLong(maxBytes);
}

/** Makes a parser for a form. The module busboy is loaded for the first parser. */
async function openParser({ headers }: FormRequest, { maxFiles, maxFieldSize }: UploadRules): Promise<Busboy> {
  const { default: busboy } = await import("busboy");
  // busboy reports a limit as soon as it is reached, so each limit is set one higher. `Form` itself counts files and
  // fields.
  const limits = { fieldSize: maxFieldSize + 1, parts: maxParts(maxFiles) + 1 };
  try {
    return busboy({ headers, limits, defParamCharset: "utf8" });
  } catch {
    throw invalidFormError("Content-Type must name the boundary of the form, as in multipart/form-data; boundary=x.");
  }
}

/**
 * Returns the largest size of a form in bytes: its content, and the 16 KiB that busboy allows for the headers of each
 * part.
 */
function maxFormBytes({ maxFiles, maxTotalSize, maxFieldSize }: UploadRules): number {
  return maxTotalSize + maxFields * maxFieldSize + maxParts(maxFiles) * 16_384;
}

function maxParts(maxFiles: number): number {
  return maxFiles + maxFields;
}

/** Describes a parser's error, because busboy's own messages are not meant for clients. */
function problemOf(error: unknown): string {
  const { message } = error as Error;
  if (message === "Malformed part header") return "the headers of a part are malformed";
  return "it ends before its closing boundary";
}

function alreadyRead(): TroupeError {
  return new TroupeError(
    "invalid_config",
    "A middleware in front of the router has already read the form. Mount the router before it, or keep it to other paths.",
  );
}

function leftOutPart(): TroupeError {
  return invalidFormError(
    'The Content-Disposition of a part of the form cannot be read. Expected form-data; name="input", or another name.',
  );
}

function tooManyParts({ maxFiles }: UploadRules): TroupeError {
  return invalidFormError(`The form must have at most ${maxParts(maxFiles)} parts.`);
}

function tooLong(maxBytes: number): TroupeError {
  return formTooLargeError(`The form must have at most ${maxBytes} bytes.`);
}

function disconnected(): TroupeError {
  return new TroupeError("cancelled", "The client disconnected before the end of the form.");
}
