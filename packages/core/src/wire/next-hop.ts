import { urlRefusal } from "./url-refusal.ts";

/** One request on the way that redirects lead. */
export type Hop = { url: URL; method: string; headers: Readonly<Record<string, string>>; body?: string | Uint8Array };

/** What a request may say to a host that its caller never named: nothing that could be a secret. */
const harmless = ["accept", "accept-language", "user-agent"];

const redirects = [301, 302, 303, 307, 308];

/** Where a reply sends its request on to, or undefined when it is the answer. The new URL is not checked yet. */
export function nextHop(hop: Hop, status: number, location: string | undefined): Hop | undefined {
  if (!redirects.includes(status) || location === undefined) return undefined;
  const url = URL.parse(location, hop.url.href);
  if (url === null) throw urlRefusal("not_http");

  const next = becomesGet(hop.method, status) ? toGet(hop, url) : { ...hop, url };
  if (url.origin === hop.url.origin) return next;
  if (next.body !== undefined) throw urlRefusal("redirected_body");
  return { ...next, headers: pick(next.headers, (name) => harmless.includes(name)) };
}

function becomesGet(method: string, status: number): boolean {
  return status === 303 ? method !== "HEAD" : status < 303 && method === "POST";
}

function toGet({ headers }: Hop, url: URL): Hop {
  return { url, method: "GET", headers: pick(headers, (name) => !name.startsWith("content-")) };
}

function pick(headers: Hop["headers"], isKept: (name: string) => boolean): Hop["headers"] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => isKept(name.toLowerCase())));
}
