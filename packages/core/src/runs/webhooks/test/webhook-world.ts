import { Webhook } from "standardwebhooks";
import type { GuardedFetch } from "../../../provider/wire/guarded-fetch.ts";
import { refusedUrlError } from "../../../provider/wire/guard-url.ts";
import { createLogger } from "../../../base/log/logger.ts";
import type { StorageDriver } from "../../../sessions/storage/storage-driver.ts";
import { KeyVault } from "../../record/key-vault.ts";
import type { RunRecord, RunStorage } from "../../record/run-record.ts";
import { toView } from "../../record/run-record.ts";
import type { RunView } from "../../record/run-view.ts";
import { RunTails } from "../../readers/run-tails.ts";
import { LogWriter } from "../../../agents/journal/log-writer.ts";
import type { Logger } from "../../../base/log/logger.ts";
import { RunStore } from "../../record/run-store.ts";
import { newRecord } from "../../record/test/run-records.ts";
import type { DeliveryRecord } from "../delivery-record.ts";
import { RunNotices } from "../run-notices.ts";
import type { DueDelivery } from "../run-notices.ts";
import { RunWebhooks } from "../run-webhooks.ts";
import { SubscribedEvents } from "../subscribed-events.ts";
import { SubscriptionDispatch } from "../subscription-dispatch.ts";
import type { NotificationFormat } from "../notification-format.ts";
import { Subscriptions } from "../subscriptions.ts";
import { StoredWebhooks } from "../stored-webhooks.ts";
import { WebhookDispatch } from "../webhook-dispatch.ts";
import { noWebhooks, webhooksOption } from "../webhook-options.ts";
import type { WebhookOptions, WebhookSettings, WebhookTarget } from "../webhook-options.ts";
import { WebhookSender } from "../webhook-sender.ts";

/** Makes a secret from a letter. */
export const secretOf = (letter: string): string => `whsec_${Buffer.from(letter.repeat(32)).toString("base64")}`;

/** The seal key of these services. */
export const sealKey = "a seal key of thirty-two characters";

/** One request that a receiver got. */
export type Received = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/** The answer of a receiver: a status, perhaps with `Retry-After`, or no answer at all. */
export type Answer = number | { readonly status: number; readonly retryAfter: string } | "unreachable";

/** Receivers of webhooks by address, without a network. */
export class Receivers {
  readonly received: Received[] = [];
  answer: (url: string) => Answer = () => 204;

  readonly fetch: GuardedFetch = async (url, { headers = {}, body = "" } = {}) => {
    const answer = this.answer(String(url));
    if (answer === "unreachable") throw refusedUrlError("unreachable");
    this.received.push({ url: String(url), headers, body: String(body) });
    const { status, retryAfter } = typeof answer === "number" ? { status: answer, retryAfter: undefined } : answer;
    const given = new Headers(retryAfter === undefined ? {} : { "retry-after": retryAfter });
    return { status, headers: given, url: String(url), bytes: new Uint8Array() };
  };

  /** The requests to an address. */
  at(url: string): Received[] {
    return this.received.filter((each) => each.url === url);
  }
}

/**
 * Verifies a request with the reference implementation, by its clock. Returns the body. Throws for a wrong signature.
 */
export function verified({ headers, body }: Pick<Received, "headers" | "body">, secret: string) {
  return new Webhook(secret).verify(body, { ...headers }) as {
    type: string;
    timestamp: string;
    data: Record<string, unknown>;
  };
}

/** Checks webhooks as a service does. */
export function settingsOf(given: readonly WebhookTarget[] | WebhookOptions): WebhookSettings {
  return webhooksOption(given, "webhooks", {}) as WebhookSettings;
}

type Process = {
  readonly settings?: WebhookSettings;
  readonly now: () => number;
  readonly fetch: GuardedFetch;
  readonly lines?: string[];
  /** The form of subscriptions. @default the event and the data of the subscription */
  readonly form?: NotificationFormat | undefined;
  /** The time from which the process has the storage to itself. @default it has not */
  readonly aloneSince?: number;
};

/** A form of subscriptions whose body has the type of an event and what the subscription stored. */
export const plainForm: NotificationFormat = {
  settings: { allowPrivateHosts: [], timeoutMs: 15_000 },
  notify: ({ event, run, attempt }, data) => {
    const parts = event.type === "end" ? ["output", "end"] : [event.type];
    const { url } = data as { url: string };
    return parts.map((part) => (id) => {
      return { url, headers: { id }, body: JSON.stringify({ part, status: run.status, attempt }) };
    });
  },
};

