import type { FunctionCall, Part, PartialArg } from "@google/genai/web";
import { getOwn } from "@troupe/core/adapter";

type Arguments = Record<string, unknown>;
type Step = string | number;

/**
 * Puts calls together whose arguments come in pieces, each with the place where it belongs. We do not ask for that; a
 * gateway in between may, and a call without its arguments must not pass for a whole one.
 */
export class CallAssembler {
  #open: (Part & { functionCall: FunctionCall }) | undefined;

  /** The part as it came, or when it belongs to such a call, the whole call once its last piece is there. */
  add(part: Part): Part | undefined {
    const { functionCall } = part;
    return functionCall === undefined ? part : this.#addCall(part, functionCall);
  }

  #addCall(part: Part, { partialArgs, willContinue, ...call }: FunctionCall): Part | undefined {
    if ((this.#open ?? partialArgs ?? willContinue) === undefined) return part;
    const whole = this.#open ?? { ...part, functionCall: call };
    whole.functionCall.args = (partialArgs ?? []).reduce<Arguments>(put, whole.functionCall.args ?? {});
    this.#open = willContinue === true ? whole : undefined;
    return willContinue === true ? undefined : whole;
  }
}

function put(args: Arguments, { jsonPath = "", stringValue, numberValue, boolValue }: PartialArg): Arguments {
  const steps = [...jsonPath.matchAll(/\.([^.[\]]+)|\['([^']*)'\]|\[(\d+)\]/g)];
  const path = steps.map(([, name, quoted, index]): Step => name ?? quoted ?? Number(index));
  return { ...args, ...(withValue(args, path, stringValue ?? numberValue ?? boolValue ?? null) as Arguments) };
}

/** Pieces of a text are joined. */
function withValue(target: unknown, [step, ...rest]: readonly Step[], value: unknown): unknown {
  if (step === undefined) return typeof target === "string" && typeof value === "string" ? target + value : value;
  if (typeof step === "number") {
    const list: readonly unknown[] = Array.isArray(target) ? target : [];
    return list.slice(0, step).concat([withValue(list[step], rest, value)], list.slice(step + 1));
  }
  const fields = typeof target === "object" && target !== null ? (target as Arguments) : {};
  return { ...fields, [step]: withValue(getOwn(fields, step), rest, value) };
}
