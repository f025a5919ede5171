import type { FunctionCall, Part, PartialArg } from "@google/genai/web";
import { getOwn, readObjects } from "@troupe/core/kit";

type Arguments = Record<string, unknown>;
type Step = string | number;

/**
 * Assembles tool calls whose arguments arrive in pieces, each with its JSON path. Our requests do not ask for pieces,
 * but a gateway may. A tool must not be executed with incomplete arguments.
 */
export class CallAssembler {
  #open: (Part & { functionCall: FunctionCall }) | undefined;

  /**
   * Returns a part of Gemini's answer unchanged if it is not a piece of a tool call. For a piece, returns `undefined`;
   * for the last piece, returns the whole call.
   */
  add(part: Part): Part | undefined {
    const { functionCall } = part;
    return functionCall === undefined ? part : this.#addCall(part, functionCall);
  }

  #addCall(part: Part, { partialArgs, willContinue, ...call }: FunctionCall): Part | undefined {
    if ((this.#open ?? partialArgs ?? willContinue) === undefined) return part;
    const whole = this.#open ?? { ...part, functionCall: call };
    whole.functionCall.args = readObjects(partialArgs).reduce<Arguments>(put, whole.functionCall.args ?? {});
    this.#open = willContinue === true ? whole : undefined;
    return willContinue === true ? undefined : whole;
  }
}

function put(args: Arguments, { jsonPath = "", stringValue, numberValue, boolValue }: PartialArg): Arguments {
  const steps = [...jsonPath.matchAll(/\.([^.[\]]+)|\['([^']*)'\]|\[(\d+)\]/g)];
  const path = steps.map(([, name, quoted, index]): Step => name ?? quoted ?? Number(index));
  return { ...args, ...(withValue(args, path, stringValue ?? numberValue ?? boolValue ?? null) as Arguments) };
}

/**
 * Returns a copy of `target`, part of a tool call's arguments, with the value at a path. Pieces of a string are joined.
 */
function withValue(target: unknown, [step, ...rest]: readonly Step[], value: unknown): unknown {
  if (step === undefined) return typeof target === "string" && typeof value === "string" ? target + value : value;
  if (typeof step === "number") {
    const list: readonly unknown[] = Array.isArray(target) ? target : [];
    return list.slice(0, step).concat([withValue(list[step], rest, value)], list.slice(step + 1));
  }
  const fields = typeof target === "object" && target !== null ? (target as Arguments) : {};
  return { ...fields, [step]: withValue(getOwn(fields, step), rest, value) };
}
