import type { ScriptedAnswer } from "@troupe/core/testing";
import type { HostedCall } from "./hosted-calls.ts";

/** Name of a wire format. `google` also covers the paths of Google Cloud. */
export type DialectName = "openai-responses" | "openai-chat" | "anthropic" | "google" | "ollama";

/** Kind, model and streaming mode of a request. */
export type Route = { kind: "chat" | "embeddings"; modelId: string; stream: boolean };

/** An answer of a model, without timing and failures, which belong to the delivery and the plan. */
export type VendorAnswer =
  | string
  | (Omit<Exclude<ScriptedAnswer, string>, "error" | "delayMs" | "chunkDelayMs" | "hang" | "responseId"> & {
      /** Calls of the vendor's own tools, before the text. OpenAI's Responses, Anthropic and Gemini have such tools. */
      hosted?: readonly HostedCall[];
    });

/** A received request, with its body parsed as JSON (`undefined` when it is not JSON). */
export type VendorRequest = {
  method: string;
  /** Path and query, as sent. */
  url: string;
  headers: Readonly<Record<string, string | undefined>>;
  body: unknown;
};

/** An answer before its delivery. */
export type VendorReply = {
  status: number;
  headers: Record<string, string>;
  /** Bytes in the pieces in which a vendor sends them: one for a whole answer, one per event of a stream. */
  frames: (string | Uint8Array)[];
  /** Number of last frames that only end the answer. @default 1 */
  endFrames?: number;
};

/** A failure that a dialect expresses in its own format. */
export type VendorFailure = {
  status: number;
  retryAfterSeconds?: number;
  message?: string;
  /** Name of the parameter that caused it, for vendors that report one. */
  param?: string;
};

/** Reason why a real vendor would answer 400, and the parameter that causes it. */
export type Refusal = { message: string; param?: string };

/**
 * Tokens of a prompt: all of them, those read from the vendor's cache, and those written to it, of which `hourWrite`
 * stay for an hour. `begin` makes the written tokens readable, when the answer begins.
 */
export type CacheCounts = { prompt: number; read: number; write: number; hourWrite: number; begin: () => void };

/** The prompt cache of a vendor. */
export interface PromptCache {
  /**
   * Counts the tokens that a request with a key reads from the cache, and those that it writes once its answer has
   * begun.
   */
  count(body: unknown, key?: string): CacheCounts;
}

/** A request with its route, and the cache counts of a strict vendor. */
export type RoutedRequest = { route: Route; request: VendorRequest; cached?: CacheCounts };

/** A vendor's wire format: pure functions that read requests, write answers and check requests. */
export interface Dialect {
  readonly name: DialectName;
  /** Returns the route of a request, or `undefined` if it does not belong to this dialect. */
  route(request: VendorRequest): Route | undefined;
  /** Returns the key of a request. */
  keyOf(request: VendorRequest): string | undefined;
  /** Returns the answer of a model, whole or as a stream. */
  answer(answer: VendorAnswer, asked: RoutedRequest): VendorReply;
  /** Returns an error response. */
  fail(failure: VendorFailure, request: VendorRequest): VendorReply;
  /** Returns the frame of a failure within a stream, after a number of other frames. */
  failFrame(failure: VendorFailure, framesBefore: number): string | Uint8Array;
  /** Returns why a real vendor would refuse the request: broken histories, unknown fields, wrong shapes. */
  refuse(request: VendorRequest, route: Route): Refusal | undefined;
  /**
   * Creates the prompt cache of one strict vendor, for vendors whose requests mark cached prompts. `now` is its clock.
   */
  createCache?(now: () => number): PromptCache;
  /** Embeddings of this vendor, if it has any. */
  readonly embeddings?: EmbeddingFormat;
}

/** A wire format that a test supplies for a vendor of its own. */
export type OwnDialect = Omit<Dialect, "name">;

/** The embeddings part of a dialect. */
export interface EmbeddingFormat {
  /** Returns the strings to embed. */
  textsOf(request: VendorRequest): string[];
  /** Returns a reply with the vectors. */
  embed(vectors: readonly (readonly number[])[], request: VendorRequest): VendorReply;
}
