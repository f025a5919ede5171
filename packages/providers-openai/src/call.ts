import type { ChatMessage, FinishReason, ModelOptions } from "@troupe/core";
import type { ModelChunk, ModelResponse, PartReader, SseEvent } from "@troupe/core/adapter";
import type { ModelRules } from "./model-rules.ts";

/** The two interfaces through which a model is asked. */
export type ApiName = "responses" | "chat";

/** One call, with all that its request is made from. */
export type Call = {
  api: ApiName;
  modelId: string;
  messages: readonly ChatMessage[];
  /** Reads the parts of these messages. */
  parts: PartReader;
  options: ModelOptions;
  rules: ModelRules;
  stream: boolean;
  /** Tells whoever debugs the service what of the call does not reach the vendor. */
  leaveOut: (what: string, reason: string) => void;
};

/** Turns the events of one streamed answer into chunks. */
export interface EventReader {
  /** Adds the chunks that an event makes up, and says whether it was the answer's last. What fails is thrown. */
  read(event: SseEvent, chunks: ModelChunk[]): boolean;
  /** Adds the last chunks of an answer whose bytes have ended, and throws when it is not complete. */
  end(chunks: ModelChunk[]): void;
}

/** One interface: how to ask, and how to read what comes. */
export interface Api {
  readonly path: string;
  toRequest(call: Call): object;
  fromResponse(body: unknown, call: Call): ModelResponse;
  createReader(call: Call): EventReader;
  /** The rules under which a refused request is worth a second try, if there are any. */
  weaken(refusal: Refusal, request: object): Partial<ModelRules> | undefined;
}

/** What was said of a request that was refused with status 400, and whether OpenAI itself said it. */
export type Refusal = { message: string; param: string | undefined; isOpenAI: boolean };

/** What an interface calls the end of an answer, and what it means here. */
export type FinishReasons = Readonly<Record<string, FinishReason>>;
