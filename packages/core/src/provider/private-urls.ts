import type { Resolver } from "node:dns/promises";
import type { ChatMessage } from "../base/message/message.ts";
import { LruCache } from "../base/util/lru-cache.ts";
import { readProperty } from "../base/util/read-property.ts";
import { bareHost, isPrivateAddress, isPrivateUrl } from "./wire/private-address.ts";

/** Tells if a URL of a part leads to an address that is not public, so that the vendor must not be told to fetch it. */
export type PrivateUrlCheck = (url: URL) => boolean;

/** Milliseconds to wait for a name server. A name that it does not know by then is passed on: the vendor asks again. */
const lookupMs = 1000;
/** Names that are looked up for one model call, of the newest messages first. Those beyond count as private. */
const maxNames = 100;
/** Milliseconds for which an answer counts. */
const answerMs = 60_000;
/** Milliseconds for which a failed lookup counts: a name server that is down must not hold up each model call. */
const failureMs = 5000;
/** Codes of a name server that knows that there is no address. All other errors tell nothing of the name. */
const noAddress: readonly unknown[] = ["ENOTFOUND", "ENODATA"];

/** The answer of name servers to a name: whether an address of it is private, and for how long that counts. */
type Answer = { readonly isPrivate: boolean; readonly countsMs: number };

/** Finds the URLs in messages that lead to private addresses, for the model that would have its vendor fetch them. */
export class PrivateUrls {
  readonly #isAllowed: boolean;
  /** Answers by name: true for a private address. They are kept because a conversation has its URLs in each call. */
  readonly #known = new LruCache<string, { answer: Promise<boolean>; endsAt: number }>({ maxEntries: 1000 });

  /** @param isAllowed true where the vendor may be sent any URL */
  constructor(isAllowed = false) {
    this.#isAllowed = isAllowed;
  }

  /** Makes the check for a call with these messages. It asks name servers for the names in their URLs, if they have any. */
  async check(messages: readonly ChatMessage[]): Promise<PrivateUrlCheck> {
    if (this.#isAllowed) return () => false;
    const names = [...namesIn(messages)];
    if (names.length === 0) return isPrivateUrl;
    const answers = await Promise.all(names.slice(0, maxNames).map((name) => this.#leadsToPrivate(name)));
    const found = new Set(names.filter((_, index) => answers[index] ?? true));
    return (url) => isPrivateUrl(url) || found.has(bareHost(url));
  }

  #leadsToPrivate(name: string): Promise<boolean> {
    const known = this.#known.get(name);
    const now = performance.now();
    if (known !== undefined && now < known.endsAt) return known.answer;
    const asked = askServer(name);
    const kept = { answer: asked.then(({ isPrivate }) => isPrivate), endsAt: now + answerMs };
    void asked.then(({ countsMs }) => (kept.endsAt = now + countsMs));
    this.#known.set(name, kept);
    return kept.answer;
  }
}

/** Returns the URL of a part, if its data is one that is sent as such: see `readContentData`. */
export function urlOf(data: string): URL | undefined {
  return /^https?:\/\//i.test(data) ? (URL.parse(data) ?? undefined) : undefined;
}

/** Returns the hosts of all URLs in messages that only DNS can tell of, those of the newest message first. */
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

/** A parsed URL has an address in its canonical form, and no name ends in a number. */
function isAddress({ hostname }: URL): boolean {
  return /(?:\]|\.\d+)$/.test(hostname);
}

/** Never rejects: no answer is no private address. */
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

/** A resolver of Node's own, because the system's lookup takes one of the four threads that files and hashes need too. */
async function openResolver(): Promise<Resolver> {
  const dns = await import("node:dns/promises");
  return new dns.Resolver({ timeout: lookupMs, tries: 1 });
}
