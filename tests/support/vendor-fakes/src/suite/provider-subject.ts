import type { EmbeddingProvider, Logger, ModelOptions, ModelProvider, NetworkOptions } from "@troupe/core";
import type { PlannedReply } from "../planned-reply.ts";
import type { OwnDialect } from "../dialect.ts";

/** Options with which `providerSuite` creates the provider under test. */
export type SubjectOptions = {
  /** A model id, if not the subject's first model. */
  modelId?: string;
  /** The provider's own key. Without it, the provider looks in the environment. */
  apiKey?: string;
  idleTimeoutMs?: number;
  logger?: Logger;
  /** Sends the requests instead of the shared connections. */
  fetch?: NonNullable<NetworkOptions["fetch"]>;
};

/** The chunks or the failure that the provider must read from a recorded answer. */
export type RecordedAnswer = {
  /**
   * Chunks as JSON, with `own-1`, `own-2`, … for ids that the provider makes, and without `providerMetrics`,
   * `responseId`, `model` and `vendorState`.
   */
  chunks: readonly object[];
  /** The answer as it was sent, if there is no file with this name: text, or the bytes of binary frames. */
  recorded?: string | Uint8Array;
  /** Fields of the error that ends the answer; a pattern stands for a matching string. Absent for a complete answer. */
  error?: object;
  /** Fields of the last chunk in addition to those in `chunks`. */
  details?: object;
};

/** A reply of the vendor, and fields of the error that the provider must throw for it. */
export type FailureCase = { reply: PlannedReply; error: object };

/** A provider for `providerSuite`: how to create it, and what its vendor sends and expects. */
export type ProviderSubject = {
  /** Creates the provider under test for the base URL of a fake vendor. */
  connect(url: string, options: SubjectOptions): ModelProvider;
  /** Creates the embeddings of the same vendor, if it has any. */
  embeddings?(url: string, options: { apiKey?: string }): EmbeddingProvider;
  /** Ids of the models for core's suite and the histories. The first one is used for all other cases. */
  models: readonly [string, ...string[]];
  /** Models that reason only if each call since the user's last message has its own thinking. */
  consistentThinkers?: readonly string[];
  /** The wire format, for a vendor that `FakeVendor` does not know. */
  dialect?: OwnDialect;
  /** Recorded answers by file name. */
  transcripts: Readonly<Record<string, RecordedAnswer>>;
  /** Matches the file names of all recorded answers of this vendor, so that a new one cannot be forgotten. */
  transcriptPattern?: RegExp;
  /** Reply whose stream ends after its first text. */
  truncated: PlannedReply;
  /** Failures in the vendor's own format, in addition to those that every provider has. */
  failures?: Readonly<Record<string, FailureCase>>;
  /** Vendor codes by HTTP status, if the vendor names them. */
  vendorCodes?: Readonly<Record<number, string>>;
  /**
   * Environment variables with the key of last resort, in order of precedence. Empty for a vendor that needs no key at
   * an address like that of the fake.
   */
  keyVariables: readonly string[];
  /** False if an event may have any length. @default true */
  endsLongEvents?: boolean;
  /** True if the time to wait in a failure's header cannot be read. */
  withoutErrorHeaders?: boolean;
  /** True if the key of a call counts as the provider's own, so that callers are not asked to fix it. */
  ownKeysOnly?: boolean;
  /** A setting that the first model does not accept, and its name in the warning. */
  untaken: ModelOptions;
  /** Matches the parts of the vendor's state that must be in no session and no output. */
  secrets: RegExp;
  /**
   * Patterns for the body of an agent's last request: after it has used its tools often enough, and after an answer
   * that did not match its schema.
   */
  agentRequests?: { withoutTools: RegExp; repaired: RegExp };
  /** Bytes before the JSON of an event. @default "data: " */
  eventPrefix?: string;
  /** Idle milliseconds after which a waiting case fails. @default 30_000 */
  patienceMs?: number;
  /** Cases that the provider is known to fail, each with its reason. A case that passes is an error. */
  knownGaps?: Readonly<Record<string, string>>;
};
