import { ApiError } from "@troupe-internal/client";
import type { RunnableKind, StoredContent, StoredPart, StoredTurn } from "@troupe-internal/client";
import type { Api } from "../api/api.ts";
import type { AnswerPart, Question, QuestionFile, ToolPart, Turn } from "./turn.ts";
import { strings } from "../strings/strings.ts";

/** The kind of a stored turn's runnable, and the addresses of the turn's files. */
export type TurnContext = {
  readonly kindOf: (name: string) => RunnableKind;
  readonly urlOf: (seq: number, index: number) => string;
};

/** A stored turn in the form that the page shows. */
export type StoredTurnView = Turn & { readonly runId: string; readonly seq: number };

/** Reads the turns of a session after a given number. Returns undefined if the service does not have the session. */
export async function readTurns(
  api: Pick<Api, "turns" | "partUrl">,
  sessionId: string,
  { kindOf, behind = 0 }: Pick<TurnContext, "kindOf"> & { behind?: number | undefined },
): Promise<StoredTurnView[] | undefined> {
  try {
    const stored = await api.turns(sessionId, behind);
    const urlOf = (seq: number, index: number) => api.partUrl(sessionId, seq, index);
    return stored.map((turn) => fromStoredTurn(turn, { kindOf, urlOf }));
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

/** Converts a stored turn to the form that the page shows. */
export function fromStoredTurn(stored: StoredTurn, { kindOf, urlOf }: TurnContext): StoredTurnView {
  const { seq, runId, runnable, status, usage, sources = [] } = stored;
  return {
    key: runId,
    kind: kindOf(runnable),
    name: runnable,
    question: toQuestion(stored.input, (index) => urlOf(seq, index)),
    status,
    parts: toParts(stored),
    sources,
    runId,
    seq,
    usage,
  };
}

/**
 * Returns the stored turns from a shown turn on. Throws if one of them is not shown, because a turn that the user does
 * not see must not be deleted with the others.
 */
export function storedFrom(turn: Turn, shown: readonly Turn[], stored: readonly StoredTurnView[]): StoredTurnView[] {
  const known = new Set(shown.map(({ runId }) => runId));
  const later = new Set(shown.slice(shown.indexOf(turn)).map(({ runId }) => runId));
  const first = stored.findIndex(({ runId }) => later.has(runId));
  const from = first === -1 ? [] : stored.slice(first);
  if (from.every(({ runId }) => known.has(runId))) return from;
  throw new Error(strings.conversation.goneOn);
}

function toQuestion(input: StoredContent, urlOf: (index: number) => string): Question {
  if (typeof input === "string" || input === null) return { text: input ?? "", files: [] };
  return { text: toText(input), files: input.flatMap((part) => toFile(part, urlOf)) };
}

function toFile({ type, mimeType, filename, stored }: StoredPart, urlOf: (index: number) => string): QuestionFile[] {
  if (type === "text") return [];
  const file = { name: filename ?? type, type: mimeType ?? "application/octet-stream" };
  return [stored === undefined ? file : { ...file, url: urlOf(stored.index) }];
}

/** Returns the texts and tool calls of a stored turn, each call with its result. */
function toParts({ messages, toolResults = [] }: StoredTurn): AnswerPart[] {
  const results = new Map(
    messages.flatMap(({ role, toolCallId, content }) =>
      role === "tool" && toolCallId !== undefined ? [[toolCallId, content] as const] : [],
    ),
  );
  return messages.flatMap(({ role, content, toolCalls = [] }): AnswerPart[] => {
    if (role !== "assistant") return [];
    const text = toText(content);
    const tools = toolCalls.map(({ id, name, arguments: args }): ToolPart => {
      const tool = { type: "tool" as const, id, name, args: JSON.stringify(args) };
      if (!results.has(id)) return tool;
      const { error, artifacts } = toolResults.find(({ toolCallId }) => toolCallId === id) ?? {};
      const extras = { ...(error !== undefined && { error }), ...(artifacts !== undefined && { artifacts }) };
      return { ...tool, outcome: { result: results.get(id), ...extras } };
    });
    return [...(text === "" ? [] : [{ type: "text" as const, text }]), ...tools];
  });
}

function toText(content: StoredContent): string {
  if (typeof content === "string" || content === null) return content ?? "";
  return content.flatMap(({ type, text = "" }) => (type === "text" ? [text] : [])).join("\n\n");
}