type Dispatching = Pick<Process, "now" | "fetch" | "form" | "aloneSince"> & {
  readonly store: RunStore;
  readonly subscriptions: Subscriptions;
  readonly logger: Logger;
};

/** Makes what sends the notifications of subscriptions of one form, named "plain". */
function subscriptionDispatchOf({
  store,
  subscriptions,
  now,
  logger,
  fetch,
  form = plainForm,
  aloneSince,
}: Dispatching) {
  const presentOf: Subscriptions["presentOf"] = async (run) => await subscriptions.presentOf(run);
  const events = new SubscribedEvents({ store, tails: tailsOf(store), now, toView: toViewOf, presentOf });
  const forms = new Map([["plain", { form, sender: new WebhookSender(form.settings, now, fetch) }]]);
  return new SubscriptionDispatch({ store, subscriptions, events, forms, now, logger, aloneSince });
}

const toViewOf = (record: RunRecord): RunView => toView(record, Infinity);

function tailsOf({ storage }: RunStore): RunTails {
  const writer = new LogWriter(storage);
  return new RunTails({ storage, writer, isPerformedHere: () => false, checkQuiet: async () => undefined });
}

/** The parts of a process that notes the events of runs and delivers them, one by one. */
export function processOf(
  driver: StorageDriver,
  { settings = noWebhooks, now, fetch, lines = [], form, aloneSince }: Process,
) {
  const store = new RunStore(driver as RunStorage, now, true);
  const vault = new KeyVault(driver, [sealKey]);
  const logger = createLogger({ level: "debug", color: false, write: (line) => void lines.push(line) });
  const due: DueDelivery[] = [];
  const stored = new StoredWebhooks({ store, vault, now, maxPerOwner: settings.maxPerOwner });
  const sender = new WebhookSender(settings, now, fetch);
  const send: WebhookSender["send"] = async (...given) => await sender.send(...given);
  const dispatch = new WebhookDispatch({ storage: store.storage, stored, settings, now, logger, send });
  const onDue = (each: DueDelivery): void => void due.push(each);
  const subscriptions = new Subscriptions({ store, vault, now, logger, onDue });
  const wake: Subscriptions["wake"] = async (run) => await subscriptions.wake(run);
  store.notifier = new RunNotices({ store, settings, now, onDue, wake });
  const alone = aloneSince === undefined ? {} : { aloneSince };
  const ofForms = subscriptionDispatchOf({ store, subscriptions, now, logger, fetch, form, ...alone });
  return { store, vault, stored, dispatch, ofForms, subscriptions, due, lines };
}

/** Makes the webhooks of a process, which sends by itself once it is started. */
export function webhooksOf(driver: StorageDriver, { settings = noWebhooks, now, fetch, lines = [] }: Process) {
  const store = new RunStore(driver as RunStorage, now, true);
  const vault = new KeyVault(driver, [sealKey]);
  const logger = createLogger({ level: "debug", color: false, write: (line) => void lines.push(line) });
  return {
    store,
    webhooks: new RunWebhooks({
      store,
      vault,
      settings,
      now,
      logger,
      fetch,
      tails: tailsOf(store),
      toView: toViewOf,
    }),
  };
}

/** Makes one attempt at each delivery that is in the outbox and due. */
export async function attemptAll(of: ReturnType<typeof processOf>, now: number): Promise<void> {
  for (const { key, value } of await of.store.storage.list("outbox")) {
    if (Number(key.split("/")[0]) > now) continue;
    const entry = value as DueDelivery["entry"];
    const dispatch = entry.form === undefined ? of.dispatch : of.ofForms;
    await dispatch.attempt({ key, entry }, new AbortController().signal);
  }
}

/** Returns all deliveries in a storage. */
export async function deliveriesIn(driver: StorageDriver): Promise<DeliveryRecord[]> {
  return (await driver.list("run-deliveries")).map(({ value }) => value as unknown as DeliveryRecord);
}

/** Makes the record of a run that is performed. */
export function running(runId: string, given: Partial<RunRecord> = {}): RunRecord {
  return newRecord({ runId, createdAt: 1, status: "running", attempts: 1, name: "weather", ...given });
}
