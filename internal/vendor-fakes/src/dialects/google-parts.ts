import type { Asked } from "../dialect.ts";
import { objectOf } from "../json-body.ts";
import { sign } from "../signature.ts";
import { argumentsOf, callsIn } from "../turn-blocks.ts";
import type { TurnBlocks } from "../turn-blocks.ts";
import { isOldGemini, readGooglePath } from "./google-path.ts";

/** One part of an answer. */
export type GooglePart = { [field: string]: unknown };

/** The parts of an answer in the groups in which they are streamed: words one by one, calls together. */
export function toParts(parts: TurnBlocks, asked: Asked): GooglePart[][] {
  const calls = callParts(parts, asked);
  return [
    ...(areThoughtsShown(asked) ? wordsOf(parts, "thinking").map((text) => [{ text, thought: true }]) : []),
    ...wordsOf(parts, "text").map((text) => [{ text }]),
    ...(calls.length > 0 ? [calls] : []),
  ];
}

/** The signature of the thought that led to a call. */
export function signCall(name: string, args: unknown): string {
  return Buffer.from(sign("thought", name, args)).toString("base64");
}

function callParts(parts: TurnBlocks, { request, route }: Asked): GooglePart[] {
  const isOld = isOldGemini(route.modelId);
  const hasIds = !isOld && readGooglePath(request)?.isCloud !== true;
  return callsIn(parts).map((call, index) => {
    const [{ name, id }, args] = [call, argumentsOf(call)];
    return {
      functionCall: { name, args, ...(hasIds && { id }) },
      // Of parallel calls, the first alone is signed.
      ...(index === 0 && !isOld && { thoughtSignature: signCall(name, args) }),
    };
  });
}

function wordsOf({ blocks }: TurnBlocks, type: "thinking" | "text"): string[] {
  return blocks.flatMap((block) => (block.type === type ? block.pieces : []));
}

function areThoughtsShown({ request }: Asked): boolean {
  const { thinkingConfig } = objectOf(objectOf(request.body)["generationConfig"]);
  return objectOf(thinkingConfig)["includeThoughts"] === true;
}
