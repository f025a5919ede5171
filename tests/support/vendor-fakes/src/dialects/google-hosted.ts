import type { RoutedRequest } from "../dialect.ts";
import { citedPages } from "../hosted-calls.ts";
import { objectOf } from "../json-body.ts";
import { sign } from "../signature.ts";
import { textIn } from "../answer-blocks.ts";
import type { AnswerBlocks } from "../answer-blocks.ts";
import { isOldGemini } from "./google-path.ts";

/** A part of an answer. */
export type GooglePart = { [field: string]: unknown };

/**
 * Returns the parts of the vendor's own tools: code and its output, and searches if the request asks for their calls,
 * as it must beside functions.
 */
export function hostedParts({ hosted }: AnswerBlocks, { request, route }: RoutedRequest): GooglePart[] {
  const { includeServerSideToolInvocations: areShown } = objectOf(objectOf(request.body)["toolConfig"]);
  const isOld = isOldGemini(route.modelId);
  return hosted.flatMap((call, index): GooglePart[] => {
    const id = `srv_${sign("hosted", request.body, index)}`;
    if (call.tool === "code") {
      const code = { language: "PYTHON", code: call.code, ...(!isOld && { id }) };
      const result = { outcome: "OUTCOME_OK", output: call.output, ...(!isOld && { id }) };
      return [
        { executableCode: code, ...(!isOld && { thoughtSignature: signPart(code) }) },
        { codeExecutionResult: result },
      ];
    }
    if (areShown !== true) return [];
    const asked = { id, toolType: "GOOGLE_SEARCH_WEB", args: { queries: [call.query] } };
    const response = { search_suggestions: "<div></div>" };
    return [
      { toolCall: asked, thoughtSignature: signPart(asked) },
      { toolResponse: { id, toolType: "GOOGLE_SEARCH_WEB", response } },
    ];
  });
}

/** Returns the signature of the thought before a call of one of the vendor's own tools. */
export function signPart(call: unknown): string {
  const entries = Object.entries(objectOf(call)).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Buffer.from(sign("hosted thought", entries)).toString("base64");
}

/** Returns the field of a candidate that names the results of its searches. */
export function groundingOf(parts: AnswerBlocks): object {
  const searches = parts.hosted.flatMap((call) => (call.tool === "web_search" ? [call] : []));
  if (searches.length === 0) return {};
  const pages = searches.flatMap((search) => search.pages);
  const text = textIn(parts, "text");
  const supports = citedPages(parts.hosted).map(({ url }) => ({
    segment: { startIndex: 0, endIndex: Buffer.byteLength(text), text },
    groundingChunkIndices: [pages.findIndex((page) => page.url === url)],
  }));
  return {
    groundingMetadata: {
      webSearchQueries: searches.map(({ query }) => query),
      searchEntryPoint: { renderedContent: "<div></div>" },
      groundingChunks: pages.map(({ url, title }) => ({ web: { uri: url, title } })),
      groundingSupports: supports,
    },
  };
}
