import type { RunContext } from "@troupe/core";
import { untilAborted } from "@troupe/core/kit";
import type { CallHeaders } from "@troupe/core/kit";
import { badForm, failureOfStatus, RemoteFailure } from "./remote-failure.ts";
import { RemoteEndpoint } from "./remote-endpoint.ts";
import type { RemoteHttp, WholeReply } from "./remote-http.ts";
import { interfacesOf, promisesStreams, readCard } from "./remote-interfaces.ts";
import type { RemoteAgentCard } from "./remote-interfaces.ts";
import type { RemoteAgentSettings } from "./remote-agent-options.ts";

/** A card that was fetched, with the endpoints that it names and the time at which it is fetched again. */
type KnownCard = {
  readonly card: RemoteAgentCard;
  readonly url: URL;
  readonly etag: string | undefined;
  readonly endpoints: readonly RemoteEndpoint[];
  expiresAt: number;
};

/** Milliseconds for which a card is used: what its server says, within these bounds. */
const freshness = { least: 60_000, usual: 300_000, most: 86_400_000 };

/** Finds the card of a remote agent, and keeps it for as long as its server says. */
export class RemoteCards {
  readonly #settings: RemoteAgentSettings;
  readonly #http: RemoteHttp;
  #known: KnownCard | undefined;
  #refreshing: Promise<KnownCard> | undefined;
  /** The endpoint that took the last call. */
  #working: string | undefined;

  constructor(settings: RemoteAgentSettings, http: RemoteHttp) {
    this.#settings = settings;
    this.#http = http;
  }

  /** The card that was fetched last. */
  get card(): RemoteAgentCard | undefined {
    return this.#known?.card;
  }

  /** Fetches the card. */
  async discover(): Promise<RemoteAgentCard> {
    const { card } = await this.#refresh(undefined, new AbortController().signal);
    return card;
  }

  /** Returns the endpoints of the agent in the order in which they are tried. A card that cannot be fetched again stays in use. */
  async endpoints(context: RunContext, signal: AbortSignal): Promise<readonly RemoteEndpoint[]> {
    const known = this.#known;
    if (known !== undefined && Date.now() < known.expiresAt) return this.#inOrder(known.endpoints);
    // Runs share the request for the card, and each waits for it until it ends itself.
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

  /** Notes that an endpoint took a call: it is the first to be tried from now on. */
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
        // Credentials that are refused say more than a card that is not there.
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

/** Returns the addresses of the card: below the URL, then at its origin, each by the name of 0.3 and 1.0 and by that of 0.2. */
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
