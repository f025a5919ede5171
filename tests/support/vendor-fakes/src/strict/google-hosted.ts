import { signPart } from "../dialects/google-hosted.ts";
import { objectOf } from "../json-body.ts";
import type { JsonObject } from "../json-body.ts";
import { refuseIf } from "./checks.ts";
import type { Checks } from "./checks.ts";

const pairs = [
  ["executableCode", "codeExecutionResult"],
  ["toolCall", "toolResponse"],
] as const;

/** Checks that calls of the vendor's own tools were sent back with their results and signatures. */
export function* googleHostedChecks(parts: readonly JsonObject[], at: string): Checks {
  for (const [asked, answered] of pairs) {
    for (const [index, part] of parts.entries()) {
      yield* callChecks(part, { call: part[asked], result: parts[index + 1]?.[answered] }, at);
      yield refuseIf(
        part[answered] !== undefined && parts[index - 1]?.[asked] === undefined,
        "Please ensure that code execution results and tool responses come immediately after their calls.",
        at,
      );
    }
  }
}

function* callChecks(part: JsonObject, { call, result }: { call: unknown; result: unknown }, at: string): Checks {
  if (call === undefined) return;
  const { id } = objectOf(call);
  yield refuseIf(
    result === undefined || objectOf(result)["id"] !== id,
    "Please ensure that calls of built-in tools are followed by their results.",
    at,
  );
  const isSigned = id === undefined || part["thoughtSignature"] === signPart(call);
  yield refuseIf(!isSigned, "Corrupted thought signature.", at);
}
