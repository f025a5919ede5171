import type { Operations } from "../base/telemetry/operations.ts";
import type { Telemetry } from "../base/telemetry/telemetry.ts";
import type { KnowledgeSearchResult } from "./join-results.ts";

/** Searches a knowledge base, and records the search in telemetry. */
export async function observeRetrieval(
  telemetry: Telemetry,
  facts: Operations["retrieval"]["begin"],
  search: () => Promise<KnowledgeSearchResult[]>,
): Promise<KnowledgeSearchResult[]> {
  const operation = telemetry.begin("retrieval", facts);
  try {
    const found = await operation.run(search);
    const documents = () =>
      found.map(({ document: { id, content }, score }) => ({ id, content, ...(score !== null && { score }) }));
    operation.end({ documents });
    return found;
  } catch (error) {
    operation.end({ error, documents: () => [] });
    throw error;
  }
}
