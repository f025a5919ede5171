import type { ChatMessage, FinishReason } from "@troupe/core";
import type { ModelResponse } from "@troupe/core";
import type { EventReader, ModelCallOptions, PartReader, ReportRequestOmission } from "@troupe/core/provider";
import type { ModelRules } from "./model-rules.ts";

/** The two APIs through which a model can be called: Responses and Chat Completions. */
export type ApiName = "responses" | "chat";

/**
 * The ids of a model and its vendor. They are stored with the `vendorState` of an answer, which is sent back only to
 * the model that made it.
 */
export type ModelIdentity = Pick<ModelCall, "providerId" | "modelId">;

/** A model call: everything from which an `Api` writes the request and reads the answer. */
export type ModelCall = {
  api: ApiName;
  /** The id of the vendor: the key of the vendor's own request fields, and of the `vendorState` of its answers. */
  providerId: string;
  modelId: string;
  messages: readonly ChatMessage[];
  /** Reads the parts of the messages. */
  parts: PartReader;
  options: ModelCallOptions;
  rules: ModelRules;
  stream: boolean;
  /** Reports a setting or a part of the history that the request omits. */
  reportOmitted: ReportRequestOmission;
};

/**
 * One of the two APIs of OpenAI (`responsesApi`, `chatApi`): writes its requests, reads its answers, and weakens
 * refused requests.
 */
export interface Api {
  toRequest(call: ModelCall): object;
  fromResponse(body: unknown, call: ModelCall): ModelResponse;
  createReader(call: ModelCall): EventReader<object>;
  /** Returns weaker rules for a second attempt after a refusal, if there are any. */
  weaken(refusal: Refusal, request: object): Partial<ModelRules> | undefined;
}

/**
 * A response with status 400: its message, the parameter that it names, and `isOpenAI`, which is false if a compatible
 * server sent it.
 */
export type Refusal = { message: string; param: string | undefined; isOpenAI: boolean };

/** The finish reasons of our own, by the finish reasons that one of the two APIs sends. */
export type FinishReasons = Readonly<Record<string, FinishReason>>;
