import type { ShownJson, StepFacts } from "../../src/inspector/inspected-run.ts";
import { isObject } from "../ui/format.ts";
import type { OpenStep, TreeStep } from "./run-tree.ts";
import { strings } from "../strings/strings.ts";
import { inspectorStrings } from "../strings/inspector-strings.ts";

/** A step that contains steps, with its input, as the context of these steps. */
export type Scope = { readonly step: OpenStep; readonly input: ShownJson | undefined };

/** A tool call that a model requested. */
type AskedCall = NonNullable<StepFacts["calls"]>[number];

/**
 * Returns the name of a step for the inspector. The name of a tool call or a member is known before the step has ended.
 */
export function nameOf(scope: Scope, step: OpenStep): string {
  const { part, turn } = step;
  if (part.kind === "agent") return turn?.runnable ?? numbered(strings.common.run, part);
  if (part.kind === "part") return partName(step);
  if (part.kind === "tool") return toolOf(scope, step) ?? inspectorStrings.toolCall;
  if (part.kind !== "member") return part.name;
  return memberOf(turn, toolOf(scope, step)) ?? chosenMember(scope.step) ?? inspectorStrings.member;
}

function partName({ part, declared }: OpenStep): string {
  return numbered(declared?.kind === "loop" ? strings.parts.round : strings.parts.item, part);
}

function numbered(word: string, { index = 0 }: OpenStep["part"]): string {
  return `${word} ${index + 1}`;
}

function toolOf(scope: Scope, { part, done, call, startedCalls }: OpenStep): string | undefined {
  return done?.facts.toolName ?? call?.toolName ?? askedCall(scope, part)?.name ?? startedCalls[0];
}

function memberOf(turn: StepFacts | undefined, name: string | undefined): string | undefined {
  return turn?.runnable ?? name?.replace(/^delegate_to_/, "");
}

/** Returns the member that the model of a team in mode route has chosen. */
function chosenMember({ children }: OpenStep): string | undefined {
  const text = children.find(({ part }) => part.kind === "model")?.done?.facts.output;
  try {
    const chosen: unknown = typeof text === "string" ? JSON.parse(text) : undefined;
    const { member } = (chosen ?? {}) as { member?: unknown };
    return typeof member === "string" ? member : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns the input of a step, as far as the log contains it. For a model call, it is the input of the run or the
 * results since the previous call.
 */
export function inputOf(scope: Scope, step: OpenStep): ShownJson | undefined {
  const { kind, round = 0 } = step.part;
  if (kind === "model") return round === 0 ? firstInput(scope) : resultsOf(scope.step, round - 1);
  return step.turn?.input ?? (kind === "tool" || kind === "member" ? argumentsOf(scope, step) : undefined);
}

function argumentsOf(scope: Scope, { part, done, call }: OpenStep): ShownJson | undefined {
  return done?.facts.args ?? call?.args ?? askedCall(scope, part)?.args;
}

/**
 * Returns the input of the child runs inside a step: the input in its stored turn, or `task` or `input` in its
 * arguments.
 */
export function inputWithin(step: OpenStep, input: ShownJson | undefined): ShownJson | undefined {
  if (step.turn?.input !== undefined) return step.turn.input;
  return isObject(input) ? (input["task"] ?? input["input"]) : undefined;
}

/** Returns the output of a step: a text, a value, or the calls that a model requested. */
export function outputOf({ done }: OpenStep): ShownJson | undefined {
  const { output, calls } = done?.facts ?? {};
  if (calls === undefined) return output;
  const asked = calls.map(({ name, args }) => ({ tool: name, args }));
  return output === undefined ? asked : { text: output, calls: asked };
}

/** Returns the thinking of a model call, and the text of an active step, as received so far. */
export function textsOf({ part, done, liveText, liveThinking }: OpenStep): Pick<TreeStep, "thinking" | "liveText"> {
  const isOpen = done === undefined;
  const thinking = done?.facts.thinking ?? (isOpen ? liveThinking : "");
  return {
    ...(thinking !== "" && part.kind === "model" && { thinking }),
    ...(isOpen && liveText !== "" && { liveText }),
  };
}

/** Returns the model's request for a tool call, from the same round trip. */
function askedCall({ step }: Scope, { round, index = 0 }: OpenStep["part"]): AskedCall | undefined {
  const model = step.children.find(({ part }) => part.kind === "model" && part.round === round);
  return model?.done?.facts.calls?.[index];
}

function firstInput({ step, input }: Scope): ShownJson | undefined {
  return step.children.find(({ part }) => part.kind === "input")?.done?.facts.output ?? input;
}

function resultsOf({ children }: OpenStep, round: number): ShownJson | undefined {
  const done = children.flatMap((child) =>
    child.part.round === round && child.part.kind !== "model" && child.done !== undefined ? [child.done.facts] : [],
  );
  if (done.length === 0) return undefined;
  return done.map(({ toolName = "", output = null, error }) => ({ tool: toolName, result: error?.message ?? output }));
}
