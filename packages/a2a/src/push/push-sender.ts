import { WebhookReceiverGuard } from "@troupe/core/provider";
import { TroupeError } from "@troupe/core";
import type { SessionOwner } from "@troupe/core";
import type { RunService } from "@troupe/core/runs";
import type { TaskRun } from "../tasks/task-runs.ts";
import { A2AError, wrongParam } from "../wire/a2a-error.ts";
import type { Dialect } from "../wire/dialect.ts";
import type { PushConfig } from "../wire/push-config.ts";
import { PushForm } from "./push-form.ts";
import type { KeptConfig } from "./push-form.ts";
import type { PushSettings } from "./push-options.ts";
import { PushSigner } from "./push-signer.ts";

/** A push config to set for a task. */
export type NewConfig = {
  readonly config: PushConfig & { readonly id: string };
  readonly dialect: Dialect;
  readonly owner: SessionOwner;
  /** True to notify of all events of the task; false for events from now on. */
  readonly fromStart: boolean;
};

type SenderInit = {
  readonly settings: PushSettings;
  /** The host's run service, whose tasks outlive this process. */
  readonly durable: RunService | undefined;
  /** The address of the server, if known. */
  readonly issuer: string | undefined;
  /** The path of the protocol in its service, where its public keys are. */
  readonly basePath: string;
};

/**
 * The push configs of a server's tasks. They are subscriptions of run services, whose outbox sends the notifications.
 */
export class PushSender {
  readonly signer: PushSigner;
  readonly #settings: PushSettings;
  readonly #durable: RunService | undefined;
  readonly #guard: WebhookReceiverGuard;
  readonly #form: PushForm;
  /** The name of the form. A service may have several protocols of A2A, each with a signing key of its own. */
  readonly #name: string;
  /** The run services whose tasks end with this process. */
  readonly #inMemory = new Set<RunService>();
  #isFlushing = false;

  constructor({ settings, durable, issuer, basePath }: SenderInit) {
    this.#settings = settings;
    this.#durable = durable;
    this.signer = new PushSigner(settings.signingKey, issuer);
    this.#guard = new WebhookReceiverGuard(settings);
    this.#form = new PushForm(settings, this.signer);
    this.#name = `a2a ${basePath}`;
    // Once the form is added, the outbox also sends notifications that other processes have left.
    durable?.webhooks.addForm(this.#name, this.#form);
  }

  /** The number of services whose notifications a shutdown waits for. */
  get size(): number {
    return this.#isFlushing ? this.#inMemory.size : 0;
  }

  /**
   * Throws `invalid-params` for an address that is never notified: it is not https, has credentials, or is on a host
   * that is private now. Hosts in `allowPrivateHosts` may be private and without https. This prevents requests to
   * private hosts (SSRF). Accepts a name that cannot be resolved now, because each delivery resolves it again.
   */
  async check({ url }: PushConfig): Promise<void> {
    if (await this.#guard.admits(url)) return;
    throw wrongParam("url", "an https: address of a public host, without a user name or password");
  }

  /** Stores a checked push config for its task, replacing a config with the same id, and starts notifying. */
  async set({ run }: TaskRun, { config, dialect, owner, fromStart }: NewConfig): Promise<void> {
    const { service, runId } = run;
    if (service !== this.#durable) {
      this.#inMemory.add(service);
      service.webhooks.addForm(this.#name, this.#form);
    }
    const data = { version: dialect.version, config } satisfies KeptConfig;
    const { id, url } = config;
    const request = { id, url, data, form: this.#name, fromStart, most: this.#settings.maxPerTask };
    await service.webhooks.subscriptions.put(runId, owner, request).catch(refuseMore);
  }

  /** Returns the push configs of a task, the oldest first. */
  async list({ run }: TaskRun, owner: SessionOwner): Promise<KeptConfig["config"][]> {
    const found = await run.service.webhooks.subscriptions.list(run.runId, owner);
    return found.map(({ data }) => (data as KeptConfig).config);
  }

  /** Removes a push config if the task has it. */
  async delete({ run }: TaskRun, owner: SessionOwner, id: string): Promise<void> {
    await run.service.webhooks.subscriptions.delete(run.runId, owner, id);
  }

  /** Waits for all notifications of tasks that end with this process, until `endAll`. */
  async flush(): Promise<void> {
    this.#isFlushing = true;
    await Promise.all([...this.#inMemory].map(async ({ webhooks }) => await webhooks.emptied()));
    this.#isFlushing = false;
  }

  /** Ends the notifications of tasks that end with this process. */
  endAll(): void {
    for (const { webhooks } of this.#inMemory) void webhooks.stop(0);
  }
}

/** Reports a refused push config as wrong parameters, because a task with too many configs has not failed. */
function refuseMore(error: unknown): never {
  if (TroupeError.is(error) && error.code === "conflict") throw new A2AError("invalid-params", error.message);
  throw error;
}
