import type { EmbeddingProvider, Logger, ModelOptions, ModelProvider, NetworkOptions } from "@troupe/core";
import type { PlannedReply } from "../planned-reply.ts";
import type { OwnDialect } from "../dialect.ts";

/** Options with which `providerSuite` creates the provider under test. */
export type SubjectOptions = {
  /** Another model than the subject's first one. */
  modelId?: string;
  /** The provider's own key. Without one, the provider looks for it in the environment. */
  apiKey?: string;
  idleTimeoutMs?: number;
  logger?: Logger;
  /** Sends the requests in place of the shared connections. */
  fetch?: NonNullable<NetworkOptions["fetch"]>;
};

/** The chunks or the failure that a recorded answer must be read as. */
export type RecordedAnswer = {
  /**
   * Chunks as JSON, with `own-1`, `own-2`, … for ids that the provider makes, and without `providerMetrics`, `responseId`,
   * `model` and `vendorState`.
   */
  chunks: readonly object[];
  /** The bytes of the answer, where there is no file of this name. */
  recorded?: string;
  /** Fields of the error that ends the answer; a pattern stands for a matching string. Left out for a complete answer. */
  error?: object;
  /** Fields of the last chunk beyond those in `chunks`, or some of them. */
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
  /** Models by id that core's suite and the histories run with. The first is the one for everything else. */
  models: readonly [string, ...string[]];
  /** Models that reason only where each call since the user's last message has its own thinking. */
  consistentThinkers?: readonly string[];
  /** The wire format, for a vendor that `FakeVendor` does not know. */
  dialect?: OwnDialect;
  /** Recorded answers by file name. */
  transcripts: Readonly<Record<string, RecordedAnswer>>;
  /** Matches the file names of all recorded answers of this vendor, so that a new one cannot be forgotten. */
  transcriptPattern?: RegExp;
  /** Reply whose stream ends after its first text. */
  truncated: PlannedReply;
  /** Failures in the vendor's own format, beyond those that every provider has. */
  failures?: Readonly<Record<string, FailureCase>>;
  /** Vendor codes by HTTP status, where the vendor names them. */
  vendorCodes?: Readonly<Record<number, string>>;
  /**
   * Environment variables with the key of last resort, the strongest first; an empty array for a vendor that needs no key
   * at an address like that of the fake.
   */
  keyVariables: readonly string[];
  /** False where an event may be of any length. @default true */
  endsLongEvents?: boolean;
  /** True where the time to wait in a header of a failure cannot be read. */
  withoutErrorHeaders?: boolean;
  /** True where the key of a call counts as the provider's own, so that no caller is told to mend it. */
  ownKeysOnly?: boolean;
  /** A setting that the first model does not take, and what the warning names. */
  untaken: ModelOptions;
  /** Matches what of the vendor's state must be in no session and no output. */
  secrets: RegExp;
  /**
   * Patterns for the body of the last request of an agent that has used its tools often enough, and of one whose answer
   * must fit a schema that it did not fit before.
   */
  agentRequests?: { withoutTools: RegExp; repaired: RegExp };
  /** Bytes before the JSON of an event. @default "data: " */
  eventPrefix?: string;
  /** Idle milliseconds after which a case that waits fails. @default 30_000 */
  patienceMs?: number;
  /** Cases that the provider is known to fail, each with its reason. A case that passes is an error. */
  knownGaps?: Readonly<Record<string, string>>;
};
