import { TroupeError } from "@troupe/core";
import type { MessageContent } from "@troupe/core";
import type { Request, Response } from "express";
import { buildMultiModalInput } from "./build-multi-modal-input.ts";
import type { Form } from "./form.ts";
import { isForm } from "./open-parser.ts";
import { readForm } from "./read-form.ts";
import type { CheckField } from "./read-form.ts";
import { Room } from "./room.ts";
import type { UploadRules } from "./upload-options.ts";

/** A request and the response that ends it. */
type UploadExchange = { readonly request: Request; readonly response: Response };

/**
 * What clients upload to one router. Files wait on disk until there is room in memory for them: all inputs that are made
 * of files, of all the runs at a time, are together no larger than one upload may be.
 */
export class Uploads {
  readonly #rules: UploadRules;
  readonly #room: Room;

  constructor(rules: UploadRules) {
    this.#rules = rules;
    this.#room = new Room(rules.maxTotalSize);
  }

  /** Whether a request is an upload. */
  isUpload(request: Request): boolean {
    return isForm(request);
  }

  /** Reads an upload as the body of a run: its fields, and an input of which the files have become a part. */
  async readBody({ request, response }: UploadExchange, checkField: CheckField): Promise<object> {
    const form = await readForm(request, this.#rules, checkField);
    try {
      return { ...form.fields, input: await this.#toInput(form, response) };
    } finally {
      await form.discard();
    }
  }

  async #toInput({ fields, files }: Form, response: Response): Promise<MessageContent> {
    const bytes = files.reduce((sum, { size }) => sum + size, 0);
    await this.#room.enter(bytes, response);
    if (response.closed) throw new TroupeError("cancelled", "The client left before its upload had its turn.");
    return await buildMultiModalInput(fields, files);
  }
}
