import { cutText } from "@troupe/core/kit";
import type { Json, RunWait } from "@troupe/core";

/** A request that an MCP client show its user a form. */
export type ElicitationRequest = {
  readonly method: "elicitation/create";
  readonly params: { readonly mode: "form"; readonly message: string; readonly requestedSchema: FormSchema };
};

type FormSchema = {
  type: "object";
  properties: Record<string, { type: string; title?: string; description?: string; enum?: string[] }>;
  required?: string[];
};

/** Longest tool arguments that a question to a user shows, in characters. */
const longestShown = 2000;

/**
 * Returns the question for the user of a client about a run's wait. Undefined for a wait that only the operator of the
 * service can end.
 */
export function toInputRequest(wait: RunWait): ElicitationRequest | undefined {
  const requestedSchema = formOf(wait);
  if (requestedSchema === undefined) return undefined;
  return { method: "elicitation/create", params: { mode: "form", message: askAbout(wait), requestedSchema } };
}

/** Returns one sentence that describes the wait of a run. */
export function describeWait({ kind, about }: RunWait): string {
  const { toolName } = factsOf(about);
  switch (kind) {
    case "approval":
      return `Waits for the approval of a call of ${toolName}.`;
    case "input":
      return `Waits for the result of a call of ${toolName}, which the client has to make.`;
    case "question":
      return `Waits for the answer to a question: ${questionIn(about)}`;
    case "event":
      return `Waits for the event ${JSON.stringify((about as { event?: string }).event)}.`;
    case "sleep":
      return "Waits for a time.";
    case "doubt":
      return `Waits for word on whether a call of ${toolName} took place.`;
    default:
      return "Waits until the service has again what the run needs.";
  }
}

/**
 * Turns a user's response into the answer to a question of a run. Undefined for a response that leaves the question
 * open. Declining or closing an approval denies it; declining or closing a request for a result is answered as an
 * error.
 */
export function toAnswer({ kind }: RunWait, response: unknown): Json | undefined {
  const { action, content = {} } = (response ?? {}) as Partial<ElicitationAnswer>;
  if (action !== "accept" && action !== "decline" && action !== "cancel") return undefined;
  if (action === "accept") return acceptedAnswer(kind, content);
  const reason = action === "cancel" ? "The user closed the question." : "The user declined.";
  if (kind === "approval") return { approved: false, reason };
  // A question of a workflow, or about an unknown outcome, stays open until a person answers it.
  return kind === "input" ? { error: reason } : undefined;
}

type ElicitationAnswer = { action: string; content: Record<string, Json> };

function acceptedAnswer(kind: RunWait["kind"], content: ElicitationAnswer["content"]): Json | undefined {
  const { result, choice } = content;
  if (kind === "approval") return { approved: true };
  if (kind === "input" || kind === "question") return { result: result ?? content };
  if (kind !== "doubt" || typeof choice !== "string") return undefined;
  return choice === "happened" ? { choice, result: result ?? "" } : { choice };
}

function formOf({ kind, about }: RunWait): FormSchema | undefined {
  switch (kind) {
    case "question":
      return formOfAnswer(about);
    case "approval":
      return { type: "object", properties: {} };
    case "input":
      return { type: "object", properties: { result: { type: "string", title: "Result" } }, required: ["result"] };
    case "doubt": {
      const choice = {
        type: "string" as const,
        title: "What happened",
        description: "happened: the call took place. again: it did not, make it now. giveUp: end the run.",
        enum: ["happened", "again", "giveUp"],
      };
      const result = {
        type: "string" as const,
        title: "Result",
        description: "With happened: what the call returned.",
      };
      return { type: "object", properties: { choice, result }, required: ["choice"] };
    }
    default:
      return undefined;
  }
}

function askAbout({ kind, about }: RunWait): string {
  const { toolName, args } = factsOf(about);
  const call = `${toolName} with ${args}`;
  if (kind === "question") return questionIn(about);
  if (kind === "approval") return `May the assistant call ${call}?`;
  if (kind === "input") return `The assistant asks you to call ${call}, and to tell it the result.`;
  return `A call of ${call} was cut off, and may or may not have taken place. What happened?`;
}

/**
 * Returns the form for the answer to a question. Clients only show forms of strings, numbers and booleans. Undefined
 * for a schema of another kind: its question is answered over another protocol.
 */
function formOfAnswer(about: Json): FormSchema | undefined {
  const { schema } = (about ?? {}) as { schema?: AnswerSchema };
  if (schema === undefined) return formOfValue({ type: "string" });
  if (schema.type !== "object") return isPlain(schema) ? formOfValue(schema) : undefined;
  const { properties = {}, required } = schema;
  if (!Object.values(properties).every(isPlain)) return undefined;
  return { type: "object", properties: properties as FormSchema["properties"], ...(required && { required }) };
}

type AnswerSchema = { type?: string; properties?: Record<string, { type?: string }>; required?: string[] };

function formOfValue(schema: object): FormSchema {
  const result = { ...schema, title: "Answer" } as FormSchema["properties"][string];
  return { type: "object", properties: { result }, required: ["result"] };
}

function isPlain({ type = "" }: { type?: string }): boolean {
  return ["string", "number", "integer", "boolean"].includes(type);
}

function questionIn(about: Json): string {
  const { question } = (about ?? {}) as { question?: unknown };
  return typeof question === "string" ? question : "";
}

function factsOf(about: Json): { toolName: string; args: string } {
  const { toolName = "a tool", args = {} } = (about ?? {}) as { toolName?: string; args?: Json };
  return { toolName, args: cutText(JSON.stringify(args), longestShown, "…") };
}
