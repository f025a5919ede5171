import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { MessageContent } from "../../base/message/content.ts";
import { isSource } from "../../base/message/source.ts";
import type { Source } from "../../base/message/source.ts";
import type { ChatMessage } from "../../base/message/message.ts";
import type { TokenUsage } from "../../base/message/token-usage.ts";
import { isStoredContent, isStoredMessage } from "../history/is-chat-message.ts";
import { fromStoredMessages, parseStored, toStoredMessages } from "../history/stored-messages.ts";
import type { Json } from "../storage/json.ts";
import { isArrayOf, readRecord, recordVersion } from "../storage/stored-record.ts";
import { isRecord } from "../../base/util/is-record.ts";
import { withoutVendorState } from "../../model/vendor-state.ts";
import type { AnsweringModel } from "../../model/model-chunk.ts";
import type { ModelMessage } from "../../model/vendor-state.ts";
import { isModelName, isTurnVendorStates, withTurnVendorStates } from "./turn-vendor-state.ts";
import type { TurnVendorState } from "./turn-vendor-state.ts";
import { isTurnToolResults } from "./turn-tool-result.ts";
import type { TurnToolResult } from "./turn-tool-result.ts";
import type { RecordKey } from "../storage/stored-record.ts";
import { forceStorable } from "../storage/to-storable.ts";

/** Stored record of one turn of a session: the user's input and all messages that followed. */
export type TurnRecord = {
  v: 1;
  runId: string;
  /** Name of the runnable. */
  runnable: string;
  /** The user's input as the model got it, after guardrails and hooks. */
  input: MessageContent;
  /** The conversation before a session's first turn, where its run was given one. */
  history?: ChatMessage[];
  /** The messages after the input: tool calls, their results, the answer. */
  messages: ChatMessage[];
  /** `interrupted`: the run failed or was cancelled after a tool had run. */
  status: "completed" | "interrupted";
  usage: TokenUsage;
  /**
   * The errors and artifacts of tool calls, which the messages do not have: an entry for each call that failed, was left
   * unfinished or has artifacts. In a team's turn these are the delegations.
   */
  toolResults?: TurnToolResult[];
  /** The sources of the answer, when there are any. */
  sources?: Source[];
  /** State of vendors, which they want back with later turns: the calls of their own tools. */
  vendorStates?: TurnVendorState[];
  /** The models that refused the state of earlier turns, which does not go back to them any more. */
  refusedStates?: AnsweringModel[];
  /** Epoch milliseconds. */
  createdAt: number;
};

const statuses: readonly unknown[] = ["completed", "interrupted"] satisfies TurnRecord["status"][];

/** A stored turn and its number within the session, from 1. */
export type StoredTurn = TurnRecord & { seq: number };

/** A turn to store, as `OpenSession.appendTurn` takes it; version and time are added then. */
export type NewTurn = Omit<TurnRecord, "v" | "createdAt">;

/**
 * Makes the record of a turn, created now, from storable copies of its parts. Throws `invalid_value` for one without the
 * shape of a turn, which `readTurnRecord` would refuse.
 */
export function newTurnRecord(given: NewTurn): TurnRecord {
  const {
    runId,
    runnable,
    input,
    history,
    messages,
    status,
    usage,
    toolResults,
    sources,
    vendorStates,
    refusedStates,
  } = given;
  const turn = {
    v: recordVersion,
    runId,
    runnable,
    input,
    history,
    messages,
    status,
    usage,
    toolResults,
    sources,
    vendorStates,
    refusedStates,
    createdAt: Date.now(),
  };
  const record = forceStorable(turn);
  if (isTurnRecord(record)) return record;
  throw new TroupeError(
    "invalid_value",
    "The turn cannot be stored: its input, messages, status, usage or tool results do not have the shape of its type.",
  );
}

/**
 * Returns a turn's stored record after a check of its shape, with unknown fields; throws `storage_corrupt` when it is
 * damaged.
 */
