import type { MessageCreateParamsNonStreaming } from "@anthropic-ai/sdk/resources/messages";
import type { GenerateContentParameters } from "@google/genai";
import type { ContentPart, ModelOptions } from "@troupe/core";
import type { ChatRequest } from "ollama";
import type { ChatCompletionCreateParamsNonStreaming } from "openai/resources/chat/completions";
import type { ResponseCreateParamsNonStreaming } from "openai/resources/responses/responses";

/** The parameters of a vendor's library for one call, beyond those of every call. `null`: the provider refuses the call. */
export type SdkParams = {
  responses: Partial<ResponseCreateParamsNonStreaming> | null;
  chat: Partial<ChatCompletionCreateParamsNonStreaming> | null;
  anthropic:
    | (Partial<MessageCreateParamsNonStreaming> & { temperature?: number; top_p?: number; top_k?: number })
    | null;
  google: Partial<GenerateContentParameters> | null;
  ollama: Partial<ChatRequest> | null;
};

/** A call: its options or its content for us, and the same call for each library. A missing vendor takes none of it. */
export type OracleRow = {
  options?: ModelOptions;
  content?: ContentPart[];
  sdk: Partial<SdkParams>;
  /** The vendors that the row is for, where the same field has another form for each. @default all */
  only?: readonly (keyof SdkParams)[];
};
