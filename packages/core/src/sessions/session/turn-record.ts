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
  /** Name of the runnable that performed the turn. */
  runnable: string;
  /** The user's input as the model received it, after guardrails and hooks. */
  input: MessageContent;
  /** The conversation before a session's first turn, if its run was given one. */
  history?: ChatMessage[];
  /** The messages after the input: tool calls, their results, the answer. */
  messages: ChatMessage[];
  /** The status of the run. `interrupted`: it failed or was cancelled after the model had called a tool. */
  status: "completed" | "interrupted";
  usage: TokenUsage;
  /**
   * The errors and artifacts of tool calls, which the messages lack: an entry for each call that failed, was left
   * unfinished or has artifacts. In a team's turn these calls are the delegations.
   */
  toolResults?: TurnToolResult[];
  /** The sources of the answer, if any. */
  sources?: Source[];
  /** Vendor state that must be sent with later turns: the calls of the vendors' own tools. */
  vendorStates?: TurnVendorState[];
  /** The models that rejected the vendor state of earlier turns, which is no longer sent to them. */
  refusedStates?: AnsweringModel[];
  /** The time at which the record was made, in epoch milliseconds. */
  createdAt: number;
};

const statuses: readonly unknown[] = ["completed", "interrupted"] satisfies TurnRecord["status"][];

/** A stored turn and its number within the session, from 1. */
export type StoredTurn = TurnRecord & { seq: number };

/** A turn to store, for `OpenSession.appendTurn`, which adds version and time. */
export type NewTurn = Omit<TurnRecord, "v" | "createdAt">;

/**
 * Makes the record of a turn, created now, from storable copies of its fields. Throws `invalid_value` if
 * `readTurnRecord` would reject its shape.
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
 * Returns a turn's stored record after a check of its shape, including unknown fields. Throws `storage_corrupt` if it
 * is damaged.
 */
export function readTurnRecord(value: unknown, at: RecordKey): TurnRecord {
  return readRecord(isRecord(value) ? fromStoredTurn(value) : value, at, isTurnRecord);
}

/**
 * Returns the JSON that is stored for a turn. Arguments of calls and vendor state are stored as text: a storage may
 * reorder the members of an object, and vendors match cached prompts byte by byte.
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
 * Returns the messages of one turn as they are sent to a model: the history before the session's first turn, the input
 * as a user message, and the messages that followed.
 */
export function turnMessages({ history = [], input, messages }: TurnConversation): ChatMessage[] {
  return [...history, { role: "user", content: input }, ...messages];
}

/**
 * Returns the messages of stored turns, oldest first, as `turnMessages` does, with their vendor state. State of a model
 * that rejected it in a later turn is omitted.
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
 * Returns the messages of a turn after its input, with their vendor state, except state of models in `refused`. Adds to
 * `refused` the models that rejected earlier state in this turn.
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

/**
 * Returns the first user message of a turn: the first user message of its history, if it has one, otherwise its input.
 */
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
    (toolResults === undefined || isTurnToolResults(toolResults)) &&
    (vendorStates === undefined || isTurnVendorStates(vendorStates)) &&
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
