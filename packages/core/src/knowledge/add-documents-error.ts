import { TroupeError } from "../base/errors/troupe-error.ts";

const shownIds = 5;
const shownIdLength = 64;

/**
 * Thrown by `addDocuments` of a knowledge base if some documents were not stored. The error has the code of the
 * failure. Documents that are not listed are stored with their vectors. Listed documents are not stored and can be
 * added again; only in a store without `write` may some of their pieces be stored.
 */
export class AddDocumentsError extends TroupeError {
  /** The ids of the documents that are not known to be stored. */
  readonly notStored: readonly string[];

  constructor({ notStored, total, cause }: { notStored: readonly string[]; total: number; cause: TroupeError }) {
    const message = `${notStored.length} of ${total} documents were not stored (${listed(notStored)}): ${cause.message}`;
    super(cause.code, message, { cause, fields: { ...cause.fields, count: notStored.length } });
    this.notStored = notStored;
  }
}

Object.defineProperty(AddDocumentsError.prototype, "name", {
  value: "AddDocumentsError",
  configurable: true,
  writable: true,
});

function listed(ids: readonly string[]): string {
  const shown = ids.slice(0, shownIds).map((id) => JSON.stringify(id.slice(0, shownIdLength)));
  return [...shown, ...(ids.length > shownIds ? [`and ${ids.length - shownIds} more`] : [])].join(", ");
}
