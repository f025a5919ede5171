import { constants } from "node:buffer";
import { TroupeError } from "@troupe/core";
import type { MessageContent } from "@troupe/core";
import type { RequestHandler } from "express";
import { checkDataParts } from "@troupe/core/transport";
import type { Exchange } from "@troupe/core/transport";
import { readLargeBody } from "./read-large-body.ts";
import type { LargeBodyRules, LargeExchange } from "./read-large-body.ts";
import { buildMultiModalInput } from "./build-multi-modal-input.ts";
import { ByteSemaphore } from "./byte-semaphore.ts";
import type { HoldingExchange } from "./byte-semaphore.ts";
import type { Form } from "./form.ts";
import { isFormRequest, readForm } from "./read-form.ts";
import type { CheckFieldName } from "./read-form.ts";
import { readUploadOptions } from "./upload-options.ts";
import type { FileUploadOptions, UploadRules } from "./upload-options.ts";

/**
 * Reads the uploads of a router as inputs of runs. Files stay on disk until memory is free: the inputs of all active
 * runs together hold at most as many bytes as one upload may have (`maxTotalSize`).
 */
export class UploadReader {
  /** The limits of an upload. */
  readonly rules: UploadRules;
  readonly #memory: ByteSemaphore;
  readonly #largeBodies: LargeBodyRules | undefined;

  /** @param maxTextBytes the limit of text in a JSON body with files; without it, such bodies have no separate limit */
  constructor(rules: UploadRules, maxTextBytes?: number) {
    const { maxTotalSize } = rules;
    this.rules = rules;
    this.#memory = new ByteSemaphore(maxTotalSize);
    if (maxTextBytes === undefined) return;
    // A longer body would not fit into a JavaScript string.
    const maxBytes = Math.max(maxTextBytes, Math.min(maxTotalSize, constants.MAX_STRING_LENGTH));
    this.#largeBodies = { maxBytes, maxTextBytes, memory: this.#memory };
  }

  /** Returns true if a request is an upload. */
  isUpload(exchange: Pick<Exchange, "headers">): boolean {
    return isFormRequest(exchange);
  }

  /** Reads an upload as the body of a run: its fields, and an input that contains the files. */
  async readBody(exchange: LargeExchange, checkField: CheckFieldName): Promise<object> {
    const form = await readForm(exchange, this.rules, checkField);
    try {
      return { ...form.fields, input: await this.#toInput(form, exchange) };
    } finally {
      await form.discard();
    }
  }

  /**
   * Returns a function that reads a JSON body with files in its content parts, or undefined if such bodies have no
   * separate limit.
   */
  jsonReader(exchange: LargeExchange): (() => Promise<Buffer>) | undefined {
    const rules = this.#largeBodies;
    return rules && (() => readLargeBody(exchange, rules));
  }

  /** Checks the data in the content parts of a JSON body against the limits of files. */
  checkJson(body: object): void {
    checkDataParts(body, this.rules);
  }

  async #toInput({ fields, files }: Form, exchange: HoldingExchange): Promise<MessageContent> {
    const bytes = files.reduce((sum, { size }) => sum + size, 0);
    await this.#memory.acquire(bytes, exchange);
    if (exchange.isClosed)
      throw new TroupeError("cancelled", "The client disconnected while its upload waited for memory.");
    return await buildMultiModalInput(fields, files);
  }
}

/**
 * Makes an Express middleware that reads uploads (`multipart/form-data`) on the host's own routes. Text fields are set
 * at `request.body`, files of the field `files` at `request.files` until the request is answered. Other bodies are not
 * touched.
 */
export function createFileUploadMiddleware(options: FileUploadOptions = {}): RequestHandler {
  const rules = readUploadOptions(options, { owner: "createFileUploadMiddleware" });
  return async (request, response, next) => {
    if (!isFormRequest(request)) return next();
    const form = await readForm({ headers: request.headers, body: request }, rules);
    const { fields, files } = form;
    if (response.closed) return await form.discard();
    response.once("close", () => void form.discard());
    Object.assign(request, { body: fields, files });
    next();
  };
}
