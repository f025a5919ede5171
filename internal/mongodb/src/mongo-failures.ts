import { TroupeError } from "@troupe/core";
import { createRedactor, getOwn } from "@troupe/core/kit";
import type { Redactor } from "@troupe/core/kit";

const conflicting = "could not write for too long because of other writers to the same records";

/** Explanations of MongoDB's errors, by the name of the error. */
const problemsByName: Readonly<Record<string, string>> = {
  MongoServerSelectionError: "cannot be reached, or has no primary. Check the address, and that the server is running",
  MongoNetworkError: "lost the connection before it answered. The operation may have been executed",
  MongoNetworkTimeoutError:
    "did not answer in time. The operation may have been executed. Raise timeoutMs to wait longer",
  MongoWaitQueueTimeoutError: "has no connection left. Raise maxPoolSize in the uri",
  MongoWriteConcernError: "could not confirm the write on a majority of its servers. It may have been executed",
  ConcurrentWriteError: conflicting,
};

/** Explanations of MongoDB's errors, by the server's error code. They take precedence over explanations by name. */
const problemsByCode: ReadonlyMap<unknown, string> = new Map([
  [13, "did not allow the operation. Grant the user the role readWrite on the database"],
  [18, "refused the login. Check the user, the password and authSource in the uri"],
  [8000, "refused the login. Check the user and the password in the uri"],
  [64, "could not confirm the write on a majority of its servers in time. It may have been executed"],
  [50, "did not finish in time. The operation may have been executed"],
  [112, conflicting],
  [11_000, conflicting],
  [251, "ended a transaction that took too long. Raise transactionLifetimeLimitSeconds of the server"],
  [14031, "has a full disk. Free some space"],
]);

const longestText = 200;
const deepestCause = 4;

/**
 * Converts the errors of MongoDB's library, which quote addresses and sometimes the whole uri, to `TroupeError`s
 * without secrets.
 */
export class MongoFailures {
  readonly #redact: Redactor;

  constructor(uri: string) {
    this.#redact = createRedactor(secretsOf(uri));
  }

  /** Converts an error of MongoDB's library to `storage_unavailable`. Returns a `TroupeError` unchanged. */
  from(error: unknown): TroupeError {
    if (TroupeError.is(error)) return error;
    const { name, code } = error as { name?: string; code?: unknown };
    const problem =
      problemsByCode.get(code) ?? getOwn(problemsByName, name ?? "") ?? "could not complete the operation";
    return new TroupeError("storage_unavailable", `MongoDB ${problem}.`, { cause: this.#copy(error) });
  }

  /** Makes a MongoDB client with `create`. Throws `invalid_config` if the library refuses the uri. */
  withUri<Client>(create: () => Client): Client {
    try {
      return create();
    } catch (error) {
      const sentence = "MongoDB's library cannot use the uri. Check its parts, and percent-encode user and password.";
      throw new TroupeError("invalid_config", sentence, { cause: this.#copy(error) });
    }
  }

  /**
   * Copies an error and its causes, at most four levels: only the name, the code, and the beginning of the message,
   * without secrets.
   */
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
    // The stack of the copied error begins with the name and the message, so it is replaced.
    Object.defineProperty(copy, "stack", { value: `${copy.name}: ${copy.message}`, enumerable: false });
    return Object.assign(copy, ["number", "string"].includes(typeof code) && { code });
  }

  #hide(text: string): string {
    // The redactor does not mask very short passwords, so everything before the @ of an address is masked here.
    return this.#redact(text.replace(/\/\/[^\s/]*@/g, "//[redacted]@"), longestText);
  }
}

/** Finds the user, the password and the secret parameters in a uri, both encoded and decoded. */
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
