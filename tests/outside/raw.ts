import { once } from "node:events";
import { connect } from "node:net";
import { seededRandom } from "@troupe-internal/fault-tools";
import { faultOf } from "./visit.ts";
import type { Visited, VisitOptions, VisitResult } from "./visit.ts";

/** Milliseconds after which a connection that says nothing more is ended by the client. */
const quietMs = 2000;
const together = 16;

const body = '{"input":"Hello?"}';
const targets = [
  "/agents/assistant/run",
  "/agents/assistant/stream",
  "/teams/travel-desk/run",
  "/workflows/morning-briefing/run",
  "/sessions",
  "/sessions/s/turns",
  "/runs/r/cancel",
  "/agents/%00/run",
  "/agents/%zz/run",
  "/agents/../agents/assistant/run",
  "//agents//assistant//run",
  "http://127.0.0.1/agents",
  "http://[::1/agents",
  "/agents?x=%ff",
  "/docs/%2e%2e/%2e%2e/package.json",
  "*",
  "",
  `/${"a".repeat(9000)}`,
];
const methods = [
  "POST",
  "GET",
  "DELETE",
  "PATCH",
  "PUT",
  "HEAD",
  "OPTIONS",
  "TRACE",
  "CONNECT",
  "post",
  "FOO",
  "P OST",
];
const versions = ["HTTP/1.1", "HTTP/1.0", "HTTP/2.0", "HTTP/1.1 ", "http/1.1", ""];
const hosts = ["Host: 127.0.0.1", "Host: 127.0.0.1\r\nHost: 127.0.0.1", "Host: a b", "Host:", ""];
const lengths = [
  `Content-Length: ${body.length}`,
  `Content-Length: ${body.length}\r\nContent-Length: ${body.length}`,
  `Content-Length: +${body.length}`,
  "Content-Length: 0x12",
  "Content-Length: 3",
  "Content-Length: 99999999999",
  "Transfer-Encoding: chunked",
  "Transfer-Encoding: chunked, identity",
  "Transfer-Encoding: gzip, chunked",
  `Transfer-Encoding: chunked\r\nContent-Length: ${body.length}`,
  "Transfer-Encoding : chunked",
  "",
];
const types = [
  "application/json",
  "application/json; charset=utf-16",
  "text/plain",
  "multipart/form-data",
  "\u0000",
  "a/b/c",
];
const extras = [
  "",
  "X: y\r\n folded",
  "X\u0000: y",
  "X-Request-Id: \u00e9<script>",
  "Expect: 100-continue",
  "Expect: nothing",
  "Upgrade: websocket\r\nConnection: upgrade",
  "Content-Encoding: gzip",
  "Accept: \u0001",
  "x-demo-user: %00",
  "x-openai-api-key: a b",
  "Cookie: ".padEnd(20_000, "c"),
  "Last-Event-ID: ../..",
  "Origin: null",
];
const bodies = [
  body,
  `12\r\n${body}\r\n0\r\n\r\n`,
  `12;ext="x"\r\n${body}\r\n0\r\nX: trailer\r\n\r\n`,
  `zz\r\n${body}\r\n`,
  "0\r\n\r\n",
  `${body}GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n`,
  `0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n`,
  "[".repeat(5000),
  '{"input":"\ud800"}',
  '{"__proto__":{"input":"x"}}',
  "",
];

/** Sends requests of which the most are no HTTP, each on a connection of its own, and judges all that comes back. */
export async function visitRaw({ url }: Visited, { cases, seed }: VisitOptions): Promise<VisitResult> {
  const random = seededRandom(seed);
  const one = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
  const port = Number(new URL(url).port);
  const faults: string[] = [];
  const makeRequest = () => {
    const start = [one(methods), one(targets), one(versions)].filter((word) => word !== "").join(" ");
    const fields = [one(hosts), one(lengths), `Content-Type: ${one(types)}`, one(extras)].filter((line) => line !== "");
    return Buffer.from(`${[start, ...fields].join("\r\n")}\r\n\r\n${one(bodies)}`, "latin1");
  };
  for (let sent = 0; sent < cases; sent += together) {
    const requests = Array.from({ length: Math.min(together, cases - sent) }, makeRequest);
    const answers = await Promise.all(requests.map(async (request) => await exchange(port, request)));
    answers.forEach((answer, index) => {
      const request = requests[index]?.toString("latin1") ?? "";
      for (const fault of judge(request, answer))
        faults.push(`${fault}\n    sent ${JSON.stringify(request.slice(0, 300))}`);
    });
  }
  return { cases, faults };
}

async function exchange(port: number, request: Buffer): Promise<string> {
  const socket = connect(port, "127.0.0.1").on("error", () => undefined);
  const received: Buffer[] = [];
  socket.on("data", (bytes: Buffer) => received.push(bytes)).setTimeout(quietMs, () => socket.destroy());
  socket.write(request);
  if (!socket.closed) await once(socket, "close");
  return Buffer.concat(received).toString("latin1");
}

/** Judges each answer of a connection. A second one is to what followed the body, which HTTP calls a further request. */
function judge(request: string, received: string): string[] {
  const answers = received.split(/(?=HTTP\/1\.1 \d{3} [A-Z])/).filter((answer) => !answer.startsWith("HTTP/1.1 100 "));
  // Node closes a connection on which a tunnel is asked for.
  if (received === "" && request.startsWith("CONNECT")) return [];
  return answers.flatMap((answer) => {
    const [head = "", ...rest] = answer.split("\r\n\r\n");
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]);
    if (Number.isNaN(status)) return [`not HTTP: ${answer.slice(0, 200)}`];
    const text = bodyOf(head, rest.join("\r\n\r\n"));
    // Node refuses what is no HTTP before any handler sees it, without a body; and an answer to HEAD has none.
    if (text === "" && (request.startsWith("HEAD") || [400, 408, 413, 417, 431].includes(status))) return [];
    return faultOf(status, text) ?? [];
  });
}

function bodyOf(head: string, text: string): string {
  if (!/^transfer-encoding: chunked/im.test(head)) return text;
  return text.replace(/^[0-9a-f]+\r\n/gim, "").replaceAll("\r\n", "");
}
