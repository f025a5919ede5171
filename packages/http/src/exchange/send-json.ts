import type { Response } from "express";

/** Sends JSON that no cache may keep, as the whole answer. */
export function sendJson(response: Response, status: number, value: unknown): void {
  const json = JSON.stringify(value);
  response.writeHead(status, {
    "Content-Type": "application/json; charset=utf-8",
    "Content-Length": Buffer.byteLength(json),
    "Cache-Control": "no-store",
  });
  response.end(json);
}
