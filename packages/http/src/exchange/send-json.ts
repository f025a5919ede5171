import type { Response } from "express";

/** Sends a value as JSON with this status and ends the response. Its headers forbid caches to store it. */
export function sendJson(response: Response, status: number, value: unknown): void {
  sendJsonText(response, status, JSON.stringify(value));
}

/** Sends JSON that is a string already, as `sendJson` does. */
export function sendJsonText(response: Response, status: number, json: string): void {
  response.writeHead(status, {
    "Content-Type": "application/json; charset=utf-8",
    "Content-Length": Buffer.byteLength(json),
    "Cache-Control": "no-store",
  });
  response.end(json);
}
