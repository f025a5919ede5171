import { TroupeError } from "../errors/troupe-error.ts";
import type { MessageContent } from "../message/content.ts";
import type { ChatMessage } from "../message/message.ts";
import type { TokenUsage } from "../message/token-usage.ts";
import { isChatMessage, isContent } from "./is-chat-message.ts";
import { isList, isRecord, readRecord, recordVersion } from "../storage/stored-record.ts";
import type { RecordKey } from "../storage/stored-record.ts";
import { toStorable } from "./to-storable.ts";

/** One turn of a session as it is stored: what the user said and all that came of it. */
export type TurnRecord = {
  v: 1;
  runId: string;
  /** The name of what was run. */
  runnable: string;
  /** What the user said, as the model got it: behind guardrails and hooks. */
  input: MessageContent;
  /** What followed: tool calls, their results, the answer. The user's own message is not repeated here. */
  messages: ChatMessage[];
  /** `interrupted`: the run failed or was cancelled after a tool had run. */
  status: "completed" | "interrupted";
  usage: TokenUsage;
  /** Epoch milliseconds. */
  createdAt: number;
};

const statuses: readonly unknown[] = ["completed", "interrupted"] satisfies TurnRecord["status"][];

/** A turn to be stored. */
export type NewTurn = Omit<TurnRecord, "v" | "createdAt">;

/** The record of a turn. What could not be read again is `invalid_value` here, not `storage_corrupt` ever after. */
export function newTurnRecord({ runId, runnable, input, messages, status, usage }: NewTurn): TurnRecord {
  const turn = { v: recordVersion, runId, runnable, input, messages, status, usage, createdAt: Date.now() };
  const record = toStorable(turn);
  if (isTurnRecord(record)) return record;
  throw new TroupeError(
    "invalid_value",
    "The turn cannot be stored: its input, messages, status or usage do not have the shapes that their types say.",
  );
}

/** Takes a stored turn, whatever else it holds. */
export function readTurnRecord(value: unknown, place: RecordKey): TurnRecord {
  return readRecord(value, place, isTurnRecord);
}

/** The turn as a model reads it. */
export function turnMessages({ input, messages }: Pick<TurnRecord, "input" | "messages">): ChatMessage[] {
  return [{ role: "user", content: input }, ...messages];
}

function isTurnRecord(value: unknown): value is TurnRecord {
  return (
    isRecord(value) &&
    value["v"] === recordVersion &&
    typeof value["runId"] === "string" &&
    typeof value["runnable"] === "string" &&
    isContent(value["input"]) &&
    isList(value["messages"], isChatMessage) &&
    statuses.includes(value["status"]) &&
    isUsage(value["usage"]) &&
    Number.isFinite(value["createdAt"])
  );
}

function isUsage(value: unknown): boolean {
  return (
    isRecord(value) &&
    Number.isFinite(value["promptTokens"]) &&
    Number.isFinite(value["completionTokens"]) &&
    Number.isFinite(value["totalTokens"])
  );
}
