import type { Response } from "express";

/** Sends a value as JSON with this status and ends the response. Its headers forbid caches to store it. */
export function sendJson(response: Response, status: number, value: unknown): void {
  const json = JSON.stringify(value);
  response.writeHead(status, {
    "Content-Type": "application/json; charset=utf-8",
    "Content-Length": Buffer.byteLength(json),
    "Cache-Control": "no-store",
  });
  response.end(json);
}
