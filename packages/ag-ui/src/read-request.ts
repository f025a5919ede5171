import { TroupeError } from "@troupe/core";
import type { Json, RunAdditions, RunWait } from "@troupe/core";
import { checkSessionId } from "@troupe/core/transport";

type Fields = Readonly<Record<string, unknown>>;

/** An answer to an interrupt. */
type Resume = { readonly interruptId: string; readonly status: "resolved" | "cancelled"; readonly payload: unknown };

type ClientTool = NonNullable<RunAdditions["clientTools"]>[number];

/** A request of an AG-UI client. */
export type AgUiRequest = {
  readonly threadId: string;
  /** The run id chosen by the client, which is repeated in the events. */
  readonly runId: string;
  /** True for a client of version 1.0; false for one of the revision 0.0.59, which sends no version. */
  readonly isCurrent: boolean;
  /** The user's last message, or the state for a workflow. */
  readonly input: unknown;
  readonly resume: readonly Resume[];
  /** The results of tools that the client executed, by tool call id. */
  readonly toolResults: ReadonlyMap<string, Json>;
  /** The tools of the front end, which it executes itself. */
  readonly tools: readonly ClientTool[];
  /** The messages of the thread as the client has them. */
  readonly messages: readonly Fields[];
};

/** Reads the body of a request. Ignores unknown fields, as the protocol requires. Throws `invalid_request`. */
export function readRequest(body: Fields | undefined): AgUiRequest {
  const { threadId, runId, messages, protocolVersion, resume = [], state, tools = [] } = body ?? {};
  if (typeof threadId !== "string") throw invalid("threadId must be a string.");
  if (typeof runId !== "string" || runId === "" || runId.length > 256) throw invalid("runId must be a string.");
  const read = readList(messages, "messages");
  return {
    threadId: checkSessionId(threadId),
    runId,
    isCurrent: typeof protocolVersion === "string",
    input: inputOf(read, state),
    resume: readList(resume, "resume").map((each, index) => readResume(each, `resume[${index}]`)),
    toolResults: toolResultsIn(read),
    tools: readList(tools, "tools").map((tool, index) => readTool(tool, `tools[${index}]`)),
    messages: read,
  };
}

function readTool({ name, description, parameters }: Fields, place: string): ClientTool {
  if (typeof name !== "string") throw invalid(`${place}.name must be a string.`);
  return {
    name,
    ...(typeof description === "string" && { description }),
    // A tool without arguments may have no schema, or one of nothing.
    ...(!isNothing(parameters) && { parameters: readFields(parameters, `${place}.parameters`) }),
  };
}

function inputOf(messages: readonly Fields[], state: unknown): unknown {
  const index = messages.findLastIndex(({ role }) => role === "user");
  const content = messages[index]?.["content"];
  if (content === undefined) return hasKeys(state) ? state : undefined;
  if (!Array.isArray(content)) return content;
  return content.map((part: unknown, at) => toPart(readFields(part, `messages[${index}].content[${at}]`)));
}

function hasKeys(state: unknown): state is object {
  return typeof state === "object" && state !== null && !Array.isArray(state) && Object.keys(state).length > 0;
}

function isNothing(schema: unknown): boolean {
  if (schema === undefined || schema === null) return true;
  return typeof schema === "object" && !Array.isArray(schema) && Object.keys(schema).length === 0;
}

/** Converts a part of a message to a part of a run's input. */
function toPart({ type, text, source }: Fields): object {
  if (type === "text") return { type, text };
  const { value, mimeType } = readFields(source, "source of a part");
  const kind = type === "image" || type === "audio" ? type : "file";
  return { type: kind, data: value, mimeType: mimeType ?? "application/octet-stream" };
}

function readResume({ interruptId, status, payload }: Fields, place: string): Resume {
  if (typeof interruptId !== "string") throw invalid(`${place}.interruptId must be a string.`);
  if (status !== "resolved" && status !== "cancelled") throw invalid(`${place}.status must be resolved or cancelled.`);
  return { interruptId, status, payload };
}

function toolResultsIn(messages: readonly Fields[]): Map<string, Json> {
  const results = new Map<string, Json>();
  for (const { role, toolCallId, content, error } of messages) {
    if (role !== "tool" || typeof toolCallId !== "string") continue;
    results.set(toolCallId, typeof error === "string" ? { error } : { result: (content ?? null) as Json });
  }
  return results;
}

/** Returns the answers to a run's questions, by the id of the question. */
export function answersIn(request: AgUiRequest, waits: readonly RunWait[]): Map<string, Json> {
  const answers = new Map<string, Json>();
  for (const wait of waits) {
    const given = request.resume.find(({ interruptId }) => interruptId === wait.id);
    const result = wait.kind === "input" ? request.toolResults.get(wait.toolCallId ?? "") : undefined;
    const answer = given === undefined ? result : answerTo(wait, given);
    if (answer !== undefined) answers.set(wait.id, answer);
  }
  return answers;
}

function answerTo({ kind }: RunWait, { status, payload }: Resume): Json {
  const isCancelled = status === "cancelled";
  const fields = (typeof payload === "object" && payload !== null ? payload : {}) as Record<string, Json>;
  if (kind === "approval") return toApproval(isCancelled ? {} : fields);
  if (kind === "input") return isCancelled ? { error: "The user has cancelled." } : toResult(fields, payload);
  // For a question, the client's payload is the answer itself, in the form of the question's schema.
  if (kind === "question") return answerIn(payload);
  return isCancelled ? { choice: "giveUp" } : fields;
}

function answerIn(payload: unknown): Json {
  return { result: (payload ?? null) as Json };
}

function toApproval({ approved, reason, editedArgs }: Record<string, Json>): Json {
  const isApproved = approved === true;
  return {
    approved: isApproved,
    ...(typeof reason === "string" && { reason }),
    ...(editedArgs !== undefined && isApproved && { args: editedArgs }),
  };
}

function toResult(fields: Record<string, Json>, payload: unknown): Json {
  return "result" in fields || "error" in fields ? fields : { result: (payload ?? null) as Json };
}

function readList(value: unknown, place: string): Fields[] {
  if (!Array.isArray(value)) throw invalid(`${place} must be an array.`);
  return value.map((each: unknown, index) => readFields(each, `${place}[${index}]`));
}

function readFields(value: unknown, place: string): Fields {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Fields;
  throw invalid(`${place} must be an object.`);
}

function invalid(message: string): TroupeError {
  return new TroupeError("invalid_request", message);
}
