import { untilAborted } from "../base/async/until-aborted.ts";
import { functionOption, methodsOption, optional, customOption } from "../base/errors/option-checks.ts";
import type { OptionTable } from "../base/errors/read-options.ts";
import { wrongOption } from "../base/errors/read-options.ts";
import type { OptionCheck } from "../base/errors/read-options.ts";
import type { CallContext } from "../base/errors/to-model-error.ts";
import { TroupeError } from "../base/errors/troupe-error.ts";
import { findClientSecrets } from "./client-secrets.ts";
import { readProxyEnvironment } from "../model/keys/read-environment.ts";
import type { ProxyEnvironment } from "../model/keys/read-environment.ts";
import { requireKey, resolveKey } from "../model/keys/resolve-key.ts";
import type { ApiKeySource } from "../model/keys/resolve-key.ts";
import { isRecord } from "../base/util/is-record.ts";
import { sendByFetch } from "./wire/fetch-sender.ts";
import type { FetchFunction } from "./wire/fetch-sender.ts";
import type { HttpReply } from "./wire/http-reply.ts";
import type { HttpInit, HttpSender } from "./wire/http-sender.ts";
import { dispatcherSender, proxySender } from "./wire/proxy-sender.ts";
import type { UndiciDispatcher } from "./wire/proxy-sender.ts";
import { sharedHttpSender } from "./wire/shared-http-pool.ts";

/** Headers that a user adds to the requests of a provider. `null` removes a header that the provider sends. */
export type CallHeaders = Readonly<Record<string, string | null>>;

/** Network options of every provider. At most one of `fetch`, `proxy` and `dispatcher` may be given. */
export type NetworkOptions = {
  /**
   * Headers of each request, which replace the provider's own; `null` removes a header. A function is called for each
   * model call.
   */
  headers?: CallHeaders | (() => CallHeaders | Promise<CallHeaders>) | undefined;
  /** Sends the requests instead of the shared connections. @default undici, with connections shared by all providers */
  fetch?: FetchFunction | undefined;
  /**
   * The URL of an HTTP proxy, with user and password if required. @default with `NODE_USE_ENV_PROXY=1` the value of
   * `HTTPS_PROXY`, or of `HTTP_PROXY` for http addresses
   */
  proxy?: string | undefined;
  /** An undici dispatcher that sends the requests, such as an `Agent` with custom certificates. */
  dispatcher?: UndiciDispatcher | undefined;
};

/** Headers that a user must not set: the connection sets them itself, or they belong to a proxy's address. */
const refusedHeaders = [
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "proxy-authorization",
  "transfer-encoding",
  "upgrade",
];

const expectedHeaders = "an object with names of headers, and with strings of printable characters or null as values";

