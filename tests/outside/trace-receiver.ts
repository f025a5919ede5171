import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";

/** A span that was received. */
export type ReceivedSpan = { readonly name: string; readonly attributes: Readonly<Record<string, unknown>> };

type Value = { stringValue?: string; intValue?: number | string; doubleValue?: number; boolValue?: boolean };
type Sent = { name: string; attributes?: { key: string; value: Value }[] };
type Request = { resourceSpans: { scopeSpans: { spans: Sent[] }[] }[] };

/** Starts a server in place of a vendor's cloud, which reads spans over OTLP/HTTP with JSON. */
export async function startTraceReceiver(): Promise<{
  url: string;
  spans: ReceivedSpan[];
  close: () => Promise<void>;
}> {
  const spans: ReceivedSpan[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const sent = Buffer.concat(chunks);
      const body = request.headers["content-encoding"] === "gzip" ? gunzipSync(sent) : sent;
      if (request.url?.endsWith("/v1/traces") === true)
        spans.push(...readSpans(JSON.parse(body.toString()) as Request));
      response.setHeader("content-type", "application/json").end("{}");
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = async (): Promise<void> => {
    const closed = once(server, "close");
    server.close();
    server.closeAllConnections();
    await closed;
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, spans, close };
}

function readSpans({ resourceSpans }: Request): ReceivedSpan[] {
  const sent = resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
  return sent.map(({ name, attributes = [] }) => ({
    name,
    attributes: Object.fromEntries(attributes.map(({ key, value }) => [key, toValue(value)])),
  }));
}

function toValue({ stringValue, intValue, doubleValue, boolValue }: Value): unknown {
  return stringValue ?? (intValue === undefined ? (doubleValue ?? boolValue) : Number(intValue));
}
