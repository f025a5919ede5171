import { join, resolve } from "node:path";
import { TroupeError } from "@troupe/core";
import { readAddress, readHosts } from "./listen.ts";
import type { Address } from "./listen.ts";
import { readStores } from "./read-stores.ts";
import type { StoreChoice } from "./read-stores.ts";

/** The settings of the demo, but for its model. */
export type Settings = {
  readonly address: Address;
  readonly allowedHosts: readonly string[];
  /** The folder of the SQLite file and of the key that encrypts the keys of callers. */
  readonly folder: string;
  readonly file: string;
  readonly choice: StoreChoice;
};

type Variables = Readonly<Record<string, string | undefined>>;

const ownVariables = ["TROUPE_DEMO_DATA", "TROUPE_DEMO_HOSTS", "TROUPE_DEMO_MODEL", "TROUPE_DEMO_MODEL_URL"];

/** Reads the settings. Throws `invalid_config`, with a sentence that names the variable, for a wrong one and for a name that is none. */
export function readSettings(variables: Variables): Settings {
  const unknown = Object.keys(variables).find(
    (name) => name.startsWith("TROUPE_DEMO_") && !ownVariables.includes(name),
  );
  if (unknown !== undefined) {
    throw new TroupeError("invalid_config", `Unknown variable ${unknown}. Expected ${ownVariables.join(", ")}.`);
  }
  const folder = resolve(variables["TROUPE_DEMO_DATA"] || ".data");
  return {
    address: readAddress(variables),
    allowedHosts: readHosts(variables),
    folder,
    file: join(folder, "troupe.db"),
    choice: readStores(variables),
  };
}
