import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createLogger } from "@troupe/core";
import { onTestFinished } from "vitest";
import { startVendor } from "./vendor.ts";
import { googleEmbeddings } from "../src/index.ts";
import type { GoogleEmbeddingsOptions } from "../src/index.ts";

/** The body of a request for several texts. */
export type Batch = { requests: { model: string; content: object; outputDimensionality?: number }[] };

/** Embeddings that ask a strict vendor, and what they warn of. */
export async function startEmbeddings({
  vectors = 32,
  ...options
}: GoogleEmbeddingsOptions & { vectors?: number } = {}) {
  const { vendor } = await startVendor({ dimensions: vectors });
  const lines: string[] = [];
  const logger = createLogger({ level: "warn", write: (line) => void lines.push(line) });
  const embeddings = googleEmbeddings({ apiKey: "key-1", baseURL: vendor.url, logger, ...options });
  return { vendor, embeddings, lines };
}

/** Embeddings of Google whose requests the given function answers. */
export async function startAnswering(answer: (texts: number) => { status?: number; body: unknown }, options = {}) {
  let asked = 0;
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (bytes) => (body += String(bytes)));
    request.on("end", () => {
      asked += 1;
      const reply = answer((JSON.parse(body) as Batch).requests.length);
      response.writeHead(reply.status ?? 200).end(JSON.stringify(reply.body));
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => server.close().closeAllConnections());
  const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const embeddings = googleEmbeddings({ apiKey: "key-1", baseURL, model: "m", ...options });
  return { embeddings, asked: () => asked };
}

/** The vendor's answer with so many vectors. */
export const vectorsOf = (count: number, values = [0.6, 0.8]) => ({
  embeddings: Array.from({ length: count }, () => ({ values })),
});
