import type { ScriptedTurn } from "@troupe/core/testing";

/** The wire formats that the fake vendor speaks; `google` is spoken on the cloud platform's paths too. */
export type DialectName = "openai-responses" | "openai-chat" | "anthropic" | "google" | "ollama";

/** What a request asks for. */
export type Route = { kind: "chat" | "embeddings"; modelId: string; stream: boolean };

/** What a model says. Its time and its failures are a matter of the delivery and the plan. */
export type VendorTurn =
  | string
  | Omit<Exclude<ScriptedTurn, string>, "error" | "delayMs" | "chunkDelayMs" | "hang" | "responseId">;

/** A request as it came, with its body read as JSON (`undefined` when it is none). */
export type VendorRequest = {
  method: string;
  /** Path and query, as sent. */
  url: string;
  headers: Readonly<Record<string, string | undefined>>;
  body: unknown;
};

/** An answer before it is cut into pieces or disturbed. */
export type VendorReply = {
  status: number;
  headers: Record<string, string>;
  /** The bytes in the pieces in which a vendor would send them: one for a whole answer, one per event for a stream. */
  frames: (string | Uint8Array)[];
  /** How many of the last frames only say that the answer is over. @default 1 */
  endFrames?: number;
};

/** A failure as a vendor words it. */
export type VendorFailure = {
  status: number;
  retryAfterSeconds?: number;
  message?: string;
  /** Which parameter is at fault, for vendors that say so. */
  param?: string;
};

/** Why a real vendor would answer 400, and where in the request. */
export type Refusal = { message: string; param?: string };

/** What is asked of a dialect when it answers. */
export type Asked = { route: Route; request: VendorRequest };

/** One vendor's wire format: pure functions from a turn to bytes and from a request to a verdict. */
export interface Dialect {
  readonly name: DialectName;
  /** Reads what is asked for, or returns `undefined` when the request is not of this dialect. */
  route(request: VendorRequest): Route | undefined;
  /** The key that the request carries. */
  keyOf(request: VendorRequest): string | undefined;
  /** The answer of a model, whole or as a stream. */
  answer(turn: VendorTurn, asked: Asked): VendorReply;
  /** An error before any answer. */
  fail(failure: VendorFailure, request: VendorRequest): VendorReply;
  /** The frame that tells of a failure within a stream, after so many others. */
  failFrame(failure: VendorFailure, framesBefore: number): string;
  /** Says why a real vendor would refuse the request: broken histories, unknown fields, wrong shapes. */
  refuse(request: VendorRequest, route: Route): Refusal | undefined;
  /** How this vendor embeds, if it does. */
  readonly embeddings?: EmbeddingFormat;
}

/** The embeddings of one vendor's wire format. */
export interface EmbeddingFormat {
  /** The texts that are to be embedded. */
  textsOf(request: VendorRequest): string[];
  /** The vectors of these texts, in this vendor's form. */
  embed(vectors: readonly (readonly number[])[], request: VendorRequest): VendorReply;
}
