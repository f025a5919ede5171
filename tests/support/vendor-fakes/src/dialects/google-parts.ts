import type { RoutedRequest } from "../dialect.ts";
import { objectOf } from "../json-body.ts";
import { sign } from "../signature.ts";
import { argumentsOf, callsIn } from "../answer-blocks.ts";
import type { AnswerBlocks } from "../answer-blocks.ts";
import { hostedParts } from "./google-hosted.ts";
import type { GooglePart } from "./google-hosted.ts";
import { isOldGemini, readGooglePath } from "./google-path.ts";

/** Returns the parts of an answer in the groups in which they are streamed: text piece by piece, calls together. */
export function toParts(parts: AnswerBlocks, routed: RoutedRequest): GooglePart[][] {
  const calls = callParts(parts, routed);
  return [
    ...(areThoughtsShown(routed) ? wordsOf(parts, "thinking").map((text) => [{ text, thought: true }]) : []),
    ...hostedParts(parts, routed).map((part) => [part]),
    ...wordsOf(parts, "text").map((text) => [{ text }]),
    ...(calls.length > 0 ? [calls] : []),
  ];
}

/** Returns the signature of the thought before a call. */
export function signCall(name: string, args: unknown): string {
  return Buffer.from(sign("thought", name, args)).toString("base64");
}

function callParts(parts: AnswerBlocks, { request, route }: RoutedRequest): GooglePart[] {
  const isOld = isOldGemini(route.modelId);
  const hasIds = !isOld && readGooglePath(request)?.isCloud !== true;
  return callsIn(parts).map((call, index) => {
    const [{ name, id }, args] = [call, argumentsOf(call)];
    return {
      functionCall: { name, args, ...(hasIds && { id }) },
      // Only the first of parallel calls is signed.
      ...(index === 0 && !isOld && { thoughtSignature: signCall(name, args) }),
    };
  });
}

function wordsOf({ blocks }: AnswerBlocks, type: "thinking" | "text"): string[] {
  return blocks.flatMap((block) => (block.type === type ? block.pieces : []));
}

function areThoughtsShown({ request }: RoutedRequest): boolean {
  const { thinkingConfig } = objectOf(objectOf(request.body)["generationConfig"]);
  return objectOf(thinkingConfig)["includeThoughts"] === true;
}
