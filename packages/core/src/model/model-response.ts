import type { TokenUsage } from "../message/token-usage.ts";
import type { ToolCall } from "../message/tool-call.ts";
import type { FinishReason } from "./model-chunk.ts";
import type { VendorState } from "./vendor-state.ts";

/** One whole answer of a model. */
export type ModelResponse = {
  text: string;
  /** In the order the model named them. A call whose arguments could not be read has none here. */
  toolCalls: ToolCall[];
  /** What stood in place of arguments that were cut or are no JSON object: such a call must not be executed. */
  malformedArguments?: { toolCallId: string; text: string }[];
  thinking?: string;
  usage: TokenUsage;
  finishReason: FinishReason;
  /** What the vendor wants back with the next call of this run. */
  vendorState?: VendorState;
  /** The vendor's id of the response. */
  responseId?: string;
  /** The vendor's name of the model that answered. */
  model?: string;
};
