import { signCall } from "../dialects/google-parts.ts";
import { objectOf, objectsIn, stringOrEmpty } from "../json-body.ts";
import type { JsonObject } from "../json-body.ts";
import { isRecorded } from "../signature.ts";
import { refuseIf } from "./checks.ts";
import type { Checks } from "./checks.ts";

/** Values that replace a signature when a call came from another vendor. */
const sentinel = "skip_thought_signature_validator";

/** Checks that the first call of each step of the current turn has its signature. Earlier turns are not checked. */
export function* signatureChecks(contents: readonly JsonObject[]): Checks {
  const turnStart = contents.findLastIndex(isAsked);
  for (const [index, content] of contents.entries()) {
    const calls = objectsIn(content["parts"]).filter((part) => part["functionCall"] !== undefined);
    if (index < turnStart || calls[0] === undefined) continue;
    const { name, args } = objectOf(calls[0]["functionCall"]);
    const signature = stringOrEmpty(calls[0]["thoughtSignature"]);
    yield refuseIf(
      signature === "",
      `Function call \`${String(name)}\` in the ${index + 1}. content block is missing a \`thought_signature\`.`,
      `contents[${index}]`,
    );
    const isIssued = signature === sentinel || isRecorded(signature) || signature === signCall(String(name), args);
    yield refuseIf(!isIssued, "Corrupted thought signature.", `contents[${index}]`);
  }
}

/** Returns true for user content without results. */
function isAsked({ role, parts }: JsonObject): boolean {
  return role === "user" && !objectsIn(parts).some((part) => part["functionResponse"] !== undefined);
}
