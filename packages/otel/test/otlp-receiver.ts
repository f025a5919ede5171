import { once } from "node:events";
import { createServer } from "node:http";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

/** A span as OTLP/HTTP with JSON carries it. */
export type OtlpSpan = {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly kind: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly events: readonly { readonly name: string }[];
  /** The name, version and schema URL of the instrumentation. */
  readonly scope: { readonly name: string; readonly version?: string; readonly schemaUrl?: string };
};

type Value = {
  stringValue?: string;
  intValue?: number | string;
  doubleValue?: number;
  boolValue?: boolean;
  arrayValue?: { values: Value[] };
};
type Sent = Omit<OtlpSpan, "attributes" | "links" | "events" | "scope"> & {
  attributes?: { key: string; value: Value }[];
  links?: OtlpSpan["links"];
  events?: OtlpSpan["events"];
};
type Request = {
  resourceSpans: { scopeSpans: { scope: { name: string; version?: string }; schemaUrl?: string; spans: Sent[] }[] }[];
};

/** A collector of a test, which receives spans over OTLP/HTTP with JSON. */
export class OtlpReceiver {
  readonly url: string;
  readonly spans: OtlpSpan[] = [];
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`;
    server.on("request", (request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        this.spans.push(...readSpans(JSON.parse(Buffer.concat(chunks).toString()) as Request));
        response.setHeader("content-type", "application/json").end("{}");
      });
    });
  }

  static async start(): Promise<OtlpReceiver> {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new OtlpReceiver(server);
  }

  async close(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
}

function readSpans({ resourceSpans }: Request): OtlpSpan[] {
  return resourceSpans.flatMap(({ scopeSpans }) =>
    scopeSpans.flatMap(({ scope, schemaUrl, spans }) =>
      spans.map(({ attributes = [], links = [], events = [], ...span }) => ({
        ...span,
        links,
        events,
        attributes: Object.fromEntries(attributes.map(({ key, value }) => [key, toValue(value)])),
        scope: { ...scope, ...(schemaUrl !== undefined && { schemaUrl }) },
      })),
    ),
  );
}

function toValue({ stringValue, intValue, doubleValue, boolValue, arrayValue }: Value): unknown {
  if (arrayValue !== undefined) return arrayValue.values.map(toValue);
  return stringValue ?? (intValue === undefined ? (doubleValue ?? boolValue) : Number(intValue));
}