export function readTurnRecord(value: unknown, at: RecordKey): TurnRecord {
  return readRecord(isRecord(value) ? fromStoredTurn(value) : value, at, isTurnRecord);
}

/**
 * Returns the JSON that a turn is stored as. What vendors have made, the arguments of calls and state, is text in it: a
 * storage may return the members of an object in another order, and vendors find a prompt in their cache by its bytes.
 */
export function toStoredTurn(turn: TurnRecord): Json {
  const { history, messages, vendorStates } = turn;
  return {
    ...turn,
    ...(history !== undefined && { history: toStoredMessages(history) }),
    messages: toStoredMessages(messages),
    ...(vendorStates !== undefined && { vendorStates: JSON.stringify(vendorStates) }),
  } as unknown as Json;
}

function fromStoredTurn(value: Record<string, unknown>): object {
  const { history, messages, vendorStates } = value;
  return {
    ...value,
    ...(history !== undefined && { history: fromStoredMessages(history) }),
    messages: fromStoredMessages(messages),
    ...(vendorStates !== undefined && { vendorStates: parseStored(vendorStates) }),
  };
}

/** The part of a turn that a model sees. */
export type TurnConversation = {
  readonly history?: readonly ChatMessage[] | undefined;
  readonly input: MessageContent;
  readonly messages: readonly ChatMessage[];
};

/**
 * Returns the messages of a turn as they are sent to a model: what came before the first turn, the input as a user message,
 * then all that followed.
 */
export function turnMessages({ history = [], input, messages }: TurnConversation): ChatMessage[] {
  return [...history, { role: "user", content: input }, ...messages];
}

/**
 * Returns the messages of stored turns, oldest first, as `turnMessages` does, with the state that their vendors want back:
 * but for state of a model that refused it in a later turn.
 */
export function turnModelMessages(turns: readonly StoredTurn[]): ModelMessage[] {
  const messages: ModelMessage[][] = [];
  const refused = new Set<string>();
  for (const turn of turns.toReversed()) {
    const before = turnMessages({ ...turn, messages: [] }).map(withoutVendorState);
    messages.push([...before, ...answersWithState(turn, refused)]);
  }
  return messages.toReversed().flat();
}

/**
 * Returns the messages of a turn after its input, with the state of vendors but those in `refused`, to which it adds those that
 * refused in this turn the state of earlier ones.
 */
export function answersWithState(turn: StoredTurn, refused: Set<string>): ModelMessage[] {
  const { messages, vendorStates, refusedStates = [] } = turn;
  const states = refused.size === 0 ? vendorStates : vendorStates?.filter(({ state }) => !refused.has(nameOf(state)));
  for (const model of refusedStates) refused.add(nameOf(model));
  return withTurnVendorStates(messages, states);
}

function nameOf({ providerId, modelId }: AnsweringModel): string {
  return `${providerId}/${modelId}`;
}

/** Returns the first message of the user in a turn: in its history, where it has one, else its input. */
export function firstInput({ history = [], input }: TurnConversation): MessageContent {
  return history.find(({ role }) => role === "user")?.content ?? input;
}

function hasOptionalFields({
  history,
  toolResults,
  sources,
  vendorStates,
  refusedStates,
}: Record<string, unknown>): boolean {
  return (
    isTurnToolResults(toolResults) &&
    isTurnVendorStates(vendorStates) &&
    (refusedStates === undefined || isArrayOf(refusedStates, isModelName)) &&
    (history === undefined || isArrayOf(history, isStoredMessage)) &&
    (sources === undefined || isArrayOf(sources, isSource))
  );
}

function isTurnRecord(value: unknown): value is TurnRecord {
  return (
    isRecord(value) &&
    value["v"] === recordVersion &&
    typeof value["runId"] === "string" &&
    typeof value["runnable"] === "string" &&
    isStoredContent(value["input"]) &&
    isArrayOf(value["messages"], isStoredMessage) &&
    statuses.includes(value["status"]) &&
    isUsage(value["usage"]) &&
    hasOptionalFields(value) &&
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
