import { TroupeError } from "@troupe/core";
import type { ErrorCode, Json } from "@troupe/core";
import { toPublicError } from "@troupe/core/transport";
import type { ShownError, StepFacts } from "./inspected-run.ts";
import { toShownJson, toShownText } from "./shown-json.ts";

/**
 * The viewer of the inspector. `isHost` is true if the viewer sees all runs, and also messages of exceptions, which
 * clients do not get.
 */
type Viewer = { readonly isHost: boolean };

type Fields = Readonly<Record<string, unknown>>;

/** Reads the result of a step from its value in the journal. The key of the step identifies its kind. */
export function readStepFacts(step: string, value: Json, viewer: Viewer): StepFacts {
  const fields = fieldsOf(value);
  if (/(^|\/)m\/\d+$/.test(step)) return readModelCall(fields);
  if (/(^|\/)t\/\d+\/\d+$/.test(step)) return readToolCall(fieldsOf(fields["result"]), viewer);
  if (/(^|\/)s\/turn$/.test(step)) return readTurn(fieldsOf(fields["turn"]));
  if (/(^|\/)(in|g\/[^/]+)$/.test(step)) return { output: toShownJson(value) };
  const error = readError(fields["error"], viewer);
  if (error !== undefined) return { error, ...(fields["repeats"] === true && { isRepeated: true }) };
  if (fields["again"] === true) return { isRepeated: true };
  return readValue(fields["value"] ?? value);
}

/**
 * Returns an error of a run or a step, or undefined if the value is not an error. Only viewers of all runs see the
 * message of an internal fault.
 */
export function readError(value: unknown, { isHost }: Viewer): ShownError | undefined {
  const { code, message } = fieldsOf(value);
  if (typeof code !== "string") return undefined;
  const given = typeof message === "string" ? message : "";
  const shown = isHost ? given : toPublicError(new TroupeError(code as ErrorCode, given)).message;
  return { code: toShownText(code), message: toShownText(shown) };
}

function readModelCall({ response }: Fields): StepFacts {
  const { text, thinking, toolCalls, model, finishReason } = fieldsOf(response);
  const calls = Array.isArray(toolCalls) ? toolCalls.map(fieldsOf) : [];
  return {
    ...(typeof text === "string" && text !== "" && { output: toShownText(text) }),
    ...textField("thinking", thinking),
    ...(calls.length > 0 && {
      calls: calls.slice(0, 100).map((call) => ({
        name: toShownText(String(call["name"])),
        args: toShownJson(call["arguments"]),
      })),
    }),
    ...textField("model", model),
    ...textField("finishReason", finishReason),
  };
}

/**
 * Reads the outcome of a tool call. Only a viewer of all runs sees the text that the model received for a failed call,
 * which may be the message of an exception.
 */
function readToolCall({ toolName, args, result, error, artifacts }: Fields, { isHost }: Viewer): StepFacts {
  const isFailure = typeof error === "string";
  const parts =
    Array.isArray(artifacts) && artifacts.length > 0 ? { result, artifacts: artifacts as unknown[] } : result;
  return {
    ...textField("toolName", toolName),
    args: toShownJson(args),
    ...(isFailure
      ? { error: { code: "tool_failed", message: toShownText(error) }, ...(isHost && { output: toShownJson(result) }) }
      : { output: toShownJson(parts) }),
  };
}

function readTurn({ runnable, input }: Fields): StepFacts {
  return { ...textField("runnable", runnable), ...(input !== undefined && { input: toShownJson(input) }) };
}

/** Reads the output of a member, the change of a workflow step, or a value that a third-party step has stored. */
function readValue(value: unknown): StepFacts {
  const fields = fieldsOf(value);
  const member = "output" in fields && "finishReason" in fields ? fieldsOf(fields["output"]) : fields;
  if (typeof member["text"] === "string" && Array.isArray(member["toolCalls"])) {
    const { text, structured, artifacts, sources } = member;
    const rest = Object.entries({ structured, artifacts, sources }).filter(([, each]) => (each ?? null) !== null);
    const output = rest.length === 0 ? text : { text, ...Object.fromEntries(rest) };
    return { output: toShownJson(output), ...textField("thinking", member["thinking"]) };
  }
  return { output: toShownJson("partial" in fields ? fields["partial"] : value) };
}

function textField<Name extends string>(name: Name, value: unknown): { [Key in Name]?: string } {
  if (typeof value !== "string" || value === "") return {};
  return { [name]: toShownText(value) } as { [Key in Name]?: string };
}

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}