function isHeaders(value: unknown): value is CallHeaders {
  return (
    isRecord(value) &&
    Object.entries(value).every(
      ([name, text]) =>
        /^[!#$%&'*+.^`|~\w-]+$/.test(name) &&
        (text === null || (typeof text === "string" && /^[\t\x20-\x7e\x80-\xff]*$/.test(text))),
    )
  );
}

const headersOption: OptionCheck<NonNullable<NetworkOptions["headers"]>> = (value, name, where) => {
  if (typeof value === "function") return value as () => CallHeaders;
  return checkHeaders(value, () => wrongOption({ ...where, name }, `a function or ${expectedHeaders}`, value));
};

function checkHeaders(value: unknown, fail: () => TroupeError): CallHeaders {
  if (!isHeaders(value)) throw fail();
  const refused = Object.keys(value).find((name) => refusedHeaders.includes(name.toLowerCase()));
  if (refused === undefined) return { ...value };
  throw new TroupeError("invalid_config", `headers must not set ${refused}, which the connection sets itself.`);
}

const proxyOption = customOption<string>("the http: or https: URL of a proxy, without a path", (value) => {
  const url = typeof value === "string" ? URL.parse(value) : null;
  const isWeb = url?.protocol === "http:" || url?.protocol === "https:";
  return isWeb && url.pathname === "/" && url.search === "" && url.hash === "";
});

/** Checks of `NetworkOptions`, for the option table of a provider. */
export const networkOptionTable: OptionTable<NetworkOptions> = {
  headers: optional(headersOption),
  fetch: optional(functionOption<FetchFunction>()),
  proxy: optional(proxyOption),
  dispatcher: optional(methodsOption<UndiciDispatcher>("a dispatcher of undici", "dispatch")),
};

/**
 * Options of a `Network`: the user's network options, the API key of calls without their own key, and the client that
 * sends requests instead of the network.
 */
export type NetworkSettings = NetworkOptions & {
  apiKey?: ApiKeySource | undefined;
  useEnvironmentKey?: boolean | undefined;
  client?: unknown;
};

/**
 * A model call that begins: its own API key and signal, and the environment variables that may contain a key if neither
 * the call nor the options have a key.
 */
export type ModelCallStart = {
  providerId: string;
  apiKey?: string | undefined;
  signal?: AbortSignal | undefined;
  /** Names of environment variables. The first that is set is used. */
  environment?: readonly string[] | undefined;
  /** True for the user's own server, which may not need an API key. @default false */
  isKeyOptional?: boolean | undefined;
  /**
   * True for an address that is not the vendor's own. It gets no key from the environment, unless the provider has
   * `useEnvironmentKey`, and it may not need a key. @default false
   */
  isForeign?: boolean | undefined;
  /** True for a client that accepts the API key of a call with each request. @default false */
  clientTakesKey?: boolean | undefined;
};

/**
 * The network of one provider: sends its requests, and opens its calls with the API key and the user's headers. Created
 * once, in the provider's constructor.
 */
export class Network implements HttpSender {
  readonly #headers: NetworkOptions["headers"];
  readonly #apiKey: ApiKeySource | undefined;
  readonly #useEnvironmentKey: boolean;
  readonly #client: unknown;
  readonly #own: HttpSender | undefined;
  /**
   * The proxies of the environment, read at the first request; `null` if there are none. They are cached because
   * reading a variable takes a system call.
   */
  #proxies: ProxyEnvironment | null | undefined;

  /** Throws `invalid_config` if the options contain more than one way to send requests. */
  constructor(options: NetworkSettings = {}) {
    const { headers, fetch: send, proxy, dispatcher, apiKey, client } = options;
    const given = (["fetch", "proxy", "dispatcher"] as const).filter((name) => options[name] !== undefined);
    if (given.length > 1) {
      throw new TroupeError("invalid_config", `${given.join(" and ")} exclude each other. Leave all but one out.`);
    }
    this.#headers = headers;
    this.#apiKey = apiKey;
    this.#useEnvironmentKey = options.useEnvironmentKey ?? false;
    this.#client = client;
    if (send !== undefined) this.#own = { send: (url, init) => sendByFetch(send, String(url), init) };
    else if (proxy !== undefined) this.#own = proxySender(proxy);
    else if (dispatcher !== undefined) this.#own = dispatcherSender(dispatcher);
  }

  send(url: string | URL, init?: HttpInit): Promise<HttpReply> {
    if (this.#proxies === undefined) this.#proxies = readProxyEnvironment() ?? null;
    return (this.#own ?? sharedHttpSender(this.#proxies ?? undefined)).send(url, init);
  }

  /**
   * Returns the context of a model call: its API key (from the call, or else the options, or else the environment) and
   * the user's headers. Functions that return these are called once. Rejects with `unauthorized` if a required key is
   * missing. Rejects with `invalid_request` if the call has a key but the client accepts none.
   */
  async openCall(start: ModelCallStart): Promise<CallContext> {
    const { providerId, apiKey: request, signal, environment = [], isKeyOptional } = start;
    const client = this.#client;
    if (client !== undefined) return await openClientCall(client, start);
    const isWithheld = start.isForeign === true && !this.#useEnvironmentKey;
    const sources = { providerId, request, config: this.#apiKey, environment: isWithheld ? [] : environment, signal };
    const key = await (isKeyOptional === true || isWithheld ? resolveKey(sources) : requireKey(sources));
    const call = { providerId, key, signal, headers: await this.readHeaders(signal) };
    return isWithheld && key === undefined ? { ...call, withheldKeys: environment } : call;
  }

  /** Returns the user's headers for one model call. */
  readHeaders(signal?: AbortSignal): CallHeaders | undefined | Promise<CallHeaders | undefined> {
    const headers = this.#headers;
    return typeof headers === "function" ? callForHeaders(headers, signal) : headers;
  }
}

async function callForHeaders(
  headers: () => CallHeaders | Promise<CallHeaders>,
  signal: AbortSignal | undefined,
): Promise<CallHeaders> {
  return checkHeaders(await untilAborted(async () => await headers(), signal), wrongResult);
}

function wrongResult(): TroupeError {
  return new TroupeError("invalid_config", `The function headers must return ${expectedHeaders}.`);
}

/**
 * Prepares a call to a vendor through the client of a vendor's library that the host has passed. The secrets found in
 * the client, such as its API key, are removed from the errors of the call.
 */
async function openClientCall(client: unknown, start: ModelCallStart): Promise<CallContext> {
  const { providerId, apiKey: request, signal, isKeyOptional, clientTakesKey = false } = start;
  const call = { providerId, signal, findSecrets: () => findClientSecrets(client, isKeyOptional) };
  if (request === undefined) return call;
  if (clientTakesKey) return { ...call, key: await resolveKey({ providerId, request }) };
  throw new TroupeError(
    "invalid_request",
    `${providerId} is called through a client with its own key. Send no API key.`,
  );
}
