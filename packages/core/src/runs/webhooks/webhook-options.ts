import {
  arrayOf,
  booleanOption,
  functionOption,
  integerOption,
  nested,
  oneOf,
  optional,
  customOption,
  timeoutOption,
} from "../../base/errors/option-checks.ts";
import { readOptions } from "../../base/errors/read-options.ts";
import type { OptionCheck, OptionTable } from "../../base/errors/read-options.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { allowPrivateHostsOption } from "../../provider/wire/guard-url.ts";
import type { HostLookup } from "../../provider/wire/guarded-fetch.ts";
import { WebhookReceiverGuard } from "../../provider/wire/webhook-receiver-guard.ts";
import { webhookEvents } from "../record/run-notice.ts";
import type { WebhookEvent } from "../record/run-notice.ts";
import { isWebhookSecret } from "./webhook-signature.ts";

/** A webhook of the service: it is notified of the events of all runs. */
export type WebhookTarget = {
  /** The address: https on a public host, or a host in `allowPrivateHosts`. */
  url: string;
  /**
   * Secrets that sign each request: `whsec_` and 24 to 64 bytes in base64. To replace a secret, give both the old and
   * the new secret until the receiver knows the new secret.
   */
  secrets: readonly string[];
  /** The events to send. @default all */
  events?: readonly WebhookEvent[] | undefined;
};

/** A webhook of a single run, which is notified of all events of that run. */
export type RunWebhook = {
  /** The address: https on a public host, or a host in `allowPrivateHosts`. */
  readonly url: string;
  /** The secret that signs each request: `whsec_` and 24 to 64 bytes in base64. */
  readonly secret: string;
};

/** A webhook that is no longer notified, because its receiver answered 410. */
export type DisabledWebhook = {
  readonly url: string;
  /** The run that the webhook belongs to; absent for a webhook of the service. */
  readonly runId?: string;
};

/** Options of the webhooks of a service. */
export type WebhookOptions = {
  /** The webhooks of the service, each with another address. @default none */
  targets?: readonly WebhookTarget[] | undefined;
  /** True if requests of callers may name a webhook for their run. @default false: only the program may */
  allowCallers?: boolean | undefined;
  /**
   * The largest number of runs with their own webhook that one owner may have at a time: open runs, and ended runs with
   * an undelivered event. All callers without a user count as one owner. @default 100
   */
  maxPerOwner?: number | undefined;
  /** Private hosts that may be notified, each as `host:port`, also over plain HTTP. @default [] */
  allowPrivateHosts?: readonly string[] | undefined;
  /** Milliseconds to wait for a receiver's answer. @default 15_000 */
  timeoutMs?: number | undefined;
  /** Resolves the host names of receivers. @default the operating system's lookup */
  lookup?: HostLookup | undefined;
  /**
   * Called when a receiver has answered 410, once in all processes. @default a warning in the log, without the address
   */
  onDisabled?: ((webhook: DisabledWebhook) => void) | undefined;
};

/** A checked webhook of a service. */
export type TargetSettings = {
  /** A short hash of the address, which is stored instead of the address. */
  readonly id: string;
  readonly url: string;
  readonly secrets: readonly string[];
  readonly events: readonly WebhookEvent[];
};

/** The checked options of webhooks, with defaults. */
export type WebhookSettings = {
  readonly targets: readonly TargetSettings[];
  readonly allowCallers: boolean;
  readonly maxPerOwner: number;
  readonly allowPrivateHosts: readonly string[];
  readonly timeoutMs: number;
  readonly lookup?: HostLookup;
  readonly onDisabled?: (webhook: DisabledWebhook) => void;
};

const urlOption = customOption<string>("an address of at most 2048 characters", (value) => {
  return typeof value === "string" && value.length <= 2048 && URL.canParse(value);
});

const secretOption = customOption<string>("whsec_ and 24 to 64 bytes in base64", isWebhookSecret);

const targetTable = {
  url: urlOption,
  secrets: arrayOf("secrets", secretOption),
  events: optional(arrayOf<WebhookEvent>("events", oneOf(...webhookEvents)), [...webhookEvents]),
} satisfies OptionTable<WebhookTarget>;

const optionTable = {
  targets: optional(arrayOf("webhooks", nested(targetTable)), []),
  allowCallers: optional(booleanOption, false),
  maxPerOwner: optional(integerOption(1, 100_000), 100),
  allowPrivateHosts: optional(allowPrivateHostsOption, []),
  timeoutMs: optional(timeoutOption, 15_000),
  lookup: optional(functionOption<HostLookup>()),
  onDisabled: optional(functionOption<NonNullable<WebhookOptions["onDisabled"]>>()),
} satisfies OptionTable<WebhookOptions>;

const runTable = { url: urlOption, secret: secretOption } satisfies OptionTable<RunWebhook>;

/** Settings of a service without the option `webhooks`. */
export const noWebhooks: WebhookSettings = { ...readOptions(optionTable, {}, { path: "webhooks" }), targets: [] };

/** Checks the option `webhooks`: an array of webhooks, or an object of options. A wrong option is `invalid_config`. */
export const webhooksOption: OptionCheck<readonly WebhookTarget[] | WebhookOptions> & OptionCheck<WebhookSettings> = (
  given,
  name,
  context,
) => {
  const options = Array.isArray(given) ? { targets: given as unknown } : given;
  const { targets, ...settings } = nested(optionTable)(options, name, context);
  const guard = new WebhookReceiverGuard(settings);
  const found = new Set<string>();
  const checked = targets.map(({ url, secrets, events }, index) => {
    const place = `${name}${Array.isArray(given) ? "" : ".targets"}[${index}]`;
    if (!guard.mayReach(url)) throw wrong(`${place}.url must be ${reachable}.`);
    if (secrets.length === 0) throw wrong(`${place}.secrets must have at least one secret.`);
    if (found.has(url)) throw wrong(`${place}.url is the address of another webhook. Give each address once.`);
    found.add(url);
    return { id: idOf(url), url, secrets, events };
  });
  return { ...settings, targets: checked };
};

const reachable =
  "an https: address of a public host, without a user name or password. List a private host as host:port in webhooks.allowPrivateHosts";

/** Checks the webhook of a run, except for its host. A wrong webhook is rejected as `invalid_request`. */
export function readRunWebhook(given: unknown, name = "webhook"): RunWebhook {
  return readOptions(runTable, given, { path: name, code: "invalid_request" });
}

/** Makes the error for a webhook of a run whose address may not be notified. */
export function notReachable(): TroupeError {
  return new TroupeError(
    "invalid_request",
    "webhook.url must be an https: address of a public host, without a user name or password.",
  );
}

function wrong(message: string): TroupeError {
  return new TroupeError("invalid_config", message);
}

/** Returns a short hash of an address or a host, for keys and records that must not contain it. */
export function idOf(text: string): string {
  return process.getBuiltinModule("node:crypto").hash("sha256", text).slice(0, 16);
}
