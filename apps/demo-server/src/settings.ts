import { join, resolve } from "node:path";
import { TroupeError } from "@troupe/core";
import { nodeName, readAddress, readHosts } from "./listen.ts";
import type { Address } from "./listen.ts";
import { readStores } from "./read-stores.ts";
import type { StoreChoice } from "./read-stores.ts";

/** The settings of the demo, without the settings of its model and toolkits. */
export type Settings = {
  readonly address: Address;
  readonly allowedHosts: readonly string[];
  /** The name of this server among those that share its runs. */
  readonly node: string;
  /**
   * The key that encrypts callers' API keys in stored runs. Undefined unless it is configured, as for servers on
   * several machines.
   */
  readonly sealKey: string | undefined;
  /** The folder of the SQLite file, and of the file with the key that encrypts callers' API keys. */
  readonly folder: string;
  readonly file: string;
  readonly choice: StoreChoice;
};

type Variables = Readonly<Record<string, string | undefined>>;

const ownVariables = [
  "TROUPE_DEMO_DATA",
  "TROUPE_DEMO_HOSTS",
  "TROUPE_DEMO_MODEL",
  "TROUPE_DEMO_MODEL_URL",
  "TROUPE_DEMO_SEAL_KEY",
];

/** Smallest length in characters of a secret from which a key is derived. */
const leastKeyLength = 32;

/**
 * Reads the settings. Throws `invalid_config` for a wrong value, and for an unknown name that begins with TROUPE_DEMO_.
 * The message names the variable.
 */
export function readSettings(variables: Variables): Settings {
  const unknown = Object.keys(variables).find(
    (name) => name.startsWith("TROUPE_DEMO_") && !ownVariables.includes(name),
  );
  if (unknown !== undefined) {
    throw new TroupeError("invalid_config", `Unknown variable ${unknown}. Expected ${ownVariables.join(", ")}.`);
  }
  const folder = resolve(variables["TROUPE_DEMO_DATA"] || ".data");
  const address = readAddress(variables);
  return {
    address,
    node: nodeName(address),
    sealKey: readKey(variables["TROUPE_DEMO_SEAL_KEY"]),
    allowedHosts: readHosts(variables),
    folder,
    file: join(folder, "troupe.db"),
    choice: readStores(variables),
  };
}

/** Reads the shared key in TROUPE_DEMO_SEAL_KEY. Rejects a wrong key without showing it. */
function readKey(key = ""): string | undefined {
  if (key === "") return undefined;
  if (key.length >= leastKeyLength) return key;
  const sentence = `TROUPE_DEMO_SEAL_KEY must have at least ${leastKeyLength} characters, got ${key.length}. "openssl rand -base64 32" makes one.`;
  throw new TroupeError("invalid_config", sentence);
}
