import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { Logger } from "../../base/log/logger.ts";
import { runNamespaces } from "../../agents/journal/log-entry.ts";
import type { GuardedFetch } from "../../provider/wire/guarded-fetch.ts";
import { scan } from "../../sessions/session/scan.ts";
import { findRun } from "../record/find-runs.ts";
import type { KeyVault } from "../record/key-vault.ts";
import { webhookOf } from "../record/run-notice.ts";
import type { RunRecord } from "../record/run-record.ts";
import type { RunStore } from "../record/run-store.ts";
import type { RunCaller, RunView } from "../record/run-view.ts";
import type { RunTails } from "../readers/run-tails.ts";
import { deliveryPrefix, dueAtOf, readDelivery, toDeliveryView } from "./delivery-record.ts";
import type { WebhookDelivery } from "./delivery-record.ts";
import { Outbox } from "./outbox.ts";
import { hostOf, RunNotices } from "./run-notices.ts";
import type { DueDelivery } from "./run-notices.ts";
import { isGivenUp } from "./retry-schedule.ts";
import { SubscribedEvents } from "./subscribed-events.ts";
import { SubscriptionDispatch } from "./subscription-dispatch.ts";
import type { KnownForm } from "./subscription-dispatch.ts";
import type { NotificationFormat } from "./notification-format.ts";
import { Subscriptions } from "./subscriptions.ts";
import { StoredWebhooks } from "./stored-webhooks.ts";
import { WebhookDispatch } from "./webhook-dispatch.ts";
import { idOf, notReachable } from "./webhook-options.ts";
import type { RunWebhook, WebhookSettings } from "./webhook-options.ts";
import { WebhookSender } from "./webhook-sender.ts";

type Init = {
  readonly store: RunStore;
  readonly vault: KeyVault;
  readonly settings: WebhookSettings;
  readonly now: () => number;
  readonly logger: Logger | undefined;
  readonly tails: RunTails;
  /** True if no other process uses the storage: leases of other processes in it are left over. @default false */
  readonly isAlone?: boolean;
  readonly toView: (record: RunRecord) => RunView;
  /** Sends requests to receivers. @default a fetch that checks the address of the receiver's host */
  readonly fetch?: GuardedFetch | undefined;
};

/**
 * The webhooks of a `RunService`, which report the ends and waits of runs, and the subscriptions to single runs, whose
 * notifications have the form that a protocol such as A2A defines. One outbox sends the deliveries of both.
 */
export class RunWebhooks {
  readonly subscriptions: Subscriptions;
  readonly #init: Init;
  readonly #stored: StoredWebhooks;
  readonly #sender: WebhookSender;
  readonly #outbox: Outbox;
  readonly #forms = new Map<string, KnownForm>();

  constructor(init: Init) {
    this.#init = init;
    const { store, vault, settings, now, logger, fetch } = init;
    const { storage } = store;
    const { maxPerOwner } = settings;
    const stored = new StoredWebhooks({ store, vault, now, maxPerOwner });
    this.#stored = stored;
    this.#sender = new WebhookSender(settings, now, fetch);
    const send: WebhookSender["send"] = async (...given) => await this.#sender.send(...given);
    const dispatch = new WebhookDispatch({ storage, stored, settings, now, logger, send });
    const aloneSince = init.isAlone === true ? now() : undefined;
    const onDue = (due: DueDelivery): void => outbox.offer(due);
    const subscriptions = new Subscriptions({ store, vault, now, logger, onDue });
    const presentOf: Subscriptions["presentOf"] = async (run) => await subscriptions.presentOf(run);
    const events = new SubscribedEvents({ ...init, presentOf });
    const ofForms = new SubscriptionDispatch({
      store,
      subscriptions,
      events,
      forms: this.#forms,
      now,
      logger,
      aloneSince,
    });
    const outbox = new Outbox({
      storage,
      now,
      logger,
      watches: () => settings.targets.length > 0 || settings.allowCallers || this.#forms.size > 0,
      isKnown: ({ key, entry: { form } }) =>
        form === undefined || this.#forms.has(form) || isGivenUp(dueAtOf(key), now()),
      attempt: async (due, signal) => await (due.entry.form === undefined ? dispatch : ofForms).attempt(due, signal),
    });
    this.#outbox = outbox;
    this.subscriptions = subscriptions;
    store.notifier = new RunNotices({
      store,
      settings,
      now,
      onDue,
      wake: async (run) => await subscriptions.wake(run),
    });
  }

  /** True if subscriptions can be stored: in a lasting storage their data requires seal keys. */
  get canSubscribe(): boolean {
    return this.#init.vault.canSeal;
  }

  /**
   * Registers a form of subscriptions under its name. From now on this process sends the notifications of this form,
   * even if it performs no runs.
   */
  addForm(name: string, form: NotificationFormat): void {
    if (this.#forms.has(name)) return;
    const { now, fetch } = this.#init;
    this.#forms.set(name, { form, sender: new WebhookSender(form.settings, now, fetch) });
    this.#outbox.start();
    this.#outbox.watch();
  }

  /** Resolves when every delivery that is due now or later has been delivered or given up, or when sending stops. */
  async emptied(): Promise<void> {
    await this.#outbox.emptied();
  }

  /** True if requests of callers may name a webhook for their run. */
  get allowsCallers(): boolean {
    return this.#init.settings.allowCallers;
  }

  /** Returns the newest 200 deliveries of a run's events to webhooks and subscriptions, oldest first. */
  async deliveries(runId: string, caller: RunCaller): Promise<WebhookDelivery[]> {
    const { store } = this.#init;
    const run = await findRun({ store }, runId, caller);
    if (run.hasDeliveries !== true && run.isSubscribed !== true) return [];
    const found: WebhookDelivery[] = [];
    const range = { namespace: runNamespaces.deliveries, prefix: deliveryPrefix(run.runId) };
    for await (const page of scan(store.storage, range)) {
      for (const { key, value } of page) {
        const record = readDelivery(value, key);
        if (record !== null) found.push(toDeliveryView(record));
      }
    }
    return found;
  }

  /** Lets a webhook of the service be notified again, after its receiver had answered 410. */
  async enable(url: string): Promise<void> {
    const { targets } = this.#init.settings;
    if (targets.some((target) => target.url === url)) return await this.#stored.enableTarget(idOf(url));
    throw new TroupeError("not_found", "No webhook of the service has this address.");
  }

  /**
   * Stores a run together with its own webhook, which is noted in the run's record. `store` returns false if the run
   * exists already. An address that is private, or without https, is rejected as `invalid_request`.
   */
  async storeWith(webhook: RunWebhook, record: RunRecord, store: () => Promise<boolean>): Promise<boolean> {
    if (!(await this.#sender.admits(webhook.url))) throw notReachable();
    const run = webhookOf(record);
    record.webhook = hostOf(webhook.url);
    const isAdded = await this.#stored.add(run, webhook);
    let isKept = false;
    try {
      return (isKept = await store());
    } catch (error) {
      // The run may be stored although the storage failed, so its webhook is kept. A webhook without a run is removed
      // later.
      isKept = !TroupeError.is(error) || error.code === "storage_unavailable";
      throw error;
    } finally {
      if (isAdded && !isKept) await this.#stored.remove(run);
    }
  }

  /** Begins to send the deliveries in the outbox, until `stop`. */
  start(): void {
    this.#outbox.start();
  }

  /** Begins no more attempts. Resolves when the attempts in progress are over, after some seconds at most. */
  async stop(graceMs: number): Promise<void> {
    await this.#outbox.stop(graceMs);
  }
}
