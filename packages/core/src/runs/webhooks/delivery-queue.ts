import type { DueDelivery } from "./run-notices.ts";

/**
 * The largest number of deliveries in flight at once to webhooks of the service, and separately to webhooks of runs.
 */
const mostInFlight = 32;
/** The largest number of deliveries in flight to one host. */
const mostPerHost = 4;
/** The largest number of deliveries in flight to the webhooks of one owner's runs. */
const mostPerOwner = 4;
/** The largest number of waiting deliveries: of all owners together, and of one owner to one host. */
const mostWaiting = { inAll: 2000, perOwner: 50 };

/**
 * The due deliveries that a process has read, and those that it sends. A slow receiver, and an owner with many
 * deliveries, delay no other deliveries: each has a bounded number of places, and the owners of deliveries to one host
 * take turns.
 */
export class DeliveryQueue {
  /** The waiting deliveries by host, and for each host by owner. The next owner is first. */
  readonly #hosts = new Map<string, Map<string, DueDelivery[]>>();
  /** The keys of all waiting deliveries, and of all deliveries in flight. */
  readonly #keys = new Set<string>();
  /** The number of deliveries in flight, by limit: of all, of a host, or of an owner. */
  readonly #inFlight = new Map<string, number>();
  #waiting = 0;

  /** Adds a due delivery, unless it is already waiting or in flight. Returns false if there is no room for it now. */
  add(due: DueDelivery): boolean {
    if (this.#keys.has(due.key)) return true;
    const host = hostOf(due);
    const owners = this.#hosts.get(host) ?? new Map<string, DueDelivery[]>();
    const own = owners.get(due.entry.owner) ?? [];
    if (this.#waiting >= mostWaiting.inAll || own.length >= mostWaiting.perOwner) return false;
    this.#hosts.set(host, owners.set(due.entry.owner, own));
    own.push(due);
    this.#keys.add(due.key);
    this.#waiting += 1;
    return true;
  }

  /**
   * Returns the next delivery to send, which then counts as in flight until `done` is called. Returns undefined if no
   * delivery may be sent now.
   */
  take(): DueDelivery | undefined {
    for (const [host, owners] of this.#hosts) {
      for (const [owner, own] of owners) {
        const due = own.find((each) => this.#hasPlace(each));
        if (due === undefined) continue;
        const rest = own.filter((each) => each !== due);
        // Hosts take turns, and so do the owners of one host: this host and this owner now become the last.
        owners.delete(owner);
        if (rest.length > 0) owners.set(owner, rest);
        this.#hosts.delete(host);
        if (owners.size > 0) this.#hosts.set(host, owners);
        this.#waiting -= 1;
        for (const [bound] of boundsOf(due)) this.#count(bound, 1);
        return due;
      }
    }
    return undefined;
  }

  /**
   * Marks a delivery from `take` as no longer in flight. Returns true if no other delivery of the same owner to the
   * same host waits.
   */
  done(due: DueDelivery): boolean {
    this.#keys.delete(due.key);
    for (const [bound] of boundsOf(due)) this.#count(bound, -1);
    return this.#hosts.get(hostOf(due))?.has(due.entry.owner) !== true;
  }

  #hasPlace(due: DueDelivery): boolean {
    return boundsOf(due).every(([bound, most]) => (this.#inFlight.get(bound) ?? 0) < most);
  }

  #count(bound: string, change: number): void {
    const count = (this.#inFlight.get(bound) ?? 0) + change;
    if (count > 0) this.#inFlight.set(bound, count);
    else this.#inFlight.delete(bound);
  }
}

/**
 * Returns the host of a delivery. Webhooks of the service and of runs have separate hosts, so that neither kind delays
 * the other.
 */
function hostOf({ entry: { webhook, host } }: DueDelivery): string {
  return `${webhook} ${host}`;
}

function boundsOf(due: DueDelivery): [bound: string, most: number][] {
  const { webhook, owner, form, delivery } = due.entry;
  const bounds: [string, number][] = [
    [`all ${webhook}`, mostInFlight],
    [`host ${hostOf(due)}`, mostPerHost],
  ];
  if (webhook === "run") bounds.push([`owner ${owner}`, mostPerOwner]);
  // The notifications of a subscription are sent one after the other.
  if (form !== undefined) bounds.push([`subscription ${delivery}`, 1]);
  return bounds;
}
