import { gzipSync } from "node:zlib";
import { uploadLimits } from "../generated/faulty-service.ts";
import { encodeForm, formType } from "../forms.ts";
import type { RawAttack } from "./raw-attack.ts";
import { head } from "../raw.ts";

const run = "/agents/a/run";
const stream = "/agents/a/stream";
const json = "Content-Type: application/json";
const chunked = "Transfer-Encoding: chunked";
const hello = '{"input":"x"}';
const whole = `Content-Length: ${hello.length}`;
/** A smuggled request, in a body or behind it, which must not be answered. */
const hidden = "GET /health HTTP/1.1\r\nHost: test\r\n\r\n";

const file = { name: "files", filename: "a.png", type: "image/png", body: Buffer.alloc(uploadLimits.maxFileSize, "x") };
/** More than an upload may hold in memory. */
const form = encodeForm({ name: "input", body: "Hi" }, file, file, file);
const formInChunks = chunksOf(form, 4);
const bomb = gzipSync(Buffer.alloc(5_000_000, " "));

function chunksOf(body: Buffer, count: number): Buffer[] {
  return piecesOf(body, count).map((piece) =>
    Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from("\r\n")]),
  );
}

function piecesOf(bytes: Buffer, count: number): Buffer[] {
  const size = Math.ceil(bytes.length / count);
  return Array.from({ length: count }, (_, index) => bytes.subarray(index * size, (index + 1) * size));
}

function withLength(body: string | Buffer): string {
  return `Content-Length: ${Buffer.byteLength(body)}`;
}

/** A request that keeps its connection alive. */
function kept(path: string, body: string): string {
  return head(path, json, withLength(body)).replace("Connection: close\r\n", "") + body;
}

/** A client that sends everything at once, and reads. */
function asks(statuses: number | readonly number[], ...pieces: (string | Buffer)[]): RawAttack {
  const all = Buffer.concat(pieces.map((piece) => Buffer.from(piece as string)));
  return { send: [all], afterwards: "read", statuses: typeof statuses === "number" ? [statuses] : statuses };
}

/** A client that sends this and disconnects. */
function goes(afterwards: Exclude<RawAttack["afterwards"], "read">, ...send: (string | Buffer)[]): RawAttack {
  return { send, afterwards };
}

/** A client that sends a broken request, ends its sending side and reads: the server itself answers it with a 400. */
function breaksOff(...send: (string | Buffer)[]): RawAttack {
  return { send, afterwards: "end", statuses: [400] };
}

