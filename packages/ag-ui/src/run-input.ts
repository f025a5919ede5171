import { TroupeError } from "@troupe/core";
import type { ServedWorkflow } from "@troupe/core/service";
import { checkContent } from "@troupe/core/transport";
import { invalid, readFields } from "./read-fields.ts";
import type { Fields } from "./read-fields.ts";
import type { Said } from "./read-said.ts";
import type { AgUiRequest } from "./read-request.ts";

/** Returns the input of an agent's or a team's run. Throws for a request without a message of the user. */
export function messageInput({ said, toolResults }: AgUiRequest): unknown {
  if (said !== undefined) return checkContent(said.content, said.place);
  if (toolResults.size > 0) throw nothingWaits();
  throw invalid("messages must have one of the user.");
}

/** Returns the error for an answer if no run of the thread waits for it. Names the question, if the answer does. */
export function nothingWaits(interruptId?: string): TroupeError {
  const question = interruptId === undefined ? "" : ` to ${JSON.stringify(interruptId)}`;
  return new TroupeError("conflict", `The thread has no run that waits for an answer${question}.`);
}

/**
 * Returns the input of a workflow's run: the text of the user's last message if a step may read it, or else the keys of
 * the front end's state that the workflow begins with. A front end sends its whole state, which also contains keys that
 * steps of an earlier run have set. These keys are omitted.
 */
export function workflowInput(workflow: ServedWorkflow, { said, state }: AgUiRequest): string | object | undefined {
  const known = knownState(workflow, readFields(state ?? {}, "state"));
  if (said !== undefined && workflow.readsText !== false) return textOf(said);
  return Object.keys(known).length > 0 ? known : undefined;
}

function textOf({ content, place }: Said): string {
  const checked = checkContent(content, place);
  if (typeof checked === "string") return checked;
  const texts = checked.map((part) => (part.type === "text" ? part.text : undefined));
  if (texts.includes(undefined)) throw invalid(`${place} must be text for a workflow.`);
  return texts.join("");
}

function knownState({ inputKinds, inputSchema }: ServedWorkflow, state: Fields): Fields {
  // A declared schema checks the values itself, when the run is accepted.
  const { properties } = Object(inputSchema) as { readonly properties?: object };
  if (properties !== undefined)
    return Object.fromEntries(Object.entries(state).filter(([key]) => Object.hasOwn(properties, key)));
  if (inputKinds === undefined || inputKinds.size === 0) return state;
  const known = Object.entries(state).filter(([key]) => inputKinds.has(key));
  for (const [key, value] of known) {
    const kind = inputKinds.get(key);
    if (kind !== "open" && kind !== kindOf(value)) throw invalid(`state.${key} must be ${kindNames[kind ?? "open"]}.`);
  }
  return Object.fromEntries(known);
}

const kindNames = {
  string: "a string",
  number: "a number",
  boolean: "true or false",
  list: "an array",
  object: "an object",
  open: "anything",
} as const;

function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "list" : typeof value;
}
