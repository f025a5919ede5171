/** A message of HTTP as it was sent: its head with the empty line, and its body, in chunks if it was sent in chunks. */
export type Message = {
  readonly head: string;
  /** The way in which the end of the body is found. */
  readonly framing: "none" | "length" | "chunks" | "close";
  readonly chunks: readonly Buffer[];
  /** True if the connection ended before the message. */
  readonly isCut: boolean;
};

const headEnd = "\r\n\r\n";

/** Splits what came back on a connection into its messages: interim answers, such as 103, and the answer. */
export function readMessages(request: Buffer, received: Buffer): Message[] {
  const isHead = request.toString("latin1", 0, 5) === "HEAD ";
  const messages: Message[] = [];
  for (let rest = received; rest.length > 0;) {
    const { message, size } = readMessage(rest, isHead);
    messages.push(message);
    rest = rest.subarray(size);
  }
  return messages;
}

/** Returns true if the answer to a request has come whole. Without a length, only the end of the connection tells. */
export function isWhole(request: Buffer, received: Buffer): boolean {
  const last = readMessages(request, received).at(-1);
  return last !== undefined && !last.isCut && last.framing !== "close" && !last.head.startsWith("HTTP/1.1 1");
}

function readMessage(bytes: Buffer, isHead: boolean): { message: Message; size: number } {
  const at = bytes.indexOf(headEnd);
  const head = bytes.toString("latin1", 0, at === -1 ? bytes.length : at + headEnd.length);
  const body = bytes.subarray(head.length);
  const framing = at === -1 ? "close" : framingOf(head, isHead);
  if (framing === "none") return { message: { head, framing, chunks: [], isCut: false }, size: head.length };
  if (framing === "chunks") {
    const { chunks, size, isCut } = readChunks(body);
    return { message: { head, framing, chunks, isCut }, size: head.length + size };
  }
  const length = framing === "length" ? lengthOf(head) : body.length;
  const chunks = [body.subarray(0, length)];
  return { message: { head, framing, chunks, isCut: body.length < length }, size: head.length + length };
}

function framingOf(head: string, isHead: boolean): Message["framing"] {
  const [status] = /\b(?:1\d\d|204|304)\b/.exec(head.slice("HTTP/1.1 ".length, "HTTP/1.1 200".length)) ?? [];
  if (isHead || status !== undefined) return "none";
  if (/^transfer-encoding: chunked\r$/im.test(head)) return "chunks";
  return Number.isNaN(lengthOf(head)) ? "close" : "length";
}

function lengthOf(head: string): number {
  return Number(/^content-length: (\d+)\r$/im.exec(head)?.[1]);
}

/** Reads chunks up to the last one, which is empty and not returned. */
function readChunks(body: Buffer): { chunks: Buffer[]; size: number; isCut: boolean } {
  const chunks: Buffer[] = [];
  for (let at = 0; ;) {
    const lineEnd = body.indexOf("\r\n", at);
    const length = lineEnd === -1 ? Number.NaN : Number.parseInt(body.toString("latin1", at, lineEnd), 16);
    const from = lineEnd + 2;
    const isHere = from + length + 2 <= body.length;
    if (!isHere) return { chunks, size: body.length, isCut: true };
    at = from + length + 2;
    if (length === 0) return { chunks, size: at, isCut: false };
    chunks.push(body.subarray(from, from + length));
  }
}
