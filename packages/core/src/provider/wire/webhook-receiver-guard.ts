import type { LookupFunction } from "node:net";
import {
  guardUrl,
  isAllowedPrivateHost,
  leadsToPrivateHost,
  systemLookup,
  toAllowedPrivateHosts,
} from "./guard-url.ts";
import type { AllowedPrivateHosts } from "./guard-url.ts";

/** Milliseconds that a client waits for the lookup of a host name. */
const lookupMs = 2000;

/**
 * The largest number of concurrent lookups of host names. Beyond it, a name counts as public. The system resolves all
 * names with four threads, and vendors' names need them too.
 */
const mostLookups = 2;

/** The private hosts that receivers may have, and the function that resolves host names. */
type GuardRules = {
  readonly allowPrivateHosts: readonly string[];
  readonly lookup?: LookupFunction | undefined;
};

/**
 * Decides which addresses may receive notifications about runs (webhooks): https addresses of public hosts, without a
 * user name or password. Hosts in `allowPrivateHosts` may be private and without https. This prevents requests to
 * private hosts (SSRF).
 */
export class WebhookReceiverGuard {
  readonly #allowed: AllowedPrivateHosts;
  readonly #lookup: LookupFunction;
  #lookups = 0;

  constructor({ allowPrivateHosts, lookup = systemLookup }: GuardRules) {
    this.#allowed = toAllowedPrivateHosts(allowPrivateHosts);
    this.#lookup = lookup;
  }

  /** Returns true if the form of an address permits notifications. Its host name is not looked up. */
  mayReach(address: string): boolean {
    try {
      const url = guardUrl(address, this.#allowed);
      return url.protocol === "https:" || isAllowedPrivateHost(url, this.#allowed);
    } catch {
      return false;
    }
  }

  /**
   * Returns true if an address may receive notifications and its host is not private now. Returns true for a name that
   * cannot be resolved now, because each delivery resolves it again.
   */
  async admits(address: string): Promise<boolean> {
    return this.mayReach(address) && !(await this.#isPrivate(new URL(address)));
  }

  async #isPrivate(url: URL): Promise<boolean> {
    const late = Promise.withResolvers<false>();
    const timer = setTimeout(late.resolve, lookupMs, false);
    try {
      return await Promise.race([this.#lookUp(url), late.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  async #lookUp(url: URL): Promise<boolean> {
    if (this.#lookups === mostLookups) return false;
    this.#lookups += 1;
    try {
      return await leadsToPrivateHost(url, { allowed: this.#allowed, lookup: this.#lookup });
    } finally {
      this.#lookups -= 1;
    }
  }
}
