import type { Part } from "@google/genai/web";
import type { Source } from "@troupe/core";
import { readObject, readObjects } from "@troupe/core/kit";
import { readSource } from "@troupe/core/provider";

type Fields = Readonly<Record<string, unknown>>;

/** Returns true if a part is a call of one of the vendor's own tools, or its result. */
export function isHosted(part: Part): boolean {
  const { executableCode, codeExecutionResult, toolCall, toolResponse } = part as Fields;
  return [executableCode, codeExecutionResult, toolCall, toolResponse].some((each) => each !== undefined);
}

/** Returns the sources of an answer: pages that a search found, and pages that the model read. */
export function sourcesIn({ groundingMetadata, urlContextMetadata }: Fields): Source[] {
  const found = readObjects(readObject(groundingMetadata)["groundingChunks"]).flatMap(
    ({ web, retrievedContext, maps }) => {
      const { uri: url, title } = readObject(web ?? retrievedContext ?? maps);
      return readSource({ url, title });
    },
  );
  const pages = readObjects(readObject(urlContextMetadata)["urlMetadata"]);
  return [...found, ...pages.flatMap(({ retrievedUrl: url }) => readSource({ url }))];
}
