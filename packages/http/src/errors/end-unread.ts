import type { Request, Response } from "express";

/** How long a client may go on sending what is thrown away. */
const longestMs = 2000;

/**
 * Answers while the client is still sending, then closes the connection. Closed at once, it would be reset, for there are
 * bytes in it that nobody has read, and the client might lose the answer with it. So the rest is thrown away for a moment.
 */
export function endUnread(
  request: Request,
  response: Response,
  { status, body }: { status: number; body: object },
): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    "Content-Type": "application/json; charset=utf-8",
    "Content-Length": Buffer.byteLength(text),
    "Cache-Control": "no-store",
    Connection: "close",
  });
  if (request.complete) {
    response.end(text);
    return;
  }
  response.write(text);
  const end = (): void => {
    clearTimeout(timer);
    request.off("end", end).off("close", end);
    response.end();
  };
  const timer = setTimeout(end, longestMs);
  request.on("end", end).on("close", end).resume();
}
