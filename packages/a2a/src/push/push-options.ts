import { createPrivateKey, KeyObject } from "node:crypto";
import type { LookupFunction } from "node:net";
import { functionOption, integerOption, nested, optional } from "@troupe/core/kit";
import { allowPrivateHostsOption } from "@troupe/core/provider";
import { customOption, timeoutOption } from "@troupe/core/kit";
import type { OptionCheck, OptionTable } from "@troupe/core/kit";

/** Options of the push notifications of a server. */
export type PushOptions = {
  /**
   * The private key that signs notifications: PEM or a `KeyObject`; RSA with at least 2,048 bits, EC P-256 or Ed25519.
   * @default a new EC key for each process: set a key if several processes serve the same tasks
   */
  signingKey?: string | KeyObject | undefined;
  /** Private hosts that may be notified, each as `host:port`, also over plain HTTP. @default [] */
  allowPrivateHosts?: readonly string[] | undefined;
  /** Milliseconds to wait for a receiver's answer. @default 10_000 */
  timeoutMs?: number | undefined;
  /** The largest number of attempts to send one notification. @default as many as fit into one day */
  maxAttempts?: number | undefined;
  /**
   * Milliseconds before the second attempt to send a notification. Each further pause is twice as long, up to one hour.
   * A random addition of up to a quarter lengthens each pause. @default 10_000
   */
  retryMs?: number | undefined;
  /** The largest number of push configs per task. @default 10 */
  maxPerTask?: number | undefined;
  /** Resolves the host names of receivers. @default the operating system's lookup */
  lookup?: LookupFunction | undefined;
};

/** The checked options of push notifications, with defaults. */
export type PushSettings = {
  readonly signingKey?: KeyObject;
  readonly allowPrivateHosts: readonly string[];
  readonly timeoutMs: number;
  readonly maxAttempts?: number;
  readonly retryMs?: number;
  readonly maxPerTask: number;
  readonly lookup?: LookupFunction;
};

/** Returns the private key in the option `signingKey`; undefined if it is not of a supported kind. */
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

const isKey = customOption<string | KeyObject>(
  "a private key in PEM or as a KeyObject: RSA of 2048 bits or more, EC P-256 or Ed25519",
  (value) => (typeof value === "string" || value instanceof KeyObject) && readKey(value) !== undefined,
);

const optionTable = {
  signingKey: optional(isKey),
  allowPrivateHosts: optional(allowPrivateHostsOption, []),
  timeoutMs: optional(timeoutOption, 10_000),
  maxAttempts: optional(integerOption(1, 1000)),
  retryMs: optional(timeoutOption),
  maxPerTask: optional(integerOption(1, 100), 10),
  lookup: optional(functionOption<LookupFunction>()),
} satisfies OptionTable<PushOptions>;

const readTable = nested(optionTable);

/**
 * Checks the option `pushNotifications`: `true` for the defaults, `false` for no notifications, or an object of
 * options.
 */
export const pushOption: OptionCheck<PushSettings | false> = (given, name, context) => {
  if (given === false) return false;
  const { signingKey, ...settings } = readTable(given === true ? {} : given, name, context);
  const key = signingKey === undefined ? undefined : readKey(signingKey);
  return { ...settings, ...(key && { signingKey: key }) };
};
