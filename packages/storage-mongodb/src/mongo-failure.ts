import { TroupeError } from "@troupe/core";
import { createRedactor, getOwn } from "@troupe/core/adapter";
import type { Redactor } from "@troupe/core/adapter";

const overtaken = "was kept from it for too long by others who write the same records";

/** What the library's errors, and one of ours, tell to mend, by their names. */
const problemsByName: Readonly<Record<string, string>> = {
  MongoServerSelectionError: "cannot be reached, or has no primary: check the address, and that the server runs",
  MongoNetworkError: "lost the connection before it answered: the work may have been done",
  MongoNetworkTimeoutError: "did not answer in time: the work may have been done. A larger timeoutMs waits longer",
  MongoWaitQueueTimeoutError: "has no connection left: raise maxPoolSize in the uri",
  MongoWriteConcernError: "could not confirm the write on a majority of its servers: it may have been done",
  Overtaken: overtaken,
};

/** The same by the server's codes, which say more where there is one. */
const problemsByCode: ReadonlyMap<unknown, string> = new Map([
  [13, "did not allow it: give the user the role readWrite on the database"],
  [18, "refused the login: check the user, the password and authSource in the uri"],
  [8000, "refused the login: check the user and the password in the uri"],
  [64, "could not confirm the write on a majority of its servers in time: it may have been done"],
  [50, "did not finish in time: the work may have been done"],
  [112, overtaken],
  [11_000, overtaken],
  [14031, "has no room left: its disk is full"],
]);

const longestText = 200;
const deepestCause = 4;

/** Makes errors that can be shown of what MongoDB's library throws, which quotes addresses and may quote the whole uri. */
export class MongoFailures {
  readonly #redact: Redactor;

  constructor(uri: string) {
    this.#redact = createRedactor(secretsOf(uri));
  }

  /** What one already is stays as it is. */
  from(error: unknown): TroupeError {
    if (TroupeError.is(error)) return error;
    const { name, code } = error as { name?: string; code?: unknown };
    const problem =
      problemsByCode.get(code) ?? getOwn(problemsByName, name ?? "") ?? "could not do what was asked of it";
    return new TroupeError("storage_unavailable", `MongoDB ${problem}.`, { cause: this.#copy(error) });
  }

  /** The library could make nothing of the uri. */
  fromUri(error: unknown): TroupeError {
    const sentence = "MongoDB's library cannot use the uri: check its parts, and percent-encode user and password.";
    return new TroupeError("invalid_config", sentence, { cause: this.#copy(error) });
  }

  /** Name, code and the beginning of the text, of this error and its causes: the rest of them stays behind. */
  #copy(error: unknown, depth = 1): Error {
    const { name, code, cause, message } = error as {
      name?: unknown;
      code?: unknown;
      cause?: unknown;
      message?: unknown;
    };
    const deeper = cause !== undefined && depth < deepestCause && { cause: this.#copy(cause, depth + 1) };
    const copy = new Error(this.#hide(String(message)), deeper || {});
    Object.defineProperty(copy, "name", { value: this.#hide(String(name)), enumerable: false });
    // The stack begins with the name and the text.
    Object.defineProperty(copy, "stack", { value: `${copy.name}: ${copy.message}`, enumerable: false });
    return Object.assign(copy, ["number", "string"].includes(typeof code) && { code });
  }

  #hide(text: string): string {
    // A password too short to be looked for still stands before the @ of an address.
    return this.#redact(text.replace(/\/\/[^\s/]*@/g, "//[redacted]@"), longestText);
  }
}

/** User and password, as they stand and decoded, and the parameters that hold secrets. */
function secretsOf(uri: string): string[] {
  const user = /^[^/]+\/\/([^/]*)@/.exec(uri)?.[1] ?? "";
  const parameters = [...uri.matchAll(/[?&][^=&]*(?:password|properties)=([^&]*)/gi)].map(([, value = ""]) => value);
  const written = [...user.split(":"), ...parameters, ...parameters.flatMap((value) => value.split(/[:,]/))];
  return written.flatMap((text) => [text, decoded(text)]);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
