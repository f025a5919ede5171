import { createPrivateKey, KeyObject } from "node:crypto";
import type { LookupFunction } from "node:net";
import { functionLike, integer, nested, optional } from "@troupe/core/kit";
import { allowPrivateHostsOption } from "@troupe/core/transport";
import { satisfying, timeoutMilliseconds } from "@troupe/core/kit";
import type { OptionCheck, OptionTable } from "@troupe/core/kit";

/** Options of the push notifications of a server. */
export type PushOptions = {
  /**
   * The private key that signs notifications: in PEM or as a `KeyObject`, RSA of 2,048 bits or more, EC P-256 or Ed25519.
   * @default a new EC key for each process: give one where several processes serve the same tasks
   */
  signingKey?: string | KeyObject | undefined;
  /** Private hosts that may be notified, each as `host:port`, also over plain HTTP. @default [] */
  allowPrivateHosts?: readonly string[] | undefined;
  /** Milliseconds that a receiver has for its answer. @default 10_000 */
  timeoutMs?: number | undefined;
  /** The number of times that one notification is sent to a receiver that fails. @default 8 */
  maxAttempts?: number | undefined;
  /** Milliseconds before the second attempt. Each further pause is twice as long, up to a minute. @default 1000 */
  retryMs?: number | undefined;
  /** The number of configs that a task takes. @default 10 */
  maxPerTask?: number | undefined;
  /** The number of notifications under way at a time. @default 100 */
  concurrency?: number | undefined;
  /** Resolves the names of receivers. @default the operating system's lookup */
  lookup?: LookupFunction | undefined;
};

/** The options of push notifications after their check, with defaults. */
export type PushSettings = {
  readonly signingKey?: KeyObject;
  readonly allowPrivateHosts: readonly string[];
  readonly timeoutMs: number;
  readonly maxAttempts: number;
  readonly retryMs: number;
  readonly maxPerTask: number;
  readonly concurrency: number;
  readonly lookup?: LookupFunction;
};

/** Returns the private key in an option, undefined for one that cannot sign. */
function readKey(value: unknown): KeyObject | undefined {
  try {
    const key = value instanceof KeyObject ? value : createPrivateKey(value as string);
    return key.type === "private" && isOfKnownKind(key) ? key : undefined;
  } catch {
    return undefined;
  }
}

function isOfKnownKind({ asymmetricKeyType: type, asymmetricKeyDetails: details = {} }: KeyObject): boolean {
  if (type === "rsa") return (details.modulusLength ?? 0) >= 2048;
  return type === "ed25519" || (type === "ec" && details.namedCurve === "prime256v1");
}

const isKey = satisfying<string | KeyObject>(
  "a private key in PEM or as a KeyObject: RSA of 2048 bits or more, EC P-256 or Ed25519",
  (value) => (typeof value === "string" || value instanceof KeyObject) && readKey(value) !== undefined,
);

const optionTable = {
  signingKey: optional(isKey),
  allowPrivateHosts: optional(allowPrivateHostsOption, []),
  timeoutMs: optional(timeoutMilliseconds, 10_000),
  maxAttempts: optional(integer(1, 1000), 8),
  retryMs: optional(timeoutMilliseconds, 1000),
  maxPerTask: optional(integer(1, 100), 10),
  concurrency: optional(integer(1), 100),
  lookup: optional(functionLike<LookupFunction>()),
} satisfies OptionTable<PushOptions>;

const readTable = nested(optionTable);

/** Option check of `pushNotifications`: `true` for the defaults, `false` for none, or options. */
export const pushOption: OptionCheck<PushSettings | false> = (given, name, context) => {
  if (given === false) return false;
  const { signingKey, ...settings } = readTable(given === true ? {} : given, name, context);
  const key = signingKey === undefined ? undefined : readKey(signingKey);
  return { ...settings, ...(key && { signingKey: key }) };
};
