import type { Json, RunAdditions, RunWait } from "@troupe/core";
import { checkSessionId } from "@troupe/core/transport";
import { invalid, readFields, readList, readString } from "./read-fields.ts";
import type { Fields } from "./read-fields.ts";
import { readSaid } from "./read-said.ts";
import type { Said } from "./read-said.ts";

/** An answer to an interrupt. */
type Resume = { readonly interruptId: string; readonly status: "resolved" | "cancelled"; readonly payload: unknown };

type ClientTool = NonNullable<RunAdditions["clientTools"]>[number];

/** A request of an AG-UI client. */
export type AgUiRequest = {
  readonly threadId: string;
  /** The run id chosen by the client, which is repeated in the events. */
  readonly runId: string;
  /** True for a client of version 1.0; false for a client of the revision 0.0.59, which sends no version. */
  readonly isCurrent: boolean;
  /** The last message of the user. */
  readonly said: Said | undefined;
  /** The state of the front end, which only workflows read. */
  readonly state: unknown;
  readonly resume: readonly Resume[];
  /** The results of tools that the client executed, by tool call id. */
  readonly toolResults: ReadonlyMap<string, Json>;
  /** The tools of the front end, which it executes itself. */
  readonly tools: readonly ClientTool[];
  /** The messages of the thread as the client has them. */
  readonly messages: readonly Fields[];
};

/** Matches 1 to 256 characters. */
const someCharacters = /^[^]{1,256}$/u;

/** The largest number of tools of a front end. */
const maxTools = 128;

/** Matches the names of tools that every vendor accepts. */
const toolName = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

/**
 * Reads the body of a request. Ignores unknown fields, as the protocol requires, and optional fields that are null, as
 * some clients send them. Throws `invalid_request`.
 */
export function readRequest(body: Fields | undefined): AgUiRequest {
  const { threadId, runId, messages, protocolVersion, resume, state, tools } = body ?? {};
  if (typeof threadId !== "string") throw invalid("threadId must be a string.");
  if (typeof runId !== "string" || !someCharacters.test(runId))
    throw invalid("runId must be a string of 1 to 256 characters.");
  const read = readList(messages, "messages");
  return {
    threadId: checkSessionId(threadId),
    runId,
    isCurrent: readString(protocolVersion, "protocolVersion") !== undefined,
    said: readSaid(read),
    state,
    resume: readList(resume ?? [], "resume").map((each, index) => readResume(each, `resume[${index}]`)),
    toolResults: toolResultsIn(read),
    tools: readTools(tools ?? []),
    messages: read,
  };
}

function readTools(value: unknown): ClientTool[] {
  const tools = readList(value, "tools");
  if (tools.length > maxTools) throw invalid(`tools must be at most ${maxTools}.`);
  return tools.map((tool, index) => readTool(tool, `tools[${index}]`));
}

function readTool({ name, description, parameters }: Fields, place: string): ClientTool {
  if (typeof name !== "string" || !toolName.test(name))
    throw invalid(`${place}.name must be 1 to 64 letters, digits, _ and -, and begin with a letter or _.`);
  const purpose = readString(description, `${place}.description`);
  const schema = readFields(parameters ?? {}, `${place}.parameters`);
  // A tool without arguments may have no schema, or an empty schema.
  return {
    name,
    ...(purpose && { description: purpose }),
    ...(Object.keys(schema).length > 0 && { parameters: schema }),
  };
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
