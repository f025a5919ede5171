import { hash } from "node:crypto";
import type { AnswerHeaders, Exchange } from "@troupe/core/transport";

/** An answer that a browser may cache: its media type, further headers, and its bytes. */
export type TaggedAnswer = { readonly type: string; readonly headers: AnswerHeaders; readonly body: Buffer };

/** Sends an answer with an `ETag`, or status 304 if the browser already has this answer. */
export function sendTagged(exchange: Exchange, { type, headers, body }: TaggedAnswer): void {
  const tag = `W/"${body.length.toString(16)}-${hash("sha1", body, "base64").slice(0, 27)}"`;
  if (hasAlready(exchange, tag)) exchange.send(304, { ...headers, ETag: tag });
  else exchange.send(200, { ...headers, "Content-Type": type, "Content-Length": body.length, ETag: tag }, body);
}

/** Returns true if the request's `If-None-Match` contains the tag, and the client did not ask for a new answer. */
function hasAlready({ headers }: Exchange, tag: string): boolean {
  const known = headers["if-none-match"];
  if (known === undefined || /(?:^|,)\s*no-cache\s*(?:,|$)/.test(headers["cache-control"] ?? "")) return false;
  if (known === "*") return true;
  return known.split(",").some((each) => each.trim().replace(/^W\//, "") === tag.slice(2));
}

const encodings = ["br", "gzip", "identity"] as const;

/** An encoding in an `Accept-Encoding` header: its weight, and its position. `isNamed`: it was not given by `*`. */
type Accepted = { readonly weight: number; readonly isNamed: boolean; readonly place: number };

/**
 * Returns the content encoding that a client prefers, from its `Accept-Encoding`: the encoding with the greatest
 * weight, and among equal weights the first. Undefined for an unencoded answer.
 */
export function chooseEncoding(header = ""): "br" | "gzip" | undefined {
  const accepted = new Map(header.split(",").map((part, place) => readPart(part, place)));
  // A client that does not mention unencoded answers accepts them too, but after all others.
  const least = Math.min(1, ...[...accepted.values()].map(({ weight }) => weight || 1));
  const any = accepted.get("*");
  const unnamed = { weight: least, isNamed: true, place: accepted.size };
  const found = encodings.flatMap((name) => {
    const own =
      accepted.get(name) ?? (any && { ...any, isNamed: false }) ?? (name === "identity" ? unnamed : undefined);
    return own === undefined || own.weight === 0 ? [] : [{ name, ...own }];
  });
  const [best] = found.toSorted((one, other) => {
    return other.weight - one.weight || Number(other.isNamed) - Number(one.isNamed) || one.place - other.place;
  });
  return best === undefined || best.name === "identity" ? undefined : best.name;
}

function readPart(part: string, place: number): [name: string, accepted: Accepted] {
  const [name = "", ...parameters] = part.split(";").map((each) => each.trim().toLowerCase());
  const weight = Number(parameters.find((each) => each.startsWith("q="))?.slice(2) ?? 1);
  return [name, { weight: weight >= 0 && weight <= 1 ? weight : 0, isNamed: true, place }];
}
