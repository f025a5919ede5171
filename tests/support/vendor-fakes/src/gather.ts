import type { ModelChunk } from "@troupe/core/provider";
import type { FakeVendor } from "./fake-vendor.ts";

/** Returns the bodies that a vendor received. */
export function bodiesOf(vendor: FakeVendor): Record<string, unknown>[] {
  return vendor.exchanges.map(({ request }) => request.body as Record<string, unknown>);
}

/** Collects the chunks of a stream, and the error that ended it. */
export async function gather(stream: AsyncIterable<ModelChunk>): Promise<{ chunks: ModelChunk[]; error: unknown }> {
  const chunks: ModelChunk[] = [];
  try {
    for await (const chunk of stream) chunks.push(chunk);
  } catch (error) {
    return { chunks, error };
  }
  return { chunks, error: undefined };
}
