import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { ErrorCode, ErrorFields } from "../../base/errors/troupe-error.ts";

/** The stored form of a failure, with the text that a child run had produced before it. */
export type StoredError = {
  readonly code: ErrorCode;
  readonly message: string;
  readonly fields: ErrorFields;
  readonly text: string;
};

/** A failure that was stored for a step of a durable run. The step is not performed again. */
export class StoredFailure extends TroupeError {
  declare readonly output: { text: string };

  constructor({ code, message, fields, text }: StoredError) {
    super(code, message, { fields });
    Object.defineProperty(this, "output", { value: { text } });
  }
}
