import type { Resolver } from "node:dns/promises";
import type { ChatMessage } from "../base/message/message.ts";
import { LruCache } from "../base/util/lru-cache.ts";
import { readProperty } from "../base/util/read-property.ts";
import { bareHost, isPrivateAddress, isPrivateUrl } from "./wire/private-address.ts";

/** Returns true if a part's URL leads to a non-public address, so that the vendor must not be asked to fetch it. */
export type PrivateUrlCheck = (url: URL) => boolean;

/**
 * Milliseconds to wait for a name server. A name that is still unresolved is allowed, because the vendor resolves it
 * again.
 */
const lookupMs = 1000;
/**
 * The maximum number of names that are looked up for one model call, newest messages first. Further names count as
 * private.
 */
const maxNames = 100;
/** Milliseconds for which a name server's answer is cached. */
const answerMs = 60_000;
/** Milliseconds for which a failed lookup is cached: a name server that is down must not delay each model call. */
const failureMs = 5000;
/** Codes of a name server that mean that the name has no address. Other errors reveal nothing about the name. */
const noAddress: readonly unknown[] = ["ENOTFOUND", "ENODATA"];

/**
 * The result of a lookup of a name: true if one of its addresses is private, and the milliseconds for which it is
 * cached.
 */
type Answer = { readonly isPrivate: boolean; readonly countsMs: number };

/** Finds the URLs in messages that lead to private addresses, for a model whose vendor would fetch them. */
export class PrivateUrls {
  readonly #isAllowed: boolean;
  /**
   * Lookups by name: true for a private address. They are cached because a conversation's URLs are sent with each call.
   * Created with the first lookup, because most models get no URLs.
   */
  #known: LruCache<string, { answer: Promise<boolean>; endsAt: number }> | undefined;

  /** @param isAllowed true if the vendor may be sent any URL */
  constructor(isAllowed = false) {
    this.#isAllowed = isAllowed;
  }

  /** Makes the check for a call with these messages. Looks up the names in their URLs, if any. */
  check(messages: readonly ChatMessage[]): PrivateUrlCheck | Promise<PrivateUrlCheck> {
    if (this.#isAllowed) return () => false;
    const names = namesIn(messages);
    return names.size === 0 ? isPrivateUrl : this.#lookUp([...names]);
  }

  async #lookUp(names: readonly string[]): Promise<PrivateUrlCheck> {
    const answers = await Promise.all(names.slice(0, maxNames).map((name) => this.#leadsToPrivate(name)));
    const found = new Set(names.filter((_, index) => answers[index] ?? true));
    return (url) => isPrivateUrl(url) || found.has(bareHost(url));
  }

  #leadsToPrivate(name: string): Promise<boolean> {
    const lookups = (this.#known ??= new LruCache({ maxEntries: 1000 }));
    const known = lookups.get(name);
    const now = performance.now();
    if (known !== undefined && now < known.endsAt) return known.answer;
    const asked = askServer(name);
    const kept = { answer: asked.then(({ isPrivate }) => isPrivate), endsAt: now + answerMs };
    void asked.then(({ countsMs }) => (kept.endsAt = now + countsMs));
    lookups.set(name, kept);
    return kept.answer;
  }
}

/** Returns the URL of a part if its data is sent as a URL: see `readContentData`. */
export function urlOf(data: string): URL | undefined {
  return /^https?:\/\//i.test(data) ? (URL.parse(data) ?? undefined) : undefined;
}

/** Returns the hosts of all URLs in messages that only DNS can classify, newest messages first. */
function namesIn(messages: readonly ChatMessage[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (let at = messages.length - 1; at >= 0; at--) {
    const content = messages[at]?.content;
    if (!Array.isArray(content)) continue;
    for (const part of content) {
      const url = part.type === "text" ? undefined : urlOf(part.data);
      if (url !== undefined && !isPrivateUrl(url) && !isAddress(url)) names.add(bareHost(url));
    }
  }
  return names;
}

/**
 * Returns true if the host is an IP address. In a parsed URL an address is in canonical form, and no name ends in a
 * number.
 */
function isAddress({ hostname }: URL): boolean {
  return /(?:\]|\.\d+)$/.test(hostname);
}

/** Asks name servers for a name's addresses. Never rejects: a name without an answer counts as not private. */
async function askServer(name: string): Promise<Answer> {
  const resolver = await openResolver();
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const isPrivate = answers.some((answer) => answer.status === "fulfilled" && answer.value.some(isPrivateAddress));
  const hasFailed = answers.some((answer) => answer.status === "rejected" && !isNoAddress(answer.reason));
  return { isPrivate, countsMs: hasFailed && !isPrivate ? failureMs : answerMs };
}

function isNoAddress(error: unknown): boolean {
  return noAddress.includes(readProperty(error, "code"));
}

/**
 * Opens Node's own resolver, because the system's lookup occupies one of the four threads that file operations and
 * hashes also need.
 */
async function openResolver(): Promise<Resolver> {
  const dns = await import("node:dns/promises");
  return new dns.Resolver({ timeout: lookupMs, tries: 1 });
}