/** Malformed requests, which the server refuses before any of our code sees them. */
const malformed: Record<string, RawAttack> = {
  "half a request line": asks(400, "GET\r\n\r\n"),
  garbage: asks(400, Buffer.from([0, 1, 2, 255, 13, 10, 13, 10])),
  "a greeting in TLS": asks(400, Buffer.from("16030100a5010000a10303", "hex"), Buffer.alloc(160)),
  "a preface of HTTP/2": asks(400, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
  "HTTP/9": asks(400, "GET /health HTTP/9.9\r\nHost: x\r\n\r\n"),
  "an unknown method": asks(400, "FETCH /health HTTP/1.1\r\nHost: x\r\n\r\n"),
  "no host": asks(400, "GET /health HTTP/1.1\r\n\r\n"),
  "a head of 40 KB": asks(431, `GET /agents HTTP/1.1\r\nHost: x\r\nX: ${"x".repeat(40_000)}\r\n\r\n`),
  "a target of 40 KB": asks(431, `GET /agents?${"x".repeat(40_000)} HTTP/1.1\r\nHost: x\r\n\r\n`),
  "3,000 headers": asks(431, head(run, json, whole, ...Array<string>(3000).fill("a: b")), hello),
  "a header without a colon": asks(400, head(run, json, whole, "Nothing"), hello),
  "a name with a space": asks(400, head(run, json, "Content-Length : 13"), hello),
  "NUL in a header": asks(400, head(run, json, whole, "X: a\0b"), hello),
  "half a line break in a header": asks(400, head(run, json, "X: a\rContent-Length: 13"), hello),
  "a negative length": asks(400, head(run, json, "Content-Length: -1"), hello),
  "a length with a sign": asks(400, head(run, json, "Content-Length: +13"), hello),
  "a length in hexadecimal": asks(400, head(run, json, "Content-Length: 0xd"), hello),
  "a length that no number holds": asks(400, head(run, json, `Content-Length: ${"9".repeat(30)}`), hello),
  "two lengths": asks(400, head(run, json, whole, "Content-Length: 5"), hello),
  "chunks and a length": asks(400, head(run, json, chunked, "Content-Length: 5"), `0\r\n\r\n${hidden}`),
  "a length and chunks": asks(400, head(run, json, "Content-Length: 5", chunked), `0\r\n\r\n${hidden}`),
  "chunks that are something else too": asks(400, head(run, json, `${chunked}, identity`), `0\r\n\r\n${hidden}`),
  "chunks by nearly their name": asks(400, head(run, json, "Transfer-Encoding: xchunked"), `0\r\n\r\n${hidden}`),
  "a chunk without a length": asks(400, head(run, json, chunked), "zz\r\nabc\r\n"),
  "a chunk whose length no number holds": asks(400, head(run, json, chunked), `${"f".repeat(17)}\r\nabc\r\n`),
  "a chunk that is longer than it says": asks(400, head(run, json, chunked), `2\r\n${hello}\r\n0\r\n\r\n`),
  "half line breaks between chunks": asks(400, head(run, json, chunked), `d\n${hello}\n0\n\n${hidden}`),
  "a chunk that says 40 KB of itself": asks(413, head(run, json, chunked), `d;x=${"x".repeat(40_000)}\r\n${hello}`),
  "a body that is longer than it says": asks(400, head(run, json, "Content-Length: 5"), `{"in}${hidden}`),
  "a request behind the last one": asks(400, head(run, json, whole), hello, hidden),
};

/** Strange requests that the service answers itself. */
const strange: Record<string, RawAttack> = {
  "half characters in a path": asks(400, head("/agents/%00%ff/run", json, whole), hello),
  "a target that is no address": asks(404, "GET http://[::1/agents HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"),
  "headers with hostile names": asks(200, head(run, json, whole, "__proto__: x", "constructor: y"), hello),
  "400 headers": asks(200, head(run, json, whole, ...Array<string>(400).fill("a: b")), hello),
  "a body in UTF-16": asks(400, head(run, json, "Content-Length: 26"), Buffer.from(hello, "utf16le")),
  "a bomb": asks(415, head(run, json, "Content-Encoding: gzip", withLength(bomb)), bomb),
  "a body that is announced too long": asks(413, head(run, json, "Content-Length: 10000000000")),
  "an expectation that nobody meets": asks(417, head(run, json, whole, "Expect: a miracle"), hello),
  "several requests at once": asks(
    [404, 400, 200],
    kept("/agents/nobody/run", hello),
    kept(run, "not JSON"),
    head(run, json, whole),
    hello,
  ),
  "50 requests at once": asks(Array<number>(51).fill(200), kept(run, hello).repeat(50), head(run, json, whole), hello),
  "a request in 20 pieces": {
    ...asks(200),
    send: piecesOf(Buffer.from(head(run, json, whole) + hello), 20),
  },
  "a form in chunks": { ...asks(200), send: [head(run, formType, chunked), ...formInChunks, "0\r\n\r\n"] },
  "a form of garbage": asks(400, head(run, formType, "Content-Length: 5000"), Buffer.alloc(5000, 255)),
};

/** Sent by clients that disconnect or fall silent. */
const leaving: Record<string, RawAttack> = {
  nothing: goes("leave"),
  "a reset": goes("reset"),
  "half a head": goes("leave", "POST /agents/a/run HT"),
  "a head without its end": goes("reset", head(run, json, whole).slice(0, -2)),
  "half a head, and an end": breaksOff("POST /agents/a/run HT"),
  "a body that is cut off": goes("leave", head(run, json, "Content-Length: 100"), hello),
  "half a chunk": goes("reset", head(run, json, chunked), '5\r\n{"inp'),
  "half a body, and an end": breaksOff(head(run, json, "Content-Length: 100"), hello),
  "a whole request, and an end": goes("end", head(run, json, whole) + hello),
  "a run that nobody waits for": goes("leave", head(run, json, whole) + hello),
  "a stream that nobody waits for": goes("reset", head(stream, json, whole) + hello),
  "a stream that nobody reads": goes("stop", head(stream, json, whole) + hello),
  "20 requests that nobody waits for": goes("reset", kept(run, hello).repeat(20)),
  "a body that was agreed on": goes("leave", head(run, json, whole, "Expect: 100-continue")),
  "a form without its end": goes("reset", head(run, formType, withLength(form)), form.subarray(0, -100)),
  "half the head of a part": goes("leave", head(stream, formType, withLength(form)), form.subarray(0, 90)),
  "a form without its last chunk": breaksOff(head(run, formType, chunked), ...formInChunks),
};

/** The attacks by name. */
export const rawAttacks: Readonly<Record<string, RawAttack>> = { ...malformed, ...strange, ...leaving };
