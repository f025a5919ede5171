import { readSse } from "@troupe/core/adapter";
import type { RecordedStream } from "./evidence.ts";

/** Reads a stream of events to its end, and notes whether it was ended or broke off. */
export async function recordSse(name: string, bytes: AsyncIterable<Uint8Array>): Promise<RecordedStream> {
  const chunks: unknown[] = [];
  try {
    for await (const { data } of readSse(bytes)) chunks.push(readData(data));
    return { name, chunks, end: "closed" };
  } catch {
    return { name, chunks, end: "aborted" };
  }
}

/** What is not JSON is kept as the text it is: no chunk has that form. */
function readData(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return data;
  }
}
