import { defineTool } from "@troupe/core";
import type { Json, RunWait, ToolDef } from "@troupe/core";
import type { A2AMessage, A2APart } from "../wire/task.ts";
import { isObject, readParts, textOf } from "./parts.ts";

/** Options of `questionTool`. */
export type QuestionToolOptions = {
  /** The name of the tool. @default "ask_user" */
  name?: string | undefined;
  /** The description of the tool. @default a description that tells the model when to ask */
  description?: string | undefined;
};

/**
 * Makes a tool with which the model asks the client a question. The task becomes `input-required` and continues with
 * the client's next message. Over HTTP it is a client tool: the client answers with the tool's result.
 */
export function questionTool({
  name = "ask_user",
  description = "Asks the user a question and returns the answer. Call it when you cannot go on without.",
}: QuestionToolOptions = {}): ToolDef {
  const question = { type: "string", description: "The question, in the user's language." };
  return defineTool({
    name,
    description,
    parameters: { type: "object", properties: { question }, required: ["question"] },
  });
}

/**
 * Returns the question that a waiting run asks its client, as parts of a message. Undefined for waits of other kinds,
 * and for a client tool that asks no question.
 */
export function readQuestion({ kind, about }: RunWait): A2APart[] | undefined {
  if (kind !== "input" || !isObject(about)) return undefined;
  const parts = about["takesMessage"] === true ? readParts(about["parts"]) : undefined;
  if (parts !== undefined) return parts;
  const { question } = isObject(about["args"]) ? about["args"] : {};
  return typeof question === "string" && question.trim() !== "" ? [{ kind: "text", text: question }] : undefined;
}

/** Makes the `about` data of a wait that is answered by the client's next message to the task. */
export function toAsked(parts: readonly A2APart[]): Json {
  return { question: textOf(parts), parts: parts as unknown as Json, takesMessage: true };
}

/** Returns true if the answer to a wait is the client's whole message. */
export function takesMessage({ about }: RunWait): boolean {
  return isObject(about) && about["takesMessage"] === true;
}

/** Reads the answer to a question: a message, or any result that came over another protocol. */
export function readAnswered(answer: Json, ids: { taskId: string; contextId: string }): A2AMessage {
  const { result, error } = answer as { result?: unknown; error?: unknown };
  const given = result ?? error ?? "";
  const parts = isObject(given) ? readParts(given["parts"]) : undefined;
  if (parts !== undefined) return { ...(given as A2AMessage), parts, role: "user", ...ids };
  const text = typeof given === "string";
  return {
    messageId: "",
    role: "user",
    parts: [text ? { kind: "text", text: given } : { kind: "data", data: given }],
    ...ids,
  };
}
