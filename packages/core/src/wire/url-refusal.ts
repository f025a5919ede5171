import { TroupeError } from "../errors/troupe-error.ts";

/** Why a URL that came from outside was not fetched. */
export type UrlRefusal =
  | "not_http"
  | "private_address"
  | "too_many_redirects"
  | "redirected_body"
  | "too_large"
  | "unreachable";

const sentences: Readonly<Record<UrlRefusal, string>> = {
  not_http: "url must be an absolute http: or https: address without a user name or password.",
  private_address: "url leads to an address that is not public; allowPrivateHosts names the exceptions by host:port.",
  too_many_redirects: "url is redirected more often than maxRedirects allows.",
  redirected_body: "url redirects a request with a body to another origin, which is not followed.",
  too_large: "url holds more bytes than maxBytes allows.",
  unreachable: "url cannot be fetched: its server cannot be reached, or broke off.",
};

/** The error for a refused URL. It quotes neither the URL nor anything that a server said. */
export function urlRefusal(reason: UrlRefusal, cause?: unknown): TroupeError {
  return new TroupeError("invalid_request", sentences[reason], { cause, fields: { reason } });
}
