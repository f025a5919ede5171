import type { RunContext } from "@troupe/core";
import { untilAborted } from "@troupe/core/kit";
import type { CallHeaders } from "@troupe/core/kit";
import { badForm, failureOfStatus, RemoteFailure } from "./remote-failure.ts";
import { RemoteEndpoint } from "./remote-endpoint.ts";
import type { RemoteHttp, WholeReply } from "./remote-http.ts";
import { interfacesOf, promisesStreams, readCard } from "./remote-interfaces.ts";
import type { RemoteAgentCard } from "./remote-interfaces.ts";
import type { RemoteAgentSettings } from "./remote-agent-options.ts";

/** A fetched agent card, with its endpoints and the time at which it is fetched again. */
type KnownCard = {
  readonly card: RemoteAgentCard;
  readonly url: URL;
  readonly etag: string | undefined;
  readonly endpoints: readonly RemoteEndpoint[];
  expiresAt: number;
};

/**
 * Milliseconds for which a fetched card is used: the lifetime that its server sets, within the bounds `least` and
 * `most`; otherwise `usual`.
 */
const freshness = { least: 60_000, usual: 300_000, most: 86_400_000 };

/** Finds the card of a remote agent and caches it for the lifetime that its server sets. */
export class RemoteCards {
  readonly #settings: RemoteAgentSettings;
  readonly #http: RemoteHttp;
  #known: KnownCard | undefined;
  #refreshing: Promise<KnownCard> | undefined;
  /** Identifies the remote agent's endpoint that accepted the last message. It is tried first. */
  #working: string | undefined;

  constructor(settings: RemoteAgentSettings, http: RemoteHttp) {
    this.#settings = settings;
    this.#http = http;
  }

  /** The remote agent's card that was fetched last; undefined before the first fetch. */
  get card(): RemoteAgentCard | undefined {
    return this.#known?.card;
  }

  /** Fetches the remote agent's card, even if the known card is still fresh. */
  async discover(): Promise<RemoteAgentCard> {
    const { card } = await this.#refresh(undefined, new AbortController().signal);
    return card;
  }

  /**
   * Returns the remote agent's endpoints in the order in which they are tried. If the card cannot be fetched again, the
   * old card stays in use.
   */
  async endpoints(context: RunContext, signal: AbortSignal): Promise<readonly RemoteEndpoint[]> {
    const known = this.#known;
    if (known !== undefined && Date.now() < known.expiresAt) return this.#inOrder(known.endpoints);
    // Concurrent runs share one request for the card; a run that ends early stops waiting for it.
    this.#refreshing ??= this.#refresh(context, new AbortController().signal).finally(
      () => (this.#refreshing = undefined),
    );
    const refreshing = this.#refreshing;
    try {
      return this.#inOrder((await untilAborted(() => refreshing, signal)).endpoints);
    } catch (error) {
      if (known === undefined || signal.aborted) throw error;
      known.expiresAt = Date.now() + freshness.least;
      return this.#inOrder(known.endpoints);
    }
  }

  /** Records that an endpoint of the remote agent accepted a message: it is tried first from now on. */
  note(endpoint: RemoteEndpoint): void {
    this.#working = keyOf(endpoint);
  }

  #inOrder(endpoints: readonly RemoteEndpoint[]): readonly RemoteEndpoint[] {
    const first = endpoints.find((endpoint) => keyOf(endpoint) === this.#working);
    return first === undefined ? endpoints : [first, ...endpoints.filter((endpoint) => endpoint !== first)];
  }

  async #refresh(context: RunContext | undefined, signal: AbortSignal): Promise<KnownCard> {
    const users = await this.#http.readHeaders(context, signal);
    const known = this.#known;
    const addresses =
      known === undefined ? addressesOf(this.#settings.url) : [known.url, ...addressesOf(this.#settings.url)];
    let failure: unknown;
    for (const url of addresses) {
      try {
        this.#known = await this.#fetch(url, users, signal);
        return this.#known;
      } catch (error) {
        if (!(error instanceof RemoteFailure) || error.kind === "unreachable" || error.kind === "timeout") throw error;
        // The reason is kept if an earlier address refused the credentials, because that explains more than a missing
        // card.
        failure = isRefusal(failure) ? failure : error;
      }
    }
    throw isRefusal(failure) ? failure : noCard(failure);
  }

  async #fetch(url: URL, users: CallHeaders | undefined, signal: AbortSignal): Promise<KnownCard> {
    const known = this.#known?.url.href === url.href ? this.#known : undefined;
    const headers = {
      accept: "application/json",
      "a2a-version": "1.0",
      ...(known?.etag !== undefined && { "if-none-match": known.etag }),
    };
    const reply = await this.#http.whole({ method: "GET", url, headers, users, signal });
    const expiresAt = Date.now() + freshnessOf(reply);
    if (reply.status === 304 && known !== undefined) return { ...known, expiresAt };
    if (reply.status !== 200) throw failureOfStatus(reply.status, reply.headers);
    const card = readCard(parse(reply.text));
    if (card === undefined) throw badForm("sent a card that is not a JSON object with a name");
    return {
      card,
      url,
      etag: reply.headers.get("etag") ?? undefined,
      endpoints: this.#endpointsOf(card, url),
      expiresAt,
    };
  }

  #endpointsOf(card: RemoteAgentCard, cardUrl: URL): RemoteEndpoint[] {
    const { url, maxReplyBytes: maxBytes } = this.#settings;
    const facts = { maxBytes, promisesStreams: promisesStreams(card) };
    return interfacesOf(card, cardUrl, url).map((at) => new RemoteEndpoint(at, this.#http, facts));
  }
}

function keyOf({ at }: RemoteEndpoint): string {
  return [at.url.href, at.binding, at.version].join(" ");
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Returns the addresses at which a card may be: a URL that ends in `.json` itself; otherwise addresses below the URL,
 * then at its origin. At each place, the file name of 0.3 and 1.0 comes first, then the file name of 0.2.
 */
function addressesOf(base: URL): URL[] {
  if (base.pathname.endsWith(".json")) return [base];
  const folders = new Set([base.pathname.replace(/\/+$/, ""), ""]);
  const names = ["/.well-known/agent-card.json", "/.well-known/agent.json"];
  return [...folders].flatMap((folder) =>
    names.map((name) => Object.assign(new URL(base), { pathname: folder + name })),
  );
}

function freshnessOf({ headers }: WholeReply): number {
  const seconds = /(?:^|[\s,])max-age=(\d{1,9})/i.exec(headers.get("cache-control") ?? "")?.[1];
  const ms = seconds === undefined ? freshness.usual : Number(seconds) * 1000;
  return Math.min(Math.max(ms, freshness.least), freshness.most);
}

function isRefusal(failure: unknown): boolean {
  return failure instanceof RemoteFailure && (failure.status === 401 || failure.status === 403);
}

function noCard(cause: unknown): unknown {
  const happened = "has no card at its URL, nor at its origin. Set url to the address of the card";
  return cause instanceof RemoteFailure && cause.kind !== "status" ? cause : badForm(happened, cause);
}
