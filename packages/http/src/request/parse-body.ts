import { isUtf8 } from "node:buffer";
import { TroupeError } from "@troupe/core";
import { findJsonBreak } from "./find-json-break.ts";

const byteOrderMark = "\u{feff}";

/** Reads a body's JSON. What is wrong with it is told by its place: of what stands there nothing is repeated. */
export function parseBody(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw new TroupeError("invalid_request", "The body is not valid UTF-8.");
  const text = bytes.toString("utf8");
  const json = text.startsWith(byteOrderMark) ? text.slice(1) : text;
  try {
    return JSON.parse(json);
  } catch {
    // Not as its cause: the engine's message quotes the body, in which a key may stand.
    throw new TroupeError("invalid_request", `The body is not valid JSON: it ${describeBreak(json)}.`);
  }
}

function describeBreak(json: string): string {
  const place = findJsonBreak(json);
  if (place >= json.length) return "ends too early";
  const before = json.slice(0, place);
  const line = before.split("\n").length;
  return `breaks at line ${line}, column ${place - before.lastIndexOf("\n")}`;
}
