import type { ChatMessage, SessionInfo, SessionPage, ToolCall } from "@troupe/core";
import type { PublicTurn } from "../../sessions/public-turn.ts";
import { schemaRef } from "../open-api-spec.ts";
import type { Schema } from "../open-api-spec.ts";
import { anyObject, count, arrayOf, timestamp, objectOf, stringEnum, string } from "./schema-builders.ts";

type TurnList = { turns: PublicTurn[]; next?: number };

const session: SessionInfo = { sessionId: "trip", userId: "ada", createdAt: 1.8e12, updatedAt: 1.8e12, turns: 1 };
const turn: PublicTurn = {
  seq: 1,
  runId: "0f8fad5b-d9cb-469f-a165-70867728950e",
  runnable: "helper",
  status: "completed",
  createdAt: 1.8e12,
  input: "What should I take along to Oslo?",
  messages: [{ role: "assistant", content: "Take an umbrella." }],
  usage: { promptTokens: 12, completionTokens: 4, totalTokens: 16 },
};
const next = "The `after` of the next page. Missing on the last page.";

/** Returns the OpenAPI schemas of sessions, their turns and messages, by component name. */
export function sessionSchemas(): Record<string, Schema> {
  return {
    Session: objectOf<SessionInfo>({
      required: { sessionId: string, createdAt: timestamp, updatedAt: timestamp, turns: count },
      optional: { userId: string, title: string },
      example: session,
    }),
    SessionList: objectOf<SessionPage>({
      required: { sessions: arrayOf(schemaRef("Session")) },
      optional: { next: { type: "string", description: next } },
      example: { sessions: [session] },
    }),
    Turn: objectOf<PublicTurn>({
      required: {
        seq: count,
        runId: string,
        runnable: string,
        status: stringEnum("completed", "interrupted"),
        createdAt: timestamp,
        input: contentOr(),
        messages: arrayOf(schemaRef("ChatMessage")),
        usage: schemaRef("TokenUsage"),
      },
      optional: {},
      example: turn,
    }),
    TurnList: objectOf<TurnList>({
      required: { turns: arrayOf(schemaRef("Turn")) },
      optional: { next: { type: "integer", description: next } },
      example: { turns: [turn] },
    }),
    ...messageSchemas(),
  };
}

function messageSchemas(): Record<string, Schema> {
  return {
    ChatMessage: objectOf<ChatMessage>({
      required: { role: stringEnum("system", "user", "assistant", "tool"), content: contentOr({ nullable: true }) },
      optional: { toolCalls: arrayOf(schemaRef("ToolCall")), toolCallId: string, name: string },
      example: { role: "assistant", content: "Take an umbrella." },
    }),
    ToolCall: objectOf<ToolCall>({
      required: { id: string, name: string, arguments: anyObject },
      optional: {},
      example: { id: "call_1", name: "weather", arguments: { city: "Oslo" } },
    }),
  };
}

function contentOr(more: { nullable?: true } = {}): Schema {
  return { anyOf: [{ type: "string", ...more }, arrayOf(schemaRef("ContentPart"))] };
}
