import type { Response } from "express";

/** Answers with JSON that is nobody else's to keep. */
export function sendJson(response: Response, status: number, value: unknown): void {
  const text = JSON.stringify(value);
  response.writeHead(status, {
    "Content-Type": "application/json; charset=utf-8",
    "Content-Length": Buffer.byteLength(text),
    "Cache-Control": "no-store",
  });
  response.end(text);
}
