import type { StoredValue } from "../ui/browser-storage.ts";
import { Store } from "../ui/store.ts";
import { strings } from "../strings/strings.ts";

/** The vendors whose keys a request for a run may carry, each in its own header. */
export const vendors = [
  { id: "openai", name: "OpenAI", header: "x-openai-api-key" },
  { id: "anthropic", name: "Anthropic", header: "x-anthropic-api-key" },
  { id: "google", name: "Google", header: "x-google-api-key" },
] as const;

/** The id of a vendor whose key a request may carry. */
export type VendorId = (typeof vendors)[number]["id"];

type Keys = Partial<Record<VendorId, string>>;

/** The vendors that have a key, and whether keys survive a reload. It never contains a key. */
export type KeyState = {
  readonly present: readonly VendorId[];
  readonly isKept: boolean;
  /** True if the user wants to keep the keys, but the browser refuses to store them. */
  readonly isRefused: boolean;
};

/**
 * The user's vendor keys. They are in memory, and are sent only in headers of requests for runs and for model calls that
 * are made again. If the user chooses to keep them, they survive a reload of this tab, and are removed when the tab is closed.
 */
export class KeyRing extends Store<KeyState> {
  #keys: Keys;
  readonly #stored: StoredValue;

  constructor(stored: StoredValue) {
    const kept = stored.read(isKeys);
    super({ present: presentIn(kept ?? {}), isKept: kept !== undefined, isRefused: false });
    this.#keys = kept ?? {};
    this.#stored = stored;
  }

  /** Sets the key of a vendor. `undefined` removes the key. */
  put(vendor: VendorId, key: string | undefined): void {
    const { [vendor]: _, ...others } = this.#keys;
    this.#keys = key === undefined ? others : { ...others, [vendor]: key };
    this.#keep(this.state.isKept);
  }

  /** Stores the keys for reloads of this tab, or removes the stored keys immediately. */
  keep(isKept: boolean): void {
    this.#keep(isKept);
  }

  /** Returns the header of each vendor that has a key. */
  headers(): Record<string, string> {
    return Object.fromEntries(
      vendors.flatMap(({ id, header }) => {
        const key = this.#keys[id];
        return key === undefined ? [] : [[header, key]];
      }),
    );
  }

  #keep(isKept: boolean): void {
    const isWritten = this.#stored.write(isKept ? this.#keys : undefined);
    // Keys that were stored earlier are removed, because they must not outlive the newer keys.
    if (!isWritten) this.#stored.write(undefined);
    this.set({ present: presentIn(this.#keys), isKept: isKept && isWritten, isRefused: isKept && !isWritten });
  }
}

/** Returns a sentence about an error in an entered key; undefined if the key is valid. */
export function faultOfKey(key: string): string | undefined {
  if (/^[!-~]{1,16384}$/.test(key)) return undefined;
  return key === "" ? strings.keys.enter : strings.keys.wrong;
}

function presentIn(keys: Keys): VendorId[] {
  return vendors.flatMap(({ id }) => (keys[id] === undefined ? [] : [id]));
}

function isKeys(value: unknown): value is Keys {
  if (typeof value !== "object" || value === null) return false;
  const known: readonly string[] = vendors.map(({ id }) => id);
  return Object.entries(value).every(
    ([vendor, key]) => known.includes(vendor) && typeof key === "string" && faultOfKey(key) === undefined,
  );
}
