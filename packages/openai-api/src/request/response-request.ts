import { checkSessionId } from "@troupe/core/transport";
import { wrongField } from "../wire/api-error.ts";
import { readFormat, readTools } from "./additions.ts";
import type { ReadFormat, ReadTools } from "./additions.ts";
import { readArguments } from "./chat-request.ts";
import { checkFiles } from "./check-files.ts";
import type { FileBounds } from "./check-files.ts";
import { readContent, readText } from "./content.ts";
import { toConversation } from "./conversation.ts";
import type { Conversation, SentItem } from "./conversation.ts";
import { arrayAt, booleanAt, countAt, objectAt, optionalStringAt, refuseField, stringAt } from "./fields.ts";
import type { Fields } from "./fields.ts";

/** The answer to a request for approval. */
export type ApprovalAnswer = {
  readonly requestId: string;
  readonly isApproved: boolean;
  readonly reason: string | undefined;
  readonly param: string;
};

/** A checked request of the Responses API. */
export type ResponseRequest = {
  readonly model: unknown;
  readonly stream: boolean;
  readonly background: boolean;
  readonly store: boolean;
  readonly instructions: string | undefined;
  readonly previousId: string | undefined;
  /** The session id, from `conversation`. */
  readonly sessionId: string | undefined;
  readonly conversation: Conversation;
  readonly approvals: readonly ApprovalAnswer[];
  readonly tools: ReadTools;
  readonly format: ReadFormat;
  readonly maxTokens: number | undefined;
  readonly user: string | undefined;
  readonly body: Fields;
};

type Item = SentItem | { readonly type: "approval"; readonly approval: ApprovalAnswer } | undefined;

/**
 * Reads the body of a Responses request. Throws `invalid_request`, naming the field, for features that this service
 * does not have.
 */
export function readResponseRequest(body: Fields, files?: FileBounds): ResponseRequest {
  refuseUnsupported(body);
  const items = readInput(body["input"]);
  checkFiles(items, "input", files);
  const approvals = items.flatMap((item) => (item?.type === "approval" ? [item.approval] : []));
  const sent = items.filter((item): item is SentItem => item !== undefined && item.type !== "approval");
  const previousId = optionalStringAt(body["previous_response_id"], "previous_response_id");
  const sessionId = readConversationId(body["conversation"]);
  if (previousId !== undefined && sessionId !== undefined) {
    throw wrongField("conversation", "must be left out beside previous_response_id, which names its conversation.");
  }
  const isAnswer = approvals.length > 0 && sent.length === 0;
  const conversation = isAnswer ? noConversation : toConversation(sent, "input");
  const instructions = optionalStringAt(body["instructions"], "instructions");
  const store = booleanAt(body["store"], "store", true);
  const background = booleanAt(body["background"], "background");
  if (background && !store) throw wrongField("background", "needs a response that is stored. Leave out store.");
  const text = body["text"] ?? undefined;
  return {
    model: body["model"],
    stream: booleanAt(body["stream"], "stream"),
    background,
    store,
    instructions: joinTexts(instructions, conversation.instructions),
    previousId,
    sessionId,
    conversation,
    approvals,
    tools: readTools(body),
    format: text === undefined ? {} : readFormat(objectAt(text, "text")["format"], "text.format"),
    maxTokens: countAt(body["max_output_tokens"], "max_output_tokens"),
    user: optionalStringAt(body["user"], "user"),
    body,
  };
}

const noConversation: Conversation = {
  instructions: undefined,
  input: undefined,
  history: [],
  outputs: [],
  userMessages: 0,
};

function joinTexts(...texts: (string | undefined)[]): string | undefined {
  const given = texts.filter((text) => text !== undefined);
  return given.length === 0 ? undefined : given.join("\n\n");
}

function refuseUnsupported({ prompt, top_logprobs: top, include, context_management: context }: Fields): void {
  refuseField(prompt !== undefined && prompt !== null, "prompt", "is not supported: prompts are the agent's own.");
  refuseField(typeof top === "number" && top > 0, "top_logprobs", "is not supported.");
  const wantsLogprobs = Array.isArray(include) && include.includes("message.output_text.logprobs");
  refuseField(wantsLogprobs, "include", "must not name message.output_text.logprobs, which is not supported.");
  refuseField(
    Array.isArray(context) && context.length > 0,
    "context_management",
    "is not supported: the service bounds what a model gets.",
  );
}

function readConversationId(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  const id = typeof value === "string" ? value : objectAt(value, "conversation")["id"];
  try {
    return checkSessionId(id);
  } catch {
    throw wrongField("conversation", "must be the id of a session: 1 to 128 of A-Z, a-z, 0-9 and _ . : @ -.");
  }
}

function readInput(input: unknown): Item[] {
  if (typeof input === "string") return [{ type: "message", message: { role: "user", content: input } }];
  const items = arrayAt(input, "input");
  if (items.length === 0) throw wrongField("input", "must have an item.");
  return items.map((item, index) => readItem(objectAt(item, `input[${index}]`), `input[${index}]`));
}

/** The types of input items that are skipped, because the session already has their content. */
const known: readonly unknown[] = ["reasoning", "mcp_approval_request", "mcp_list_tools", "item_reference"];

function readItem(item: Fields, param: string): Item {
  const { type = "message" } = item;
  if (known.includes(type)) return undefined;
  switch (type) {
    case "message":
      return readMessage(item, param);
    case "function_call":
    case "mcp_call":
      return { type: "message", message: { role: "assistant", content: null, toolCalls: [readCall(item, param)] } };
    case "function_call_output": {
      const callId = stringAt(item["call_id"], `${param}.call_id`);
      return { type: "output", output: { callId, output: readContent(item["output"], `${param}.output`), param } };
    }
    case "mcp_approval_response":
      return { type: "approval", approval: readApproval(item, param) };
    default:
      throw wrongField(
        `${param}.type`,
        `must be message, function_call or function_call_output, got ${JSON.stringify(String(type).slice(0, 64))}.`,
      );
  }
}

function readApproval(item: Fields, param: string): ApprovalAnswer {
  return {
    requestId: stringAt(item["approval_request_id"], `${param}.approval_request_id`),
    isApproved: booleanAt(item["approve"], `${param}.approve`),
    reason: optionalStringAt(item["reason"], `${param}.reason`),
    param,
  };
}

function readMessage({ role, content }: Fields, param: string): SentItem {
  const place = `${param}.content`;
  if (role === "system" || role === "developer") return { type: "instructions", text: readText(content, place) };
  if (role === "user" || role === "assistant") {
    return { type: "message", message: { role, content: readContent(content, place) } };
  }
  throw wrongField(`${param}.role`, "must be system, developer, user or assistant.");
}

function readCall({ id, call_id: callId = id, name, arguments: args }: Fields, param: string) {
  return {
    id: stringAt(callId, `${param}.call_id`),
    name: stringAt(name, `${param}.name`),
    arguments: readArguments(args, `${param}.arguments`),
  };
}
